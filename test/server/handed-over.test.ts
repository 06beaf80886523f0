import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { deny } from '../../src/events/output/helpers.js';
import { servicesOf } from '../../src/host/internals.js';
import { type SessionHandover, WarmHosts } from '../../src/server/warm.js';
import { LazySignal } from '../../src/values/waiting/lazy-signal.js';
import { INPUTS } from '../host/inputs.js';
import { anyHooks } from '../host/kit.js';
import { generated } from '../seed.js';

const TYPES = ['reviewer', 'worker', 'tester'];
const AGENTS = ['a1', 'a2'].flatMap((agent_id) => ['s1', 's2'].map((session_id) => ({ session_id, agent_id })));

/** A served host in which agents of each type are denied the tool of that name, and what it says to events. */
function serving() {
  const host = createHost({ logger: () => undefined }) as Host;
  for (const type of TYPES.slice(0, 2))
    host.spawnHooks(type, anyHooks({ PreToolUse: [{ matcher: type, hooks: [() => deny(type)] }] }));
  const hosts = new WarmHosts({ host, binding: { changed: () => [] } as never }, []);
  const ask = (event: keyof typeof INPUTS, input: object) =>
    hosts.ask(servicesOf(host).events[event]?.spec as never, { ...INPUTS[event], ...input } as never, {
      cwd: '/',
      env: {},
      signal: new LazySignal(),
    });
  return { host, hosts, ask };
}

/** Which types' hooks would judge a call of each agent that does not say its type. */
const guards = (host: Host): string[][] =>
  AGENTS.map((agent) =>
    TYPES.filter((tool_name) =>
      host
        .explain('PreToolUse', { ...INPUTS.PreToolUse, agent_type: undefined, ...agent, tool_name } as never)
        .hooks.some(({ runs }) => runs),
    ),
  );

const step = fc.record({
  event: fc.constantFrom('SubagentStart', 'SubagentStop', 'PreToolUse', 'PreToolUse', 'SessionEnd'),
  agent: fc.constantFrom(...AGENTS),
  type: fc.constantFrom(...TYPES, undefined),
});
const steps = fc.array(step, { maxLength: 12 });

test('the process that takes over gives every agent the hooks that it has', async () => {
  await fc.assert(
    fc.asyncProperty(steps, steps, steps, async (before, meanwhile, after) => {
      const [old, next] = [serving(), serving()];
      const send = async (all: typeof before, to: (typeof old)[]) => {
        for (const { event, agent, type } of all)
          for (const { ask } of to)
            await ask(event as never, {
              ...agent,
              agent_type: type ?? (event === 'PreToolUse' ? undefined : 'tester'),
            }).catch(() => undefined);
      };
      await send(before, [old]);
      const later: SessionHandover[] = [];
      for (const one of old.hosts.passOn((change) => void later.push(change)).all) next.hosts.takeOver(one);
      expect(guards(next.host)).toEqual(guards(old.host));
      await send(meanwhile, [old]);
      for (const one of later) next.hosts.takeOver(one);
      expect(guards(next.host)).toEqual(guards(old.host));
      await send(after, [old, next]);
      expect(guards(next.host)).toEqual(guards(old.host));
      await Promise.all([old.host.close(), next.host.close()]);
    }),
    { numRuns: generated(60) },
  );
});

describe('an event that is still under way in the previous process', () => {
  const agent = { session_id: 's1', agent_id: 'a1' };
  const stop = { ...agent, agent_type: 'reviewer', stop_hook_active: false };

  /** A reviewer is at work when the next process takes over. `meanwhile` is sent to that one, then the old process answers an event that names the type. */
  async function answeredLater(type: string, meanwhile: (next: ReturnType<typeof serving>) => Promise<unknown>) {
    const [old, next] = [serving(), serving()];
    let resolve = (): void => undefined;
    const waits = new Promise<void>((done) => {
      resolve = done;
    });
    old.host.register(anyHooks({ Notification: [{ hooks: [() => waits] }] }));
    await old.ask('SubagentStart', { ...agent, agent_type: 'reviewer' });
    const slow = old.ask('Notification', { ...agent, agent_type: type });
    const later: SessionHandover[] = [];
    for (const one of old.hosts.passOn((change) => void later.push(change)).all) next.hosts.takeOver(one);
    await meanwhile(next);
    const before = guards(next.host)[0];
    resolve();
    await slow;
    for (const one of later) next.hosts.takeOver(one);
    await old.host.close();
    return { ...next, before, after: guards(next.host)[0] };
  }

  test('gives a later agent with the id nothing', async () => {
    const { before, after, host } = await answeredLater('worker', async ({ ask }) => {
      await ask('SubagentStop', stop);
      await ask('SubagentStart', { ...agent, agent_type: 'tester' });
    });
    expect([before, after]).toEqual([[], []]);
    await host.close();
  });

  test('does not replace a later agent with the id', async () => {
    const { before, after, host } = await answeredLater('worker', ({ ask }) =>
      ask('SubagentStart', { ...agent, agent_type: 'worker' }),
    );
    expect([before, after]).toEqual([['worker'], ['worker']]);
    await host.close();
  });

  test.each(['SubagentStop', 'SessionEnd'] as const)('leaves the agent ended after its %s', async (event) => {
    const { hosts, host } = await answeredLater('worker', ({ ask }) => ask(event, stop));
    expect(hosts.agents).toBe(0);
    await host.close();
  });

  test('gives an agent that has gone on the hooks of that type', async () => {
    const { before, after, host } = await answeredLater('worker', ({ ask }) =>
      ask('PreToolUse', { ...agent, agent_type: undefined }),
    );
    expect([before, after]).toEqual([['reviewer'], ['reviewer', 'worker']]);
    await host.close();
  });
});
