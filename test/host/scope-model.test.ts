import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import type { ScopeRef } from '../../src/scopes/tree.js';
import { generated } from '../seed.js';
import { INPUTS } from './inputs.js';
import { fires, only, watch } from './kit.js';

const SESSIONS = [undefined, 's1', 's2'] as const;
const AGENTS = [undefined, 'A', 'B'] as const;
/** Where hooks are registered: for everybody, or for those of a session, of an agent, or both. */
interface Place {
  readonly host?: true;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
}
interface Call {
  readonly session: string | undefined;
  readonly agent: string | undefined;
}
interface Registered {
  readonly name: string;
  readonly place: Place;
  readonly undo: () => void;
}
type Step =
  | { readonly do: 'register'; readonly place: Place }
  | { readonly do: 'undo'; readonly at: number }
  | { readonly do: 'end'; readonly place: Place };

const place = fc.oneof(
  fc.constant<Place>({ host: true }),
  fc.record({ session: fc.constantFrom(...SESSIONS), agent: fc.constantFrom(...AGENTS) }),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('register' as const), place }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('undo' as const), at: fc.nat(20) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('end' as const),
      place: fc.record({ session: fc.constantFrom(...SESSIONS), agent: fc.constantFrom('A', 'B') }),
    }),
  },
);

const refOf = ({ session, agent }: Place): ScopeRef => ({
  ...(session === undefined ? {} : { session }),
  ...(agent === undefined ? {} : { agent }),
});

/** Without a session a hook is for all of them, where the host has none of its own; else for the host's. */
function isFor({ host, session, agent }: Place, call: Call, own: string | undefined): boolean {
  if (host) return true;
  const asked = call.session ?? own;
  const named = session ?? own;
  return (named === undefined || named === asked) && (agent === undefined || agent === call.agent);
}

const depth = ({ host, agent }: Place): number => (host ? 0 : agent === undefined ? 1 : 2);

const all = (own: string | undefined): Call[] =>
  SESSIONS.flatMap((session) => AGENTS.map((agent) => ({ session: session ?? own, agent })));

describe.each([undefined, 's1'])('a host whose own session is %s', (own) => {
  const create = (): Host =>
    createHost({ logger: () => undefined, ...(own === undefined ? {} : { session: { session_id: own } }) });

  test('asks exactly the hooks that are for a call, outermost first, whatever else is registered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), fc.boolean(), async (steps, watched) => {
        const host = create();
        if (watched) watch(host);
        let ran: string[] = [];
        const registered: Registered[] = [];
        const drop = (gone: (one: Registered) => boolean): void => {
          for (let i = registered.length; i-- > 0; ) if (gone(registered[i] as Registered)) registered.splice(i, 1);
        };
        let count = 0;
        for (const next of steps) {
          if (next.do === 'register') {
            const name = `h${count++}`;
            const hooks = { PreToolUse: [{ hooks: [() => void ran.push(name)] }] };
            const undo = next.place.host ? host.register(hooks) : host.scope(refOf(next.place)).register(hooks);
            registered.push({ name, place: next.place, undo });
          } else if (next.do === 'undo') {
            const one = registered[next.at % Math.max(1, registered.length)];
            one?.undo();
            drop((other) => other === one);
          } else {
            await host.unregisterScoped(refOf(next.place));
            const named = next.place.session ?? own;
            drop(({ place: p }) => !p.host && p.agent === next.place.agent && (p.session ?? own) === named);
          }
          for (const call of all(own)) {
            const input = {
              ...INPUTS.PreToolUse,
              ...(call.session === undefined ? {} : { session_id: call.session }),
              ...(call.agent === undefined ? {} : { agent_id: call.agent }),
            };
            const expected = registered.filter((one) => isFor(one.place, call, own));
            ran = [];
            await host.fire('PreToolUse', input);
            expect([...ran].sort()).toEqual(expected.map(({ name }) => name).sort());
            const depths = ran.map((name) => depth((expected.find((one) => one.name === name) as Registered).place));
            expect(depths).toEqual([...depths].sort());
            const explained = host.explain('PreToolUse', input as never).hooks.filter(({ runs }) => runs);
            expect(explained).toHaveLength(ran.length);
          }
        }
        await host.close();
      }),
      { numRuns: generated(40) },
    );
  });
});

const NAMES = ['a', 'b', 'c'] as const;
const branch = fc.record({
  ends: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  session: fc.constantFrom(undefined, 's1'),
  agent: fc.constantFrom(...NAMES),
  parent: fc.constantFrom(undefined, ...NAMES, ...NAMES),
});

/** One agent may be known without a session and in the call's: all that is above either counts, whichever of the names it has. */
test.each([false, true])(
  'agents below others are asked by the hooks of both names, with a driver: %s',
  async (isDriven) => {
    await fc.assert(
      fc.asyncProperty(fc.array(branch, { minLength: 8, maxLength: 16 }), async (branches) => {
        const host = createHost({ logger: () => undefined });
        let ran: string[] = [];
        const mark = (name: string) => ({ PreToolUse: [{ hooks: [() => void ran.push(name)] }] });
        const session = isDriven ? await host.openSession({ hooks: mark('driver') }) : undefined;
        const open = new Map<string, { readonly parent: string | undefined; readonly names: string[] }>();
        const key = (named: string | undefined, agent: string): string => `${named ?? ''}/${agent}`;
        const end = (at: string): void => {
          if (!open.delete(at)) return;
          for (const [below, { parent }] of [...open]) if (parent === at) end(below);
        };
        for (const [i, { ends, session: named, agent, parent }] of branches.entries()) {
          const ref = named === undefined ? agent : { session: named, agent };
          const at = key(named, agent);
          const above = parent === undefined ? undefined : key(named, parent);
          const known = open.get(at);
          if (ends) {
            await host.unregisterScoped(ref);
            end(at);
          } else if (above === undefined || (known ? known.parent === above : above !== at && open.has(above))) {
            host.registerScoped(ref, mark(`${at}#${i}`), parent === undefined ? {} : { parent });
            if (known) known.names.push(`${at}#${i}`);
            else open.set(at, { parent: above, names: [`${at}#${i}`] });
          }
          for (const session_id of [undefined, 's1', 's2']) {
            for (const agent_id of NAMES) {
              const scopesOf = (id: string) =>
                [...new Set([undefined, session_id])].flatMap((s) => open.get(key(s, id)) ?? []);
              const asked = new Set<string>([agent_id]);
              // The loop also reaches the names that it adds.
              for (const id of asked)
                for (const { parent: up } of scopesOf(id))
                  if (up !== undefined) asked.add(up.slice(up.indexOf('/') + 1));
              const expected = [...asked].flatMap((id) => scopesOf(id).flatMap(({ names }) => names));
              if (isDriven && session_id === undefined) expected.push('driver');
              const input = { ...INPUTS.PreToolUse, agent_id, ...(session_id === undefined ? {} : { session_id }) };
              ran = [];
              await host.fire('PreToolUse', input as never);
              expect([...ran].sort()).toEqual(expected.sort());
              const explained = host.explain('PreToolUse', input as never).hooks.filter(({ runs }) => runs);
              expect(explained).toHaveLength(expected.length);
            }
          }
        }
        await session?.close();
        await host.close();
      }),
      { numRuns: generated(100) },
    );
  },
);

const CALL = { ...INPUTS.PreToolUse, session_id: 's1', agent_id: 'A' };
const guarded = (): Host => {
  const host = createHost({ logger: () => undefined });
  host
    .scope({ session: 's1' })
    .register({ PreToolUse: [{ onFailure: 'block', hooks: [() => deny('nothing in s1')] }] });
  return host;
};
const silent = { PreToolUse: [{ hooks: [() => undefined] }] };

test.each<[string, (host: Host) => unknown]>([
  ['hooks of the agent', (host) => host.registerScoped('A', silent)],
  ['hooks of another event', (host) => host.registerScoped('A', { PostToolUse: [{ hooks: [() => undefined] }] })],
  ['hooks of the agent in that session', (host) => host.registerScoped({ session: 's1', agent: 'A' }, silent)],
  [
    'an agent that was started without a session',
    async (host) => {
      host.spawnHooks('worker', silent);
      await host.fire('SubagentStart', { agent_id: 'A', agent_type: 'worker' });
    },
  ],
  [
    'an agent that was started in that session',
    async (host) => {
      host.spawnHooks('worker', silent);
      await host.fire('SubagentStart', { session_id: 's1', agent_id: 'A', agent_type: 'worker' } as never);
    },
  ],
])('a session’s guard is asked about an agent’s call, with %s', async (_, prepare) => {
  const host = guarded();
  await prepare(host);
  expect((await host.fire('PreToolUse', CALL as never)).verdict).toBe('deny');
  const seen = watch(host);
  expect((await host.fire('PreToolUse', { ...CALL, agent_type: 'worker' } as never)).verdict).toBe('deny');
  expect(only(fires(seen)).decision.reason).toBe('nothing in s1');
});

test('a guard for all sessions is asked in a session with hooks of its own, also by agents that get theirs at their start', async () => {
  const host = createHost({ logger: () => undefined });
  host.scope({}).register({ PreToolUse: [{ onFailure: 'block', hooks: [() => deny('nowhere')] }] });
  host.spawnHooks('worker', silent);
  host.scope({ session: 's1' }).register(silent);
  for (const more of [{}, { agent_id: 'A' }, { agent_id: 'B', agent_type: 'worker' }, { agent_id: 'B' }])
    expect((await host.fire('PreToolUse', { ...INPUTS.PreToolUse, session_id: 's1', ...more } as never)).verdict).toBe(
      'deny',
    );
});

describe('an agent with hooks for all sessions and hooks in one', () => {
  const marking = (log: string[]) => (name: string) => ({ handler: () => void log.push(name), name });
  const asking = (host: Host, event: string, more: object) =>
    host.fireAny(event as 'PreToolUse', { ...INPUTS[event as 'PreToolUse'], session_id: 's1', ...more } as never);

  test('named like a scope: its hooks are not those of the main agent', async () => {
    const host = createHost({ logger: () => undefined });
    const log: string[] = [];
    const mark = marking(log);
    host.registerScoped('session', { PreToolUse: [{ hooks: [mark('agent')] }] });
    host.scope({ session: 's1' }).register({ PreToolUse: [{ hooks: [mark('s1')] }] });
    await asking(host, 'PreToolUse', {});
    expect(log.splice(0)).toEqual(['s1']);
    await asking(host, 'PreToolUse', { agent_id: 'session' });
    expect(log).toEqual(['s1', 'agent']);
  });

  test('gets those of its type once', async () => {
    const host = createHost({ logger: () => undefined });
    const log: string[] = [];
    const mark = marking(log);
    host.spawnHooks('worker', { PreToolUse: [{ hooks: [mark('type')] }] });
    host.registerScoped('A', { PreToolUse: [{ hooks: [mark('all')] }] });
    host.scope({ session: 's1', agent: 'A' }).register({ PreToolUse: [{ hooks: [mark('s1')] }] });
    await asking(host, 'PreToolUse', { session_id: 's2', agent_id: 'A', agent_type: 'worker' });
    expect(log.splice(0).sort()).toEqual(['all', 'type']);
    await asking(host, 'PreToolUse', { agent_id: 'A', agent_type: 'worker' });
    expect(log.sort()).toEqual(['all', 's1', 'type']);
  });

  test('keeps its own Stop hooks, which are asked when it stops', async () => {
    const host = createHost({ logger: () => undefined });
    const log: string[] = [];
    const mark = marking(log);
    host.registerScoped('agent-1', {
      Stop: [{ hooks: [mark('stop')] }],
      SubagentStop: [{ hooks: [mark('subagent')] }],
    });
    host.scope({ session: 's1', agent: 'agent-1' }).register({ PreToolUse: [{ hooks: [mark('s1')] }] });
    await asking(host, 'SubagentStop', {});
    expect(log.sort()).toEqual(['stop', 'subagent']);
  });
});

test('a session that is driven keeps its hooks, and those of the agents that it starts, to itself', async () => {
  const host = createHost({ logger: () => undefined });
  const log: string[] = [];
  const mark = (name: string) => ({ PreToolUse: [{ hooks: [() => void log.push(name)] }] });
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
  session.register(mark('driven'));
  host.registerScoped('A', mark('A'));
  const agent = await session.spawn({ agent_type: 'worker', id: 'B' });
  agent.register(mark('B'));
  for (const agent_id of [undefined, 'A', 'B'])
    await host.fire('PreToolUse', { ...INPUTS.PreToolUse, session_id: 'other', agent_id } as never);
  expect(log.splice(0)).toEqual(['A']);
  const call = { name: 'Bash', input: { command: 'ls' }, execute: () => 'ok' };
  await session.tool(call);
  expect(log.splice(0)).toEqual(['driven']);
  await agent.tool(call);
  expect(log).toEqual(['driven', 'B']);
  await host.close();
});

test('an agent that gets hooks at its start is asked by those of its parent in both sessions, as before it', async () => {
  const host = createHost({ logger: () => undefined });
  const log: string[] = [];
  const mark = (name: string) => ({ PreToolUse: [{ hooks: [() => void log.push(name)] }] });
  host.registerScoped('p', mark('p'));
  host.registerScoped('c', mark('c'), { parent: 'p' });
  host.registerScoped({ session: 's1', agent: 'p' }, mark('s1/p'));
  host.spawnHooks('worker', mark('worker'));
  const call = { ...INPUTS.PreToolUse, session_id: 's1', agent_id: 'c' };
  const asked = async (more: object): Promise<string[]> => {
    const explained = host.explain('PreToolUse', { ...call, ...more } as never).hooks.filter(({ runs }) => runs);
    await host.fire('PreToolUse', { ...call, ...more } as never);
    expect(explained).toHaveLength(log.length);
    return log.splice(0).sort();
  };
  expect(await asked({})).toEqual(['c', 'p', 's1/p']);
  // The hooks of its type have a scope of their own, which has no parent.
  expect(await asked({ agent_type: 'worker' })).toEqual(['c', 'p', 's1/p', 'worker']);
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'c', agent_type: 'worker' } as never);
  expect(await asked({})).toEqual(['c', 'p', 's1/p', 'worker']);
});

test('agents that a session spawns below one another are not asked by the hooks of the first session of the host', async () => {
  const host = createHost({ logger: () => undefined });
  const log: string[] = [];
  const mark = (name: string) => ({ PreToolUse: [{ hooks: [() => void log.push(name)] }] });
  const first = await host.openSession({ hooks: mark('first') });
  const other = await host.openSession({ session_id: 's1' });
  for (const id of ['a', 'b', 'c']) host.registerScoped(id, mark(id));
  const a = await other.spawn({ agent_type: 'worker', id: 'a' });
  const b = await a.spawn({ agent_type: 'worker', id: 'b' });
  const c = await b.spawn({ agent_type: 'worker', id: 'c' });
  const call = { name: 'Bash', input: { command: 'ls' }, execute: () => 'ok' };
  for (const [agent, asked] of [
    [other, ''],
    [a, 'a'],
    [b, 'ab'],
    [c, 'abc'],
  ] as const) {
    await agent.tool(call);
    expect(log.splice(0).sort().join('')).toBe(asked);
  }
  await first.tool(call);
  expect(log).toEqual(['first']);
  await host.close();
});
