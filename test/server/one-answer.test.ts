import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { thinScript } from '../../src/server/client/thin.js';
import { type Finished, start } from '../cli/cli.js';
import { bash, createUser, type User } from './kit.js';

const AGENTS = ['claude-code', 'codex', 'copilot', 'gemini'] as const;
/** Shells where Node tells through a pipe, and through a file. */
const SHELLS = [
  ['dash', {}],
  ['bash', {}],
  ['bash', { BASH_COMPAT: '50' }],
] as const;

let user: User;
beforeAll(() => {
  user = createUser();
});
afterAll(() => user.remove());

let count = 0;
/** The thin command, in one of the shells after the other. */
function thin(args: readonly string[], { node = process.execPath, env = {} } = {}): Promise<Finished> {
  const [shell, more] = SHELLS[count++ % SHELLS.length] as (typeof SHELLS)[number];
  return start(shell, [thinScript(), '--node', node, 'PreToolUse', ...args], {
    cwd: join(user.path, 'project'),
    stdin: JSON.stringify(bash('rm x')),
    env: { ...user.env, ...more, ...env },
  });
}

describe('a Node that ends', () => {
  /** Stands where Node would, and tells what it is told to. */
  const NODE = `#!/bin/sh
cat >/dev/null
[ -z "$BEGINS" ] || echo begun >&4
printf %s "$SAID"
[ -z "$TOLD" ] || echo "$TOLD" >&4
eval "$END"
`;
  const ENDS = ['exit 0', 'exit 1', 'exit 7', 'kill -9 $$', 'kill -6 $$', 'kill -15 $$', 'exec sleep 60'];
  let node: string;
  beforeAll(() => {
    node = user.write('node.sh', NODE, 0o755);
  });
  const ended = (as: string, end: string, env: object): Promise<Finished> =>
    thin(['--as', as, '--timeout', '2'], { node, env: { END: end, ...env } });

  describe.each(AGENTS)('asked by %s', (as) => {
    test.each(ENDS)('by `%s`: one answer, and that of Node if it has given one', async (end) => {
      const given = [
        ['', '0'],
        ['{"a":"deny"}\n', '0'],
        ['{"a":"deny"}\n', '2'],
        ['', '1'],
      ] as const;
      const answers = given.map(([said, code]) => ended(as, end, { BEGINS: 'yes', SAID: said, TOLD: code }));
      const [half, none] = [ended(as, end, { BEGINS: 'yes', SAID: '{"a":' }), ended(as, end, {})];
      expect((await Promise.all(answers)).map(({ stdout, code }) => [stdout, String(code)])).toEqual(given);
      // Nobody knows what the agent has of this.
      expect(await half).toMatchObject({
        stdout: '{"a":',
        code: 2,
        stderr: expect.stringMatching(/ended while it answered/),
      });
      if (end === 'exit 0') return;
      const { stdout, code } = await none;
      expect(JSON.parse(stdout)).toBeTypeOf('object');
      expect(code).toBe(as === 'claude-code' ? 2 : 0);
    });
  });

  // Elsewhere the clock of the shell has whole seconds only.
  test.runIf(process.platform === 'linux')(
    'after its time, however long each `sleep` takes: answered before the agent gives up',
    async () => {
      const bin = join(user.path, 'slow');
      mkdirSync(bin);
      writeFileSync(join(bin, 'sleep'), '#!/bin/sh\n/bin/sleep "$1"\n/bin/sleep 0.6\n', { mode: 0o755 });
      const PATH = `${bin}:${process.env['PATH']}`;
      const began = performance.now();
      const answers = SHELLS.map(() => thin(['--timeout', '8'], { node, env: { PATH, END: 'exec /bin/sleep 60' } }));
      for (const { code } of await Promise.all(answers)) expect(code).toBe(2);
      // Sleeps that are counted and not timed would take 11 s or more. A busy machine starts shells late, and the agent's 8 s begin before that.
      expect(performance.now() - began).toBeLessThan(10_000);
    },
  );
});

const plugin = (name: string, body: string, atExit: string): string =>
  user.write(
    `${name}.mjs`,
    `process.on('exit', () => { ${atExit} });
     export default { name: 'p', apply: (scope) => scope.register({ PreToolUse: [{ hooks: [() => (${body})] }] }) };`,
  );
const DENY = `({ decision: 'block', reason: 'guarded' })`;
const NOTHING = 'undefined';

describe('code of a hook that, when Node has answered,', () => {
  const ENDS: readonly (readonly [name: string, code: string])[] = [
    ['never lets it end', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
    ['sets another code', 'process.exitCode = 7'],
    ['exits with another code', 'process.exit(7)'],
    ['throws', `throw new Error('late')`],
    ['kills it', `process.kill(process.pid, 'SIGKILL')`],
  ];
  test.each(ENDS)('%s: the answer stands, alone, with its code', async (name, code) => {
    for (const [i, body] of [DENY, NOTHING].entries()) {
      const as = AGENTS[(i + ENDS.findIndex(([one]) => one === name)) % AGENTS.length] as string;
      const args = ['--as', as, '--timeout', '4', '--plugin', plugin(`${name.replaceAll(' ', '-')}-${i}`, body, code)];
      const { stdout, code: exit } = await thin(args);
      expect(exit).toBe(0);
      if (body === NOTHING) expect(stdout).toBe('');
      else expect(JSON.stringify(JSON.parse(stdout))).toContain('guarded');
    }
  });

  test.each(ENDS.slice(1, 3))('%s: the same of `hookscope hook` itself', async (name, code) => {
    const file = plugin(`${name.replaceAll(' ', '-')}-whole`, DENY, code);
    expect(await user.spawnHook(['PreToolUse', '--plugin', file], bash('ls'))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/guarded/),
    });
  });

  test('goes on in the background: it is ended in time, and the answer stands', async () => {
    const handlers = ['sleep 1; echo guarded >&2; exit 2', 'sleep 60'].map((command, i) => ({
      type: 'command',
      command,
      ...(i === 1 && { async: true }),
    }));
    const hooks = user.write('background.json', { PreToolUse: [{ hooks: handlers }] });
    // A second is slept: a busy machine needs the rest of the time to start everything.
    const ask = (as: string) => thin(['--as', as, '--timeout', '10', '--hooks', hooks]);
    const began = performance.now();
    for (const { stdout, code } of await Promise.all(AGENTS.map(ask))) {
      expect(code).toBe(0);
      expect(JSON.stringify(JSON.parse(stdout))).toContain('guarded');
    }
    const { code } = await user.spawnHook(['PreToolUse', '--timeout', '10', '--hooks', hooks], bash('ls'));
    expect(code).toBe(0);
    // Not only when the command in the background has ended.
    expect(performance.now() - began).toBeLessThan(50_000);
    const commands = handlers.map(({ command }) => command);
    const ended = user
      .records()
      .filter((one) => 'subtype' in one && one.subtype === 'hook_response' && commands.includes(one.name as string));
    expect(ended).toHaveLength(2 * (AGENTS.length + 1));
  });

  test('and code that ends Node before it: the refusal, alone', async () => {
    for (const as of AGENTS) {
      const file = plugin(`kills-${as}`, `process.kill(process.pid, 'SIGKILL')`, '');
      const { stdout } = await thin(['--as', as, '--plugin', file]);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
      expect(stdout).toMatch(/deny.*have not answered in time, or the command that asks them was killed/);
    }
  });
});

const LARGE = `({ hookSpecificOutput: { hookEventName: 'PreToolUse', updatedInput: { command: 'x'.repeat(1_000_000) } } })`;

test('an answer that nobody reads in time is not let through, and nothing is added to it', async () => {
  const args = [thinScript(), '--node', process.execPath, 'PreToolUse', '--timeout', '3'];
  const script = '{ dash "$@"; echo "$?" >code; } | { sleep 4; cat; }';
  const { stdout } = await start('sh', ['-c', script, 'sh', ...args, '--plugin', plugin('large', LARGE, '')], {
    cwd: join(user.path, 'project'),
    stdin: JSON.stringify(bash('ls')),
    env: user.env,
  });
  expect(readFileSync(join(user.path, 'project/code'), 'utf8')).toBe('2\n');
  expect(stdout.replace(/x+$/, '')).toBe(
    '{"hookSpecificOutput":{"hookEventName":"PreToolUse","updatedInput":{"command":"',
  );
});
