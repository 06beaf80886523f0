import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/record.js';
import { isTried } from '../seed.js';
import { askedOf, bash, guardedUser, hooksFile, type User, until } from './kit.js';

let user: User;
const guarded = (): void => {
  user = guardedUser();
};
const asked = (): number => askedOf(user);
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');
const denial = (stdout: string): string =>
  (JSON.parse(stdout) as { hookSpecificOutput: { permissionDecision: string; permissionDecisionReason: string } })
    .hookSpecificOutput.permissionDecisionReason;

describe('hookscope hook', () => {
  beforeEach(guarded);
  afterEach(() => user.remove());

  test('without a server fires by itself, and its record says that it is stateless', async () => {
    const denied = await user.spawnHook(['PreToolUse', '--hooks', 'hooks.json'], bash('rm x'));
    expect(denied).toMatchObject({ code: 0, stderr: '' });
    expect(denial(denied.stdout)).toBe('nothing is removed');
    expect(await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'))).toMatchObject({ code: 0, stdout: '' });
    expect(fires().map(({ stateless, tool_use_id }) => [stateless, tool_use_id])).toEqual([
      [true, 't-rm x'],
      [true, 't-ls'],
    ]);
  });

  test('asks the server that serves what it names, in the same words, and no hook runs twice', async () => {
    await user.serve(['--hooks', 'hooks.json']);
    const denied = await user.spawnHook(['PreToolUse', '--hooks', 'hooks.json'], bash('rm x'));
    expect(denied).toMatchObject({ code: 0, stderr: '' });
    expect(denial(denied.stdout)).toBe('nothing is removed');
    expect((await user.hook(['PreToolUse'], bash('rm x'), '/')).stdout).toBe(denied.stdout);
    expect(asked()).toBe(2);
    await until(() => fires().length > 1);
    expect(fires().map(({ stateless }) => stateless)).toEqual([undefined, undefined]);
  });

  test('fires by itself what the server does not serve, and the server runs nothing', async () => {
    await user.serve(['--hooks', 'hooks.json']);
    user.write('other.json', hooksFile('echo other >&2; exit 2'));
    const { stdout } = await user.hook(['PreToolUse', '--hooks', 'other.json'], bash('ls'));
    expect(denial(stdout)).toBe('other');
    expect(asked()).toBe(0);
    expect(fires().map(({ stateless }) => stateless)).toEqual([true]);
  });

  test('names nothing: what the last server served stands when it is gone', async () => {
    const server = await user.serve(['--hooks', 'hooks.json']);
    await server.stop('SIGKILL');
    expect(denial((await user.hook(['PreToolUse'], bash('rm x'), '/')).stdout)).toBe('nothing is removed');
    expect(asked()).toBe(1);
    user.write('guard.sh', '#!/bin/sh\nexit 0\n', 0o755);
    const changed = await user.hook(['PreToolUse'], bash('rm x'));
    expect(changed.code).toBe(2);
    expect(denial(changed.stdout)).toMatch(/guard\.sh has changed since the server was started with it/);
  });

  test('what a hook says that fails is masked in what the server tells, which a journal keeps', async () => {
    user.write('leaks.json', hooksFile('echo token=hunter2hunter2 >&2; exit 3'));
    const server = await user.serve(['--hooks', 'leaks.json']);
    await user.hook(['PreToolUse'], bash('ls'));
    await until(() => /failed/.test(server.output()));
    expect(server.output()).toMatch(/token=\[redacted/);
    expect(server.output()).not.toContain('hunter2');
  });

  test('keeps nothing from one call to the next, where a server does', async () => {
    user.write('once.json', {
      PreToolUse: [{ once: true, hooks: [{ type: 'command', command: 'echo once >&2; exit 2' }] }],
    });
    const said = async () => (await user.hook(['PreToolUse', '--hooks', 'once.json'], bash('ls'))).stdout;
    expect([await said(), await said()]).toEqual([expect.stringMatching(/once/), expect.stringMatching(/once/)]);
    await user.serve(['--hooks', 'once.json']);
    expect([await said(), await said()]).toEqual([expect.stringMatching(/once/), '']);
  });

  test('blocks where nothing is named and nothing was served', async () => {
    const answer = await user.spawnHook(['PreToolUse'], bash('ls'));
    expect(answer.code).toBe(2);
    expect(denial(answer.stdout)).toMatch(/no hooks are named, no server is running/);
    expect(answer.stderr).toMatch(/no hooks are named/);
  });

  test('blocks where the only hooks that it finds wait for consent, and names their file', async () => {
    const rule = { type: 'rule', decision: 'deny', reason: 'no' };
    user.write('hookscope.config.json', { hooks: { PreToolUse: [{ hooks: [rule] }] } });
    const answer = await user.hook(['PreToolUse'], bash('ls'));
    expect(answer.code).toBe(2);
    expect(denial(answer.stdout)).toMatch(/hookscope\.config\.json wait for your consent: hookscope trust/);
    expect((await user.hook(['PreToolUse', '--on-failure', 'allow'], bash('ls'))).stderr).toMatch(
      /wait for your consent/,
    );
    // What is named is asked for.
    expect(await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'))).toMatchObject({ code: 0, stdout: '' });
    // So it is beside nothing, where nothing is looked for.
    expect(denial((await user.hook(['PreToolUse', '--no-config'], bash('ls'))).stdout)).toMatch(/no hooks are named/);
  });

  describe('without hooks that are named', () => {
    let served: User;
    beforeAll(async () => {
      served = guardedUser();
      await served.serve(['--hooks', 'hooks.json']);
    });
    afterAll(() => served.remove());

    test.each([[['--no-config']], [['--trust', 'stored']], [['--trust', 'all']], [['--no-config', '--trust', 'all']]])(
      '%j names no hooks: those that are served count, and without them it blocks',
      async (args) => {
        const none = await user.hook(['PreToolUse', ...args], bash('ls'));
        expect([none.code, denial(none.stdout)]).toEqual([2, expect.stringMatching(/no hooks are named/)]);
        // Where the server is not found, it is as if it were gone.
        for (const env of [{}, { XDG_RUNTIME_DIR: join(user.path, 'nowhere') }]) {
          const { stdout } = await served.run(['hook', 'PreToolUse', ...args], {
            stdin: JSON.stringify(bash('rm x')),
            env,
          });
          expect(denial(stdout)).toBe('nothing is removed');
        }
      },
    );
  });

  test.each([
    ['a hooks file that is not there', ['--hooks', 'gone.json'], '{}', /there is no such file/],
    ['a configuration that is not there', ['--config', 'gone.json'], '{}', /there is no such file/],
    ['a hooks file that is no JSON', ['--hooks', 'bad.json'], '{}', /is not JSON/],
    ['a hooks file with an event twice', ['--hooks', 'twice.json'], '{}', /"PreToolUse" appears here a second time/],
    ['a hooks file with an unknown event', ['--hooks', 'wrong.json'], '{}', /PreToolUze/],
    ['a plugin that is not there', ['--plugin', 'gone'], '{}', /was not found/],
    ['an input that is no JSON', ['--hooks', 'hooks.json'], '{bad', /the input of the event is not a JSON object/],
    ['an input that is an array', ['--hooks', 'hooks.json'], '[]', /the input of the event is not a JSON object/],
    ['an input without what the event needs', ['--hooks', 'hooks.json'], '{}', /tool_name/],
    ['an agent that nobody knows', ['--hooks', 'hooks.json', '--as', 'other'], '{}', /option --as: .*claude-code/],
    ['an option that nobody knows', ['--hoks', 'hooks.json'], '{}', /unknown option '--hoks'/],
    ['an option without its value', ['--hooks'], '{}', /--hooks/],
    ['an argument too many', ['--hooks', 'hooks.json', 'more'], '{}', /too many arguments/],
    ['a timeout that is none', ['--hooks', 'hooks.json', '--timeout', 'x'], '{}', /--timeout/],
  ])('%s blocks a gate, and says why', async (_, args, stdin, why) => {
    user.write('bad.json', '{ "PreToolUse": [');
    user.write('twice.json', '{ "PreToolUse": [], "PreToolUse": [] }');
    user.write('wrong.json', { PreToolUze: [] });
    const blocked = await user.hook(['PreToolUse', ...args], stdin);
    expect(blocked.code).toBe(2);
    expect(denial(blocked.stdout)).toMatch(why);
    expect(blocked.stderr).toMatch(why);
    const nested = await user.hook(['PermissionRequest', ...args], stdin);
    expect(nested.code).toBe(2);
    expect(JSON.parse(nested.stdout)).toMatchObject({ hookSpecificOutput: { decision: { behavior: 'deny' } } });
    // Nothing can be stopped there: it is said, and lets go on.
    expect(await user.hook(['Notification', ...args], stdin)).toMatchObject({ stdout: '', code: 1 });
    expect(asked()).toBe(0);
  });

  describe('with a long timeout', () => {
    let served: User;
    beforeAll(async () => {
      served = guardedUser();
      await served.serve(['--hooks', 'hooks.json']);
    });
    afterAll(() => served.remove());

    const LONG = ['2147484', '99999999999', '1e300'];
    test.each(LONG)('a timeout of %s seconds is a long one', async (timeout) => {
      for (const [i, one] of [user, served].entries()) {
        for (const [j, more] of [[], ['--as', 'codex']].entries()) {
          const args = ['PreToolUse', '--hooks', 'hooks.json', '--timeout', timeout, ...more];
          expect(await one.hook(args, bash('ls'))).toMatchObject({ code: 0, stdout: '', stderr: '' });
          // A process, which warns of a timer that it cannot have; in half of them any two parts come together.
          const ask = isTried(2, LONG.indexOf(timeout), i, j) ? one.spawnHook : one.hook;
          const denied = await ask(args, bash('rm x'));
          expect([denied.code, denial(denied.stdout), denied.stderr]).toEqual([0, 'nothing is removed', '']);
        }
      }
    });
  });

  test('an input of more than 64 MiB is called too large, whatever it is', async () => {
    const blocked = await user.hook(['PreToolUse', '--hooks', 'hooks.json'], `{"a":"${'x'.repeat(2 ** 26)}"}`);
    expect([blocked.code, denial(blocked.stdout)]).toEqual([2, 'hookscope: a request has at most 67108864 bytes']);
  });

  test('--on-failure allow says it, and blocks nothing', async () => {
    const args = ['PreToolUse', '--hooks', 'gone.json', '--on-failure', 'allow'];
    expect(await user.hook(args, bash('ls'))).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/no such file; nothing is blocked \(--on-failure allow\)\n$/),
    });
  });

  test('an option that nobody knows is answered by the policy and in the words of the agent, wherever they stand', async () => {
    const bad = ['--hoks', 'hooks.json'];
    for (const args of [
      ['Stop', ...bad],
      [...bad, 'SubagentStop'],
      ['PreToolUse', ...bad, '--on-failure=allow'],
    ])
      expect(await user.hook(args, bash('ls'))).toMatchObject({ code: 1, stdout: '' });
    const told = await user.hook(['--as', 'gemini', ...bad, 'BeforeTool'], bash('ls'));
    expect(JSON.parse(told.stdout)).toMatchObject({ decision: expect.stringMatching(/deny|block/) });
    expect(await user.hook([...bad, 'PreToolUze'], bash('ls'))).toMatchObject({ code: 2, stdout: '' });
    // The value of an option is no event, but for want of any other.
    for (const args of [
      ['--config', 'Stop', 'PreToolUse', '--nope'],
      ['--nope', '--as', 'claude-code', '--plugin', 'Notification', 'PreToolUse'],
      ['--hooks', 'PreToolUse', '--nope'],
    ])
      expect(denial((await user.hook(args, bash('ls'))).stdout)).toMatch(/unknown option/);
  });

  test('an event that nobody knows is exit 2', async () => {
    expect(await user.hook(['PreToolUze', '--hooks', 'hooks.json'], bash('ls'))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Unknown event "PreToolUze"/),
    });
  });

  // As processes, which these end or speak for; `--no-server`, since a server would die of them.
  test.each([
    ['exits with 0', 'codex', 'process.exit(0)', /ended the process/],
    ['exits with 0 later', 'claude-code', 'setTimeout(() => process.exit(0)); await never', /ended the process/],
    ['throws in a timer', 'claude-code', "setTimeout(() => { throw new Error('boom') }); await never", /Error: boom/],
    ['leaves a rejection', 'gemini', "Promise.reject(new Error('boom')); await never", /Error: boom/],
    ['ends standard output', 'codex', "process.stdout.end('out')", /^guarded$/],
    ['prints', 'claude-code', "console.log('printed'); process.stdout.write('{}')", /^guarded$/],
  ])('code that %s, asked by %s, lets nothing through', async (_, as, code, why) => {
    const name = code.replace(/\W+/g, '-');
    const plugin = user.write(
      `${name}.mjs`,
      `const never = new Promise(() => {});
       const hook = async () => { ${code}; return { decision: 'block', reason: 'guarded' }; };
       export default { name: 'careless', apply: (scope) => scope.register({ PreToolUse: [{ hooks: [hook] }] }) };`,
    );
    const event = as === 'gemini' ? 'BeforeTool' : 'PreToolUse';
    const args = [event, '--as', as, '--plugin', plugin, '--no-server'];
    const answer = await user.spawnHook(args, { ...bash('ls'), hook_event_name: event });
    const said = JSON.parse(answer.stdout) as Record<string, never>;
    expect(said['reason'] ?? denial(answer.stdout)).toMatch(why);
    expect([answer.code, answer.stderr]).toEqual(
      why.test('guarded')
        ? [0, name.includes('printed') ? 'printed\n{}' : 'out']
        : [as === 'claude-code' ? 2 : 0, expect.stringMatching(why)],
    );
  });

  test('standard input that is never closed blocks before the agent gives up', async () => {
    const { spawn } = await import('node:child_process');
    const { BIN } = await import('../cli/cli.js');
    const args = [BIN, 'hook', 'PreToolUse', '--hooks', 'hooks.json', '--timeout', '2'];
    const child = spawn(process.execPath, args, { cwd: join(user.path, 'project'), env: user.env });
    child.stdin.write('{"tool_name":');
    let stdout = '';
    child.stdout.on('data', (piece: Buffer) => (stdout += piece.toString()));
    const code = await new Promise((resolve) => child.once('close', resolve));
    child.stdin.destroy();
    expect(code).toBe(2);
    expect(denial(stdout)).toMatch(/was not closed in time/);
  });
});

describe('hookscope hook, where something else is in the place of the server', () => {
  beforeAll(async () => {
    guarded();
    const real = await user.serve(['--hooks', 'hooks.json']);
    await real.stop();
  });
  afterAll(() => user.remove());

  test.each([
    [
      'that takes the request and dies',
      (socket: import('node:net').Socket) => socket.once('data', () => socket.destroy()),
    ],
    ['that takes the request and hangs', () => undefined],
    [
      'that answers nonsense',
      (socket: import('node:net').Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nyes')),
    ],
    [
      'that answers half',
      (socket: import('node:net').Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 30\r\n\r\n{}')),
    ],
    [
      'that knows no token',
      (socket: import('node:net').Socket) =>
        socket.once('data', () => socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\r\n{}')),
    ],
  ])('a server %s is a failure: nothing is let through, and nothing is fired beside it', async (_, serve) => {
    rmSync(user.places.socket, { force: true });
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      serve(socket);
    });
    await new Promise<void>((resolve) => server.listen(user.places.socket, resolve));
    try {
      const blocked = await user.hook(['PreToolUse', '--hooks', 'hooks.json', '--timeout', '2'], bash('ls'));
      expect(blocked.code).toBe(2);
      expect(denial(blocked.stdout)).toMatch(/the server/);
      expect(asked()).toBe(0);
      const allowed = ['PreToolUse', '--hooks', 'hooks.json', '--timeout', '2', '--on-failure', 'allow'];
      expect(await user.hook(allowed, bash('ls'))).toMatchObject({ code: 1, stdout: '' });
      expect(asked()).toBe(0);
    } finally {
      server.close();
    }
  });
});
