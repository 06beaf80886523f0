import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { replay } from '../../src/replay/replay.js';
import { generated, randomFrom, SEED } from '../seed.js';

const rule = (decision: string, more: object = {}) => [
  { matcher: 'Write', ...more, hooks: [{ type: 'rule', decision, reason: 'no' }] },
];
const REVIEWER = { PreToolUse: rule('deny') };
type ByType = Readonly<Record<string, object>>;

function hostWith(byType: ByType, merge: 'lineage' | 'all' = 'lineage'): Host {
  const host = createHost({ logger: () => undefined, merge }) as Host;
  for (const [type, hooks] of Object.entries(byType)) host.spawnHooks(type, hooks as never);
  return host;
}

/** Agents of these types, each started by the one with that number, or by none (-1); each writes twice. */
async function recorded(
  byType: ByType,
  agents: readonly (readonly [type: string, by: number])[],
  host: Host = hostWith(byType),
) {
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire') records.push(JSON.parse(JSON.stringify(record)));
  });
  const session = await host.openSession({ session_id: 's1', permission: () => ({ behavior: 'allow' }) });
  const all: (typeof session)[] = [];
  for (const [at, [agent_type, by]] of agents.entries())
    all.push((await (all[by] ?? session).spawn({ id: `a${at}`, agent_type })) as never);
  for (const one of [session, ...all, ...all]) await one.tool({ name: 'Write', input: {}, execute: () => 'written' });
  await host.close();
  return records;
}

async function replayed(host: Host, records: readonly FireRecord[]) {
  const all: unknown[] = [];
  for await (const { fire, then, now, changed } of replay(host, records))
    if (fire.event === 'PreToolUse') all.push([fire.agent, then?.word, now.word, changed]);
  await host.close();
  return all;
}

const CHAIN = [
  ['reviewer', -1],
  ['helper', 0],
  ['helper', 1],
  ['helper', -1],
] as const;

describe('of an agent that another agent has started,', () => {
  test('a replay asks the hooks of those above it', async () => {
    const records = await recorded({ reviewer: REVIEWER }, CHAIN);
    const agents = ['a0', 'a1', 'a2'];
    const below = records.filter(({ event, agent_id }) => event === 'PreToolUse' && agent_id === 'a2');
    const above = [
      { agent_id: 'a0', agent_type: 'reviewer' },
      { agent_id: 'a1', agent_type: 'helper' },
    ];
    expect(below[0]?.agents_above).toEqual(above);
    const same = await replayed(hostWith({ reviewer: REVIEWER }), records);
    expect(same).toHaveLength(9);
    expect(same.filter((row) => (row as unknown[])[3] !== undefined)).toEqual([]);
    const without = await replayed(hostWith({}), records);
    for (const agent of agents) expect(without).toContainEqual([agent, 'deny', 'none', 'allowed']);
    expect(without).toContainEqual(['a3', 'none', 'none', undefined]);
  });

  test('and new hooks of those are asked as well, once where they are asked once', async () => {
    const records = await recorded({}, CHAIN);
    const now = await replayed(hostWith({ reviewer: REVIEWER }), records);
    for (const agent of ['a0', 'a1', 'a2']) expect(now).toContainEqual([agent, 'none', 'deny', 'denied']);
    expect(now).toContainEqual(['a3', 'none', 'none', undefined]);
    const once = { reviewer: { PreToolUse: rule('deny', { once: true }) } };
    const [first, again] = [await recorded(once, CHAIN), await recorded(once, CHAIN.slice(1))];
    for (const of of [first, again])
      for (const row of await replayed(hostWith(once), of)) expect(row).toMatchObject({ 3: undefined });
  });

  test("under merge: 'all' its own hooks are asked, and those of every agent above it", async () => {
    for (const type of ['reviewer', 'helper'])
      for (const [then, now, changed] of [
        ['deny', 'deny', undefined],
        ['none', 'deny', 'denied'],
      ]) {
        const hooks = { [type]: REVIEWER };
        // Its fires alone, so no other agent of the recording may be running.
        const records = (await recorded({}, CHAIN, hostWith(then === 'deny' ? hooks : {}, 'all'))).filter(
          ({ event, agent_id }) => event === 'PreToolUse' && agent_id === 'a1',
        );
        const rows = await replayed(hostWith(hooks, 'all'), records);
        expect(rows).toEqual([
          ['a1', then, now, changed],
          ['a1', then, now, changed],
        ]);
      }
  });

  test('hooks registered for those above it by name are asked, also where it has some of its own', async () => {
    const notes = { Notification: [{ hooks: [() => undefined] }] };
    for (const own of [undefined, { session: 's1', agent: 'a1' }, 'a1'])
      for (const [then, now, changed] of [
        ['deny', 'deny', undefined],
        ['none', 'deny', 'denied'],
        ['deny', 'none', 'allowed'],
      ]) {
        const hostThat = (denies: boolean, by?: typeof own): Host => {
          const host = hostWith({ helper: notes });
          host.registerScoped({ session: 's1', agent: 'a0' }, (denies ? REVIEWER : notes) as never);
          if (by !== undefined) host.registerScoped(by, notes);
          return host;
        };
        // A scope that is opened by hand in a session is below no agent, so it is opened after the recording.
        const records = await recorded({}, CHAIN, hostThat(then === 'deny'));
        const rows = await replayed(hostThat(now === 'deny', own), records);
        expect(rows.filter((row) => (row as unknown[])[0] === 'a1')).toEqual([
          ['a1', then, now, changed],
          ['a1', then, now, changed],
        ]);
      }
  });

  test('a decision is unknown where an older record does not say who has started it', async () => {
    const records = await recorded({ reviewer: REVIEWER }, CHAIN);
    const older = records.map(({ agents_above: _, ...record }) => record as FireRecord);
    const [same, without] = [
      await replayed(hostWith({ reviewer: REVIEWER }), older),
      await replayed(hostWith({}), older),
    ];
    expect(same).toContainEqual(['a0', 'deny', 'deny', undefined]);
    expect(same).toContainEqual(['a1', 'deny', 'none', 'unknown']);
    expect(without).toContainEqual(['a1', 'deny', 'none', 'allowed']);
    // Hooks on no such event.
    const other = await replayed(hostWith({ reviewer: { UserPromptSubmit: [{ hooks: [() => undefined] }] } }), older);
    expect(other).toContainEqual(['a3', 'none', 'none', undefined]);
  });

  test('also where that is an agent of the same type, whose hooks an older record lists', async () => {
    const hooks = { helper: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'ask', reason: 'may it?' }] }] } };
    const of = [
      ['helper', -1],
      ['helper', 0],
    ] as const;
    const older = (await recorded(hooks, of)).map(({ agents_above: _, ...record }) => record as FireRecord);
    const rows = await replayed(hostWith(hooks), older);
    expect(rows).toContainEqual(['a0', 'ask', 'ask', undefined]);
    expect(rows.filter((row) => (row as unknown[])[0] === 'a1').map((row) => (row as unknown[])[3])).toEqual([
      'unknown',
      'unknown',
    ]);
  });

  test('also where the agent has a scope by hand, in its session or in all of them', async () => {
    const notes = { Notification: [{ hooks: [() => undefined] }] };
    const records = await recorded({ reviewer: REVIEWER }, CHAIN);
    const older = records.map(({ agents_above: _, ...record }) => record as FireRecord);
    for (const scope of [{ session: 's1', agent: 'a1' }, 'a1']) {
      const host = hostWith({ reviewer: REVIEWER });
      host.registerScoped(scope, notes);
      const rows = await replayed(host, older);
      expect(rows.filter((row) => (row as unknown[])[0] === 'a1')).toEqual([
        ['a1', 'deny', 'none', 'unknown'],
        ['a1', 'deny', 'none', 'unknown'],
      ]);
    }
  });

  test('a hook that runs once has had its run, whoever of the agents below its own has used it up', async () => {
    const once = { reviewer: { PreToolUse: rule('deny', { once: true }) } };
    for (const agents of [
      CHAIN,
      [...CHAIN].reverse().map(([type], at) => [type, at - 1] as const),
      CHAIN.map(([, by]) => ['reviewer', by] as const),
    ]) {
      const then = await recorded({ reviewer: REVIEWER }, agents);
      const real = await recorded(once, agents);
      const verdicts = real.flatMap(({ event, decision }) =>
        event === 'PreToolUse' ? [(decision as { verdict: string }).verdict] : [],
      );
      const now = (await replayed(hostWith(once), then)).map((row) => (row as unknown[])[2]);
      expect(now).toEqual(verdicts);
    }
  });

  test("and under merge: 'all' it may have had it in any fire that was asked about it", async () => {
    const once = { reviewer: { PreToolUse: rule('deny', { once: true }) } };
    const host = hostWith({ reviewer: REVIEWER }, 'all');
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && records.push(record)));
    const named = (agent_id: string) => ({ session_id: 's1', agent_id });
    await host.fire('SubagentStart', { ...named('c'), agent_type: 'reviewer' } as never);
    for (const agent of ['b', 'c', 'c'])
      await host.fire('PreToolUse', { ...named(agent), tool_name: 'Write', tool_input: {}, tool_use_id: 't' } as never);
    expect(await replayed(hostWith(once, 'all'), records)).toEqual([
      ['b', 'deny', 'none', 'unknown'],
      ['c', 'deny', 'none', 'unknown'],
      ['c', 'deny', 'none', 'allowed'],
    ]);
    await host.close();
  });

  test('an agent with the id of an earlier one has its own run', async () => {
    const once = { reviewer: { PreToolUse: rule('deny', { once: true }) } };
    const host = hostWith({ reviewer: REVIEWER });
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && records.push(record)));
    const session = await host.openSession({ session_id: 's1' });
    const named = { session_id: 's1', agent_id: 'a' };
    const write = () =>
      host.fire('PreToolUse', { ...named, tool_name: 'Write', tool_input: {}, tool_use_id: 't' } as never);
    for (const how of ['spawn', 'another type']) {
      await (await session.spawn({ id: 'a', agent_type: 'reviewer' })).close();
      await write();
      await write();
      if (how !== 'spawn') {
        await host.fire('SubagentStart', { ...named, agent_type: 'helper' } as never);
        await host.fire('SubagentStop', { ...named, agent_type: 'helper', stop_hook_active: false } as never);
        await host.fire('SubagentStart', { ...named, agent_type: 'reviewer' } as never);
      }
      const again = how === 'spawn' ? await session.spawn({ id: 'a', agent_type: 'reviewer' }) : undefined;
      await write();
      await again?.close();
      if (how !== 'spawn') host.unregisterScoped({ session: 's1', agent: 'a' });
    }
    const words = (await replayed(hostWith(once), records)).map((row) => (row as unknown[])[2]);
    expect(words).toEqual(['deny', 'none', 'deny', 'deny', 'none', 'deny']);
    await host.close();
  });

  test('a host in use may have other agents with the ids now', async () => {
    const hooks = { reviewer: REVIEWER, helper: { PreToolUse: [{ ...rule('deny')[0], matcher: 'Edit' }] } };
    const host = hostWith(hooks);
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && records.push(record)));
    const session = await host.openSession({ session_id: 's1', permission: () => ({ behavior: 'allow' }) });
    const tools = async (of: typeof session): Promise<void> => {
      for (const name of ['Write', 'Edit']) await of.tool({ name, input: {}, execute: () => 'done' });
    };
    const first = await session.spawn({ id: 'a', agent_type: 'reviewer' });
    const below = await first.spawn({ id: 'b', agent_type: 'other' });
    for (const one of [first, below]) await tools(one as never);
    await first.close();
    const above = await session.spawn({ id: 'b', agent_type: 'other' });
    await tools((await above.spawn({ id: 'a', agent_type: 'helper' })) as never);
    await host.fire('SubagentStart', { session_id: 's1', agent_id: 'c', agent_type: 'reviewer' } as never);
    for await (const { fire, changed } of replay(host, [...records]))
      expect(changed, `${fire.event} of ${fire.agent}`).toBeUndefined();
    await host.close();
  });

  test('every decision stays the same under the same hooks, whoever has started whom', async () => {
    const random = randomFrom(SEED);
    const upTo = (most: number): number => Math.floor(random() * most);
    const hooks = { reviewer: REVIEWER, helper: { PreToolUse: rule('ask', { once: true }) } };
    for (let i = 0; i < generated(6); i++) {
      const agents = Array.from(
        { length: 6 },
        (_, at) => [['reviewer', 'helper', 'other'][upTo(3)] as string, upTo(at + 1) - 1] as const,
      );
      for (const row of await replayed(hostWith(hooks), await recorded(hooks, agents)))
        expect(row).toMatchObject({ 3: undefined });
    }
  });
});

test('records name the same agents above in one object for each scope, and others once a type is known', async () => {
  const host = hostWith({ reviewer: { Notification: [{ hooks: [() => undefined] }] } });
  const above: unknown[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'hook_fire' && record.agent_id === 'b') above.push(record.agents_above);
  });
  const notes = { Notification: [{ hooks: [() => undefined] }] };
  const scope = (agent: string) => ({ session: 's1', agent });
  host.registerScoped(scope('a'), notes);
  host.registerScoped(scope('b'), notes, { parent: scope('a') });
  const call = { session_id: 's1', agent_id: 'b', tool_name: 'Write', tool_input: {}, tool_use_id: 't' };
  const write = () => host.fire('PreToolUse', call as never);
  await write();
  await write();
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' } as never);
  await write();
  expect(above).toEqual([[{ agent_id: 'a' }], [{ agent_id: 'a' }], [{ agent_id: 'a', agent_type: 'reviewer' }]]);
  expect(above[1]).toBe(above[0]);
  await host.close();
});
