import { expect, test } from 'vitest';
import { addContext, block } from '../../src/events/output/helpers.js';
import { INPUTS } from './inputs.js';
import { testHost, turn } from './kit.js';

const POST = INPUTS.PostToolUse;
const STOP = { stop_hook_active: false, agent_type: 'w', agent_transcript_path: '/t' };

/** A host with a hook that answers late, about each agent. */
function lateHost() {
  const { host } = testHost();
  host.on('PostToolUse', ({ agent_id: id = 'main', tool_use_id: call }) => ({
    async: true,
    result: Promise.resolve(addContext(`${call} of ${id}`)),
  }));
  const fire = async (agent: string | undefined, call = 't', session?: string): Promise<void> => {
    const of = {
      ...(agent === undefined ? {} : { agent_id: agent, agent_type: 'w' }),
      ...(session && { session_id: session }),
    };
    await host.fire('PostToolUse', { ...POST, tool_use_id: call, ...of });
    await turn();
  };
  return { host, fire };
}

test('late context of an agent without a scope waits for that agent, never for the session', async () => {
  const { host, fire } = lateHost();
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' as const }) });
  for (const agent of ['a1', 'a2', 'a1', undefined]) await fire(agent);
  expect(host.pendingContext('a1')).toEqual(['t of a1', 't of a1']);
  expect(host.pendingContext('a2')).toEqual(['t of a2']);
  expect(host.pendingContext()).toEqual(['t of main']);
  expect(session.systemPrompt('S')).toBe('S\n\nt of main');
  await session.close();
});

test('it is of one session only', async () => {
  const { host, fire } = lateHost();
  await fire('a1', 't1', 's1');
  await fire('a1', 't2', 's2');
  expect(host.pendingContext({ session: 's1', agent: 'a1' })).toEqual(['t1 of a1']);
  expect(host.pendingContext({ session: 's2', agent: 'a1' })).toEqual(['t2 of a1']);
  expect(host.pendingContext('a1')).toEqual([]);
});

test('a scope that is opened for the agent takes it over', async () => {
  const { host, fire } = lateHost();
  await fire('a1');
  host.registerScoped('a1', {});
  await fire('a1', 'u');
  expect(host.pendingContext('a1')).toEqual(['t of a1', 'u of a1']);
  host.unregisterScoped('a1');
  expect(host.pendingContext('a1')).toEqual([]);
});

test('it ends with the agent, and another agent with its id does not get it', async () => {
  const { host, fire } = lateHost();
  await fire('a1');
  const off = host.on('SubagentStop', () => block('more'));
  await host.fire('SubagentStop', { ...STOP, agent_id: 'a1' });
  expect(host.pendingContext('a1')).toEqual(['t of a1']);
  off();
  await host.fire('SubagentStop', { ...STOP, agent_id: 'a1' });
  expect(host.pendingContext('a1')).toEqual([]);
  await fire('a1');
  await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'w' });
  expect(host.pendingContext('a1')).toEqual([]);
  await fire('a1');
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' as const }) });
  const agent = await session.spawn({ agent_type: 'w', id: 'a1' });
  expect(agent.systemPrompt('S')).toBe('S');
  await session.close();
});

test('of agents that never end it keeps the latest 1,000 texts, those of the agent that was silent for longest go first', async () => {
  const { host, fire } = lateHost();
  await fire('old');
  await fire('noisy');
  for (let i = 0; i < 1_100; i++) await fire(`a${i % 300}`, String(i));
  await fire('noisy', 'u');
  const kept = ['old', 'noisy', ...Array.from({ length: 300 }, (_, i) => `a${i}`)].map((id) => host.pendingContext(id));
  expect(kept[0]).toEqual([]);
  expect(kept[1]).toEqual(['u of noisy']);
  expect(kept.flat().length).toBeLessThanOrEqual(1_000);
  expect(kept.flat().length).toBeGreaterThan(990);
  for (let i = 0; i < 1_100; i++) await fire('noisy', String(i));
  expect(host.pendingContext('noisy')).toHaveLength(1_000);
  expect(host.pendingContext('noisy').at(-1)).toBe('1099 of noisy');
});
