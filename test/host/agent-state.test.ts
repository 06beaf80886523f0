import { describe, expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { type AgentHooks, deny, type Hooks, type SpawnedAgent } from '../../src/index.js';
import { inputOf } from './inputs.js';
import { fireAny, never, testHost, turn, until } from './kit.js';

const call = (agent_id: string, agent_type = 'worker') => ({
  tool_name: 'Bash',
  tool_input: {},
  agent_id,
  agent_type,
});
const stop = (agent_id: string) => ({ agent_id, agent_type: 'worker', stop_hook_active: false });

/** Denies an agent's third call. */
function budget(log: string[]): AgentHooks {
  return (agent) => {
    log.push(`made ${agent.id}`);
    agent.onClose(() => void log.push(`closed ${agent.id}`));
    agent.signal.addEventListener('abort', () => log.push(`aborted ${agent.id}`));
    let calls = 0;
    return { PreToolUse: [{ hooks: [() => (++calls > 2 ? deny(`${agent.id} had its calls`) : undefined)] }] };
  };
}

test('a function makes the hooks of each agent once, with state of their own, and they end with it', async () => {
  const { host, reports } = testHost();
  const log: string[] = [];
  const undo = host.spawnHooks('worker', budget(log));
  expect(String(host.describe())).not.toContain('PreToolUse');
  host.explain('PreToolUse', call('a1'));
  expect(log).toEqual([]);
  const verdict = async (id: string) => (await host.fire('PreToolUse', call(id))).verdict;
  await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'worker' });
  expect([await verdict('a1'), await verdict('a1'), await verdict('a2')]).toEqual(['none', 'none', 'none']);
  expect([await verdict('a1'), await verdict('a2')]).toEqual(['deny', 'none']);
  expect((await host.fire('PreToolUse', call('x', 'other'))).verdict).toBe('none');
  expect(log.splice(0)).toEqual(['made a1', 'made a2']);
  await host.fire('SubagentStop', stop('a1'));
  expect(log.splice(0)).toEqual(['aborted a1', 'closed a1']);
  // The id again is another agent.
  await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'worker' });
  expect(await verdict('a1')).toBe('none');
  expect(log.splice(0)).toEqual(['made a1']);
  undo();
  expect(await verdict('a3')).toBe('none');
  expect(await verdict('a2')).toBe('deny');
  await host.close();
  expect(log.sort()).toEqual(['aborted a1', 'aborted a2', 'closed a1', 'closed a2']);
  expect(reports).toEqual([]);
});

test('it is told which agent of which session it is for, by whatever way the agent comes', async () => {
  const { host } = testHost();
  const seen: Omit<SpawnedAgent, 'signal' | 'onClose'>[] = [];
  host.spawnHooks('worker', ({ id, agent_id, agent_type, session_id }) => {
    seen.push({ id, agent_id, agent_type, session_id });
    return {};
  });
  const session = await host.openSession({ session_id: 'mine' });
  await session.spawn({ agent_type: 'worker', id: 'a1' });
  await host.fire('PreToolUse', { ...call('a2'), session_id: 'other' });
  const of = (id: string, session_id: string) => ({ id, agent_id: id, agent_type: 'worker', session_id });
  expect(seen).toEqual([of('a1', 'mine'), of('a2', 'other')]);
});

const WRONG: Readonly<Record<string, () => unknown>> = {
  throws: () => {
    throw new Error('no database');
  },
  'throws what cannot be printed': () => {
    throw new Proxy({}, { get: () => never });
  },
  'returns nothing': () => undefined,
  'returns a promise of hooks': async () => ({ PreToolUse: [] }),
  'returns a promise that rejects': () => Promise.reject(new Error('no')),
  'returns hooks with a misspelt key': () => ({ PreToolUse: [{ matchr: 'x', hooks: [] }] }),
  'returns a circle': () => ({
    PreToolUse: [
      { name: 'a', before: 'b', hooks: [() => undefined] },
      { name: 'b', before: 'a', hooks: [() => undefined] },
    ],
  }),
};

describe.each(Object.entries(WRONG))('one that %s', (_, make) => {
  test.each([
    ['block', 'deny'],
    ['ask', 'ask'],
    ['continue', 'none'],
  ] as const)('makes every gate in that agent’s scope fail under onFailure %s', async (onFailure, verdict) => {
    const { host, reports } = testHost();
    host.spawnHooks('worker', make as () => Hooks, { onFailure });
    host.spawnHooks('worker', (agent) => ({
      Notification: [{ hooks: [() => ({ systemMessage: `for ${agent.id}` })] }],
    }));
    for (const event of HOOK_EVENTS.filter((name) => CATALOGUE[name].fold === 'gate')) {
      const input = { ...inputOf(event), agent_id: 'a1', agent_type: 'worker' };
      const { failures } = await fireAny(host as never, event, input);
      expect(failures).toEqual([
        expect.objectContaining({ cause: 'threw', message: expect.stringContaining('spawnHooks("worker")') }),
      ]);
    }
    expect((await host.fire('PreToolUse', call('a1'))).verdict).toBe(verdict);
    expect((await host.fire('PreToolUse', call('b1', 'other'))).failures).toEqual([]);
    expect((await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: {} })).failures).toEqual([]);
    const { systemMessages, failures } = await host.fire('Notification', {
      ...inputOf('Notification'),
      agent_id: 'a1',
      agent_type: 'worker',
    } as never);
    expect([systemMessages, failures]).toEqual([['for a1'], []]);
    expect(reports.some((line) => line.includes('Agent "a1" has no spawnHooks("worker") hooks'))).toBe(true);
    await turn();
  });
});

test('the host’s policy holds where none is given with them', async () => {
  const { host } = testHost({ onFailure: 'block' });
  host.spawnHooks('worker', WRONG['throws'] as () => Hooks);
  expect((await host.fire('PreToolUse', call('a1'))).verdict).toBe('deny');
});

const guard = () => deny('never');
const guardedBy = (onFailure: string, more: object = {}) => ({ PreToolUse: [{ onFailure, hooks: [guard] }], ...more });

test.each<[string, unknown, verdict: string, told: string]>([
  ['say nothing', { PreToolUs: [{ hooks: [guard] }] }, 'none', 'let calls through (to deny them, pass { onFailure:'],
  ['say continue', guardedBy('continue', { PreToolUs: [] }), 'none', 'let calls through'],
  ['say block in a group', guardedBy('block', { PreToolUs: [] }), 'deny', 'deny: '],
  [
    'say block in a group of the wrong event',
    { PreToolUs: [{ onFailure: 'block', hooks: [guard] }] },
    'deny',
    'deny: ',
  ],
  ['say block in a group that is no list', { PreToolUse: { onFailure: 'block', hooks: [guard] } }, 'deny', 'deny: '],
  [
    'say block in a handler',
    { PreToolUse: [{ matchr: '', hooks: [{ handler: guard, onFailure: 'block' }] }] },
    'deny',
    'deny: ',
  ],
  ['say ask', guardedBy('ask', { PreToolUs: [] }), 'ask', 'ask: '],
  ['say ask and block', guardedBy('ask', { Stop: [{ onFailure: 'block', hook: guard }] }), 'deny', 'deny: '],
  ['hold null', { PreToolUse: [null, { onFailure: 'block', hooks: [guard] }] }, 'deny', 'deny: '],
  [
    'cannot be looked at',
    {
      get PreToolUse() {
        throw new Error('no');
      },
    },
    'deny',
    'deny: ',
  ],
])('gates fail as hooks that are wrong in part want it: they %s', async (_, hooks, verdict, told) => {
  const { host, reports } = testHost();
  host.spawnHooks('worker', () => hooks as Hooks);
  expect((await host.fire('PreToolUse', call('a1'))).verdict).toBe(verdict);
  expect(reports[0]).toContain(`Agent "a1" has no spawnHooks("worker") hooks, so its gates ${told}`);
});

test('one that ends its own agent leaves nothing behind', async () => {
  const { host, reports } = testHost();
  let closed = 0;
  host.spawnHooks('worker', (agent) => {
    agent.onClose(() => void closed++);
    host.unregisterScoped(agent.id);
    agent.onClose(() => void closed++);
    return { PreToolUse: [{ hooks: [() => deny('never')] }] };
  });
  expect((await host.fire('PreToolUse', call('a1'))).verdict).toBe('none');
  await until(() => closed === 2);
  expect(host.unregisterScoped('a1')).toBe(false);
  expect(reports).toEqual([]);
});

test('a plugin’s end takes the hooks of its agents too, and tells them', async () => {
  const { host } = testHost();
  const log: string[] = [];
  const undo = await host.use({ name: 'p', apply: (scope) => void scope.spawnHooks('worker', budget(log)) });
  for (let i = 0; i < 2; i++) await host.fire('PreToolUse', call('a1'));
  await host.fire('PreToolUse', call('a2'));
  const hooks = host.describe().children[0]?.children.flatMap((session) => session.children.flatMap((a) => a.hooks));
  expect(hooks?.every(({ name }) => /^p\/agent-state\.test\.ts:\d+$/.test(name))).toBe(true);
  await undo();
  expect((await host.fire('PreToolUse', call('a1'))).verdict).toBe('none');
  await host.fire('SubagentStop', stop('a1'));
  expect(log).toContain('closed a1');
});
