import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addContext, deny } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import type { HostOptions } from '../../src/host/options.js';
import type { SessionOptions } from '../../src/session/options.js';
import { anyHooks, deferred, fires, never, sleep, testHost, until, watch } from '../host/kit.js';

const S = { session: 's1' };
const refused = (name: string) => ({ PreToolUse: [{ name, hooks: [() => deny(name)] }] });
const saying = (text: string) => {
  const groups = [{ hooks: [() => addContext(text)] }];
  return { Setup: groups, SessionStart: groups };
};
const failing = { name: 'failing', apply: () => Promise.reject(new Error('no')) };

type Guarded = ReturnType<typeof guarded>;

/** Hooks by hand, for a session and its agents, one of which is at work. `judges`: the hooks that run for a call, which are those that explain() names. */
function guarded(options: HostOptions = {}) {
  const { host, reports } = testHost(options);
  const seen = watch(host);
  const { registrar } = servicesOf(host);
  const judges = async (agent?: string, session = 's1'): Promise<string[]> => {
    const of = agent === undefined ? {} : { agent_id: agent };
    const input = { session_id: session, ...of, tool_name: 'Write', tool_input: {}, tool_use_id: 't' } as never;
    const shown = host.explain('PreToolUse', input).hooks.filter(({ runs }) => runs);
    await host.fire('PreToolUse', input);
    const rows = fires(seen).at(-1)?.handlers ?? [];
    const ran = rows.filter(({ status }) => status === 'ran').map(({ name }) => name);
    expect(shown.map(({ name }) => name)).toEqual(ran);
    return ran;
  };
  return { host, reports, registrar, judges, scopes: () => registrar.known().scopes.length };
}

/** Ways in which a session's start fails, from its hooks on. `own`: hooks and a plugin that it has before. */
const WAYS: Readonly<Record<string, (own: SessionOptions) => SessionOptions>> = {
  'hooks that are wrong': () => ({ hooks: anyHooks({ Nope: [] }) }),
  'a plugin whose apply rejects': (own) => ({ ...own, plugins: [...(own.plugins ?? []), failing] }),
  'a plugin that is none': (own) => ({ ...own, plugins: [...(own.plugins ?? []), {} as never] }),
  'a signal that aborts': (own) => {
    const over = new AbortController();
    return { ...own, signal: over.signal, hooks: { ...own.hooks, SessionStart: [{ hooks: [() => over.abort()] }] } };
  },
  'a SessionStart that is refused': (own) => ({ ...own, resumed: { session_title: 5 } as never }),
  'instructions that are refused': (own) => ({ ...own, instructions: [{ file_path: 5 } as never] }),
};
const ways = Object.keys(WAYS);

/** Opens it with hooks, a plugin and context of its own, which fails. */
async function fails({ host }: Guarded, way: string, cleanup: () => unknown = () => undefined): Promise<void> {
  const plugin = {
    name: 'own plugin',
    apply(scope: { register(hooks: object): void; spawnHooks(type: string, hooks: object): void }) {
      scope.register(refused('own plugin'));
      scope.spawnHooks('reviewer', refused('own reviewers'));
      return cleanup;
    },
  };
  const own = {
    hooks: { ...refused('own'), ...saying('own') },
    plugins: [plugin as never],
    setup: 'init',
    instructions: [{ file_path: '/w/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' }],
  } as unknown as SessionOptions;
  const options = WAYS[way]?.(own) ?? {};
  await expect(host.openSession({ session_id: 's1', ...options })).rejects.toThrow();
}

test.each(ways)('%s: what was registered by hand for the session and its agents stays', async (way) => {
  const kit = guarded();
  const { host, registrar, judges } = kit;
  let made = 0;
  host.spawnHooks('reviewer', () => {
    made++;
    return { PreToolUse: [{ name: 'reviewer', hooks: [() => undefined] }] };
  });
  host.scope(S).register(refused('by hand'));
  await host.scope(S).use({ name: 'plugin', apply: (scope) => void scope.register(refused('plugin')) });
  host.registerScoped({ ...S, agent: 'z' }, refused('z by hand'));
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  registrar.contexts.ofSession('s1').push('own', 'waits');
  const meanwhile = () => {
    registrar.contexts.ofSession('s1').push('waits, too');
    if (meanwhiles++ === 0) host.scope(S).register(refused('meanwhile'));
  };
  let meanwhiles = 0;
  host.register({ Setup: [{ hooks: [() => void meanwhile()] }] });
  await fails(kit, way);
  const late = meanwhiles > 0 ? ['meanwhile'] : [];
  expect(await judges()).toEqual(['by hand', 'plugin/plugin', ...late]);
  expect(await judges('z')).toEqual(['by hand', 'plugin/plugin', ...late, 'z by hand']);
  expect(await judges('a')).toEqual(['by hand', 'plugin/plugin', ...late, 'reviewer']);
  expect(made).toBe(1);
  expect(host.pendingContext(S)).toEqual(['own', 'waits', ...late.map(() => 'waits, too')]);
  // It is a session like any other again, and goes with what is in it.
  expect(registrar.scope(S).heldBySession).toBe(false);
  await host.openSession({ session_id: 's1' }).then((session) => session.close());
  expect(await judges()).toEqual([]);
  await host.close();
});

test.each(ways)('%s: where nothing was registered by hand nothing stays', async (way) => {
  const kit = guarded();
  const { host, registrar, judges, scopes, reports } = kit;
  const before = scopes();
  let cleaned = 0;
  for (let i = 0; i < 20; i++) await fails(kit, way, () => cleaned++);
  expect([scopes(), cleaned]).toEqual([before, way === 'hooks that are wrong' ? 0 : 20]);
  expect(host.pendingContext(S)).toEqual([]);
  registrar.contexts.ofSession('s1').push('waits');
  await fails(kit, way);
  expect(host.pendingContext(S)).toEqual(['waits']);
  expect(await judges()).toEqual([]);
  expect(reports).toEqual([]);
  await host.close();
});

test('an agent at work keeps nothing of a session that has not started', async () => {
  const kit = guarded();
  const { host, judges } = kit;
  host.registerScoped({ ...S, agent: 'a' }, refused('by hand'));
  const during: string[][] = [];
  const start = async () => {
    await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
    during.push(await judges('a'));
  };
  host.register({ SessionStart: [{ hooks: [start] }] });
  await fails(kit, 'instructions that are refused');
  expect(during).toEqual([['own', 'own plugin/own plugin', 'by hand', 'own plugin/own reviewers']]);
  expect(await judges('a')).toEqual(['by hand']);
  await host.close();
});

test('the next one with its id starts while plugins of the first still clean up', async () => {
  const kit = guarded();
  const { host, judges } = kit;
  host.scope(S).register(refused('by hand'));
  const done = deferred<void>();
  const cleans = deferred<void>();
  const first = fails(kit, 'instructions that are refused', () => {
    cleans.resolve();
    return done.promise;
  });
  await cleans.promise;
  const session = await host.openSession({ session_id: 's1', hooks: refused('second') });
  done.resolve();
  await first;
  expect(await judges()).toEqual(['by hand', 'second']);
  expect(servicesOf(host).registrar.scope(S).heldBySession).toBe(true);
  await session.close();
  await host.close();
});

test('what a hook of it says in the background after that waits for nobody', async () => {
  const { host } = guarded();
  const said = deferred<unknown>();
  const hooks = { SessionStart: [{ hooks: [() => ({ async: true, result: said.promise })] }] };
  const opened = host.openSession({ session_id: 's1', hooks: hooks as never, instructions: [{} as never] });
  await expect(opened).rejects.toThrow();
  said.resolve(addContext('late'));
  await host.close();
  expect(host.pendingContext(S)).toEqual([]);
});

test('what hooks say of a file that it still watched waits for nobody', async () => {
  const { host } = guarded();
  const folder = await mkdtemp(join(tmpdir(), 'failed-start-'));
  const said = deferred<object>();
  let changes = 0;
  host.scope(S).register({
    SessionStart: [
      { hooks: [() => ({ hookSpecificOutput: { hookEventName: 'SessionStart', watchPaths: [folder] } })] },
    ],
    FileChanged: [{ hooks: [() => (changes++ === 0 ? (said.promise as never) : undefined)] }],
  });
  const seen = watch(host);
  const change = async (): Promise<void> => {
    for (let i = 0; changes === 0; i++) {
      await writeFile(join(folder, `${i}`), '');
      await sleep(20);
    }
  };
  host.register({ InstructionsLoaded: [{ hooks: [change] }] });
  const good = { file_path: '/w/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start' };
  const opened = host.openSession({ session_id: 's1', instructions: [good, {}] as never });
  await expect(opened).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  said.resolve({ systemMessage: 'changed' });
  await until(() => fires(seen).some(({ event }) => event === 'FileChanged'));
  await sleep(1);
  expect(host.pendingContext(S)).toEqual([]);
  await host.close();
  await rm(folder, { recursive: true });
});

test('a session whose host closes while it starts rejects, and its plugins have cleaned up', async () => {
  const { host, reports } = guarded({ closeTimeout: 0.1 });
  host.scope(S).register(refused('by hand'));
  const begun = deferred<void>();
  const slow = () => {
    begun.resolve();
    return never();
  };
  let cleaned = 0;
  const plugin = { name: 'p', apply: () => () => void cleaned++ };
  const opened = host.openSession({
    session_id: 's1',
    plugins: [plugin],
    hooks: { SessionStart: [{ hooks: [slow] }] },
  });
  const failed = expect(opened).rejects.toMatchObject({ code: 'CLOSED' });
  await begun.promise;
  await Promise.all([host.close(), failed]);
  expect([cleaned, reports]).toEqual([1, []]);
});

test('agents that were spawned from an agent which does not start are closed, and hooks by hand stay', async () => {
  const { host, judges } = guarded();
  const stopped: unknown[] = [];
  host.register({ SubagentStop: [{ hooks: [({ agent_id }) => void stopped.push(agent_id)] }] });
  const session = await host.openSession({ session_id: 's1' });
  host.registerScoped({ ...S, agent: 'p' }, refused('by hand'));
  host.registerScoped({ ...S, agent: 'z' }, refused('z by hand'), { parent: { ...S, agent: 'p' } });
  const over = deferred<void>();
  const applied = deferred<void>();
  const plugin = {
    name: 'fails',
    apply: () => {
      applied.resolve();
      return over.promise.then(() => Promise.reject(new Error('no')));
    },
  };
  const parent = session.spawn({ id: 'p', agent_type: 'parent', plugins: [plugin] });
  const failed = expect(parent).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
  await applied.promise;
  const child = await session.spawn({ id: 'c', agent_type: 'child', parent: 'p' });
  const begun = deferred<void>();
  const slow = () => {
    begun.resolve();
    return never();
  };
  const hooks = { SubagentStart: [{ hooks: [slow] }] };
  const starting = session.spawn({ id: 'z', agent_type: 'child', parent: 'p', hooks });
  const cut = expect(starting).rejects.toMatchObject({ code: 'ABORTED' });
  await begun.promise;
  over.resolve();
  await Promise.all([failed, cut]);
  expect([child.closed, stopped]).toEqual([true, ['c']]);
  expect(await judges('z')).toEqual(['by hand', 'z by hand']);
  expect(await judges('p')).toEqual(['by hand']);
  await host.close();
});

test('a plugin by hand that fails leaves a session, or an agent, that has started in its scope meanwhile', async () => {
  const { host, registrar } = guarded();
  const told = [{ hooks: [() => addContext('told')] }];
  host.register({ SessionStart: told, SubagentStart: told });
  const session = await host.openSession({ session_id: 's1' });
  const waiting = async (ref: { session: string; agent?: string }, start: () => unknown): Promise<unknown> => {
    const over = deferred<void>();
    const plugin = { name: 'p', apply: () => over.promise.then(() => Promise.reject(new Error('no'))) };
    const failed = expect(host.scope(ref).use(plugin)).rejects.toMatchObject({ code: 'PLUGIN_FAILED' });
    await start();
    over.resolve();
    await failed;
    return host.pendingContext(ref);
  };
  expect(await waiting({ session: 's2' }, () => host.openSession({ session_id: 's2' }))).toEqual(['told']);
  const a = { ...S, agent: 'a' };
  expect(await waiting(a, () => session.spawn({ id: 'a', agent_type: 'reviewer' }))).toEqual(['told']);
  const b = { ...S, agent: 'b' };
  await waiting(b, () => registrar.agents.start(b, 'reviewer'));
  expect(registrar.agents.isTaken(b)).toBe(true);
  await host.close();
});
