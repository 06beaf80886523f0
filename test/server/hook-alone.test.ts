import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setAlarm } from '../../src/cli/server/alarm.js';
import type { FireRecord } from '../../src/emit/record.js';
import { BIN, type Finished, start } from '../cli/cli.js';
import { bash, createUser, type User, until } from './kit.js';

let user: User;
const fires = (): FireRecord[] => user.records().filter((record) => record.type === 'hook_fire');
const firesOf = (input: ReturnType<typeof bash>): FireRecord[] =>
  fires().filter((fire) => fire.tool_use_id === input['tool_use_id']);
const madeBy = (code: string, more = ''): string =>
  `${more}; export default { name: 'tried', apply: (scope) => scope.register({ PreToolUse: [{ hooks: [${code}] }] }) };`;
/** Fires without a server, and sends the signal, again and again if it is to, as soon as `when` holds. */
async function interrupted(
  hooks: string,
  input: object,
  signal: NodeJS.Signals,
  when: (stdout: string) => boolean,
  isRepeated = false,
): Promise<Finished> {
  const args = [BIN, 'hook', 'PreToolUse', '--hooks', hooks, '--no-server'];
  const child = spawn(process.execPath, args, { cwd: join(user.path, 'project'), env: user.env });
  const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
  let stdout = '';
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString();
  });
  child.stdin.end(JSON.stringify(input));
  await until(() => when(stdout));
  child.kill(signal);
  const again = isRepeated ? setInterval(() => child.kill(signal), 100) : undefined;
  const [[code], stderr] = await ended;
  clearInterval(again);
  return { code, stdout, stderr };
}

describe('hookscope hook without a server', () => {
  beforeAll(() => {
    user = createUser();
  });
  afterAll(() => user.remove());

  const never = 'await new Promise(() => {})';
  // As processes, which these end or hang.
  test.each([
    ['exits with 0', 'enforce: false', 'process.exit(0)'],
    ['exits with 3 a little later', 'enforce: false', `setTimeout(() => process.exit(3), 5); ${never}`],
    ['throws in a timer', 'enforce: false', `setTimeout(() => { throw new Error('boom') }, 5); ${never}`],
    ['computes without end', 'enforce: false', 'for (;;);'],
    ['never answers', 'enforce: false', never],
    ['exits with 3 in the background', 'background', `setTimeout(() => process.exit(3), 50); ${never}`],
  ])('a hook that does not decide and %s changes nothing', async (_, how, code) => {
    const hook = how === 'background' ? '{ hooks: [{ handler: late, async: true }] }' : `{ ${how}, hooks: [late] }`;
    const plugin = user.write(
      `${code.replace(/\W+/g, '-')}-${how.length}.mjs`,
      `const late = async () => { ${code}; };
       const guard = ({ tool_input }) => (tool_input.command === 'rm' ? { decision: 'block', reason: 'guarded' } : undefined);
       export default { name: 'tried', apply: (scope) => scope.register({ PreToolUse: [${hook}, { hooks: [guard] }] }) };`,
    );
    const args = ['PreToolUse', '--plugin', plugin, '--no-server', '--timeout', '40'];
    const denied = await user.spawnHook(args, bash('rm'));
    // What Node prints where a thread has ended the process.
    const quiet = { code: 0, stderr: expect.stringMatching(/^(?:Waiting for the debugger.*\n)?$/) };
    expect(denied).toMatchObject(quiet);
    expect(denied.stdout).toContain('"permissionDecisionReason":"guarded"');
    expect(await user.spawnHook(args, bash('ls'))).toMatchObject({ ...quiet, stdout: '' });
  });

  test('asks hooks that are not enforced, and ends those that take long, but no hook in the background', async () => {
    const done = join(user.path, 'project/done');
    user.write('tried.json', {
      PreToolUse: [
        { enforce: false, name: 'tried', hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] },
        { enforce: false, name: 'slow', hooks: [{ type: 'command', command: 'sleep 86400' }] },
        { name: 'late', hooks: [{ type: 'command', command: `sleep 1; echo > '${done}'`, async: true }] },
      ],
    });
    const input = bash('mv');
    expect(await user.hook(['PreToolUse', '--hooks', 'tried.json', '--no-server'], input)).toMatchObject({
      code: 0,
      stdout: '',
    });
    expect(existsSync(done)).toBe(true);
    const shadows = fires().filter((fire) => fire.tool_use_id === input['tool_use_id'] && fire.shadow_of !== undefined);
    expect(shadows.map(({ handlers, would, error }) => [handlers[0]?.name, would, error])).toEqual([
      ['tried', 'deny', undefined],
      ['slow', 'none', 'CLOSED'],
    ]);
  });

  test('a record that cannot be kept changes no answer, and one line on standard error says why', async () => {
    const other = createUser();
    const file = join(other.path, 'state/hookscope/records.db');
    mkdirSync(join(file, '..'), { recursive: true, mode: 0o700 });
    writeFileSync(file, 'something else');
    other.write('guard.json', { PreToolUse: [guarded] });
    const answered = await other.hook(['PreToolUse', '--hooks', 'guard.json', '--no-server'], bash('rm'));
    expect(answered).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('"permissionDecisionReason":"guarded"'),
      stderr: expect.stringMatching(/^hookscope: [^\n]*records\.db[^\n]*holds something else than records[^\n]*\n$/),
    });
    // Standard error is the reason there.
    const late = ['PreToolUse', '--plugin', other.write('throws.mjs', madeBy('() => process.exit(0)')), '--no-server'];
    expect((await other.spawnHook(late, bash('rm'))).stderr).not.toContain('records.db');
    await other.remove();
  });

  const guarded = { hooks: [{ type: 'rule', decision: 'deny', reason: 'guarded' }] };

  test('interrupted before its hooks have answered, it leaves a record', async () => {
    const asked = join(user.path, 'project/asked');
    user.write('asked.json', {
      PreToolUse: [{ hooks: [{ type: 'command', command: `echo > '${asked}'; exec sleep 86400` }] }],
    });
    const input = bash('ln');
    const { code, stderr } = await interrupted('asked.json', input, 'SIGTERM', () => existsSync(asked));
    expect(code).toBe(2);
    expect(stderr).toContain('it was ended before the hooks had answered');
    expect(firesOf(input)).toMatchObject([{ error: 'ABORTED' }, { unanswered: expect.any(String) }]);
  });

  test.each(['QUIT', 'ABRT', 'USR2', 'ALRM', 'VTALRM', 'XCPU', 'PROF', 'IO', 'PWR', 'STKFLT', 'SYS'])(
    'ended by SIG%s before its hooks have answered, it answers',
    async (name) => {
      const begun = join(user.path, 'project', name);
      const command = `echo > '${begun}'; exec sleep 86400`;
      user.write('begun.json', { PreToolUse: [{ hooks: [{ type: 'command', command }] }] });
      const signal = `SIG${name}` as NodeJS.Signals;
      const { code, stderr } = await interrupted('begun.json', bash(name), signal, () => existsSync(begun));
      expect([code, stderr]).toEqual([2, 'hookscope: it was ended before the hooks had answered\n']);
    },
  );

  test('ended by an error that nothing catches, it leaves a record', async () => {
    const never = `() => { setTimeout(() => { throw new Error('boom') }, 5); return new Promise(() => {}); }`;
    const plugin = user.write('uncaught.mjs', madeBy(never));
    const input = bash('dd');
    expect(await user.spawnHook(['PreToolUse', '--plugin', plugin, '--no-server'], input)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('boom'),
    });
    expect(firesOf(input)).toMatchObject([{ error: 'ABORTED' }, { unanswered: expect.any(String) }]);
  });

  test('interrupted once it has answered, it waits for hooks in the background, and asks none that is not enforced', async () => {
    const done = join(user.path, 'project/ended');
    user.write('answered.json', {
      PreToolUse: [
        guarded,
        { enforce: false, hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] },
        { hooks: [{ type: 'command', command: `sleep 2; echo > '${done}'`, async: true }] },
      ],
    });
    const input = bash('cp');
    const finished = await interrupted('answered.json', input, 'SIGTERM', (stdout) => stdout.includes('guarded'));
    expect(finished).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(done)).toBe(true);
    expect(firesOf(input).map(({ shadow_of }) => shadow_of)).toEqual([undefined]);
  });

  test('interrupted twice once it has answered, it ends without another word', async () => {
    user.write('twice.json', {
      PreToolUse: [guarded, { hooks: [{ type: 'command', command: 'sleep 4', async: true }] }],
    });
    const said = (stdout: string): boolean => stdout.includes('guarded');
    expect(await interrupted('twice.json', bash('rm'), 'SIGINT', said, true)).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['that is loaded', '', 'process.stdout.write = () => true'],
    ['whose hook runs', 'process.stdout.write = process.stderr.write = () => true', ''],
  ])('a plugin %s may mute standard output', async (_, inHook, atLoad) => {
    const guard = `({ tool_input }) => { ${inHook}; if (tool_input.command === 'rm') return { decision: 'block', reason: 'guarded' }; }`;
    const plugin = user.write(`mutes-${atLoad.length}.mjs`, madeBy(guard, atLoad));
    const args = ['PreToolUse', '--plugin', plugin, '--no-server', '--timeout', '40'];
    expect(await user.spawnHook(args, bash('ls'))).toEqual({ code: 0, stdout: '', stderr: '' });
    const denied = await user.spawnHook(args, bash('rm'));
    expect(denied).toMatchObject({ code: 0, stderr: '' });
    expect(denied.stdout).toContain('"permissionDecisionReason":"guarded"');
  });

  /** An answer that no pipe holds, read when the shell command `wait` has ended. */
  const readLate = (plugin: string, input: object, wait: string, seconds = 8): Promise<Finished> => {
    const hook = '"$0" "$1" hook PreToolUse --plugin "$2" --no-server --timeout "$3"';
    const script = `set -o pipefail; ${hook} | { ${wait}; cat; }`;
    const { env } = user;
    const cwd = join(user.path, 'project');
    return start('bash', ['-c', script, process.execPath, BIN, plugin, `${seconds}`], {
      cwd,
      env,
      stdin: JSON.stringify(input),
    });
  };
  /** As long as what computes, and for nothing. */
  const STUCK = 'for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
  const long = `{ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput: { command: 'x'.repeat(300_000) } } }`;

  test('a long answer is written whole, however late it is read', async () => {
    const input = bash('tar');
    const { code, stdout } = await readLate(user.write('long.mjs', madeBy(`() => (${long})`)), input, 'sleep 10');
    expect(code).toBe(0);
    expect(JSON.parse(stdout).hookSpecificOutput.updatedInput.command).toHaveLength(300_000);
    expect(firesOf(input)).toHaveLength(1);
  });

  test('a plugin that never gives back control while the answer is written ends the process with 2', async () => {
    const looping = join(user.path, 'project/looping');
    const loop = `setTimeout(() => { writeFileSync('${looping}', ''); ${STUCK} }, 1_000)`;
    const code = madeBy(`() => { ${loop}; return ${long}; }`, `import { writeFileSync } from 'node:fs'`);
    const wait = `until [ -e '${looping}' ]; do sleep 0.1; done`;
    const finished = await readLate(user.write('loops.mjs', code), bash('zip'), wait, 5);
    expect(finished.code).toBe(2);
    expect(finished.stdout.length).toBeLessThan(300_000);
  });
});

test('the alarm of a hook that has answered ends no process that goes on', async () => {
  const answer = () => ({ stdout: '', stderr: '', code: 2 });
  const alarm = setAlarm(1_000, { late: answer, exited: answer });
  alarm.watchFromThread();
  expect(alarm.mayStillSpeak()).toBe(true);
  alarm.said(0);
  alarm.off();
  // Past the time that it had, and in this process: its thread would end it.
  await sleep(2_000);
});
