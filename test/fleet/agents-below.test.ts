import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import { servicesOf } from '../../src/host/internals.js';
import { bundleOf } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key } from './ground.js';

const block = (reason: string) => [{ hooks: [{ type: 'rule', decision: 'deny', reason }] }];
const hooks = {
  PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'rule', decision: 'deny', reason: 'Reviewers read' }] }],
  UserPromptSubmit: block('No prompts'),
};

const policed = async (): Promise<Host> => {
  const { join, push } = ground();
  const { host, team } = await join();
  await push(bundleOf(1, { 'acme/agents.json': { spawnHooks: { reviewer: hooks } } }, [key]));
  await until(() => channel(team)?.sequence === 1);
  return host;
};
const own = async (): Promise<Host> => {
  const host = createHost();
  host.spawnHooks('reviewer', hooks as never);
  return host;
};

test.each([
  ['of a policy', policed],
  ["of the host's own spawnHooks", own],
])('hooks %s for agents of a type are asked about all agents below one, and no others', async (_, make) => {
  const host = await make();
  const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
  const reviewer = await session.spawn({ agent_type: 'reviewer' });
  const helper = await reviewer.spawn({ agent_type: 'helper' });
  const below = await helper.spawn({ agent_type: 'helper' });
  const beside = await session.spawn({ agent_type: 'helper' });
  const write = async (by: typeof session) =>
    (await by.tool({ name: 'Write', input: { file_path: 'a' }, execute: () => 'written' })).status;
  const all = [session, reviewer, helper, below, beside];
  expect(await Promise.all(all.map(write))).toEqual(['ran', 'denied', 'denied', 'denied', 'ran']);
  // A call that names its agent by the id alone.
  const call = { session_id: session.session_id, tool_name: 'Write', tool_input: {}, tool_use_id: 't' };
  const named = async ({ agent_id }: typeof session) =>
    (await host.fire('PreToolUse', { ...call, ...(agent_id === undefined ? {} : { agent_id }) } as never)).verdict;
  expect(await Promise.all(all.map(named))).toEqual(['none', 'deny', 'deny', 'deny', 'none']);
  const runs = (id: string | undefined) =>
    host.explain('PreToolUse', { ...call, agent_id: id } as never).hooks.some((hook) => hook.runs);
  expect([below, beside].map(({ agent_id }) => runs(agent_id))).toEqual([true, false]);
  await host.close();
});

test.each([
  ['of a policy', policed],
  ["of the host's own spawnHooks", own],
])('hooks %s for agents of a type are asked about those below one that has a scope by hand', async (_, make) => {
  const host = await make();
  const start = (agent_id: string, agent_type: string) =>
    host.fire('SubagentStart', { session_id: 's1', agent_id, agent_type } as never);
  await start('a', 'reviewer');
  host.registerScoped(
    { session: 's1', agent: 'a1' },
    { Notification: [{ hooks: [() => undefined] }] },
    { parent: { session: 's1', agent: 'a' } },
  );
  const call = { session_id: 's1', tool_name: 'Write', tool_input: {}, tool_use_id: 't' };
  const verdict = async (agent_id: string) => (await host.fire('PreToolUse', { ...call, agent_id } as never)).verdict;
  expect(await Promise.all(['a', 'a1', 'a2'].map(verdict))).toEqual(['deny', 'deny', 'none']);
  await host.close();
});

const writes = (agent_id: string, more: object = {}) =>
  ({ session_id: 's1', agent_id, tool_name: 'Write', tool_input: {}, tool_use_id: 't', ...more }) as never;

test.each(['the reviewer', 'the helper'])(
  'the hooks of a policy hold for an agent below also where the scope of %s has ended, with an alarm',
  async (whose) => {
    const host = await policed();
    const alarms: string[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_alarm' && alarms.push(record.alarm)));
    const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
    const reviewer = await session.spawn({ agent_type: 'reviewer' });
    const helper = await reviewer.spawn({ agent_type: 'helper' });
    const beside = await session.spawn({ agent_type: 'helper' });
    const ended = whose === 'the reviewer' ? reviewer : helper;
    for (const { agent_id } of [ended, beside])
      host.unregisterScoped({ session: session.session_id, agent: agent_id as string });
    const call = { tool_name: 'Write', tool_input: {}, tool_use_id: 't', session_id: session.session_id };
    const { hooks } = host.explain('PreToolUse', { ...call, agent_id: helper.agent_id } as never);
    expect(hooks.map(({ runs }) => runs)).toEqual([true]);
    const write = async (by: typeof helper) =>
      (await by.tool({ name: 'Write', input: {}, execute: () => 'written' })).status;
    expect([await write(helper), await write(beside), alarms]).toEqual(['denied', 'ran', ['reopened']]);
    // What it starts now is below the reviewer as well.
    expect(await write(await helper.spawn({ agent_type: 'helper' }))).toBe('denied');
    await host.close();
  },
);

test('the hooks of a policy hold for an agent with a scope by hand after the agent above it has stopped, until another agent has its id', async () => {
  const host = await policed();
  const named = { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' };
  const hooks = { Notification: [{ hooks: [() => undefined] }] };
  const scope = { session: 's1', agent: 'b' };
  await host.fire('SubagentStart', named as never);
  host.registerScoped(scope, hooks, { parent: { session: 's1', agent: 'a' } });
  const verdict = async (more?: object) => (await host.fire('PreToolUse', writes('b', more))).verdict;
  const before = await verdict();
  await host.fire('SubagentStop', { ...named, stop_hook_active: false } as never);
  expect([before, await verdict({ agent_type: 'helper' }), await verdict()]).toEqual(['deny', 'deny', 'deny']);
  host.unregisterScoped(scope);
  host.registerScoped(scope, hooks);
  expect(await verdict()).toBe('deny');
  host.unregisterScoped(scope);
  const session = await host.openSession({ session_id: 's1' });
  await session.spawn({ id: 'b', agent_type: 'helper' });
  expect(await verdict()).toBe('none');
  await host.close();
});

test("the host's merge: 'all' does not extend the hooks of a policy to other agents", async () => {
  const { join, push } = ground();
  const { team } = await join();
  const host = createHost({ merge: 'all', logger: () => undefined });
  team.join(host);
  await push(bundleOf(1, { 'acme/agents.json': { spawnHooks: { reviewer: hooks } } }, [key]));
  await until(() => channel(team)?.sequence === 1);
  const named = { session_id: 's1', agent_id: 'a', agent_type: 'reviewer' };
  await host.fire('SubagentStart', named as never);
  await host.fire('SubagentStart', { ...named, agent_id: 'b', agent_type: 'helper' } as never);
  const verdict = async (agent: string) => (await host.fire('PreToolUse', writes(agent))).verdict;
  expect([await verdict('a'), await verdict('b')]).toEqual(['deny', 'none']);
  await host.close();
});

test.each(['no session', 'no session, with a type'])(
  'the hooks of a policy hold after the end of a scope for an agent whose id has hooks in %s',
  async (where) => {
    const host = await policed();
    const notes = { Notification: [{ hooks: [() => undefined] }] };
    for (const agent of ['a', 'b']) host.registerScoped(agent, notes);
    host.spawnHooks('helper', notes);
    if (where !== 'no session')
      for (const agent_id of ['a', 'b']) await host.fire('SubagentStart', { agent_id, agent_type: 'helper' } as never);
    const alarms: string[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_alarm' && alarms.push(record.alarm)));
    const session = await host.openSession({ session_id: 's1' });
    const reviewer = await session.spawn({ id: 'a', agent_type: 'reviewer' });
    const helper = await reviewer.spawn({ id: 'b', agent_type: 'helper' });
    const verdicts = async () =>
      Promise.all(['a', 'b'].map(async (agent) => (await host.fire('PreToolUse', writes(agent))).verdict));
    expect([await verdicts(), alarms]).toEqual([['deny', 'deny'], []]);
    await helper.close();
    await reviewer.close();
    const runs = ['a', 'b'].map((agent) => host.explain('PreToolUse', writes(agent)).hooks.some((hook) => hook.runs));
    expect([runs, await verdicts(), alarms]).toEqual([
      [true, true],
      ['deny', 'deny'],
      ['reopened', 'reopened'],
    ]);
    expect((await host.fire('PreToolUse', writes('b', { session_id: 's2' }))).verdict).toBe('none');
    await host.close();
  },
);

test.each([
  ['an event', (host: Host, of: object) => host.fire('SubagentStart', of as never)],
  [
    'another program',
    (host: Host, { session_id: session, agent_id: agent, agent_type: type }: Record<string, string>) =>
      servicesOf(host).registrar.agents.start({ session, agent } as never, type as string),
  ],
])(
  'an agent of another type that %s starts with a used id is below none of those that the one before was below',
  async (_, start) => {
    const host = await policed();
    const session = await host.openSession({ session_id: 's1' });
    const reviewer = await session.spawn({ agent_type: 'reviewer' });
    const verdict = async (more?: object) => (await host.fire('PreToolUse', writes('b', more))).verdict;
    for (const isHeard of [false, true]) {
      await (await reviewer.spawn({ id: 'b', agent_type: 'helper' })).close();
      if (isHeard) expect(await verdict()).toBe('deny');
      // It may be the same one again.
      await start(host, { session_id: 's1', agent_id: 'b', agent_type: 'helper' });
      expect(await verdict()).toBe('deny');
      await host.fire('SubagentStop', { session_id: 's1', agent_id: 'b', stop_hook_active: false } as never);
      if (isHeard) expect(await verdict()).toBe('deny');
      await start(host, { session_id: 's1', agent_id: 'b', agent_type: 'other' });
      expect([await verdict(), await verdict({ agent_type: 'other' })]).toEqual(['none', 'none']);
      host.unregisterScoped({ session: 's1', agent: 'b' });
    }
    await host.close();
  },
);
