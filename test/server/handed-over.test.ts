import fc from 'fast-check';
import { expect, test } from 'vitest';
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
const guards = (host: Host): unknown =>
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
