import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thinScript } from '../../src/server/client/thin.js';
import { BIN, type Finished, start } from '../cli/cli.js';
import { bash, createUser, type User } from './kit.js';

/** How code of a hook may print LINE to standard output. */
const WAYS: readonly (readonly [name: string, code: string])[] = [
  ['fs.writeSync', 'fs.writeSync(1, LINE)'],
  ['a named writeSync', 'writeSync(1, LINE)'],
  ['require', 'createRequire(import.meta.url)("fs").writeSync(1, LINE)'],
  ['fs.write', 'await new Promise((done) => fs.write(1, LINE, done))'],
  ['a promisified write of a buffer', 'await promisify(fs.write)(1, Buffer.from(LINE), 0, LINE.length)'],
  ['fs.writevSync', 'fs.writevSync(1, [Buffer.from(LINE)])'],
  ['fs.appendFileSync', 'fs.appendFileSync(1, LINE)'],
  ['fs.writeFile', 'await new Promise((done) => fs.writeFile(1, LINE, done))'],
  ['a stream that closes', 'await finished(fs.createWriteStream("", { fd: 1 }).end(LINE))'],
  ['a stream that is constructed', 'await new Promise((done) => new fs.WriteStream("", { fd: 1 }).write(LINE, done))'],
  ['a descriptor that is closed', 'fs.writeSync(1, LINE); fs.closeSync(1)'],
  ['an imported process', '(await import("node:process")).stdout.write(LINE)'],
  ['a console of its own', 'new Console(process.stdout).log(LINE.trim())'],
  [
    'a thread that writes to the descriptor',
    `await once(new Worker('require("fs").writeSync(1, ' + JSON.stringify(LINE) + ')', { eval: true }), 'exit')`,
  ],
];
const IMPORTS = `import fs, { writeSync } from 'node:fs';
import { Console } from 'node:console';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { finished } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
const LINE = 'printed\\n';`;

let user: User;
const plugin = (code: string, blocks = true): string =>
  `${IMPORTS}
   const hook = async () => { ${code}; ${blocks ? "return { decision: 'block', reason: 'guarded' };" : ''} };
   export default { name: 'careless', apply: (scope) => scope.register({ PreToolUse: [{ hooks: [hook] }] }) };`;

describe('an answer to an agent stands alone on standard output', () => {
  const args = (code: string): string[] => {
    const file = user.write(`${code.replace(/\W+/g, '-')}.mjs`, plugin(code));
    return ['PreToolUse', '--plugin', file];
  };

  /** One process runs all of these, one after the other; the others close what they print to. */
  const together = WAYS.filter(([name]) => !/closes|closed/.test(name));
  let all: Finished;
  beforeAll(async () => {
    user = createUser();
    const plugins = together.flatMap(([name, code], i) => {
      const one = plugin(code, i === together.length - 1).replace("'printed\\n'", `'printed by ${name}\\n'`);
      return ['--plugin', user.write(`way-${i}.mjs`, one.replace("'careless'", `'careless-${i}'`))];
    });
    all = await user.spawnHook(['PreToolUse', ...plugins, '--no-server'], bash('ls'));
  });
  afterAll(() => user.remove());

  test.each(WAYS)('whatever is printed by %s', async (name, code) => {
    const isTogether = together.some(([one]) => one === name);
    const said = isTogether ? all : await user.spawnHook([...args(code), '--no-server'], bash('ls'));
    expect(JSON.parse(said.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecisionReason: 'guarded' } });
    expect(said.stdout).not.toContain('printed');
    expect(said.code).toBe(0);
    if (isTogether) {
      const lines = together.map(([one]) => `printed by ${one}\n`);
      expect(said.stderr).toContain(`printed by ${name}\n`);
      expect(said.stderr).toHaveLength(lines.join('').length);
    } else expect(said.stderr).toBe('printed\n');
  });

  test('of the thin command, of fire --exit-code, and in a file', async () => {
    const named = args('fs.writeSync(1, LINE)');
    const stdin = JSON.stringify(bash('ls'));
    const options = { cwd: join(user.path, 'project'), env: user.env, stdin };
    const [thin, fired, filed] = [
      await start('sh', [thinScript(), '--node', process.execPath, ...named], options),
      await user.spawn(['fire', ...named, '--input', '-', '--exit-code'], { stdin }),
      await start('sh', ['-c', '"$0" "$@" > out; cat out', process.execPath, BIN, 'hook', ...named], options),
    ];
    for (const { stdout } of [thin, fired, filed]) expect(JSON.parse(stdout)).toHaveProperty('hookSpecificOutput');
    expect([thin.code, thin.stderr, fired.code, filed.stderr]).toEqual([0, 'printed\n', 2, 'printed\n']);
  });

  test.each([
    ['a deny', 'PreToolUse', [], 'exit 2', [2, /nobody hears the answer: \{.*"deny"/]],
    [
      'an ask',
      'PreToolUse',
      [],
      'echo \'{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask"}}\'',
      [2, /nobody hears/],
    ],
    ['nothing', 'PreToolUse', [], 'exit 0', [0, /^$/]],
    ['a deny', 'PreToolUse', ['--on-failure', 'allow'], 'exit 2', [1, /nobody hears/]],
    ['a deny', 'PreToolUse', ['--as', 'codex'], 'exit 2', [2, /nobody hears/]],
    ['that the agent goes on', 'Stop', [], 'exit 2', [2, /nobody hears/]],
    ['a message', 'Stop', [], 'echo \'{"systemMessage":"hello"}\'', [1, /nobody hears/]],
  ] as const)('where it is closed: %s, of %s, with %j', async (_, event, more, command, [code, said]) => {
    const hooks = user.write('closed.json', { [event]: [{ hooks: [{ type: 'command', command }] }] });
    const input = { ...bash('ls'), hook_event_name: event, stop_hook_active: false };
    const options = { cwd: join(user.path, 'project'), env: user.env, stdin: JSON.stringify(input) };
    const args = [process.execPath, BIN, 'hook', event, '--hooks', hooks, '--no-server', ...more];
    const closed = await start('sh', ['-c', '"$0" "$@" >&-', ...args], options);
    expect(closed).toEqual({ code, stdout: '', stderr: expect.stringMatching(said) });
  });

  test('where a shell discards it, the exit code is that of the answer, with a server and without one', async () => {
    const allow = { matcher: 'Bash', hooks: [{ type: 'rule', decision: 'allow' }] };
    const hooks = user.write('discarded.json', { PreToolUse: [allow] });
    const options = { cwd: join(user.path, 'project'), env: user.env, stdin: JSON.stringify(bash('ls')) };
    const args = ['PreToolUse', '--hooks', hooks];
    const node = [process.execPath, BIN, 'hook', ...args];
    const thin = ['sh', thinScript(), '--node', process.execPath, ...args];
    const discarded = () =>
      Promise.all([node, thin].map((words) => start('sh', ['-c', '"$0" "$@" >/dev/null', ...words], options)));
    const quiet = { code: 0, stdout: '', stderr: '' };
    expect(await discarded()).toEqual([quiet, quiet]);
    const server = await user.serve(['--hooks', hooks]);
    expect(await discarded()).toEqual([quiet, quiet]);
    await server.stop();
  });

  test('written by a path of it, too, but not a report that a command was told to write there', async () => {
    const file = user.write('g.hooktest.yaml', '- call: Read a\n  expect: deny\n');
    const named = args('fs.appendFileSync("/dev/stdout", LINE); fs.writeFileSync("/proc/self/fd/1", LINE)');
    // By pipes, since a socket has no path that can be opened.
    const script = '{ "$0" "$@" 2>&1 >&3 | cat >&2; } 3>&1 | cat';
    const words = [BIN, 'test', file, ...named.slice(1), '--junit', '/dev/stdout'];
    const { stdout, stderr } = await start('sh', ['-c', script, process.execPath, ...words], {
      cwd: join(user.path, 'project'),
      env: user.env,
      stdin: '',
    });
    expect(stdout).toContain('<testsuites tests="1"');
    expect(stdout).not.toContain('printed');
    expect(stderr).toContain('printed\nprinted\n');
  });
});
