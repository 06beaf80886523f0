import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny, rewrite } from '../../src/events/output/helpers.js';
import type { HookAlarm } from '../../src/host/alarms/alarms.js';
import { fires, testHost, watch } from './kit.js';

const AGENT = { agent_id: 'a1', agent_type: 'reviewer' };
const CALL = { ...AGENT, tool_name: 'Write', tool_input: {}, tool_use_id: 't1' };
const STOP = { ...AGENT, stop_hook_active: false, agent_transcript_path: '' };

/** A host whose reviewers are denied every write, and the alarms that it raises. */
function guarded() {
  const alarms: HookAlarm[] = [];
  const { host } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => deny('reviewers read')] }] });
  return { host, told: () => alarms.splice(0).map(({ alarm, evidence }) => [alarm, evidence]) };
}

test('an agent that goes on after its end has the hooks of its type again, and a call of it is an alarm', async () => {
  const { host, told } = guarded();
  const watched = watch(host);
  await host.fire('SubagentStart', AGENT);
  await host.fire('SubagentStop', STOP);
  expect(told()).toEqual([]);
  const runs = host.explain('PreToolUse', CALL).hooks.filter((hook) => hook.runs);
  const decision = await host.fire('PreToolUse', CALL);
  expect(decision.verdict).toBe('deny');
  expect(runs).toHaveLength(1);
  expect(fires(watched).at(-1)).toMatchObject({ scope: 'a1', scope_known: true });
  await host.fire('PreToolUse', { ...CALL, tool_use_id: 't2' });
  expect(told()).toEqual([['reopened', 'PreToolUse']]);
  await host.fire('SubagentStop', STOP);
  await host.fire('SubagentStart', AGENT);
  expect((await host.fire('PreToolUse', { ...CALL, tool_use_id: 't3' })).verdict).toBe('deny');
  expect(told()).toEqual([]);
});

test.each([
  ['by its stop', async (host: Host) => void (await host.fire('SubagentStop', STOP))],
  ['by hand', async (host: Host) => void host.unregisterScoped('a1')],
  ['with its session', async (host: Host) => void host.unregisterScoped({ session: 's' })],
])('an agent that ended %s is known by its type, also where an event does not say it', async (_, end) => {
  const { host, told } = guarded();
  await host.fire('SubagentStart', AGENT);
  await end(host);
  const { agent_type: _type, ...call } = CALL;
  expect((await host.fire('PreToolUse', call)).verdict).toBe('deny');
  expect(told()).toEqual([['reopened', 'PreToolUse']]);
});

test('an agent that ends once more is among the latest that ended', async () => {
  const { host } = guarded();
  const ends = async (agent: string): Promise<void> => {
    await host.fire('SubagentStart', { ...AGENT, agent_id: agent });
    await host.fire('SubagentStop', { ...STOP, agent_id: agent });
  };
  await ends('a1');
  for (let i = 0; i < 998; i++) await ends(`other${i}`);
  await ends('a1');
  for (let i = 0; i < 999; i++) await ends(`later${i}`);
  const { agent_type: _type, ...call } = CALL;
  expect((await host.fire('PreToolUse', call)).verdict).toBe('deny');
  expect((await host.fire('PreToolUse', { ...call, agent_id: 'other997' })).verdict).toBe('none');
});

test.each(['spawn', 'SubagentStart'])(
  'after late events of an agent that has ended, another with its id has the hooks of its own type alone (%s)',
  async (how) => {
    for (const isBelow of how === 'spawn' ? [false, true] : [false]) {
      const { host } = guarded();
      const watched = watch(host);
      host.spawnHooks('writer', { PreToolUse: [{ name: 'writer', hooks: [() => undefined] }] });
      const session = await host.openSession({ session_id: 's1' });
      const from = isBelow ? await session.spawn({ agent_type: 'helper' }) : session;
      const call = { session_id: 's1', agent_id: 'a1', tool_name: 'Write', tool_input: {}, tool_use_id: 't' };
      await (await session.spawn({ id: 'a1', agent_type: 'reviewer' })).close();
      expect((await host.fire('PreToolUse', call)).verdict).toBe('deny');
      if (how === 'spawn') await from.spawn({ id: 'a1', agent_type: 'writer' });
      else await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a1', agent_type: 'writer' });
      expect((await host.fire('PreToolUse', call)).verdict).toBe('none');
      expect(
        fires(watched)
          .at(-1)
          ?.handlers.map(({ name, status }) => [name, status]),
      ).toEqual([['writer', 'ran']]);
    }
  },
);

test.each(['spawn', 'SubagentStart'])(
  'what somebody has registered for the next agent with that id stays (%s)',
  async (how) => {
    const { host } = guarded();
    host.spawnHooks('writer', { PreToolUse: [{ hooks: [() => deny('writer')] }] });
    const session = await host.openSession({ session_id: 's1' });
    const call = { session_id: 's1', agent_id: 'a1', tool_name: 'Write', tool_input: {}, tool_use_id: 't' };
    await (await session.spawn({ id: 'a1', agent_type: 'reviewer' })).close();
    await host.fire('PreToolUse', call);
    const seen: string[] = [];
    const note = (): void => void seen.push('by hand');
    host.registerScoped({ session: 's1', agent: 'a1' }, { PreToolUse: [{ mode: 'parallel', hooks: [note] }] });
    if (how === 'spawn') await session.spawn({ id: 'a1', agent_type: 'writer' });
    else await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a1', agent_type: 'writer' });
    const { hooks } = host.explain('PreToolUse', call);
    expect(hooks.filter(({ runs, source }) => runs && source.name === 'writer')).toHaveLength(1);
    await host.fire('PreToolUse', call);
    expect(seen).toEqual(['by hand']);
  },
);

test('an output is rewritten also where it comes after the end of its agent', async () => {
  const { host, told } = guarded();
  host.spawnHooks('reviewer', { PostToolUse: [{ hooks: [() => rewrite('hidden')] }] });
  await host.fire('SubagentStart', AGENT);
  await host.fire('SubagentStop', STOP);
  const { updatedOutput } = await host.fire('PostToolUse', { ...CALL, tool_response: 'secret' });
  expect(updatedOutput).toBe('hidden');
  expect(told()).toEqual([['reopened', 'PostToolUse']]);
});

test('of agents that go on after their end a limited number is open', async () => {
  const { host } = guarded();
  for (let i = 0; i < 1100; i++) {
    const agent = { agent_id: `a${i}` };
    await host.fire('SubagentStart', { ...AGENT, ...agent });
    await host.fire('SubagentStop', { ...STOP, ...agent });
    await host.fire('PreToolUse', { ...CALL, ...agent });
  }
  const open = JSON.stringify(host.describe()).match(/"scope":"a\d+"/g);
  expect(new Set(open).size).toBe(1000);
  expect((await host.fire('PreToolUse', { ...CALL, agent_id: 'a0' })).verdict).toBe('deny');
});

test('describe() lists what agents of a type will get, before any is there', async () => {
  await using host = createHost();
  host.spawnHooks('reviewer', { PreToolUse: [{ matcher: 'Write', name: 'read only', hooks: [() => deny('no')] }] });
  expect(String(host.describe())).toBe(
    [
      'managed',
      '  host',
      '    agents of type reviewer',
      '      PreToolUse:Write  callback read only  [fails open; spawn reviewer]',
    ].join('\n'),
  );
});

test('two agents whose session and id read the same when they are joined are two agents', async () => {
  const calls: HookAlarm[] = [];
  for (const [one, two] of [
    [
      ['a', 'b c'],
      ['a b', 'c'],
    ],
    [
      ['a', 'b","c'],
      ['a","b', 'c'],
    ],
    [
      ['a', 'b\0c'],
      ['a\0b', 'c'],
    ],
  ] as const) {
    await using host = createHost({ logger: () => undefined, onAlarm: (alarm) => void calls.push(alarm) });
    host.spawnHooks('reviewer', { PreToolUse: [{ hooks: [() => deny('reviewers read')] }] });
    const of = ([session_id, agent_id]: readonly [string, string]) => ({ session_id, agent_id });
    await host.fire('SubagentStart', { ...AGENT, ...of(one) });
    await host.fire('SubagentStop', { ...STOP, ...of(one) });
    await host.fire('PreToolUse', { ...CALL, ...of(two) });
    expect(calls).toEqual([]);
    await host.fire('PreToolUse', { ...CALL, ...of(one) });
    expect(calls.splice(0)).toMatchObject([{ alarm: 'reopened', session_id: one[0], agent_id: one[1] }]);
  }
});
