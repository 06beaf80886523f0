import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { ManagedPolicies } from '../../src/fleet/policy/managed.js';
import type { PreparedPolicy } from '../../src/fleet/policy/prepare.js';
import { servicesOf } from '../../src/host/internals.js';
import { INPUTS } from '../host/inputs.js';
import { generated, randomFrom, SEED } from '../seed.js';

const TYPES = ['reviewer', 'helper', 'other'] as const;
const random = randomFrom(SEED);
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;

/** Hooks on every event, which note what they are asked. */
const noting = (type: string, asked: string[]) =>
  Object.fromEntries(
    Object.keys(INPUTS).map((event) => [
      event,
      [
        {
          hooks: [
            (input: { hook_event_name: string; agent_id?: string; agent_type?: string }) =>
              void asked.push(`${event} of ${type}: ${input.hook_event_name} ${input.agent_id} ${input.agent_type}`),
          ],
        },
      ],
    ]),
  );

const SILENT = { PreToolUse: [{ hooks: [() => undefined] }] };

/** A policy whose hooks are functions, as those of its plugins are. */
const policyOf = (spawnHooks: object): PreparedPolicy =>
  ({
    bundle: { manifest: { channel: 'stable', revision: 'r1', sequence: 1 } },
    files: [{ path: 'acme/a.json', spawnHooks }],
    plugins: { hooks: [], end: async () => undefined },
  }) as unknown as PreparedPolicy;

test("on every event, a policy's hooks for agents of a type are asked as the host's own spawnHooks are", async () => {
  for (let i = 0; i < generated(16); i++) {
    /** Each agent: its type, and which one has started it; the first has been started by none. */
    const agents = Array.from({ length: 6 }, (_, at) => ({
      type: pick(TYPES),
      by: Math.floor(random() * (at + 1)) - 1,
      /** Under which earlier agent hooks for it are registered for all sessions, if they are. */
      below: pick([undefined, Math.floor(random() * (at + 1)) - 1]),
    }));
    const askedOf = async (give: (host: Host, hooks: Readonly<Record<string, object>>) => void): Promise<string[]> => {
      const host = createHost({ logger: () => undefined }) as Host;
      const asked: string[] = [];
      give(host, { reviewer: noting('reviewer', asked), helper: noting('helper', asked) });
      for (const [at, { below }] of agents.entries()) {
        const parent = below !== undefined && agents[below]?.below !== undefined ? { parent: `a${below}` } : {};
        if (below !== undefined) host.registerScoped(`a${at}`, SILENT, parent);
      }
      const session = await host.openSession({ session_id: 's1' });
      const spawned: (typeof session)[] = [];
      for (const [at, { type, by }] of agents.entries())
        spawned.push((await (spawned[by] ?? session).spawn({ id: `a${at}`, agent_type: type })) as never);
      // Without types first: an event that names its agent's type tells it to all scopes of that agent.
      for (const isTyped of [false, true])
        for (const [event, input] of Object.entries(INPUTS))
          for (const [at, { type }] of agents.entries()) {
            if (!isTyped && event.startsWith('Subagent')) continue;
            const named = { ...input, session_id: 's1', agent_id: `a${at}` };
            await host.fire(event as never, (isTyped ? { ...named, agent_type: type } : named) as never);
          }
      for (const one of [...spawned.reverse(), session]) {
        await one.stop({});
        await one.close();
      }
      await host.close();
      // The host's own are asked once for each agent of the type that a call is below.
      return [...new Set(asked)].sort();
    };
    const own = await askedOf((host, hooks) => {
      for (const [type, all] of Object.entries(hooks)) host.spawnHooks(type, all as never);
    });
    const policy = await askedOf((host, hooks) => {
      const managed = new ManagedPolicies();
      managed.join(servicesOf(host));
      managed.replace('stable', { policy: policyOf(hooks) });
    });
    expect(policy).toEqual(own);
  }
});
