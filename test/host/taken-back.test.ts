import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { addContext, deny } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import { AgentScopes } from '../../src/server/agents.js';
import { deferred, fires, testHost, watch } from './kit.js';

type Type = 'reviewer' | 'builder';
const of = (agent: string, type?: string) => ({
  session_id: 's1',
  agent_id: agent,
  ...(type === undefined ? {} : { agent_type: type }),
});
const A = { session: 's1', agent: 'a' };
const CHILD = { session: 's1', agent: 'a1' };
const BOTH: readonly Type[] = ['reviewer', 'builder'];
const TYPES: Record<string, readonly Type[]> = {
  'hooks for both': BOTH,
  'hooks for builders': ['builder'],
  'hooks for reviewers': ['reviewer'],
  'hooks that come later': [],
};
const notes = { Notification: [{ hooks: [() => undefined] }] };

/** A host whose agents of these types are denied every call, by a hook with the name of their type. */
function guarded(types = BOTH) {
  const alarms: string[] = [];
  const host = createHost({ logger: () => undefined, onAlarm: ({ alarm }) => void alarms.push(alarm) }) as Host;
  for (const type of types) host.spawnHooks(type, hooksOf(type));
  return { host, alarms };
}

const hooksOf = (type: Type) => ({ PreToolUse: [{ name: type, hooks: [() => deny(type)] }] });

const start = (host: Host, agent: string, type: string) => host.fire('SubagentStart', of(agent, type) as never);
const stop = (host: Host, agent: string, type: string) =>
  host.fire('SubagentStop', { ...of(agent, type), stop_hook_active: false, agent_transcript_path: '' } as never);

/** The hooks that run for a call of that agent, which are those that explain() names. */
async function judges(host: Host, agent: string, type?: string): Promise<string[]> {
  const input = { ...of(agent, type), tool_name: 'Write', tool_input: {}, tool_use_id: 't' } as never;
  const shown = host.explain('PreToolUse', input).hooks.filter(({ runs }) => runs);
  const seen = watch(host);
  await host.fire('PreToolUse', input);
  const ran = fires(seen)
    .at(-1)
    ?.handlers.filter(({ status }) => status === 'ran')
    .map(({ name }) => name);
  expect(shown.map(({ name }) => name)).toEqual(ran);
  return ran ?? [];
}

const failing = { name: 'p', apply: () => Promise.reject(new Error('no')) };

/** Starts `a` as a builder in a way that fails late. */
async function failsAs(how: string, host: Host): Promise<void> {
  const over = new AbortController();
  if (how === 'a SubagentStart that aborts') {
    const undo = host.register({ SubagentStart: [{ hooks: [() => over.abort()] }] });
    const started = host.fire('SubagentStart', of('a', 'builder') as never, { signal: over.signal });
    await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    undo();
    return;
  }
  const more =
    how === 'a spawn whose plugin fails'
      ? { plugins: [failing] }
      : { signal: over.signal, hooks: { SubagentStart: [{ hooks: [() => over.abort()] }] } };
  const session = await host.openSession({ session_id: 's1' });
  await expect(session.spawn({ id: 'a', agent_type: 'builder', ...more } as never)).rejects.toThrow();
}

describe.each(['a SubagentStart that aborts', 'a spawn whose plugin fails', 'a spawn whose signal aborts'])(
  'after %s',
  (how) => {
    test.each(['at work', 'going on after its end'])(
      'an agent %s has what it had, and so have those below it',
      async (state) => {
        for (const types of [BOTH, ['reviewer'] as const])
          for (const isBelow of [true, false]) {
            const { host, alarms } = guarded(types);
            await start(host, 'a', 'reviewer');
            if (state !== 'at work') await stop(host, 'a', 'reviewer');
            expect(await judges(host, 'a')).toEqual(['reviewer']);
            if (isBelow)
              host.registerScoped(
                CHILD,
                { PreToolUse: [{ name: 'by hand', hooks: [() => deny('by hand')] }] },
                { parent: A },
              );
            servicesOf(host).registrar.scope(A).pending.push('from the reviewer');
            await failsAs(how, host);
            expect(host.pendingContext(A)).toEqual(['from the reviewer']);
            if (isBelow) expect(await judges(host, 'a1')).toEqual(['reviewer', 'by hand']);
            expect(await judges(host, 'a')).toEqual(['reviewer']);
            expect(alarms).toEqual(state === 'at work' ? [] : ['reopened']);
            await host.close();
          }
      },
    );

    test('context that waits where only hooks by hand are waits still', async () => {
      const { host } = guarded();
      host.registerScoped(A, { Notification: [{ hooks: [() => addContext('by hand')] }] });
      servicesOf(host).registrar.scope(A).pending.push('by hand');
      await failsAs(how, host);
      expect(host.pendingContext(A)).toEqual(['by hand']);
      await host.close();
    });
  },
);

/** Starts `a` as that, under way until it is told to fail or to succeed. */
function underWay(host: Host, type: string) {
  const over = new AbortController();
  const asked = deferred<void>();
  const undo = host.register({ SubagentStart: [{ hooks: [() => asked.promise] }] });
  const started = host.fire('SubagentStart', of('a', type) as never, { signal: over.signal });
  undo();
  return {
    async fails(): Promise<void> {
      over.abort();
      await expect(started).rejects.toMatchObject({ code: 'ABORTED' });
    },
    async succeeds(): Promise<void> {
      asked.resolve();
      await started;
    },
  };
}

const STARTED = ['builder', 'helper', 'no hooks', 'reviewer'];
const PAIRS = STARTED.flatMap((one) => STARTED.map((other) => [one, other] as const));

describe.each(['at work', 'at work beside hooks by hand', 'going on after its end'])(
  'of starts that overlap, %s',
  (state) => {
    const begin = async () => {
      const { host, alarms } = guarded();
      host.spawnHooks('helper', { PreToolUse: [{ name: 'helper', hooks: [() => deny('helper')] }] });
      if (state.includes('by hand')) host.registerScoped(A, notes);
      await start(host, 'a', 'reviewer');
      if (state.includes('end')) await stop(host, 'a', 'reviewer');
      await judges(host, 'a');
      return { host, alarms };
    };
    const hooksFor = (type: string) => (type === 'no hooks' ? [] : [type]);

    test.each(PAIRS)(
      '%s and %s: the agent has what it had where both fail, else what the last one that succeeds has',
      async (...types) => {
        for (const order of [
          [0, 1],
          [1, 0],
        ] as const)
          for (const succeeding of [undefined, 0, 1]) {
            const { host, alarms } = await begin();
            const starts = types.map((type) => underWay(host, type));
            for (const i of order) await (i === succeeding ? starts[i]?.succeeds() : starts[i]?.fails());
            const now = hooksFor(succeeding === undefined ? 'reviewer' : (types[succeeding] as string));
            expect([order, succeeding, await judges(host, 'a')]).toEqual([order, succeeding, now]);
            if (succeeding === undefined) expect(alarms).toEqual(state.includes('end') ? ['reopened'] : []);
            await host.close();
          }
      },
    );

    test('three of them that fail in any order leave the agent what it had', async () => {
      for (const order of [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
      ]) {
        const { host } = await begin();
        servicesOf(host).registrar.scope(A).pending.push('from the reviewer');
        const starts = ['builder', 'builder', 'helper'].map((type) => underWay(host, type));
        for (const i of order) await starts[i]?.fails();
        expect([order, await judges(host, 'a'), host.pendingContext(A)]).toEqual([
          order,
          ['reviewer'],
          ['from the reviewer'],
        ]);
        await host.close();
      }
    });
  },
);

test('a start that an event without a signal, or hookscope serve, has made sure is not taken back by one before it', async () => {
  for (const how of ['SubagentStart', 'hookscope serve', 'spawn']) {
    const { host } = guarded();
    await start(host, 'a', 'reviewer');
    const first = underWay(host, 'other');
    if (how === 'SubagentStart') await start(host, 'a', 'builder');
    else if (how === 'spawn')
      await (await host.openSession({ session_id: 's1' })).spawn({ id: 'a', agent_type: 'builder' });
    else {
      const spec = servicesOf(host).events['SubagentStart']?.spec as never;
      new AgentScopes(servicesOf(host)).before(spec, of('a', 'builder'));
    }
    await first.fails();
    expect([how, await judges(host, 'a')]).toEqual([how, ['builder']]);
    await host.close();
  }
});

test('a start that fails after its agent has ended begins nothing', async () => {
  const { host } = guarded();
  await start(host, 'a', 'reviewer');
  const first = underWay(host, 'builder');
  host.unregisterScoped(A);
  await first.fails();
  expect(servicesOf(host).registrar.agents.isTaken(A)).toBe(false);
  await host.close();
});

test.each(['builder', 'reviewer', 'no hooks'])(
  'after a start as %s has failed an agent has the hooks that it had, not those for further agents',
  async (type) => {
    for (const isByHand of [false, true]) {
      const { host } = guarded(['builder']);
      const undo = host.spawnHooks('reviewer', hooksOf('reviewer'));
      if (isByHand) host.registerScoped(A, notes);
      await start(host, 'a', 'reviewer');
      undo();
      const first = underWay(host, type);
      host.spawnHooks('reviewer', { PreToolUse: [{ name: 'later', hooks: [() => deny('later')] }] });
      await first.fails();
      expect([isByHand, await judges(host, 'a')]).toEqual([isByHand, ['reviewer']]);
      await host.close();
    }
  },
);

test('nor those of a plugin that has ended meanwhile', async () => {
  const { host } = guarded();
  let made = 0;
  const apply = (scope: { spawnHooks(type: string, hooks: unknown): void }) =>
    scope.spawnHooks('reviewer', () => {
      made++;
      return { PreToolUse: [{ name: 'of the plugin', hooks: [() => undefined] }] };
    });
  const undo = await host.use({ name: 'p', apply } as never);
  await start(host, 'a', 'reviewer');
  const first = underWay(host, 'builder');
  await undo();
  await first.fails();
  expect([await judges(host, 'a'), made]).toEqual([['reviewer'], 1]);
  await host.close();
});

test('nothing begins for the agent before on a host that has closed', async () => {
  const { host, reports } = testHost();
  let made = 0;
  host.spawnHooks('reviewer', () => {
    made++;
    return {};
  });
  const session = await host.openSession({ session_id: 's1' });
  await start(host, 'a', 'reviewer');
  const closed = deferred<void>();
  const late = { name: 'late', apply: () => closed.promise.then(() => Promise.reject(new Error('no'))) };
  const spawned = session.spawn({ id: 'a', agent_type: 'builder', plugins: [late] });
  const failed = expect(spawned).rejects.toThrow();
  await host.close();
  closed.resolve();
  await failed;
  expect([made, reports]).toEqual([1, []]);
});

describe.each(['spawn', 'SubagentStart', 'hookscope serve'])(
  'an agent that starts with the id of another (%s)',
  (how) => {
    const begin = async (host: Host): Promise<unknown> => {
      if (how === 'spawn')
        return (await host.openSession({ session_id: 's1' })).spawn({ id: 'a', agent_type: 'builder' });
      if (how === 'hookscope serve') {
        const spec = servicesOf(host).events['SubagentStart']?.spec as never;
        new AgentScopes(servicesOf(host)).before(spec, of('a', 'builder'));
      }
      return start(host, 'a', 'builder');
    };

    test('leaves what was registered by hand below that one', async () => {
      for (const isLate of [false, true]) {
        const { host } = guarded();
        await start(host, 'a', 'reviewer');
        if (isLate) await stop(host, 'a', 'reviewer');
        await judges(host, 'a');
        host.registerScoped(CHILD, { PreToolUse: [{ name: 'by hand', hooks: [() => undefined] }] }, { parent: A });
        await begin(host);
        expect(await judges(host, 'a1')).toEqual(['builder', 'by hand']);
        await host.close();
      }
    });

    test.each(Object.keys(TYPES))('and works as another type is another one: %s', async (what) => {
      for (const isByHand of [false, true]) {
        const { host, alarms } = guarded(TYPES[what]);
        host.register({ SubagentStart: [{ hooks: [() => undefined] }] });
        if (isByHand) host.registerScoped(A, notes);
        await start(host, 'a', 'reviewer');
        const shown = host.explain('SubagentStart', of('a', 'builder') as never);
        expect(JSON.stringify(shown.hooks)).not.toContain('reviewer');
        await begin(host);
        if (TYPES[what]?.length === 0) for (const type of BOTH) host.spawnHooks(type, hooksOf(type));
        // Those that come later are for agents that begin in a scope later.
        const isLater = what === 'hooks that come later' && how !== 'SubagentStart';
        const own = what === 'hooks for reviewers' || isLater ? [] : ['builder'];
        expect([await judges(host, 'a'), await judges(host, 'a', 'builder')]).toEqual([own, own]);
        expect(alarms).toEqual([]);
        if (isByHand) expect(JSON.stringify(host.describe())).toContain('"event":"Notification"');
        await host.close();
      }
    });
  },
);

test('a SubagentStart of another type that is refused leaves an agent at work as it was', async () => {
  const { host } = guarded();
  await start(host, 'a', 'reviewer');
  const refused = host.fire('SubagentStart', { ...of('a', 'builder'), cwd: 5 } as never);
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  expect(await judges(host, 'a')).toEqual(['reviewer']);
  await host.close();
});

test('an agent that a session drives keeps its type', async () => {
  const { host } = guarded();
  const session = await host.openSession({ session_id: 's1' });
  await session.spawn({ id: 'a', agent_type: 'reviewer' });
  await start(host, 'a', 'builder');
  expect(await judges(host, 'a')).toEqual(['reviewer']);
  await host.close();
});
