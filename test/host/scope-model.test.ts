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
