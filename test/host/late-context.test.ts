import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { addContext, block } from '../../src/events/output/helpers.js';
import type { FireOptions } from '../../src/host/fire-options.js';
import type { HostOptions } from '../../src/host/options.js';
import { definePlugin } from '../../src/plugins/define.js';
import { WaitingContext } from '../../src/scopes/waiting-context.js';
import { INPUTS } from './inputs.js';
import { testHost, turn } from './kit.js';

const POST = INPUTS.PostToolUse;
const STOP = { stop_hook_active: false, agent_type: 'w', agent_transcript_path: '/t' };

/** A host with a hook that answers late, about each agent. */
function lateHost() {
  const { host } = testHost();
  host.on('PostToolUse', ({ agent_id: id = 'main', tool_use_id: call }) => ({
    async: true,
    result: Promise.resolve(addContext(`${call} of ${id}`)),
  }));
  const fire = async (agent: string | undefined, call = 't', session?: string): Promise<void> => {
    const of = {
      ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'w' }),
      ...(session && { session_id: session }),
    };
    await host.fire('PostToolUse', { ...POST, tool_use_id: call, ...of });
    await turn();
  };
  return { host, fire };
}

test('late context of an agent without a scope waits for that agent, never for the session', async () => {
  const { host, fire } = lateHost();
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' as const }) });
  for (const agent of ['a1', 'a2', 'a1', undefined]) await fire(agent);
  expect(host.pendingContext('a1')).toEqual(['t of a1', 't of a1']);
  expect(host.pendingContext('a2')).toEqual(['t of a2']);
  expect(host.pendingContext()).toEqual(['t of main']);
  expect(session.systemPrompt('S')).toBe('S\n\nt of main');
  await session.close();
});

test('it is of one session only', async () => {
  const { host, fire } = lateHost();
  await fire('a1', 't1', 's1');
  await fire('a1', 't2', 's2');
  expect(host.pendingContext({ session: 's1', agent: 'a1' })).toEqual(['t1 of a1']);
  expect(host.pendingContext({ session: 's2', agent: 'a1' })).toEqual(['t2 of a1']);
  expect(host.pendingContext('a1')).toEqual([]);
});

test('a scope that is opened for the agent takes it over', async () => {
  const { host, fire } = lateHost();
  await fire('a1');
  host.registerScoped('a1', {});
  await fire('a1', 'u');
  expect(host.pendingContext('a1')).toEqual(['t of a1', 'u of a1']);
  host.unregisterScoped('a1');
  expect(host.pendingContext('a1')).toEqual([]);
});

test('it ends with the agent, and another agent with its id does not get it', async () => {
  const { host, fire } = lateHost();
  await fire('a1');
  const off = host.on('SubagentStop', () => block('more'));
  await host.fire('SubagentStop', { ...STOP, agent_id: 'a1' });
  expect(host.pendingContext('a1')).toEqual(['t of a1']);
  off();
  await host.fire('SubagentStop', { ...STOP, agent_id: 'a1' });
  expect(host.pendingContext('a1')).toEqual([]);
  await fire('a1');
  await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'w' });
  expect(host.pendingContext('a1')).toEqual([]);
  await fire('a1');
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' as const }) });
  const agent = await session.spawn({ agent_type: 'w', id: 'a1' });
  expect(agent.systemPrompt('S')).toBe('S');
  await session.close();
});

test('of agents that never end it keeps the latest 1,000 texts, those of the agent that was silent for longest go first', async () => {
  const { host, fire } = lateHost();
  await fire('old');
  await fire('noisy');
  for (let i = 0; i < 1_100; i++) await fire(`a${i % 300}`, String(i));
  await fire('noisy', 'u');
  const kept = ['old', 'noisy', ...Array.from({ length: 300 }, (_, i) => `a${i}`)].map((id) => host.pendingContext(id));
  expect(kept[0]).toEqual([]);
  expect(kept[1]).toEqual(['u of noisy']);
  expect(kept.flat().length).toBeLessThanOrEqual(1_000);
  expect(kept.flat().length).toBeGreaterThan(990);
  for (let i = 0; i < 1_100; i++) await fire('noisy', String(i));
  expect(host.pendingContext('noisy')).toHaveLength(1_000);
  expect(host.pendingContext('noisy').at(-1)).toBe('1099 of noisy');
});

describe('context belongs to one agent, not to its id', () => {
  const scoped = { PreToolUse: [{ hooks: [() => undefined] }] };
  /** Whether the host has hooks for other types, or the agent has a scope of its own: opened for its type, or by hand. */
  const WAYS: Record<string, (host: Host) => unknown> = {
    'without hooks by type': () => undefined,
    'with hooks for another type': (host) => host.spawnHooks('zzz', scoped),
    'with hooks for its type': (host) => ['w', 'old'].map((type) => host.spawnHooks(type, scoped)),
    'with hooks that were registered for it': (host) => host.registerScoped('a1', scoped),
  };
  const A1 = { agent_id: 'a1' };
  const start = (host: Host, agent_type: string, how: FireOptions = {}) =>
    host.fire('SubagentStart', { ...A1, agent_type }, how);
  const stop = (host: Host, agent_type: string) => host.fire('SubagentStop', { ...STOP, ...A1, agent_type });
  /** Fires an event about the agent whose hook answers when the returned function is called. */
  const slowly = async (host: Host, agent_type = 'w') => {
    let answer = (): void => undefined;
    const result = new Promise<object>((resolve) => {
      answer = () => resolve(addContext('late'));
    });
    const off = host.on('PostToolUse', () => ({ async: true, result }), { matcher: 'Slow' });
    await host.fire('PostToolUse', { ...POST, ...A1, agent_type, tool_name: 'Slow' });
    off();
    return async () => {
      answer();
      await turn();
    };
  };
  const kit = (way: string, options: HostOptions = {}) => {
    const { host } = testHost(options);
    // Starts are noticed only once a host has hooks.
    host.on('Notification', () => undefined);
    WAYS[way]?.(host);
    return host;
  };

  describe.each(Object.keys(WAYS))('%s', (way) => {
    test('another agent that has the id by then does not get it, nor is it kept after the end', async () => {
      const host = kit(way);
      await start(host, 'old');
      const answer = await slowly(host, 'old');
      const second = await slowly(host, 'old');
      await stop(host, 'old');
      await answer();
      expect(host.pendingContext('a1')).toEqual([]);
      await start(host, 'w');
      await second();
      expect(host.pendingContext('a1')).toEqual([]);
    });

    test('an agent that replaces one at work does not get it', async () => {
      const host = kit(way);
      await start(host, 'old');
      const answer = await slowly(host, 'old');
      await (await slowly(host, 'old'))();
      await start(host, 'w');
      expect(host.pendingContext('a1')).toEqual([]);
      await answer();
      expect(host.pendingContext('a1')).toEqual([]);
    });

    test('an agent that a session spawns with the id does not get it', async () => {
      const host = kit(way);
      const session = await host.openSession({ watch: false });
      const answer = await slowly(host);
      const agent = await session.spawn({ id: 'a1', agent_type: 'w' });
      await answer();
      expect(agent.systemPrompt('S')).toBe('S');
      await session.close();
    });

    test('a repeat of its start drops nothing', async () => {
      const host = kit(way);
      await start(host, 'w');
      const answer = await slowly(host);
      await (await slowly(host))();
      await start(host, 'w');
      await answer();
      expect(host.pendingContext('a1')).toEqual(['late', 'late']);
    });

    test('a stop of an earlier agent that is answered late drops nothing of the later one', async () => {
      const host = kit(way);
      await start(host, 'old');
      let allow = (): void => undefined;
      host.on(
        'SubagentStop',
        () =>
          new Promise<void>((resolve) => {
            allow = resolve;
          }),
      );
      const stopping = stop(host, 'old');
      await turn();
      await start(host, 'w');
      await (await slowly(host))();
      const answer = await slowly(host);
      allow();
      await stopping;
      expect(host.pendingContext('a1')).toEqual(['late']);
      await answer();
      expect(host.pendingContext('a1')).toEqual(['late', 'late']);
    });

    test.each(['other', 'w'])(
      'a start of type %s that is aborted leaves it, also what is said meanwhile',
      async (type) => {
        const host = kit(way);
        await start(host, 'w');
        await (await slowly(host))();
        const [during, last] = [await slowly(host), await slowly(host)];
        host.on('SubagentStart', () => new Promise(() => undefined));
        const cut = new AbortController();
        const starting = start(host, type, { signal: cut.signal }).catch((error: { code: string }) => error.code);
        await turn();
        await during();
        cut.abort();
        expect(await starting).toBe('ABORTED');
        await turn();
        expect(host.pendingContext('a1')).toEqual(['late', 'late']);
        await last();
        expect(host.pendingContext('a1')).toEqual(['late', 'late', 'late']);
      },
    );

    test('a spawn that fails leaves it, also what is said meanwhile', async () => {
      const host = kit(way);
      const session = await host.openSession({ watch: false });
      await start(host, 'w');
      await (await slowly(host))();
      const [during, last] = [await slowly(host), await slowly(host)];
      let fail = (): void => undefined;
      const apply = () =>
        new Promise<void>((_, reject) => {
          fail = () => reject(new Error('no'));
        });
      const spawning = session.spawn({ id: 'a1', agent_type: 'x', plugins: [definePlugin({ name: 'p', apply })] });
      const failed = spawning.catch((error: { code: string }) => error.code);
      await turn();
      await during();
      fail();
      expect(await failed).toBe('PLUGIN_FAILED');
      expect(host.pendingContext('a1')).toEqual(['late', 'late']);
      await last();
      expect(host.pendingContext('a1')).toEqual(['late', 'late', 'late']);
      await session.close();
    });
  });

  test('the next session with the id of a closed one does not get it', async () => {
    const { host } = testHost();
    for (const closes of [
      async () => (await host.openSession({ session_id: 's9', watch: false })).close(),
      () => host.fire('SessionEnd', { session_id: 's9', reason: 'other' }),
    ]) {
      host.on('PostToolUse', () => ({ async: true, result: Promise.resolve(addContext('late')) }));
      await host.fire('PostToolUse', { ...POST, ...A1, agent_type: 'w', session_id: 's9' });
      await turn();
      expect(host.pendingContext({ session: 's9', agent: 'a1' })).not.toEqual([]);
      await closes();
      expect(host.pendingContext({ session: 's9', agent: 'a1' })).toEqual([]);
    }
  });

  test('of an agent for which hooks are registered in all sessions it is of its own session, and ends with it', async () => {
    const host = createHost({ logger: () => undefined });
    host.on('PostToolUse', ({ session_id: s }) => ({ async: true, result: Promise.resolve(addContext(s)) }));
    host.registerScoped('a1', scoped);
    for (const session_id of ['s8', 's9'])
      await host.fire('PostToolUse', { ...POST, ...A1, agent_type: 'w', session_id });
    await turn();
    const kept = () => ['s8', 's9'].map((session) => host.pendingContext({ session, agent: 'a1' }));
    expect(kept()).toEqual([['s8'], ['s9']]);
    expect(host.pendingContext('a1')).toEqual([]);
    await host.fire('SubagentStop', { ...STOP, ...A1, session_id: 's8' });
    expect(kept()).toEqual([[], ['s9']]);
  });
});

test('an agent that speaks is never the one whose texts are dropped, however many others are waited for', async () => {
  const { host, fire } = lateHost();
  for (let i = 0; i < 1_001; i++) await fire(`a${i}`);
  expect(host.pendingContext('a0')).toEqual([]);
  expect(host.pendingContext('a1')).toEqual(['t of a1']);
  for (const agent of ['new', 'newer']) {
    await fire(agent);
    expect(host.pendingContext(agent)).toEqual([`t of ${agent}`]);
  }
});

test('lists whose texts were delivered make room for others', () => {
  const waiting = new WaitingContext();
  const deliver = (agent: string) => waiting.of('s', agent).splice(0);
  for (let round = 0; round < 3; round++) {
    for (let i = 0; i < 1_500; i++) waiting.add(waiting.of('s', `${round} ${i}`), ['late']);
    for (let i = 500; i < 1_500; i++) expect(deliver(`${round} ${i}`)).toEqual(['late']);
  }
});

test('of the agents without texts, the one that was silent for longest is forgotten', () => {
  const waiting = new WaitingContext();
  const old = waiting.of('s', 'old');
  const silent = waiting.of('s', 'silent');
  for (let i = 0; i < 3_000; i++) {
    waiting.of('s', `a${i}`);
    expect(waiting.of('s', 'old')).toBe(old);
  }
  waiting.add(old, ['late']);
  waiting.add(silent, ['late']);
  expect([waiting.get('s', 'old'), waiting.get('s', 'silent')]).toEqual([['late'], undefined]);
});
