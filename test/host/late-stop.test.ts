import { expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
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
