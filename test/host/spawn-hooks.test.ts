import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Host } from '../../src/create-host.js';
import { block } from '../../src/events/output/helpers.js';
import { defineEvent } from '../../src/events/own-event.js';
import type { HostOptions } from '../../src/host/options.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, testHost, watch } from './kit.js';

const agent = (agent_id: string, agent_type = 'worker') => ({ agent_id, agent_type });
const start = (id: string, type?: string) => ({ ...INPUTS.SubagentStart, ...agent(id, type) });
const stop = (id: string, type?: string) => ({ ...INPUTS.SubagentStop, ...agent(id, type) });
const tool = (id: string, type?: string) => ({ ...INPUTS.PreToolUse, ...agent(id, type) });

function spawning(more: Record<string, unknown> = {}, options: HostOptions = {}) {
  const { host, reports } = testHost(options);
  const log: string[] = [];
  const mark = (name: string) => [
    { hooks: [(input: { agent_id?: string }) => void log.push(`${name}:${input.agent_id}`)] },
  ];
  const undo = host.spawnHooks(
    'worker',
    anyHooks({ SubagentStart: mark('start'), PreToolUse: mark('tool'), Stop: mark('stop'), ...more }),
  );
  return { host, reports, log, mark, undo, ran: () => log.splice(0).join(' ') };
}
const agents = (host: Host): string[] =>
  JSON.stringify(host.describe())
    .match(/"scope":"a\d"/g)
    ?.map((m) => m.slice(9, -1)) ?? [];

describe('hooks for every agent of a type', () => {
  test('are explained beside those that the agent was given before its first event', () => {
    const { host, mark } = spawning();
    host.registerScoped('a1', anyHooks({ PreToolUse: mark('own') }), { name: 'own' });
    const { hooks } = host.explain('PreToolUse', tool('a1'));
    expect(hooks.filter(({ runs }) => runs).map(({ scope }) => scope)).toEqual(['a1', 'a1']);
    expect(hooks.filter(({ runs, name }) => runs && name.startsWith('own'))).toHaveLength(1);
  });

  test('are there from before its SubagentStart to after its SubagentStop, its Stop being that', async () => {
    const { host, ran } = spawning();
    await host.fire('SubagentStart', start('a1'));
    await host.fire('PreToolUse', tool('a1'));
    await host.fire('SubagentStop', stop('a1'));
    expect(ran()).toBe('start:a1 tool:a1 stop:a1');
    expect(agents(host)).toEqual([]);
  });

  test('are there from its first event where no SubagentStart came', async () => {
    const { host, ran } = spawning();
    await host.fire('PreToolUse', tool('a1'));
    await host.fire('PreToolUse', tool('a1'));
    expect(ran()).toBe('tool:a1 tool:a1');
    expect(agents(host)).toEqual(['a1']);
  });

  test('are of that exact type, of an agent with an id', async () => {
    const { host, ran } = spawning();
    for (const type of ['work', 'workers', 'Worker', 'worker*', '']) await host.fire('PreToolUse', tool('a1', type));
    await host.fire('PreToolUse', { ...INPUTS.PreToolUse, agent_type: 'worker' });
    await host.fire('PreToolUse', { ...INPUTS.PreToolUse, agent_id: 'a1' });
    expect(ran()).toBe('');
    expect(agents(host)).toEqual([]);
  });

  test('are each agent’s own', async () => {
    const { host, ran } = spawning({ PreToolUse: [{ once: true, hooks: [] }] });
    await Promise.all(['a1', 'a2', 'a3'].map((id) => host.fire('SubagentStart', start(id))));
    expect(ran()).toBe('start:a1 start:a2 start:a3');
    await host.fire('SubagentStop', stop('a2'));
    expect(agents(host)).toEqual(['a1', 'a3']);
  });

  test('are each session’s own: the same id elsewhere is another agent', async () => {
    const { host, ran } = spawning();
    await host.fire('PreToolUse', tool('a1'));
    await host.fire('PreToolUse', { ...tool('a1'), session_id: 't' });
    await host.fire('SubagentStop', stop('a1'));
    ran();
    await host.fire('PreToolUse', { ...tool('a1'), session_id: 't' });
    await host.fire('PreToolUse', tool('a1'));
    expect(ran()).toBe('tool:a1 tool:a1');
  });

  test('stay when a hook keeps the agent going', async () => {
    const { host, ran } = spawning();
    let times = 0;
    host.register({ SubagentStop: [{ hooks: [() => (times++ === 0 ? block('not yet') : undefined)] }] });
    await host.fire('SubagentStart', start('a1'));
    expect((await host.fire('SubagentStop', stop('a1'))).continues).toBe(true);
    await host.fire('PreToolUse', tool('a1'));
    expect((await host.fire('SubagentStop', stop('a1'))).continues).toBe(false);
    expect(agents(host)).toEqual([]);
    expect(ran()).toBe('start:a1 stop:a1 tool:a1 stop:a1');
  });

  test('stay when the stop was not decided', async () => {
    const { host } = spawning();
    const caller = new AbortController();
    host.register({ SubagentStop: [{ hooks: [() => new Promise<never>(() => {})] }] });
    await host.fire('SubagentStart', start('a1'));
    const fire = host.fire('SubagentStop', stop('a1'), { signal: caller.signal });
    caller.abort();
    await expect(fire).rejects.toMatchObject({ code: 'ABORTED' });
    await expect(host.fire('SubagentStop', { ...stop('a1'), stop_hook_active: 'x' } as never)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(agents(host)).toEqual(['a1']);
  });

  test.each([{}, { session_id: 's' }, { session_id: 't' }])(
    'come back for an agent that goes on after its end (%j)',
    async (base) => {
      const { host, ran } = spawning();
      const seen = watch(host);
      await host.fire('SubagentStart', { ...start('a1'), ...base });
      await host.fire('SubagentStop', { ...stop('a1'), ...base });
      ran();
      await host.fire('PreToolUse', { ...tool('a1'), ...base });
      await host.fire('SubagentStop', { ...stop('a1'), ...base });
      expect(ran()).toBe('tool:a1 stop:a1');
      expect(fires(seen).map((f) => f.scope_known)).toEqual([true, true, true, true]);
      await host.fire('SubagentStart', { ...start('a1'), ...base });
      await host.fire('PreToolUse', { ...tool('a1'), ...base });
      expect(ran()).toBe('start:a1 tool:a1');
    },
  );

  test('are added to a scope that was opened by hand, which the host does not end', async () => {
    const { host, mark, ran } = spawning();
    host.registerScoped('a1', anyHooks({ PreToolUse: mark('own') }));
    await host.fire('SubagentStart', start('a1'));
    await host.fire('PreToolUse', tool('a1'));
    await host.fire('SubagentStop', stop('a1'));
    await host.fire('PreToolUse', tool('a1'));
    expect(ran()).toBe('start:a1 own:a1 tool:a1 stop:a1 own:a1 tool:a1');
  });

  test('are each session’s own beside what the agent was given for all sessions, and go when it ends', async () => {
    const { host, ran, mark } = spawning({}, { session: {} });
    const of = <Input extends object>(session_id: string, input: Input) => ({ ...input, session_id });
    await host.fire('SubagentStart', of('s', start('a1')));
    host.registerScoped('a1', anyHooks({ PreToolUse: mark('own') }));
    await host.fire('SubagentStart', of('t', start('a1')));
    ran();
    for (const session of ['s', 't']) {
      const asked = of(session, tool('a1'));
      const explained = host.explain('PreToolUse', asked).hooks.filter(({ runs }) => runs);
      await host.fire('PreToolUse', asked);
      expect([explained.length, ran().split(' ').sort()]).toEqual([2, ['own:a1', 'tool:a1']]);
    }
    await host.fire('SubagentStop', of('t', stop('a1')));
    ran();
    await host.fire('PreToolUse', of('t', { ...INPUTS.PreToolUse, agent_id: 'a1' }));
    expect(ran()).toContain('own:a1');
    await host.fire('PreToolUse', of('s', tool('a1')));
    expect(ran().split(' ').sort()).toEqual(['own:a1', 'tool:a1']);
  });

  test('of several calls are all added, in order, for agents to come; taken back they stay with the living', async () => {
    const { host, mark, ran, undo } = spawning();
    const second = host.spawnHooks('worker', anyHooks({ PreToolUse: mark('second') }));
    await host.fire('PreToolUse', tool('a1'));
    undo();
    await host.fire('PreToolUse', tool('a2'));
    await host.fire('PreToolUse', tool('a1'));
    expect(ran()).toBe('tool:a1 second:a1 second:a2 tool:a1 second:a1');
    second();
    second();
    await host.fire('PreToolUse', tool('a3'));
    expect(ran()).toBe('');
    expect(agents(host)).toEqual(['a1', 'a2']);
  });

  test('reach an agent of its type at its next event when they come later', async () => {
    const { host, reports } = testHost();
    const log: string[] = [];
    await host.fire('PreToolUse', tool('a1'));
    host.spawnHooks('worker', { PreToolUse: [{ hooks: [() => void log.push('ran')] }] });
    await host.fire('PreToolUse', tool('a1'));
    expect(log).toEqual(['ran']);
    expect(reports).toEqual([]);
  });

  test('a child opened below one ends with it', async () => {
    const { host, mark, ran } = spawning();
    await host.fire('SubagentStart', start('a1'));
    host.registerScoped('a2', anyHooks({ PreToolUse: mark('child') }), { parent: 'a1' });
    await host.fire('PreToolUse', tool('a2', 'other'));
    expect(ran()).toBe('start:a1 tool:a2 child:a2');
    await host.fire('SubagentStop', stop('a1'));
    ran();
    await host.fire('PreToolUse', tool('a2', 'other'));
    expect(ran()).toBe('');
  });

  test.each<[string, unknown, RegExp]>([
    ['an unknown event', { PreTolUse: [] }, /PreTolUse.*PreToolUse/],
    ['an unknown key', { PreToolUse: [{ hook: [] }] }, /PreToolUse\[0\]\.hook/],
    [
      'a circle',
      {
        PreToolUse: [
          { name: 'a', before: 'b', hooks: [() => {}] },
          { name: 'b', before: 'a', hooks: [() => {}] },
        ],
      },
      /cyclic/,
    ],
  ])('%s is an error when they are registered, and nothing of them is kept', async (_, hooks, message) => {
    const { host } = testHost();
    expect(() => host.spawnHooks('worker', hooks as never)).toThrow(message);
    await host.fire('PreToolUse', tool('a1'));
    expect(agents(host)).toEqual([]);
  });

  test.each([undefined, '', 7])('the type %j is an error', (type) => {
    expect(() => testHost().host.spawnHooks(type as string, {})).toThrow(/agent's type/);
  });

  test('names in before may be those of an earlier call; that one taken back, they are nobody’s', async () => {
    const { host, reports } = testHost();
    const log: string[] = [];
    const group = (name: string, before?: string) => ({
      PreToolUse: [{ name, ...(before ? { before } : {}), hooks: [() => void log.push(name)] }],
    });
    const undo = host.spawnHooks('worker', group('first'));
    host.spawnHooks('worker', group('second', 'first'));
    await host.fire('PreToolUse', tool('a1'));
    expect(log.splice(0)).toEqual(['second', 'first']);
    undo();
    await host.fire('PreToolUse', tool('a2'));
    expect(log).toEqual(['second']);
    expect(reports).toEqual([]);
  });

  test('what was said of them when they were registered is not said again for every agent', async () => {
    const { host, reports } = testHost();
    host.spawnHooks('worker', anyHooks({ UserPromptSubmit: [{ matcher: 'x', hooks: [() => {}] }] }));
    for (const id of ['a1', 'a2', 'a3']) await host.fire('SubagentStart', start(id));
    expect(reports).toHaveLength(1);
  });
});

/** How an agent `a1` begins that is no worker, and whose type has hooks (named `other`) that are there beside those of workers afterwards. */
const BEGUN: readonly [string, (host: Host) => unknown, 'both' | 'one'][] = [
  ['started', (host) => host.fire('SubagentStart', start('a1', 'reviewer')), 'both'],
  ['was first seen at work', (host) => host.fire('PreToolUse', tool('a1', 'reviewer')), 'both'],
  [
    'is at work, and a worker’s start was cut short',
    async (host) => {
      await host.fire('SubagentStart', start('a1', 'reviewer'));
      const caller = new AbortController();
      const fire = host.fire('SubagentStart', start('a1'), { signal: caller.signal });
      caller.abort();
      await expect(fire).rejects.toMatchObject({ code: 'ABORTED' });
    },
    'both',
  ],
  [
    'has ended',
    async (host) => {
      await host.fire('SubagentStart', start('a1', 'reviewer'));
      await host.fire('SubagentStop', stop('a1', 'reviewer'));
    },
    'one',
  ],
];

describe('an agent of which an event names another type', () => {
  const seen = async () => {
    let [made, closed] = [0, 0];
    const { host, mark, ran } = spawning();
    host.spawnHooks('reviewer', ({ onClose }) => {
      made++;
      onClose(() => void closed++);
      return anyHooks({ PreToolUse: mark('other') });
    });
    await host.fire('SubagentStart', start('a1', 'reviewer'));
    await host.fire('PreToolUse', tool('a1'));
    ran();
    return { host, ran, lives: () => [made, closed] };
  };
  const { agent_type: _, ...untyped } = tool('a1');

  test('keeps its own: a start that is repeated is no other agent', async () => {
    const { host, ran, lives } = await seen();
    await host.fire('SubagentStart', start('a1', 'reviewer'));
    await host.fire('PreToolUse', untyped);
    expect([ran(), lives()]).toEqual(['start:a1 other:a1 tool:a1', [1, 0]]);
    await host.fire('SubagentStart', start('a1'));
    await host.fire('PreToolUse', untyped);
    expect([ran(), lives()]).toEqual(['start:a1 tool:a1', [1, 1]]);
  });

  test.each([
    ['stopped', (host: Host) => host.fire('SubagentStop', stop('a1', 'reviewer'))],
    ['was unregistered', async (host: Host) => void host.unregisterScoped('a1')],
  ])('keeps its own after it %s, where an event names none', async (__, end) => {
    const { host, ran } = await seen();
    await end(host);
    ran();
    await host.fire('PreToolUse', untyped);
    expect(ran()).toBe('other:a1');
  });

  test('has the hooks of both if it began for all sessions', async () => {
    const { host, mark, ran } = spawning({}, { session: {} });
    host.spawnHooks('reviewer', anyHooks({ PreToolUse: mark('other') }));
    host.registerScoped('a1', anyHooks({ PreToolUse: mark('own') }));
    await host.fire('SubagentStart', start('a1', 'reviewer'));
    for (const session_id of ['s1', 's1', 's2']) {
      await host.fire('PreToolUse', { ...tool('a1'), session_id });
      expect(ran()).toBe('own:a1 other:a1 tool:a1');
    }
  });
});

describe.each(['lineage', 'all'] as const)('an event of a worker whose id another began with (merge: %s)', (merge) => {
  test.each(BEGUN)('that %s is judged by the hooks of workers', async (_, begin, which) => {
    let open = 0;
    const { host, mark, ran } = spawning({ SubagentStart: [{ hooks: [async () => undefined] }] }, { merge });
    host.spawnHooks('reviewer', ({ onClose }) => {
      open++;
      onClose(() => void open--);
      return anyHooks({ PreToolUse: mark('other') });
    });
    await begin(host);
    ran();
    const both = which === 'both' ? 'other:a1 tool:a1' : 'tool:a1';
    const explained = host.explain('PreToolUse', tool('a1')).hooks.filter(({ runs }) => runs);
    await host.fire('PreToolUse', tool('a1'));
    expect(ran()).toBe(both);
    expect(explained).toHaveLength(both.split(' ').length);
    // Nothing is attached twice, whatever the events say.
    for (const type of ['reviewer', 'worker', 'nobody', 'worker']) {
      await host.fire('PreToolUse', tool('a1', which === 'both' ? type : 'worker'));
      expect(ran()).toBe(both);
    }
    await host.fire('PreToolUse', tool('a2', 'nobody'));
    expect(ran()).toBe(merge === 'all' ? both.replaceAll('a1', 'a2') : '');
    await host.fire('SubagentStop', stop('a1'));
    expect([agents(host), open]).toEqual([[], 0]);
  });
});

test('what is said of hooks that open a scope is said once', () => {
  const { host, reports } = testHost();
  host.registerScoped('a', anyHooks({ UserPromptSubmit: [{ matcher: 'x', hooks: [() => {}] }] }));
  expect(reports).toHaveLength(1);
});

test('the host remembers a limited number of ended agents', async () => {
  const { host, log, reports } = spawning();
  for (let i = 0; i < 1100; i++) {
    await host.fire('SubagentStart', start(`a${i}`));
    await host.fire('SubagentStop', stop(`a${i}`));
  }
  log.splice(0);
  reports.splice(0);
  // Both have their hooks; only of one is it known that it had ended.
  await host.fire('PreToolUse', tool('a1099'));
  await host.fire('PreToolUse', tool('a0'));
  expect(log).toEqual(['tool:a1099', 'tool:a0']);
  expect(reports).toEqual([expect.stringContaining('reopened')]);
});

describe('an agent that starts without the hooks that were meant for it', () => {
  const started = async (type: string, id = 'a1') => {
    const { host, reports } = testHost();
    const guard = anyHooks({ PreToolUse: [{ hooks: [() => block('no')] }] });
    for (const of of ['reviewer', 'worker-1']) host.spawnHooks(of, guard);
    host.registerScoped('lead', guard);
    for (let i = 0; i < 3; i++) await host.fire('SubagentStart', { agent_id: `${id}${i || ''}`, agent_type: type });
    return reports;
  };

  test.each(['Reviewer', 'reviewr', 'reviewers'])('%s: the logger hears of the type with hooks, once', async (type) => {
    expect(await started(type)).toEqual([`There are no hooks for agents of type "${type}". Did you mean "reviewer"?`]);
  });

  test('the logger hears of hooks for the id that is its type, once', async () => {
    expect(await started('lead')).toEqual([expect.stringMatching(/^Agent "a1" .* spawnHooks\("lead", …\)$/)]);
  });

  test.each(['reviewer', 'tester', 'worker-1', 'worker-2'])('%s: nothing is said', async (type) => {
    expect(await started(type)).toEqual([]);
  });

  test('nothing is said of the agent with that id', async () => {
    expect(await started('lead', 'lead')).toHaveLength(1);
    const { host, reports } = testHost();
    host.registerScoped('lead', anyHooks({ PreToolUse: [{ hooks: [() => block('no')] }] }));
    await host.fire('SubagentStart', { agent_id: 'lead', agent_type: 'lead' });
    expect(reports).toEqual([]);
  });

  const guard = anyHooks({ PreToolUse: [{ hooks: [() => block('no')] }] });
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' };

  test.each<[string, object, (host: Host) => unknown]>([
    ['agent_id', { agentId: 'a1' }, (host) => host.registerScoped('a1', guard)],
    ['agent_id', { agentId: 'a1', agent_type: 'worker' }, (host) => host.spawnHooks('worker', guard)],
    ['agent_type', { agent_id: 'a1', agentType: 'worker' }, (host) => host.spawnHooks('worker', guard)],
  ])('because %s is spelt %j: the logger hears of it, once', async (key, names, register) => {
    const { host, reports } = testHost();
    register(host);
    for (let i = 0; i < 3; i++) await host.fire('PreToolUse', { ...call, ...names } as never);
    const [, other] = key.split('_') as [string, string];
    const camel = `agent${other[0]?.toUpperCase()}${other.slice(1)}`;
    expect(reports).toEqual([
      `An input has "${camel}" and no "${key}", so hooks for that agent are not asked: write "${key}"`,
    ]);
  });

  const byId = (host: Host) => host.registerScoped('a1', guard);
  const byType = (host: Host) => host.spawnHooks('worker', guard);
  const bySeenStart = async (host: Host) => {
    byType(host);
    await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'worker' });
  };
  test.each<[string, object, (host: Host) => unknown]>([
    ['no agent has hooks', { agentId: 'a1' }, () => undefined],
    ['both are there', { agent_id: 'a1', agentId: 'a1', agent_type: 'worker', agentType: 'worker' }, byId],
    ['neither is there', {}, byId],
    ['another agent has hooks', { agentId: 'a2' }, byId],
    ['only a session has hooks', { agentId: 'a1' }, (host) => host.registerScoped({ session: 's' }, guard)],
    ['the hooks are asked by the id', { agent_id: 'a1', agentType: 'worker' }, byId],
    ['the hooks are asked since the start was seen', { agent_id: 'a1', agentType: 'worker' }, bySeenStart],
    ['there is no id, without which a type says nothing', { agentType: 'worker' }, byType],
    ['the type has no hooks', { agent_id: 'a1', agentType: 'other' }, byType],
    ['they are empty', { agentId: '', agentType: '' }, byType],
  ])('nothing is said of such keys where %s', async (_, names, register) => {
    const { host, reports } = testHost();
    await register(host);
    await host.fire('PreToolUse', { ...call, ...names } as never);
    expect(reports).toEqual([]);
  });

  test('an event of one’s own may have a field of that name', async () => {
    const Handoff = defineEvent({ input: z.object({ agentId: z.string(), agentType: z.string() }), fold: 'gate' });
    const { host, reports } = testHost({ events: { Handoff } });
    host.register({ Handoff: [{ hooks: [() => undefined] }] });
    host.registerScoped('a1', guard);
    host.spawnHooks('worker', guard);
    await host.fire('Handoff', { agentId: 'a1', agentType: 'worker' });
    await host.fire('Handoff', { agentId: 'a1', agentType: 'worker', agent_id: 'a2' });
    expect(reports).toEqual([]);
  });

  test('both keys are named where both are needed', async () => {
    const { host, reports } = testHost();
    byType(host);
    await host.fire('PreToolUse', { ...call, agentId: 'a1', agentType: 'worker' } as never);
    expect(reports).toEqual([
      expect.stringContaining('write "agent_id"'),
      expect.stringContaining('write "agent_type"'),
    ]);
  });
});
