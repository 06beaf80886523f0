import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { listHeld } from '../../src/claude-code/trust/held.js';
import { acceptTrust } from '../../src/trust/accept.js';
import { bound } from '../../src/trust/changes.js';
import { bytesAt, UNREADABLE } from '../../src/trust/file-hash.js';
import { namedFiles } from '../../src/trust/named/named-files.js';
import { formatPath } from '../../src/values/problem.js';
import { cli } from '../cli/cli.js';
import { growth } from '../growth.js';
import { until } from '../handlers/shell-call.js';
import { NO_FILES } from '../no-files.js';
import { closeAll, createProject, hook, hooksOn, memoryStore, type Project } from './project.js';

afterEach(closeAll);

/** What may lie where a file is looked for, that is none. */
const NONE: typeof NO_FILES = {
  ...NO_FILES,
  'a link to a pipe': (path) => {
    spawnSync('mkfifo', [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
};
const FOUND = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/agents/a.md',
  '.claude/commands/c.md',
  '.claude/skills/s/SKILL.md',
  'plugin/.claude-plugin/plugin.json',
  'other/hooks/hooks.json',
];

function put(project: Project, path: string, make: (path: string) => void): string {
  const file = join(project.dir, path);
  mkdirSync(dirname(file), { recursive: true });
  rmSync(file, { force: true });
  make(file);
  return file;
}

describe.each(Object.entries(NONE))('%s', (_, make) => {
  test('in place of any file that is found is told and not waited for', async () => {
    const project = createProject();
    for (const path of FOUND) put(project, path, make);
    const args = [
      'list',
      '--claude-code',
      project.dir,
      '--plugin-dir',
      join(project.dir, 'plugin'),
      '--plugin-dir',
      join(project.dir, 'other'),
      '--trust',
      'all',
    ];
    const { stderr, code } = await cli(args, { cwd: project.path });
    expect(code).toBe(0);
    for (const path of FOUND) {
      expect(stderr).toMatch(new RegExp(`${path.replaceAll('.', '\\.')}: .*is (?:no regular file|larger than 16 MiB)`));
    }
  });

  test.each(['hookscope.config.json', 'hookscope.config.mjs', 'hookscope.config.ts'])('as %s is held', async (name) => {
    const project = createProject();
    put(project, name, make);
    const { stderr, code } = await cli(['list'], { cwd: project.dir });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/held: .*cannot be read/)]);
  });

  test('as what a command names cannot be bound', () => {
    const project = createProject();
    const file = put(project, 'guard', make);
    expect(namedFiles({ type: 'command', command: 'sh guard' }, { projectDir: project.dir }).files).toContain('guard');
    expect(bytesAt(file)).toBe(UNREADABLE);
  });
});

describe('a program that is larger than what people write', () => {
  const MIB = 1024 * 1024;
  const large = (size: number) => (path: string) => {
    writeFileSync(path, '#!/bin/sh\necho no >&2\nexit 2\n', { mode: 0o755 });
    truncateSync(path, size);
  };
  const sha256 = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

  test('is bound by its hash, under every name, and a byte that changes is noticed', async () => {
    const project = createProject();
    const file = put(project, 'guard', large(17 * MIB));
    const link = put(project, 'link', (path) => symlinkSync(file, path));
    const before = sha256(file);
    expect(bound(file)).toEqual({ sha256: before, executable: true });
    expect(bound(link)).toEqual(bound(file));
    await setImmediate();
    const handle = openSync(file, 'r+');
    writeSync(handle, 'x', 16 * MIB);
    closeSync(handle);
    expect(bound(file).sha256).toBe(sha256(file));
    expect(bound(file).sha256).not.toBe(before);
  });

  test('runs once it is accepted, and not when it has changed since', async () => {
    const project = createProject();
    const file = put(project, 'guard', large(17 * MIB));
    project.write('project/.claude/settings.json', hooksOn('PreToolUse', { type: 'command', command: './guard' }));
    const store = memoryStore();
    const { dir, home, managedDir } = project;
    for (const { request } of await listHeld({ projectDir: dir, home, managedDir, trust: store }))
      acceptTrust(request, store);
    const { fire } = await project.load({ trust: store });
    expect((await fire()).decision).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('no') });
    const handle = openSync(file, 'r+');
    writeSync(handle, 'x', 16 * MIB);
    closeSync(handle);
    expect((await fire()).decision).toMatchObject({ verdict: 'ask', failures: [{ cause: 'untrusted' }] });
  });

  test('may have half a GiB', () => {
    const project = createProject();
    expect(bound(put(project, 'guard', large(512 * MIB + 1)))).toEqual({ sha256: UNREADABLE });
  });

  test('counts as one only while it can be executed', () => {
    const project = createProject();
    const file = put(project, 'guard', large(17 * MIB));
    chmodSync(file, 0o644);
    expect(bound(file)).toEqual({ sha256: UNREADABLE });
  });
});

test('a file that was named may be a pipe', async () => {
  const project = createProject();
  const hooks = JSON.stringify(hooksOn('PreToolUse', { type: 'command', command: 'true' }));
  const file = project.write('hooks.json', hooks);
  const run = spawnSync(
    'bash',
    ['-c', `node "$0" list --no-config --hooks <(cat "$1")`, join(process.cwd(), 'dist/cli/main.js'), file],
    { encoding: 'utf8', cwd: project.path },
  );
  expect([run.status, run.stdout]).toEqual([0, expect.stringContaining('PreToolUse')]);
});

describe.each([
  ['--hooks', ['list', '--no-config', '--hooks']],
  ['--config', ['list', '--config']],
  ['--settings', ['list', '--no-config', '--settings']],
  ['--input', ['fire', 'PreToolUse', '--no-config', '--input']],
  ['explain --input', ['explain', 'PreToolUse', '--no-config', '--input']],
  ['run', ['run', '--no-config']],
])('a file that was named: %s', (option, args) => {
  // All are read by the same code; one of them from a device without an end, the others from a file without bytes on the disk.
  test('is read up to a limit', async () => {
    const project = createProject();
    const file = put(project, 'named.json', (path) => {
      if (option === '--hooks') return symlinkSync('/dev/zero', path);
      writeFileSync(path, '');
      truncateSync(path, 257 * 2 ** 20);
    });
    const { stderr } = await cli([...args, file], { cwd: project.path });
    expect(stderr).toMatch(/named\.json: is larger than (?:64|256) MiB/);
  });

  test.runIf(process.platform === 'linux')('may be a pipe that nobody writes to: SIGTERM ends the wait', async () => {
    const project = createProject();
    const file = put(project, 'named.json', (path) => void spawnSync('mkfifo', [path]));
    const main = join(process.cwd(), 'dist/cli/main.js');
    const child = spawn(process.execPath, [main, ...args, file], { cwd: project.path, stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', (...how) => resolve(how)));
    try {
      const open = (): string[] =>
        readdirSync(`/proc/${child.pid}/fd`).map((fd) => linkOf(`/proc/${child.pid}/fd/${fd}`));
      await until(() => open().includes(realpathSync(file)), 20);
      child.kill('SIGTERM');
      expect(await ended).toEqual([143, null]);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed meanwhile.
    return '';
  }
}

test('standard input is read up to a limit', async () => {
  const project = createProject();
  const main = join(process.cwd(), 'dist/cli/main.js');
  const run = spawnSync(process.execPath, [main, 'fire', 'PreToolUse', '--no-config', '--input', '-'], {
    cwd: project.path,
    encoding: 'utf8',
    stdio: [openSync('/dev/zero', 'r'), 'pipe', 'pipe'],
  });
  expect([run.status, run.stderr]).toEqual([1, 'hookscope: standard input: is larger than 64 MiB.\n']);
});

test('what loading costs grows with what the file holds, and not faster', async () => {
  const load = async (count: number): Promise<void> => {
    const project = createProject();
    const groups = Array.from({ length: count }, (_, i) => ({ matcher: `(${i}`, hooks: [hook(`h${i}`)], Matcher: 1 }));
    project.write('project/.claude/settings.json', { hooks: { PreToolUse: groups } });
    const { problems } = await project.load({ trust: 'all' });
    expect(problems.length).toBeGreaterThanOrEqual(count);
    await closeAll();
  };
  // Eight times as much; sixty-four if every matcher looked at all the others.
  expect(await growth(load, { few: 250, many: 2000, most: 24 })).toBeLessThan(24);
});

test('the path of a value that is nested deep is shortened', () => {
  const deep = formatPath(Array.from({ length: 5000 }, (_, i) => (i % 2 === 0 ? 'key' : 0)));
  expect(deep).toMatch(/^key\[0\]\.key\[0\].* … 4984 more … .*key\[0\]$/);
  expect(deep.length).toBeLessThan(200);
  expect(formatPath(['hooks', 'PreToolUse', 0, 'hooks', 1, 'timeout'])).toBe('hooks.PreToolUse[0].hooks[1].timeout');
});

describe('a standard output that is full', () => {
  const main = join(process.cwd(), 'dist/cli/main.js');
  test.each([
    ['fire', 'PreToolUse', '--no-config'],
    ['fire', 'PreToolUse', '--no-config', '--json'],
    ['fire', 'PreToolUse', '--no-config', '--exit-code'],
    ['list', '--no-config'],
    ['explain', 'PreToolUse', '--tool', 'Bash', '--no-config'],
    ['--help'],
    ['--version'],
  ])('is no success: %s %s %s', async (...args) => {
    const full = openSync('/dev/full', 'w');
    const stdout = new Writable({
      write(chunk: Buffer, _, done) {
        try {
          writeSync(full, chunk);
          done();
        } catch (error) {
          done(error as Error);
        }
      },
    });
    const { code, stderr } = await cli(args, { cwd: process.cwd(), stdout });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/standard output: .*ENOSPC/)]);
  });

  test('is no success of a process', () => {
    const run = spawnSync(process.execPath, [main, 'list', '--no-config'], {
      encoding: 'utf8',
      input: '',
      stdio: ['pipe', openSync('/dev/full', 'w'), 'pipe'],
    });
    expect([run.status, run.stderr]).toEqual([1, expect.stringMatching(/standard output: .*ENOSPC/)]);
  });

  test('one that is closed early is', () => {
    const run = spawnSync('bash', ['-c', `set -o pipefail; node "$0" --help | true; echo "$?"`, main], {
      encoding: 'utf8',
    });
    expect([run.stdout, run.stderr]).toEqual(['0\n', '']);
  });
});
