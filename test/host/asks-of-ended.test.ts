import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { ask } from '../../src/events/output/helpers.js';
import { rule } from '../../src/index.js';
import { INPUTS } from './inputs.js';

const CALL = { ...INPUTS.PreToolUse, agent_type: 'worker' };
const ASKS = { PreToolUse: [{ hooks: [() => ask('sure?')] }] };
const PERMITS = { PermissionRequest: [{ hooks: [rule('allow')] }] };

/** The agent of the call, and the end of the one above it, whose hooks ask about its calls. */
type MakeAgents = (host: Host) => Promise<{ readonly of: object; end(): unknown; again?(): unknown }>;

const WAYS: Record<string, MakeAgents> = {
  'by hand, and the agent is registered again': async (host) => {
    host.registerScoped('p', ASKS);
    host.registerScoped('c', PERMITS, { parent: 'p' });
    return {
      of: { agent_id: 'c' },
      end: () => host.unregisterScoped('p'),
      again: () => host.registerScoped('c', PERMITS),
    };
  },
  'by hand, and the agent goes on with the hooks of its type': async (host) => {
    host.registerScoped('p', ASKS);
    host.registerScoped('c', {}, { parent: 'p' });
    host.spawnHooks('worker', PERMITS);
    return { of: { agent_id: 'c' }, end: () => host.unregisterScoped('p') };
  },
  'in a session': async (host) => {
    host.spawnHooks('worker', PERMITS);
    const session = await host.openSession();
    const parent = await session.spawn({ id: 'p', agent_type: 'boss', hooks: ASKS });
    await parent.spawn({ id: 'c', agent_type: 'worker' });
    return { of: { session_id: session.session_id, agent_id: 'c' }, end: () => parent.close() };
  },
  'under another session name': async (host) => {
    host.registerScoped({ session: 's1', agent: 'p' }, ASKS);
    host.registerScoped({ session: 's1', agent: 'c' }, {}, { parent: { session: 's1', agent: 'p' } });
    host.registerScoped('c', PERMITS);
    return { of: { session_id: 's1', agent_id: 'c' }, end: () => host.unregisterScoped({ session: 's1', agent: 'p' }) };
  },
};

test.each(Object.entries(WAYS))(
  'what a hook of an agent that has ended since has asked, a rule of one below it does not allow, but one of the host does: %s',
  async (_, make) => {
    for (const isOfHost of [false, true]) {
      const host = createHost({ logger: () => undefined });
      const { of, end, again } = await make(host);
      if (isOfHost) host.register(PERMITS);
      const call = { ...CALL, ...of } as never;
      const { tool_use_id: _, ...question } = call as Record<string, unknown>;
      expect((await host.fire('PreToolUse', call)).verdict).toBe('ask');
      const wanted = isOfHost ? 'allow' : 'none';
      expect((await host.fire('PermissionRequest', question as never)).verdict).toBe(wanted);
      await end();
      await again?.();
      expect((await host.fire('PermissionRequest', question as never)).verdict).toBe(wanted);
      await host.close();
    }
  },
);

test('what a hook of the agent itself has asked, a rule of it still allows when it is known under its other session name only', async () => {
  const host = createHost({ logger: () => undefined });
  for (const [agent, parent] of [['x'], ['c', 'x']] as const)
    host.registerScoped(agent, PERMITS, parent ? { parent } : {});
  host.registerScoped({ session: 's1', agent: 'c' }, ASKS);
  const call = { ...CALL, session_id: 's1', agent_id: 'c' } as never;
  const { tool_use_id: _, ...question } = call as Record<string, unknown>;
  expect((await host.fire('PreToolUse', call)).verdict).toBe('ask');
  await host.unregisterScoped({ session: 's1', agent: 'c' });
  expect((await host.fire('PermissionRequest', question as never)).verdict).toBe('allow');
  await host.close();
});
