import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optionsOf } from '../../src/cli/command-row.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { asNobodyHere } from '../nobody.js';
import { LS } from '../plugins/folder.js';
import { DOUBLE_STOP } from '../values/double-stop.js';
import { cli } from './cli.js';

/** The commands as the program has them: whoever adds one, or an option that takes a file, says here what of it is wrong. */
const COMMAND = COMMANDS.map((row) => {
  const [name = '', ...args] = row.usage.split(' ');
  const options = optionsOf(row).map(([flags]) => {
    const [, long = '', value = ''] = /(--[\w-]+)(?: (.*))?$/.exec(flags) ?? [];
    return { long, value };
  });
  return { name, args, options, row };
});

/** What a command is given that its other arguments are right. */
const RIGHT: Readonly<Record<string, readonly string[]>> = {
  fire: ['Stop'],
  hook: ['PreToolUse'],
  explain: ['Stop'],
  connect: ['claude-code'],
  fleet: ['status', '--servers', 'nats://127.0.0.1:1'],
  run: ['right.jsonl'],
  replay: ['right.jsonl'],
  why: ['last'],
  new: ['plugin', 'some-name'],
  history: ['--format', 'trace', '--store', 'right.ndjson'],
  page: ['right.ndjson'],
  test: ['right.hooktest.yaml'],
};

/** Files that are none, by what is wrong with them. */
const NO_FILE = ['none.file', 'folder', 'sealed.json'];
const NO_JSON = [...NO_FILE, 'empty.json', 'text.json', 'binary.json'];
const NO_FOLDER = ['none.file', 'text.json'];
/** What holds no record is told of, and is no error. */
const NO_STORE = ['folder', 'sealed.json'];

/** What of them is refused by each option that takes a file or a folder; null: it is looked at elsewhere, and where. */
const REFUSED: Readonly<Record<string, readonly string[] | null>> = {
  '--input': NO_JSON,
  '--config': NO_JSON,
  '--hooks': NO_JSON,
  '--against': NO_JSON,
  '--settings': NO_JSON,
  // What holds no frontmatter is an agent without hooks.
  '--agent': ['none.file', 'folder'],
  '--claude-code': NO_FOLDER,
  '--plugin-dir': NO_FOLDER,
  '--project': NO_FOLDER,
  '--out': ['folder', 'none/file'],
  '--junit': ['folder', 'none/file'],
  '--credentials': NO_JSON,
  '--store': NO_STORE,
  '--dir': ['text.json/below'],
  // Its findings are in its report.
  'doctor --hooks': null,
  // test/fleet
  'fleet --dir': null,
  '--tls-ca': NO_FILE,
  '--tls-cert': null,
  '--tls-key': null,
  '--allow': null,
  '--sign': null,
  // test/probe
  '--agent-path': null,
  // It names what was accepted, which may be gone.
  '--forget': null,
};
/** Of arguments that are files. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  run: NO_JSON,
  replay: NO_JSON,
  page: NO_FILE,
  trust: NO_FOLDER,
  test: ['none.file', 'folder', 'empty.json', 'binary.json', 'sealed.json', 'text.json'],
  check: ['none.file', 'empty.json', 'text.json', 'binary.json', 'sealed.json'],
};
/** They go on, or ask a server: what they are given is looked at by their own tests. */
const GO_ON = ['serve', 'watch'];

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-wrong-'));
  chmodSync(folder, 0o777);
  mkdirSync(join(folder, 'folder'));
  mkdirSync(join(folder, 'shut'), { mode: 0o555 });
  writeFileSync(join(folder, 'empty.json'), '');
  writeFileSync(join(folder, 'text.json'), 'not JSON\n');
  writeFileSync(join(folder, 'binary.json'), Buffer.from(Array.from({ length: 4000 }, (_, i) => (i * 7919) % 251)));
  writeFileSync(join(folder, 'right.jsonl'), '{"at_ms":0,"event":"Stop","input":{"stop_hook_active":false}}\n');
  writeFileSync(join(folder, 'right.ndjson'), '');
  writeFileSync(join(folder, 'right.hooktest.yaml'), "- call: Bash 'ls'\n  expect: silent\n");
  writeFileSync(join(folder, 'sealed.json'), '{}', { mode: 0 });
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Where a file is sealed, as a user who may not read everything. */
async function refusal(args: readonly string[]): Promise<string> {
  const isSealed = args.some((one) => one.startsWith('sealed'));
  // What this user has written, that one cannot read.
  const home = isSealed ? folder : join(folder, 'folder');
  const run = () =>
    cli(args, {
      cwd: folder,
      stdin: JSON.stringify(LS),
      env: { HOME: home, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home },
    });
  const { stderr, stdout, code } = isSealed ? await asNobodyHere(run) : await run();
  // What is found is what `check` prints.
  const told = args[0] === 'check' && stderr === '' ? stdout : stderr;
  const all = `$ hookscope ${args.join(' ')}\n${told}`;
  expect(code, all).toBe(args[0] === 'hook' ? 2 : 1);
  expect(told, all).not.toBe('');
  expect(told, all).not.toMatch(/\b(?:E[A-Z]{4,}|[A-Za-z]*Error:|undefined|\[object)|\n\s+at /);
  expect(told, all).not.toMatch(DOUBLE_STOP);
  return told;
}

const each = COMMAND.map((command) => [command.name, command] as const);

describe('whatever command is called wrongly says what to do', () => {
  test.each(each)(
    '%s: without an argument, with an unknown option, with too many arguments',
    async (name, { args, options, row }) => {
      const needed = args.filter((arg) => arg.startsWith('<'));
      if (needed.length > 0) {
        const [, argument = ''] = /^<(\w+)/.exec(needed[0] ?? '') ?? [];
        const told = await refusal([name]);
        expect(told).toContain(`missing required argument '${argument}' (${row.arguments?.[argument]?.slice(0, 20)}`);
        expect(told).toMatch(new RegExp(`(?:for example|usage): .*hookscope ${name} `));
      }
      const right = RIGHT[name] ?? [];
      expect(await refusal([name, ...right, '--nothing-like-it'])).toMatch(
        `unknown option '--nothing-like-it'; ${name} has --`,
      );
      if (!args.some((arg) => arg.includes('...')))
        expect(await refusal([name, ...right, 'a', 'b', 'c'])).toMatch(/too many arguments .* Usage: hookscope /);
      for (const { long, value } of options) {
        if (!value.startsWith('<')) continue;
        const told = await refusal([name, ...right, long]);
        expect(told).toMatch(new RegExp(`option '[^']*${long} [^']*' argument missing: .{10,}\\.\\n$`));
      }
    },
  );

  test('an unknown command is told which there are', async () => {
    expect(await refusal(['zzzzzzzz'])).toMatch(/unknown command 'zzzzzzzz'; there are fire, hook, .*page\./);
  });

  test.each([
    [['page', 'right.ndjson', '-o', 'shut/page.html']],
    [['history', '--store', 'right.ndjson', '--format', 'trace', '-o', 'shut/trace.json']],
    [['fleet', 'keys', 'new', 'shut/policy.key']],
    [['fleet', 'up', '--dir', 'shut/fleet']],
    [['new', 'plugin', 'some-name', '--dir', 'shut/plugin']],
  ])('%j: what cannot be written is not said to be unreadable', async (args) => {
    const env = { HOME: folder, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder };
    const { stdout, stderr, code } = await asNobodyHere(() => cli(args, { cwd: folder, env }));
    expect([stdout, code], stderr).toEqual(['', 1]);
    expect(stderr).toMatch(/\bshut\/[\w.]+: may not be written by you\.\n$/);
  });

  test.each(each.filter(([name]) => !GO_ON.includes(name)))('%s: files that are none', async (name, { options }) => {
    for (const file of ARGUMENTS[name] ?? []) expect(await refusal([name, file])).toContain(file);
    for (const { long, value } of options) {
      if (!/file|dir|folder|place/.test(value)) continue;
      expect(REFUSED, `what is wrong for ${long}?`).toHaveProperty([long]);
      const mayBe = Object.hasOwn(REFUSED, `${name} ${long}`) ? REFUSED[`${name} ${long}`] : REFUSED[long];
      for (const file of mayBe ?? []) {
        const told = await refusal([name, ...(RIGHT[name] ?? []), long, file]);
        expect(told, `${name} ${long} ${file}`).toContain(file.split('/')[0]);
      }
    }
  });
});
