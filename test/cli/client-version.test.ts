import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { TABLES } from '../../src/agents/agents.js';
import type { AgentGuard } from '../../src/agents/table.js';
import { tableOf } from '../../src/connect/agent-hooks.js';
import { guardSupport, guardWarning } from '../../src/connect/client-version.js';
import { cli } from './cli.js';

const claude = tableOf('claude-code');
const { program, version: since } = (claude.connect.guard as Required<AgentGuard>).since;

let folder: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'client-version-')));
  mkdirSync(join(folder, 'project'));
  mkdirSync(join(folder, 'bin'));
  env = {
    ...process.env,
    HOME: folder,
    XDG_STATE_HOME: join(folder, 'state'),
    XDG_RUNTIME_DIR: join(folder, 'run'),
    CLAUDE_CONFIG_DIR: join(folder, 'claude'),
    PATH: join(folder, 'bin'),
  };
});
afterEach(() => {
  expect(existsSync(join(folder, 'was-run')), 'the client is never run').toBe(false);
  rmSync(folder, { recursive: true, force: true });
});

function put(path: string, text: string): string {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

/** A program that fails the test if it is run: it leaves a file. */
function install(path: string): void {
  const file = put(path, `#!/bin/sh\n: > '${folder}/was-run'\n`);
  chmodSync(file, 0o755);
  symlinkSync(file, join(folder, 'bin', program));
}

/** How a client may be installed. The folder of an npm package may itself lie below a version (of Node). */
const INSTALLED: Readonly<Record<string, (version: string) => void>> = {
  'by npm': (version) => {
    put('9.9.9/lib/client/package.json', JSON.stringify({ version, bin: { [program]: `bin/${program}.exe` } }));
    install(`9.9.9/lib/client/bin/${program}.exe`);
  },
  'by npm, in the package’s own folder': (version) => {
    put('9.9.9/client/package.json', JSON.stringify({ version, bin: { [program]: program } }));
    install(`9.9.9/client/${program}`);
  },
  'as a file that its version names': (version) => install(`share/versions/${version}`),
  'in a folder that its version names': (version) => install(`cask/${version}/${program}`),
};
const UNREAD: Readonly<Record<string, () => void>> = {
  'is nowhere on the PATH': () => undefined,
  'says no version': () => install(`opt/${program}`),
  'is beside another program’s package': () => {
    put('opt/package.json', JSON.stringify({ version: '1.0.0', bin: { other: 'other.js' } }));
    install(`opt/${program}`);
  },
  'has a package that is no JSON': () => {
    put('opt/package.json', 'null');
    install(`opt/${program}`);
  },
  'has a version of another form': () => {
    put('opt/package.json', JSON.stringify({ version: '3', bin: { [program]: program } }));
    install(`opt/${program}`);
  },
};

const [major, minor, patch] = since.split('.').map(Number) as [number, number, number];
const EARLIER = [`${major}.${minor}.${patch - 1}`, `${major}.${minor}.9`, `${major}.0.999`, '1.999.999'];
const LATER = [since, `${major}.${minor}.${patch + 1}`, `${major}.${minor + 1}.0`, `${major + 1}.0.0`];

describe.each(Object.entries(INSTALLED))('a client that is installed %s', (_how, installed) => {
  test.each(EARLIER)('%s ignores the keys, and that is told', (version) => {
    installed(version);
    expect(guardSupport(claude, env)).toMatchObject({ does: 'ignores', version, since });
    expect(guardWarning(claude, false, env)).toContain(`is ${version}`);
  });

  test.each(LATER)('%s heeds them, and nothing is told', (version) => {
    installed(version);
    expect(guardSupport(claude, env)).toMatchObject({ does: 'heeds', version });
    expect(guardWarning(claude, false, env)).toBeUndefined();
  });
});

test.each(Object.entries(UNREAD))(
  'of a client that %s the first version that heeds them is told',
  (_what, installed) => {
    installed();
    expect(guardSupport(claude, env)).toEqual({ since, does: 'unknown' });
    expect(guardWarning(claude, false, env)).toContain(`before ${since}`);
    expect(guardWarning(claude, false, env)).toContain('which version is used here is not known');
  },
);

test('nothing is told of an agent of which no such version is known', () => {
  for (const table of TABLES)
    if (table.connect.guard?.since === undefined) expect(guardWarning(table, false, env), table.name).toBeUndefined();
});

describe('connect and doctor do not say of an earlier client that it blocks', () => {
  const hookscope = (...args: string[]) => cli(args, { cwd: join(folder, 'project'), env });
  const http = ['connect', 'claude-code', '--http', '--port', '7007'];

  test.each([
    ['ignores', EARLIER[0] as string, 'blocks nothing then'],
    ['heeds', since, 'what can be denied is blocked, and everything else goes on unasked'],
  ])('with one that %s it', async (does, version, words) => {
    INSTALLED['by npm']?.(version);
    const connected = await hookscope(...http, '--write');
    expect(connected.stderr).toContain(words);
    expect(connected.stderr.includes(`before ${since}`)).toBe(does === 'ignores');
    const { stdout } = await hookscope('doctor');
    expect(stdout).toContain(words);
    expect(stdout.includes(`Install Claude Code ${since} or later.`)).toBe(does === 'ignores');
  });

  test('with one of which nothing is known, nor that a command is blocked that does not start', async () => {
    const { stderr } = await hookscope('connect', 'claude-code', '--write');
    expect(stderr).toContain(
      `before ${since} lets a call go on unasked where the command does not start, or is killed`,
    );
    await hookscope('connect', 'claude-code', '--undo');
    expect((await hookscope(...http, '--write')).stderr).toContain(`${since} and later block what can be denied`);
    expect((await hookscope('doctor')).stdout).toContain(`${since} and later block what can be denied`);
  });
});
