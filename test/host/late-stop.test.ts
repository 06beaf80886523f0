import { describe, expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
import { definePlugin } from '../../src/plugins/define.js';
import { deferred, fires, testHost, watch } from './kit.js';

const named = (name: string) => ({ PreToolUse: [{ name, hooks: [() => deny(name)] }] });
const TYPES = ['reviewer', 'builder'];

/** An agent `a` of a type stops, which is asked about until `answer`; agents of both types have hooks. */
function begin(types: readonly string[] = TYPES) {
  const { host } = testHost();
  const alarms: string[] = [];
  host.events$.subscribe((record) => void (record.type === 'hook_alarm' && alarms.push(record.alarm)));
  const seen = watch(host);
  for (const type of types) host.spawnHooks(type, named(type));
  const judges = async (agent_id: string): Promise<string[]> => {
    await host.fire('PreToolUse', {
      agent_id,
      tool_name: 'Write',
      tool_input: {},
      tool_use_id: `${seen.length}`,
    } as never);
    return (fires(seen).at(-1)?.handlers ?? []).flatMap(({ status, name }) => (status === 'ran' ? name : []));
  };
  const start = (agent_type: string, signal?: AbortSignal) =>
    host.fire('SubagentStart', { agent_id: 'a', agent_type } as never, signal ? { signal } : {});
  const answer = deferred<void>();
  const wait = { SubagentStop: [{ hooks: [() => answer.promise] }] };
  const stop = (): Promise<unknown> => {
    const undo = host.register(wait);
    const input = { agent_id: 'a', agent_type: 'reviewer', stop_hook_active: false, agent_transcript_path: '' };
    const stopped = host.fire('SubagentStop', input as never);
    undo();
    return stopped;
  };
  return { host, alarms, judges, start, stop, answer };
}

test.each(['before the start', 'before the stop', 'during the stop', 'never'])(
  'a stop that is answered when another agent has the id ends nothing of that one; hooks by hand come %s',
  async (when) => {
    const { host, alarms, judges, start, stop, answer } = begin();
    const byHand = (now: string): void => {
      if (when !== now) return;
      host.registerScoped('a', named('by hand'));
      host.registerScoped('k', named('k'), { parent: 'a' });
    };
    byHand('before the start');
    await start('reviewer');
    byHand('before the stop');
    const stopped = stop();
    byHand('during the stop');
    await start('builder');
    const own = when === 'never' ? ['builder'] : ['by hand', 'builder'];
    const below = when === 'never' ? [] : [...own, 'k'];
    expect([await judges('a'), await judges('k')]).toEqual([own, below]);
    answer.resolve();
    await stopped;
    expect([await judges('a'), await judges('k')]).toEqual([own, below]);
    expect(alarms).toEqual([]);
    await host.close();
  },
);

describe.each([
  { others: 'there are hooks for other agents', types: ['builder'] },
  { others: 'there are no hooks by type before', types: [] },
])('an agent that gets its scope while its stop is answered, where $others', ({ types }) => {
  test.each([
    { was: 'that had started', starts: true, hand: undefined },
    { was: 'whose start was not seen', starts: false, hand: undefined },
    { was: 'that has hooks by hand', starts: true, hand: 'a' },
  ])('ends with that stop: one $was', async ({ starts, hand }) => {
    const { host, alarms, judges, start, stop, answer } = begin(types);
    let cleaned = 0;
    if (hand) host.registerScoped(hand, named('by hand'));
    if (starts) await start('reviewer');
    const stopped = stop();
    host.spawnHooks('reviewer', (agent) => {
      agent.onClose(() => void cleaned++);
      return named('reviewer');
    });
    const call = { agent_id: 'a', agent_type: 'reviewer', tool_name: 'Write', tool_input: {} };
    await host.fire('PreToolUse', { ...call, tool_use_id: 'x' });
    expect([await judges('a'), alarms]).toEqual([hand ? ['by hand', 'reviewer'] : ['reviewer'], []]);
    answer.resolve();
    await stopped;
    if (hand === undefined) {
      expect(cleaned).toBe(1);
      expect(String(host.describe())).not.toContain('agent a (reviewer)');
    }
    // What it does now is done after its end.
    await host.fire('PreToolUse', { ...call, tool_use_id: 'y' });
    expect(alarms).toEqual(hand ? [] : ['reopened']);
    await host.close();
  });
});

test('the same where neither has a scope and hooks for the later one come after the stop', async () => {
  const { host, alarms, judges, start, stop, answer } = begin(['other']);
  await start('reviewer');
  const stopped = stop();
  await start('builder');
  answer.resolve();
  await stopped;
  host.spawnHooks('builder', named('builder'));
  expect(await judges('a')).toEqual(['builder']);
  expect(alarms).toEqual([]);
  await host.close();
});

test.each(['after', 'before'])(
  'an agent whose stop is answered %s a start with its id fails has ended',
  async (when) => {
    const { host, alarms, judges, start, stop, answer } = begin();
    await start('reviewer');
    const stopped = stop();
    const cut = new AbortController();
    const undo = host.register({ SubagentStart: [{ hooks: [() => new Promise(() => undefined)] }] });
    const failed = expect(start('builder', cut.signal)).rejects.toMatchObject({ code: 'ABORTED' });
    if (when === 'before') {
      answer.resolve();
      await stopped;
      expect(await judges('a')).toEqual(['builder']);
    }
    cut.abort();
    await failed;
    undo();
    answer.resolve();
    await stopped;
    expect(alarms).toEqual([]);
    expect(await judges('a')).toEqual(['reviewer']);
    expect(alarms).toEqual(['reopened']);
    await host.close();
  },
);

describe.each([
  { others: 'there are hooks for other agents', types: ['other'] },
  { others: 'there are no hooks by type before', types: [] },
])('where $others', ({ types }) => {
  test('a stop of an agent that is not known ends no agent of another type that has its id by then', async () => {
    const { host, alarms, judges, stop, answer } = begin(types);
    const stopped = stop();
    host.spawnHooks('builder', named('builder'));
    const call = { agent_id: 'a', agent_type: 'builder', tool_name: 'Write', tool_input: {}, tool_use_id: 'x' };
    await host.fire('PreToolUse', call);
    answer.resolve();
    await stopped;
    expect(String(host.describe())).toContain('agent a (builder)');
    expect([await judges('a'), alarms]).toEqual([['builder'], []]);
    await host.close();
  });

  test.each(['before', 'after'])(
    'an agent that gets its scope during its stop has ended, which is answered %s a start with its id fails',
    async (when) => {
      const { host, judges, start, stop, answer } = begin(types);
      await start('reviewer');
      const stopped = stop();
      host.spawnHooks('reviewer', named('reviewer'));
      expect(await judges('a')).toEqual(['reviewer']);
      const session = await host.openSession({ watch: false });
      const failing = deferred<never>();
      const plugin = definePlugin({ name: 'p', apply: () => failing.promise });
      const spawned = session.spawn({ id: 'a', agent_type: 'reviewer', plugins: [plugin] });
      const failed = expect(spawned).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
      if (when === 'before') {
        answer.resolve();
        await stopped;
      }
      failing.reject(new Error('no'));
      await failed;
      answer.resolve();
      await stopped;
      expect(String(host.describe())).not.toContain('agent a (reviewer)');
      await host.close();
    },
  );
});
