import { expect, test } from 'vitest';
import { deny } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import type { HostOptions } from '../../src/host/options.js';
import { deferred, fires, never, sleep, testHost, until, watch } from '../host/kit.js';

const S = { session: 's1' };
const named = (name: string) => ({ PreToolUse: [{ name, hooks: [() => deny(name)] }] });
const agent = (id: string) => ({ ...S, agent: id });

/** A host with a session, and what judges the calls of its agents: the hooks that run, which are those that explain() names. */
async function begin(options: HostOptions = {}) {
  const { host, reports } = testHost(options);
  const seen = watch(host);
  const judges = async (agent_id: string): Promise<string[]> => {
    const input = { session_id: 's1', agent_id, tool_name: 'Write', tool_input: {}, tool_use_id: 't' } as never;
    const shown = host.explain('PreToolUse', input).hooks.flatMap(({ runs, name }) => (runs ? name : []));
    await host.fire('PreToolUse', input);
    const ran = (fires(seen).at(-1)?.handlers ?? []).flatMap(({ status, name }) => (status === 'ran' ? name : []));
    expect(shown).toEqual(ran);
    return ran;
  };
  const session = await host.openSession({ session_id: 's1', watch: false });
  const scopes = (): number => servicesOf(host).registrar.known().scopes.length;
  return { host, reports, session, judges, seen, scopes };
}

type Begun = Awaited<ReturnType<typeof begin>>;

/** Begins to spawn `a`, with hooks and a plugin of its own; `fail` makes that fail. */
async function spawnFailing(
  { session }: Begun,
  how: 'a plugin' | 'one plugin' | 'a signal',
  parent = 's1',
  own = named('failed'),
) {
  const over = deferred<void>();
  const cut = new AbortController();
  const applied = deferred<void>();
  let cleaned = 0;
  const good = {
    name: 'good',
    apply(scope: { register(hooks: object): void }) {
      scope.register(named('own'));
      return () => void cleaned++;
    },
  };
  const bad = {
    name: 'bad',
    apply: () => {
      applied.resolve();
      return over.promise.then(() => Promise.reject(new Error('no')));
    },
  };
  const slow = () => {
    applied.resolve();
    return never();
  };
  const hooks = { ...own, ...(how === 'a signal' ? { SubagentStart: [{ hooks: [slow] }] } : {}) };
  const plugins = { 'a plugin': [good as never, bad], 'one plugin': [bad], 'a signal': [good as never] }[how];
  const spawned = session.spawn({
    id: 'a',
    agent_type: 'builder',
    hooks: hooks as never,
    plugins,
    parent,
    signal: cut.signal,
  });
  const rejected = expect(spawned).rejects.toMatchObject({ code: how === 'a signal' ? 'ABORTED' : 'PLUGIN_FAILED' });
  await applied.promise;
  const fail = (): void => (how === 'a signal' ? cut.abort() : over.resolve());
  return { rejected, fail, cleaned: () => cleaned };
}

/** Spawns `c` below `a`; closing it waits for `stop`. */
async function spawnBelow({ host, session }: Begun, hooks: object = named('c')) {
  const stop = deferred<void>();
  const asked = deferred<void>();
  const wait = ({ agent_id }: { agent_id: string }) => {
    if (agent_id !== 'c') return undefined;
    asked.resolve();
    return stop.promise;
  };
  host.register({ SubagentStop: [{ hooks: [wait as never] }] });
  await session.spawn({ id: 'c', agent_type: 'helper', parent: 'a', hooks });
  return { stop, asked };
}

test('where a start fails, the agent at work has its own hooks while those below the failed one are closed, and these keep theirs', async () => {
  const kit = await begin();
  const { host, session, judges, scopes } = kit;
  for (const type of ['reviewer', 'builder']) host.spawnHooks(type, named(type));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  const before = scopes();
  const undo = host.registerScoped(agent('a'), named('by hand'));
  const { rejected, fail, cleaned } = await spawnFailing(kit, 'a plugin');
  const { stop, asked } = await spawnBelow(kit);
  const own = ['builder', 'failed', 'good/own'];
  expect(await judges('a')).toEqual(['by hand', ...own]);
  expect(await judges('c')).toEqual(['by hand', ...own, 'c']);
  fail();
  await asked.promise;
  expect(await judges('a')).toEqual(['by hand', 'reviewer']);
  expect(await judges('c')).toEqual(['by hand', 'reviewer', ...own, 'c']);
  expect(cleaned()).toBe(0);
  stop.resolve();
  await rejected;
  expect(cleaned()).toBe(1);
  expect(await judges('a')).toEqual(['by hand', 'reviewer']);
  expect(await judges('c')).toEqual([]);
  undo();
  expect(scopes()).toBe(before);
  // It ends as it would have.
  const end = { session_id: 's1', agent_id: 'a', agent_type: 'reviewer', stop_hook_active: false };
  await host.fire('SubagentStop', { ...end, agent_transcript_path: '' } as never);
  expect(scopes()).toBe(before - 1);
  await session.close();
  await host.close();
});

test('the agent at work is where it was at once, also if the start that failed was below another', async () => {
  const kit = await begin();
  const { host, session, judges, seen } = kit;
  host.spawnHooks('reviewer', named('reviewer'));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  const q = await session.spawn({ id: 'q', agent_type: 'parent', hooks: named('q') });
  const { rejected, fail } = await spawnFailing(kit, 'a plugin', 'q');
  const { stop, asked } = await spawnBelow(kit);
  const undo = host.registerScoped(agent('a'), named('by hand'));
  expect(await judges('c')).toEqual(['q', 'failed', 'good/own', 'by hand', 'c']);
  fail();
  await asked.promise;
  expect(await judges('a')).toEqual(['by hand', 'reviewer']);
  expect(fires(seen).at(-1)?.agents_above).toEqual([]);
  const below = ['q', 'failed', 'good/own', 'c'];
  expect(await judges('c')).toEqual(['by hand', 'reviewer', ...below]);
  expect(
    fires(seen)
      .at(-1)
      ?.agents_above?.map(({ agent_id }) => agent_id),
  ).toEqual(['q', 'a']);
  // What comes and goes there meanwhile counts for those below the failed start, too.
  undo();
  const late = host.registerScoped(agent('a'), named('late'));
  expect(await judges('c')).toEqual(['reviewer', 'late', ...below]);
  late();
  // Plugins end with the scope in which they were used.
  host.unregisterScoped(agent('a'));
  expect(await judges('c')).toEqual(['q', 'failed', 'c']);
  stop.resolve();
  await rejected;
  expect(await judges('a')).toEqual(['reviewer']);
  await q.stop();
  expect(await judges('a')).toEqual(['reviewer']);
  await session.close();
  await host.close();
});

test("an agent below a failed start ends with that one's parent, and the agent at work stays", async () => {
  const kit = await begin();
  const { host, session, judges } = kit;
  host.spawnHooks('reviewer', named('reviewer'));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  await session.spawn({ id: 'q', agent_type: 'parent' });
  const { rejected, fail } = await spawnFailing(kit, 'a plugin', 'q');
  const { stop, asked } = await spawnBelow(kit);
  fail();
  await asked.promise;
  host.unregisterScoped(agent('q'));
  expect(await judges('a')).toEqual(['reviewer']);
  stop.resolve();
  await rejected;
  expect(await judges('a')).toEqual(['reviewer']);
  host.unregisterScoped(agent('a'));
  expect(
    servicesOf(host)
      .registrar.root.tree()
      .map(({ id }) => id),
  ).toEqual(['session', 'host', 'managed']);
  await host.close();
});

test('a once hook of a failed start that has run does not run again for those below it', async () => {
  const kit = await begin();
  const { host, session, judges } = kit;
  const once = (name: string) => ({ PreToolUse: [{ name, once: true, hooks: [() => deny(name)] }] });
  host.spawnHooks('builder', once('of its type'));
  host.spawnHooks('builder', () => once('made for it'));
  const { rejected, fail } = await spawnFailing(kit, 'a plugin', 's1', once('given'));
  const { stop, asked } = await spawnBelow(kit);
  const all = ['of its type', 'made for it', 'given'];
  expect((await judges('c')).filter((name) => all.includes(name))).toEqual(all);
  fail();
  await asked.promise;
  expect((await judges('c')).filter((name) => all.includes(name))).toEqual([]);
  stop.resolve();
  await rejected;
  await session.close();
  await host.close();
});

test('hooks of a failed start share no parallel group with those of the agent at work', async () => {
  const kit = await begin();
  const { host, session, judges, seen } = kit;
  const parallel = (name: string) => ({ PreToolUse: [{ name, mode: 'parallel' as const, hooks: [() => deny(name)] }] });
  host.spawnHooks('reviewer', parallel('reviewer'));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  // With nothing else in the scope, which must not end when the start has failed.
  const { rejected, fail } = await spawnFailing(kit, 'one plugin', 's1', parallel('given'));
  const { stop, asked } = await spawnBelow(kit, {});
  fail();
  await asked.promise;
  await judges('c');
  const handlers = fires(seen).at(-1)?.handlers ?? [];
  expect(handlers.map(({ name, wave }) => [name, wave])).toEqual([
    ['reviewer', 0],
    ['given', 1],
  ]);
  stop.resolve();
  await rejected;
  await session.close();
  await host.close();
});

test('an agent that stops while agents below a failed start with its id are closed ends with them', async () => {
  const kit = await begin();
  const { host, judges, scopes } = kit;
  const before = scopes();
  host.spawnHooks('reviewer', named('reviewer'));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  const { rejected, fail } = await spawnFailing(kit, 'a plugin');
  const { stop, asked } = await spawnBelow(kit);
  fail();
  await asked.promise;
  const end = { session_id: 's1', agent_id: 'a', agent_type: 'reviewer', stop_hook_active: false };
  await host.fire('SubagentStop', { ...end, agent_transcript_path: '' } as never);
  expect(await judges('c')).toEqual(['reviewer', 'failed', 'good/own', 'c']);
  stop.resolve();
  await rejected;
  // One more for those that wait for reviewers.
  expect(scopes()).toBe(before + 1);
  await host.close();
});

test('with merge: all those below a failed start are judged by the hooks of whoever has its id, too', async () => {
  const kit = await begin({ merge: 'all' });
  kit.host.registerScoped(agent('a'), named('by hand'));
  const { rejected, fail } = await spawnFailing(kit, 'a plugin');
  const { stop, asked } = await spawnBelow(kit);
  fail();
  await asked.promise;
  expect((await kit.judges('c')).sort()).toEqual(['by hand', 'c', 'failed', 'good/own']);
  expect(await kit.judges('a')).toEqual(['by hand', 'c']);
  stop.resolve();
  await rejected;
  await kit.host.close();
});

test.each([
  { parent: 'nobody', above: [] },
  { parent: 'b', above: ['b'] },
])(
  'hooks by hand that come while a spawn below b fails, placed below $parent, are there after it',
  async ({ parent, above }) => {
    const kit = await begin();
    const { host, session, judges, scopes } = kit;
    const b = await session.spawn({ id: 'b', agent_type: 'parent', hooks: named('b') });
    const before = scopes();
    const { rejected, fail } = await spawnFailing(kit, 'a plugin', 'b');
    const of = parent === 'b' ? { parent: agent('b') } : {};
    const undo = host.registerScoped(agent('a'), named('by hand'), of);
    host.registerScoped(agent('k'), named('k'), { parent: agent('a') });
    expect(await judges('k')).toEqual(['b', 'failed', 'good/own', 'by hand', 'k']);
    fail();
    await rejected;
    expect(await judges('a')).toEqual([...above, 'by hand']);
    expect(await judges('k')).toEqual([...above, 'by hand', 'k']);
    // What comes now counts for all below.
    host.registerScoped(agent('b'), named('late'));
    host.scope(S).register(named('session'));
    const late = above.length > 0 ? [...above, 'late'] : [];
    expect(await judges('k')).toEqual(['session', ...late, 'by hand', 'k']);
    await b.close();
    expect(await judges('k')).toEqual(['session', ...(above.length > 0 ? [] : ['by hand', 'k'])]);
    undo();
    host.unregisterScoped(agent('k'));
    host.unregisterScoped(agent('a'));
    expect(scopes()).toBe(before - 1);
    await session.close();
    await host.close();
  },
);

/** Does not come back until `done`. */
function hanging() {
  const done = deferred<void>();
  const begun = deferred<void>();
  let cleaned = 0;
  const apply = async () => {
    begun.resolve();
    await done.promise;
    return () => void cleaned++;
  };
  return { plugin: { name: 'hangs', apply }, done, begun, cleaned: () => cleaned };
}

test('a start fails though the plugin of an agent below it does not come back from apply, which is cleaned up when it does', async () => {
  const kit = await begin({ closeTimeout: 0.05 });
  const { session, scopes, reports } = kit;
  const before = scopes();
  const { rejected, fail } = await spawnFailing(kit, 'a signal');
  const { plugin, done, begun, cleaned } = hanging();
  const below = session.spawn({ id: 'c', agent_type: 'helper', parent: 'a', plugins: [plugin] });
  const cut = expect(below).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringContaining('apply') });
  await begun.promise;
  fail();
  await Promise.all([rejected, cut]);
  expect([cleaned(), scopes()]).toEqual([0, before]);
  done.resolve();
  await until(() => cleaned() === 1);
  expect(reports).toEqual([]);
  // Both ids are free.
  const again = await session.spawn({ id: 'a', agent_type: 'builder' });
  await session.spawn({ id: 'c', agent_type: 'helper', parent: again });
  await session.close();
});

test('a session closes though a plugin of an agent that starts does not come back from apply', async () => {
  const { host, session, seen } = await begin({ closeTimeout: 0.05 });
  const { plugin, begun } = hanging();
  const use = (scope: { use(inner: object): Promise<unknown> }) => scope.use(plugin);
  const outer = { name: 'outer', apply: use as never };
  const failed = expect(session.spawn({ id: 'c', agent_type: 'helper', plugins: [outer] })).rejects.toThrow('apply');
  await begun.promise;
  await Promise.all([session.close(), failed]);
  expect(fires(seen).map(({ event }) => event)).toEqual(['SessionStart', 'SessionEnd']);
  expect(await host.close()).toEqual({ pending: [] });
});

test('a slow apply that comes back in time after its start was cut short is waited for', async () => {
  const { session } = await begin({ closeTimeout: 30 });
  const { plugin, done, begun, cleaned } = hanging();
  const spawned = session.spawn({ id: 'c', agent_type: 'helper', plugins: [plugin] });
  await begun.promise;
  const closed = session.close();
  await sleep(1);
  done.resolve();
  await closed;
  expect([(await spawned).closed, cleaned()]).toEqual([true, 1]);
});
