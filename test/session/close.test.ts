import { describe, expect, test, vi } from 'vitest';
import { block } from '../../src/events/output/helpers.js';
import { command } from '../../src/handlers/command/spec.js';
import type { Session } from '../../src/session/types.js';
import { deferred, fires, never, watch } from '../host/kit.js';
import { byScope, names, on, opened } from './kit.js';

describe('close', () => {
  test('fires SessionEnd with its reason, ends the hooks of the session, and frees its id', async () => {
    const { host, session, seen } = await opened({
      hooks: { PreToolUse: [{ name: 'own', hooks: [() => undefined] }] },
    });
    expect(await session.close('logout')).toEqual({ cancelled: [] });
    expect(seen.at(-1)).toMatchObject({ event: 'SessionEnd', input: { reason: 'logout' } });
    expect(JSON.stringify(host.describe())).not.toContain('own');
    await expect(host.openSession()).resolves.toMatchObject({ id: session.id });
  });

  test.each(['session', 'agent'])('of one that watches files (%s) leaves the next with its id alone', async (what) => {
    const { host, session } = await opened();
    const open = (hooks = {}): Promise<Session> =>
      what === 'agent'
        ? session.spawn({ agent_type: 'w', id: 'a', hooks })
        : host.openSession({ session_id: 'x', hooks, permission: () => ({ behavior: 'allow' }) });
    const first = await open();
    await first.watch(['no-such-file']);
    const closing = first.close();
    let next: Session | undefined;
    // The end of the watch takes a while.
    while (next === undefined) {
      try {
        next = await open({ PreToolUse: [{ name: 'own', hooks: [() => block('no')] }] });
      } catch (error) {
        expect(error).toMatchObject({ code: 'SESSION_OPEN' });
      }
    }
    await closing;
    expect(await next.tool({ id: 't', name: 'Write', input: {}, execute: () => 'ran' })).toMatchObject({
      status: 'denied',
    });
    await next.close();
  });

  test('twice is once', async () => {
    const { session, seen } = await opened();
    expect(session.close('clear')).toBe(session.close('other'));
    await session.close();
    expect(names(seen).filter((e) => e === 'SessionEnd')).toHaveLength(1);
  });

  test('at the end of its block, agents first', async () => {
    const { host, seen } = await opened();
    {
      await using session = await host.openSession({ session_id: 'x' });
      await using agent = await session.spawn({ agent_type: 'w', id: 'a' });
      await using inner = await agent.spawn({ agent_type: 'w', id: 'i' });
      expect(inner.closed).toBe(false);
    }
    expect(names(seen).slice(2)).toEqual([
      'SubagentStart',
      'SubagentStart',
      'SubagentStop',
      'SubagentStop',
      'SessionEnd',
    ]);
    expect(seen.slice(-3).map((s) => s.input['agent_id'])).toEqual(['i', 'a', undefined]);
  });

  test('of a session closes the agents that are left, in their scopes', async () => {
    const { session, seen } = await opened();
    const agent = await session.spawn({ agent_type: 'w', id: 'a' });
    const inner = await agent.spawn({ agent_type: 'w', id: 'i' });
    await session.close();
    expect([agent.closed, inner.closed]).toEqual([true, true]);
    expect(byScope(seen)).toMatchObject({ a: ['SubagentStart', 'SubagentStop'], i: ['SubagentStart', 'SubagentStop'] });
    expect(names(seen).at(-1)).toBe('SessionEnd');
  });

  test('of an agent does not go on, whatever its stop hooks say, and the record says why', async () => {
    const { host, session } = await opened();
    const records = watch(host);
    on(host, 'SubagentStop', () => block('not yet'));
    const agent = await session.spawn({ agent_type: 'w' });
    expect(await agent.close()).toEqual({ cancelled: [] });
    expect(agent.closed).toBe(true);
    expect(fires(records).at(-1)?.decision).toMatchObject({ continues: false, endedBy: 'close' });
  });

  test('of an agent that was stopped fires nothing more; during its stop, it waits for that', async () => {
    const { host, session, seen } = await opened();
    const stopped = await session.spawn({ agent_type: 'w', id: 'a' });
    await stopped.stop();
    await stopped.close();
    const asked = deferred<void>();
    const answer = deferred<undefined>();
    on(host, 'SubagentStop', () => {
      asked.resolve();
      return answer.promise;
    });
    const stopping = await session.spawn({ agent_type: 'w', id: 'b' });
    const stop = stopping.stop();
    await asked.promise;
    const close = stopping.close();
    answer.resolve(undefined);
    expect(await stop).toMatchObject({ continues: false });
    await close;
    expect(byScope(seen)).toMatchObject({ a: ['SubagentStart', 'SubagentStop'], b: ['SubagentStart', 'SubagentStop'] });
  });

  test('during a stop that goes on closes the agent all the same', async () => {
    const { host, session, seen } = await opened();
    const asked = deferred<void>();
    const answer = deferred<unknown>();
    on(host, 'SubagentStop', () => {
      asked.resolve();
      return answer.promise;
    });
    const agent = await session.spawn({ agent_type: 'w', id: 'a' });
    const stop = agent.stop();
    await asked.promise;
    const close = agent.close();
    answer.resolve(block('again'));
    expect(await stop).toMatchObject({ continues: true });
    await close;
    expect(agent.closed).toBe(true);
    expect(byScope(seen)['a']).toEqual(['SubagentStart', 'SubagentStop', 'SubagentStop']);
  });

  test('of a session in which an agent is only about to start ends that start', async () => {
    const { host, session, seen } = await opened();
    const asked = deferred<void>();
    on(host, 'SubagentStart', () => {
      asked.resolve();
      return never();
    });
    const spawned = expect(session.spawn({ agent_type: 'w', id: 'a' })).rejects.toMatchObject({ code: 'ABORTED' });
    await asked.promise;
    expect(await session.close()).toEqual({ cancelled: ['w (a)'] });
    await spawned;
    expect(byScope(seen)['a']).toEqual(['SubagentStart']);
  });

  test('names the calls it put an end to', async () => {
    const { session } = await opened();
    const begun = deferred<void>();
    const agent = await session.spawn({ agent_type: 'w' });
    const result = agent.tool({
      name: 'Bash',
      id: 't1',
      input: {},
      execute: () => {
        begun.resolve();
        return never();
      },
    });
    await begun.promise;
    expect(await session.close()).toEqual({ cancelled: ['Bash (t1)'] });
    expect((await result).status).toBe('interrupted');
  });
});

describe('SessionEnd hooks', () => {
  test('have 1.5 seconds each, unless they say otherwise, and 60 at most', async () => {
    const { host } = await opened();
    host.register({
      SessionEnd: [
        { name: 'usual', hooks: [() => undefined] },
        { name: 'own', timeout: 7, hooks: [() => undefined] },
        { name: 'much', timeout: 600, hooks: [() => undefined] },
        { name: 'none', timeout: 0, hooks: [() => undefined] },
        { hooks: [command('true', { name: 'shell' })] },
      ],
      Stop: [{ name: 'other', hooks: [() => undefined] }],
    });
    const times = host.describe().children[0]?.hooks.map((h) => [h.name, h.timeout]) ?? [];
    expect(Object.fromEntries(times)).toMatchObject({ usual: 1.5, own: 7, much: 60, none: 60, shell: 1.5, other: 60 });
  });

  test('that take longer are named', async () => {
    const { host, session } = await opened();
    host.register({
      SessionEnd: [
        { name: 'slow', timeout: 0.05, hooks: [never] },
        { name: 'quick', hooks: [() => undefined] },
      ],
    });
    expect(await session.close()).toEqual({ cancelled: ['slow'] });
  });

  test('have so much together', async () => {
    const { host, session } = await opened({ endTimeout: 0.1 });
    const ran: string[] = [];
    host.register({
      SessionEnd: [
        { name: 'first', hooks: [never] },
        { name: 'second', hooks: [() => void ran.push('second')] },
      ],
    });
    expect(await session.close()).toEqual({ cancelled: ['first'] });
    expect(ran).toEqual([]);
  });
});

describe('SubagentStop hooks that never end', () => {
  const HANG = { SubagentStop: [{ name: 'hang', timeout: 0, hooks: [never] }] };

  test.each([
    ['under way', (agent: Session) => void agent.stop()],
    ['at the close itself', () => undefined],
    ['of an agent of the agent', async (agent: Session) => void (await agent.spawn({ agent_type: 'inner' })).stop()],
  ])('hold up the close of a session for its endTimeout: %s', async (_, begin) => {
    const { host, session, seen } = await opened({ endTimeout: 0.1 });
    host.register(HANG);
    await begin(await session.spawn({ agent_type: 'w' }));
    const { cancelled } = await session.close();
    expect(cancelled).toContain('hang');
    expect(names(seen).at(-1)).toBe('SessionEnd');
    expect(session.closed).toBe(true);
  });

  test('hold up the close of an agent for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { host, session } = await opened();
      host.register(HANG);
      const agent = await session.spawn({ agent_type: 'w', id: 'a' });
      const other = await session.spawn({ agent_type: 'w', id: 'b' });
      const closing = agent.close();
      void other.stop();
      await vi.advanceTimersByTimeAsync(59_000);
      expect(agent.closed && !session.closed).toBe(true);
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await closing).toEqual({ cancelled: ['hang'] });
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('close() of an agent', () => {
  const call = { name: 'T', input: {}, execute: () => 1 };
  const states: Readonly<Record<string, [before: (agent: Session) => unknown, stops: boolean]>> = {
    'that is idle fires SubagentStop': [() => undefined, true],
    'whose call was denied fires SubagentStop': [(agent) => agent.tool({ ...call, name: 'deny' }), true],
    'that has stopped fires no second one': [(agent) => agent.stop(), true],
    'whose tool runs fires none': [
      (agent) => void agent.tool({ ...call, execute: () => new Promise(() => undefined) }),
      false,
    ],
    'that a hook ended fires none': [(agent) => agent.tool({ ...call, name: 'end' }), false],
    'of which a call was deferred fires none': [(agent) => agent.tool({ ...call, name: 'defer' }), false],
    'that was interrupted fires none': [(agent) => agent.interrupt(), false],
  };
  const SAYS: Readonly<Record<string, unknown>> = {
    deny: { hookSpecificOutput: { permissionDecision: 'deny' } },
    defer: { hookSpecificOutput: { permissionDecision: 'defer' } },
    end: { continue: false },
  };

  test.each(Object.entries(states))('%s', async (_, [before, stops]) => {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', (input: { tool_name: string }) => SAYS[input.tool_name]);
    const agent = await session.spawn({ agent_type: 'w' });
    await before(agent);
    await agent.close();
    expect(names(seen).filter((name) => name === 'SubagentStop')).toHaveLength(stops ? 1 : 0);
  });

  test('comes before that of its own agents', async () => {
    const { session, seen } = await opened();
    const agent = await session.spawn({ agent_type: 'outer' });
    await agent.spawn({ agent_type: 'inner' });
    await agent.close();
    const stops = seen.filter(({ event }) => event === 'SubagentStop');
    expect(stops.map(({ input }) => input['agent_type'])).toEqual(['outer', 'inner']);
  });
});
