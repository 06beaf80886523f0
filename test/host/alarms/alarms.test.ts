import { describe, expect, test } from 'vitest';
import type { Host } from '../../../src/create-host.js';
import { hookRecord } from '../../../src/emit/fire-schema.js';
import { deny, rewrite } from '../../../src/events/output/helpers.js';
import type { HookAlarm } from '../../../src/host/alarms/alarms.js';
import { servicesOf } from '../../../src/host/internals.js';
import type { HostOptions } from '../../../src/host/options.js';
import { anyHooks, testHost, watch } from '../kit.js';

type Fields = Readonly<Record<string, unknown>>;

/** A host whose guard denies `rm`, makes `ls -l` of `ls`, and says nothing of anything else. */
function guarded(options: HostOptions = {}) {
  const alarms: HookAlarm[] = [];
  const made = testHost({ onAlarm: (alarm) => void alarms.push(alarm), ...options });
  const guard = ({ tool_input }: { tool_input?: { command?: string } }) => {
    if (tool_input?.command?.startsWith('rm')) return deny('no rm');
    return tool_input?.command === 'ls' ? rewrite({ command: 'ls -l' }) : undefined;
  };
  made.host.register(anyHooks({ PreToolUse: [{ name: 'guard', hooks: [guard] }] }));
  const kinds = () => alarms.map(({ alarm }) => alarm);
  return { ...made, alarms, kinds };
}

const bash = (command: unknown, id = 't1'): Fields => ({
  session_id: 's',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: id,
});
const ran = (command: unknown, id = 't1'): Fields => ({ ...bash(command, id), tool_response: { stdout: '' } });

describe('what was decided and what was done', () => {
  test('an agent whose calls have all ended, and that calls again while another does', async () => {
    const { host, kinds } = guarded();
    await host.fireAny('PreToolUse', bash('pwd'));
    await host.fireAny('PostToolUse', ran('pwd'));
    await host.fireAny('PreToolUse', bash('rm x', 't2'));
    await host.fireAny('PreToolUse', { ...bash('pwd', 't3'), session_id: 'other' });
    await host.fireAny('PostToolUse', ran('rm x', 't2'));
    expect(kinds()).toEqual(['not_honoured']);
  });

  test('a call that was denied and ran: one alarm, whoever asks how often; it says who, what and why', async () => {
    const { host, alarms, reports } = guarded();
    const seen = watch(host);
    await host.fireAny('PreToolUse', bash('rm x'));
    await host.fireAny('PostToolUseFailure', { ...bash('rm x'), error: 'x' });
    expect(alarms).toEqual([]);
    await host.fireAny('PostToolUse', ran('rm x'));
    await host.fireAny('PostToolUse', ran('rm x'));
    expect(alarms).toEqual([
      {
        type: 'hook_alarm',
        alarm: 'not_honoured',
        message: 'the call "t1" of "Bash" was denied, and it ran ("no rm")',
        session_id: 's',
        scope: 'session',
        tool_name: 'Bash',
        tool_use_id: 't1',
        evidence: 'PostToolUse',
        denied_by: 'hook',
        reason: 'no rm',
        judged_input: '{"command":"rm x"}',
        judged_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        ran_input: '{"command":"rm x"}',
        ran_sha256: alarms[0]?.judged_sha256,
      },
    ]);
    const told = seen.filter((record) => (record.type as string) === 'hook_alarm');
    expect(told).toMatchObject(alarms);
    expect(hookRecord.parse(JSON.parse(JSON.stringify(told[0])))).toEqual(told[0]);
    expect(reports).toEqual(['Alarm (not_honoured): the call "t1" of "Bash" was denied, and it ran ("no rm")']);
  });

  test.each<readonly [string, unknown, unknown, boolean]>([
    ['what nobody objected to', 'echo a', 'echo a', false],
    ['something else than nobody objected to', 'echo a', 'echo b', true],
    ['what the guard made of it', 'ls', 'ls -l', false],
    ['what the guard had rewritten', 'ls', 'ls', true],
    ['a long input', 'x'.repeat(50_000), 'x'.repeat(50_000), false],
    ['a long input with another end', 'x'.repeat(50_000), `${'x'.repeat(49_999)}y`, true],
  ])('it ran with %s', async (_, asked, done, alarm) => {
    const { host, kinds } = guarded();
    await host.fireAny('PreToolUse', bash(asked));
    await host.fireAny('PostToolUse', ran(done));
    expect(kinds()).toEqual(alarm ? ['other_input'] : []);
  });

  test('an input that was changed in place after it was judged is another', async () => {
    const { host, kinds } = guarded();
    const tool_input = { command: 'echo a' };
    await host.fireAny('PreToolUse', { ...bash(''), tool_input });
    tool_input.command = 'curl x';
    await host.fireAny('PostToolUse', { ...ran(''), tool_input });
    expect(kinds()).toEqual(['other_input']);
  });

  test('the order of keys is nothing; of what a hook gave, neither what Claude Code adds and converts; another value is', async () => {
    const edit = { file_path: '/a', old_string: 'x', new_string: 'y' };
    const done = async (tool_input: Fields, given: boolean): Promise<unknown[]> => {
      const { host, kinds } = testHostWith(given ? () => rewrite({ ...edit, timeout: '5' }) : () => undefined);
      const asked = given ? edit : { ...edit, timeout: '5' };
      await host.fireAny('PreToolUse', { ...bash(''), tool_name: 'Edit', tool_input: asked });
      await host.fireAny('PostToolUse', { ...ran(''), tool_name: 'Edit', tool_input });
      return kinds();
    };
    const turned = { timeout: '5', new_string: 'y', old_string: 'x', file_path: '/a' };
    const filled = { ...edit, timeout: 5, replace_all: false };
    expect(await done(turned, false)).toEqual([]);
    expect(await done(turned, true)).toEqual([]);
    expect(await done(filled, true)).toEqual([]);
    expect(await done(filled, false)).toEqual(['other_input']);
    expect(await done({ ...filled, replace_all: true }, true)).toEqual(['other_input']);
    expect(await done({ ...filled, timeout: 6 }, true)).toEqual(['other_input']);
  });

  test('of equal calls at the same time each may run with what a PermissionRequest gives', async () => {
    const { host, kinds } = guarded();
    const decision = { behavior: 'allow', updatedInput: { command: 'pwd' } };
    const grant = () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    host.register(anyHooks({ PermissionRequest: [{ hooks: [grant] }] }));
    const { tool_use_id: _, ...question } = bash('echo a');
    for (const id of ['t1', 't2', 't3']) await host.fireAny('PreToolUse', bash('echo a', id));
    for (const id of ['t2', 't1']) {
      await host.fireAny('PermissionRequest', question);
      await host.fireAny('PostToolUse', ran('pwd', id));
    }
    expect(kinds()).toEqual([]);
    await host.fireAny('PostToolUse', ran('echo c', 't3'));
    expect(kinds()).toEqual(['other_input']);
  });

  test('the last judgement counts; another agent and another session have calls of their own', async () => {
    const { host, kinds } = guarded();
    await host.fireAny('PreToolUse', bash('rm x'));
    await host.fireAny('PreToolUse', bash('echo a'));
    await host.fireAny('PreToolUse', { ...bash('rm x'), agent_id: 'a' });
    await host.fireAny('PreToolUse', { ...bash('rm x'), session_id: 'other' });
    await host.fireAny('PostToolUse', ran('echo a'));
    expect(kinds()).toEqual([]);
    await host.fireAny('PostToolUse', { ...ran('rm x'), agent_id: 'a' });
    expect(kinds()).toEqual(['not_honoured']);
  });

  test('a fire that was refused is no permission; one that its caller took back says nothing', async () => {
    const { host, kinds } = guarded();
    await expect(host.fireAny('PreToolUse', { ...bash('echo a'), cwd: 1 })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    await host.fireAny('PostToolUse', ran('echo a'));
    expect(kinds()).toEqual(['not_honoured']);
    const signal = AbortSignal.abort();
    await expect(host.fireAny('PreToolUse', bash('echo a', 't2'), { signal })).rejects.toMatchObject({
      code: 'ABORTED',
    });
    await host.fireAny('PostToolUse', ran('echo b', 't2'));
    expect(kinds()).toEqual(['not_honoured']);
  });

  test.each(['its id', 'no id, the only such call'])('a PermissionRequest with %s', async (which) => {
    const said = (decision: Fields) => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision } });
    const outcome = async (decision: Fields, done: string): Promise<unknown[]> => {
      const { host, kinds } = guarded();
      host.register(anyHooks({ PermissionRequest: [{ hooks: [() => said(decision)] }] }));
      const { tool_use_id, ...asked } = bash('echo a');
      await host.fireAny('PreToolUse', bash('echo a'));
      await host.fireAny('PreToolUse', bash('echo z', 't9'));
      await host.fireAny('PermissionRequest', which === 'its id' ? { ...asked, tool_use_id } : asked);
      await host.fireAny('PostToolUse', ran('echo z', 't9'));
      await host.fireAny('PostToolUse', ran(done));
      return kinds();
    };
    expect(await outcome({ behavior: 'deny', message: 'no' }, 'echo a')).toEqual(['not_honoured']);
    expect(await outcome({ behavior: 'allow' }, 'echo a')).toEqual([]);
    expect(await outcome({ behavior: 'allow', updatedInput: { command: 'echo b' } }, 'echo b')).toEqual([]);
    expect(await outcome({ behavior: 'allow', updatedInput: { command: 'echo b' } }, 'echo a')).toEqual([]);
    expect(await outcome({ behavior: 'allow', updatedInput: { command: 'echo b' } }, 'echo c')).toEqual([
      'other_input',
    ]);
  });

  test('an id that is used again for a call nobody was asked about is no alarm, for a harness that asks about some calls only', async () => {
    const { host, kinds } = guarded();
    await host.fireAny('PreToolUse', bash('echo a'));
    await host.fireAny('PostToolUse', ran('echo a'));
    await host.fireAny('PostToolUse', ran('echo b'));
    await host.fireAny('PostToolUse', ran('echo c', 'never asked'));
    expect(kinds()).toEqual([]);
  });

  test('with only the logger to hear it, and no hook after the tool, it is heard', async () => {
    const { host, reports } = guarded({ onAlarm: undefined } as never);
    await host.fireAny('PreToolUse', bash('echo a'));
    await host.fireAny('PostToolUse', ran('echo b'));
    expect(reports).toEqual([expect.stringContaining('Alarm (other_input)')]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('broken');
      },
    ],
  ])('an onAlarm that %s changes nothing', async (_, onAlarm) => {
    const { host, reports } = guarded({ onAlarm: onAlarm as () => void });
    await host.fireAny('PreToolUse', bash('rm x'));
    expect(await host.fireAny('PostToolUse', ran('rm x'))).toMatchObject({ blocked: false });
    await new Promise(setImmediate);
    expect(reports).toHaveLength(2);
    expect(reports[1]).toBe('onAlarm failed: Error: broken');
  });
});

function testHostWith(hook: () => unknown) {
  const alarms: HookAlarm[] = [];
  const { host } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  host.register(anyHooks({ PreToolUse: [{ hooks: [hook] }] }));
  return { host, kinds: () => alarms.map(({ alarm }) => alarm) };
}

describe('a session driver', () => {
  const call = (id: string, command = 'echo a', more: Fields = {}) => ({
    name: 'Bash',
    id,
    input: { command },
    execute: () => 'ok',
    ...more,
  });
  const open = async (more: Fields = {}) => {
    const made = guarded();
    const session = await made.host.openSession({ permission: () => ({ behavior: 'allow' }), ...more });
    return { ...made, session };
  };
  const post = (id: string, command: string) => ({
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
    tool_response: {},
  });

  test('whose calls go their way has none, whoever rewrites, asks, gives or denies', async () => {
    const { session, kinds } = await open({
      permission: () => ({ behavior: 'ask' }),
      ask: (input: { command: string }) =>
        input.command.startsWith('no')
          ? { behavior: 'deny' }
          : { behavior: 'allow', updatedInput: { command: 'given' } },
    });
    const worker = await session.spawn({ agent_type: 'w' });
    for (const own of [session, worker]) {
      const calls = ['ls', 'rm x', 'echo a', 'no'].map((command, i) => call(`t${i}`, command));
      const { results } = await own.toolBatch(calls);
      expect(results.map(({ status }) => status)).toEqual(['ran', 'denied', 'ran', 'denied']);
    }
    await session.close();
    expect(kinds()).toEqual([]);
  });

  test.each([
    ['the rules', { permission: () => ({ behavior: 'deny', message: 'rule' }) }, 'rules'],
    ['a person', { permission: () => ({ behavior: 'ask' }), ask: () => ({ behavior: 'deny' }) }, 'person'],
    ['nobody', { permission: () => ({ behavior: 'ask' }) }, 'nobody'],
    ['the mode', { permission: undefined, permission_mode: 'dontAsk' }, 'mode'],
  ])('%s said no, and it ran', async (_, options, by) => {
    const { session, alarms } = await open(options as Fields);
    expect(await session.tool(call('t1', 'echo a', { effect: 'other' }))).toMatchObject({ status: 'denied' });
    await session.fire('PostToolUse', post('t1', 'echo a'));
    expect(alarms).toMatchObject([{ alarm: 'not_honoured', denied_by: by, tool_use_id: 't1' }]);
  });

  test('a call that it was not asked about ran: in the session, in an agent, by the host, in a batch', async () => {
    const { host, session, alarms } = await open();
    const worker = await session.spawn({ agent_type: 'w', id: 'w1' });
    await session.fire('PostToolUse', post('t1', 'echo a'));
    await session.fire('PostToolUse', post('t1', 'echo a'));
    await worker.fire('PostToolUse', post('t1', 'echo a'));
    await host.fireAny('PostToolUse', { ...post('t3', 'echo a'), session_id: session.id });
    const result = await session.tool(call('t4'));
    await session.endBatch([call('t4')], [result]);
    await session.endBatch([call('t5')], [{ ...result, id: 't5' }]);
    expect(
      alarms.map(({ alarm, tool_use_id, agent_id, evidence }) => [alarm, tool_use_id, agent_id, evidence]),
    ).toEqual([
      ['unasked', 't1', undefined, 'PostToolUse'],
      ['unasked', 't1', 'w1', 'PostToolUse'],
      ['unasked', 't3', undefined, 'PostToolUse'],
      ['unasked', 't5', undefined, 'result'],
    ]);
  });

  test('an agent that it does not drive is not its own', async () => {
    const { host, session, kinds } = await open();
    await host.fireAny('PostToolUse', { ...post('t1', 'echo a'), session_id: session.id, agent_id: 'stranger' });
    expect(kinds()).toEqual([]);
  });
});

describe('what is remembered', () => {
  const bytesOf = (host: Host): number => servicesOf(host).alarms.bytes;

  test('of 100,000 calls that nothing more is heard of stays below 16 MiB, whatever their ids and inputs are', async () => {
    const { host, kinds } = guarded();
    for (let i = 0; i < 100_000; i++) await host.fireAny('PreToolUse', bash(`echo ${i}`, `t${i}`));
    expect(bytesOf(host)).toBeLessThan(16 << 20);
    for (let i = 0; i < 100; i++)
      await host.fireAny('PreToolUse', bash('x'.repeat(200_000), `${i}${'y'.repeat(200_000)}`));
    expect(bytesOf(host)).toBeLessThan(16 << 20);
    await host.fireAny('PostToolUse', ran('something else', 't0'));
    expect(kinds()).toEqual([]);
    await host.fireAny('PostToolUse', ran('something else', `${99}${'y'.repeat(200_000)}`));
    expect(kinds()).toEqual(['other_input']);
  });

  test('a denied call that had to be forgotten and ran is no alarm, and the logger hears once that nobody knows', async () => {
    const { host, kinds, reports } = guarded();
    await host.fireAny('PreToolUse', bash('rm x', 'denied'));
    for (let i = 0; i < 4_000; i++) await host.fireAny('PreToolUse', bash(`rm ${'x'.repeat(4_000)}`, `t${i}`));
    expect(reports).toEqual([]);
    for (let i = 0; i < 3; i++) await host.fireAny('PostToolUse', ran('rm x', 'denied'));
    expect(kinds()).toEqual([]);
    expect(reports).toEqual([expect.stringContaining('decision is no longer remembered')]);
  });

  test('a denied call is remembered however many others run meanwhile', async () => {
    const { host, kinds } = guarded();
    await host.fireAny('PreToolUse', bash('rm x', 'denied'));
    for (let i = 0; i < 50_000; i++) {
      await host.fireAny('PreToolUse', bash('pwd', `t${i}`));
      await host.fireAny('PostToolUse', ran('pwd', `t${i}`));
    }
    expect(bytesOf(host)).toBeLessThan(1 << 18);
    expect(kinds()).toEqual([]);
    await host.fireAny('PostToolUse', ran('rm x', 'denied'));
    expect(kinds()).toEqual(['not_honoured']);
  });

  test('a call that had to be forgotten was not unasked', async () => {
    const { host, kinds } = guarded();
    const session = await host.openSession();
    for (let i = 0; i < 30_000; i++)
      await session.fire('PreToolUse', { ...bash('x'.repeat(300), `t${i}`), session_id: session.id } as never);
    for (let i = 0; i < 200; i++) await session.fire('PostToolUse', ran('other', `t${i}`) as never);
    expect(kinds()).toEqual([]);
    await session.fire('PostToolUse', ran('other', 'never') as never);
    expect(kinds()).toEqual(['unasked']);
  });

  test('a harness that never tells what ran is not waited for; once it does, it is remembered again', async () => {
    const { host, reports } = guarded({ onAlarm: undefined } as never);
    for (let i = 0; i < 5_000; i++) await host.fireAny('PreToolUse', bash(`echo ${i}`, `t${i}`));
    const before = bytesOf(host);
    for (let i = 0; i < 5_000; i++) await host.fireAny('PreToolUse', bash(`echo ${i}`, `u${i}`));
    expect(bytesOf(host)).toBe(before);
    await host.fireAny('PreToolUse', bash('rm x', 'denied'));
    await host.fireAny('PostToolUse', ran('rm x', 'denied'));
    await host.fireAny('PreToolUse', bash('echo a', 'silent'));
    await host.fireAny('PostToolUse', ran('echo b', 'silent'));
    expect(reports.map((text) => /\w+_\w+/.exec(text)?.[0])).toEqual(['not_honoured', 'other_input']);
  });

  const cycle: Record<string, unknown> = { command: 'x' };
  cycle['self'] = cycle;
  let deep: unknown = 'rm';
  let deeper: unknown = 'rn';
  for (let i = 0; i < 100_000; i++) {
    deep = { a: deep };
    deeper = { a: deeper };
  }
  const shared = Array.from({ length: 64 }).reduce<unknown>((inner) => [inner, inner], 'x');
  const trap = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error('no');
      },
    },
  );

  test.each<readonly [string, unknown, unknown, readonly string[]]>([
    ['holds itself', cycle, { command: 'y' }, []],
    ['cannot be looked at', trap, { command: 'y' }, []],
    ['has no end that one would wait for', shared, { command: 'y' }, []],
    ['is deeper than any stack', deep, deeper, ['other_input']],
  ])('an input that %s', async (_, asked, done, wanted) => {
    const { host, kinds } = testHostWith(() => undefined);
    const fire = (event: string, tool_input: unknown) => host.fireAny(event, { ...ran(''), tool_input });
    await fire('PreToolUse', asked);
    await fire('PostToolUse', asked);
    expect(kinds()).toEqual([]);
    await fire('PreToolUse', asked);
    await fire('PostToolUse', done);
    expect(kinds()).toEqual(wanted);
  });
});
