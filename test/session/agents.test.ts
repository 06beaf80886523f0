import { describe, expect, test } from 'vitest';
import { definePlugin } from '../../src/plugins/define.js';
import { anyHooks, testHost } from '../host/kit.js';
import { byScope, opened } from './kit.js';

/** Hooks that note the events they see, under a name. */
function noting(log: string[], name: string, ...events: string[]) {
  const note = ({ hook_event_name, agent_id, session_id }: Record<string, string>): void => {
    log.push(`${name}: ${hook_event_name} of ${agent_id ?? session_id}`);
  };
  return anyHooks(Object.fromEntries(events.map((event) => [event, [{ hooks: [note] }]])));
}

const call = { name: 'T', input: {}, execute: () => 1 };

test("an agent's hooks, plugins and the hooks of its type are there before its SubagentStart, and end with it", async () => {
  const log: string[] = [];
  const { host, session } = await opened();
  const events = ['SubagentStart', 'PreToolUse', 'SubagentStop'];
  host.spawnHooks('worker', noting(log, 'type', ...events));
  const plugin = definePlugin({ name: 'p', apply: (scope) => void scope.register(noting(log, 'plugin', ...events)) });
  const child = await session.spawn({
    agent_type: 'worker',
    id: 'a',
    hooks: noting(log, 'own', ...events),
    plugins: [plugin, [plugin, {}]],
  });
  await child.tool(call);
  await session.tool(call);
  await child.stop();
  const order = ['type', 'own', 'plugin', 'plugin'];
  expect(log).toEqual(events.flatMap((event) => order.map((who) => `${who}: ${event} of a`)));
  expect(JSON.stringify(host.describe())).not.toContain('own');
});

test("a session's plugins are in place before its SessionStart, however long they take", async () => {
  const log: string[] = [];
  const slow = definePlugin({
    name: 'slow',
    async apply(scope) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      scope.register(noting(log, 'slow', 'SessionStart'));
    },
  });
  const { session } = await opened({ plugins: [slow] });
  expect(log).toEqual([`slow: SessionStart of ${session.id}`]);
});

test('hooks registered for an agent before it is spawned are its own', async () => {
  const log: string[] = [];
  for (const options of [{}, { session: undefined }]) {
    const { host } = testHost(options as object);
    host.registerScoped('agent-1', noting(log, 'early', 'SubagentStart', 'PreToolUse'));
    const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
    const child = await session.spawn({ agent_type: 'w', id: 'agent-1' });
    await child.tool(call);
    await child.close();
    await host.close();
  }
  expect(log).toEqual(Array(2).fill(['early: SubagentStart of agent-1', 'early: PreToolUse of agent-1']).flat());
});

test("an agent has its ancestors' hooks, nobody has its children's or its siblings'", async () => {
  const log: string[] = [];
  const { session } = await opened({ hooks: noting(log, 'session', 'PreToolUse') });
  const parent = await session.spawn({ agent_type: 'w', id: 'parent', hooks: noting(log, 'parent', 'PreToolUse') });
  const child = await parent.spawn({ agent_type: 'w', id: 'child', hooks: noting(log, 'child', 'PreToolUse') });
  const sibling = await session.spawn({ agent_type: 'w', id: 'sibling' });
  for (const who of [session, parent, child, sibling]) await who.tool(call);
  expect(log.map((line) => line.replace('PreToolUse of ', ''))).toEqual([
    'session: s',
    ...['session: parent', 'parent: parent'],
    ...['session: child', 'parent: child', 'child: child'],
    'session: sibling',
  ]);
});

test("another session's hooks are never run, not even for an agent of the same id", async () => {
  const log: string[] = [];
  const { host, session } = await opened({ hooks: noting(log, 'one', 'PreToolUse') });
  const other = await host.openSession({
    session_id: 's2',
    hooks: noting(log, 'two', 'PreToolUse'),
    permission: () => ({ behavior: 'allow' }),
  });
  const a = await session.spawn({ agent_type: 'w', id: 'x', hooks: noting(log, 'one.x', 'PreToolUse') });
  const b = await other.spawn({ agent_type: 'w', id: 'x', hooks: noting(log, 'two.x', 'PreToolUse') });
  await Promise.all([a, b, session, other].map((s) => s.tool(call)));
  const told = (name: string) => log.filter((line) => line.startsWith(`${name}:`)).map((line) => line.split(' of ')[1]);
  expect([told('one'), told('one.x')]).toEqual([expect.arrayContaining(['s', 'x']), ['x']]);
  expect(log).toHaveLength(6);
});

test('the hooks of a session are not those of fires that name another, on a host without a session of its own', async () => {
  const log: string[] = [];
  const { host } = testHost({ session: undefined } as object);
  await host.openSession({ hooks: noting(log, 'driven', 'Stop') });
  await host.fire('Stop', { session_id: 'elsewhere', stop_hook_active: false });
  expect(log).toEqual([]);
});

test('agents nest by the parent that is named', async () => {
  const log: string[] = [];
  const { session, seen } = await opened();
  const parent = await session.spawn({ agent_type: 'w', id: 'parent', hooks: noting(log, 'parent', 'SubagentStart') });
  log.length = 0;
  await session.spawn({ agent_type: 'w', id: 'by-id', parent: 'parent' });
  await session.spawn({ agent_type: 'w', id: 'by-session', parent });
  await parent.spawn({ agent_type: 'w', id: 'of-root', parent: session });
  expect(log).toEqual(['parent: SubagentStart of by-id', 'parent: SubagentStart of by-session']);
  expect(Object.keys(byScope(seen))).toEqual(['main', 'parent', 'by-id', 'by-session', 'of-root']);
});

test("an agent has its parent's directory, model, mode, prompt and rules, until it has its own", async () => {
  const { session, seen } = await opened({
    cwd: '/w',
    model: 'm',
    permission_mode: 'plan',
    permission: () => ({ behavior: 'deny', message: 'parent' }),
  });
  await session.prompt('p', { prompt_id: 'p1' });
  const plain = await session.spawn({ agent_type: 'w' });
  const own = await session.spawn({
    agent_type: 'w',
    cwd: '/own',
    model: 'n',
    permission_mode: 'auto',
    permission: () => ({ behavior: 'deny', message: 'own' }),
  });
  const state = (s: typeof plain) => [s.cwd, s.model, s.permission_mode, s.prompt_id];
  expect([state(plain), state(own)]).toEqual([
    ['/w', 'm', 'plan', 'p1'],
    ['/own', 'n', 'auto', 'p1'],
  ]);
  session.permission_mode = 'default';
  await session.changeCwd('/elsewhere');
  expect([plain.permission_mode, plain.cwd, own.permission_mode]).toEqual(['default', '/w', 'auto']);
  expect([(await plain.tool(call)).reason, (await own.tool(call)).reason]).toEqual(['parent', 'own']);
  expect(seen.findLast((s) => s.event === 'CwdChanged')?.input).toMatchObject({
    cwd: '/elsewhere',
    old_cwd: '/w',
    new_cwd: '/elsewhere',
  });
});

describe('an agent that cannot be spawned leaves nothing behind', () => {
  test.each([
    ['wrong hooks', { hooks: { PreTool: [] } }, 'INVALID_HOOKS'],
    [
      'a plugin that fails',
      { plugins: [{ name: 'bad', apply: () => Promise.reject(new Error('no')) }] },
      'PLUGIN_FAILED',
    ],
    ['no type', { agent_type: undefined }, 'INVALID_OPTIONS'],
  ])('%s', async (_, options, code) => {
    const { host, session, seen } = await opened();
    await expect(session.spawn({ agent_type: 'w', id: 'a', ...(options as object) })).rejects.toMatchObject({ code });
    expect(seen.some((s) => s.event === 'SubagentStart')).toBe(false);
    expect(JSON.stringify(host.describe())).not.toContain('"a"');
    await expect(session.spawn({ agent_type: 'w', id: 'a' })).resolves.toMatchObject({ id: 'a' });
  });
});

test('a session that cannot be opened leaves nothing behind', async () => {
  const { host } = testHost();
  await expect(host.openSession({ hooks: anyHooks({ Nope: [] }) })).rejects.toMatchObject({ code: 'INVALID_HOOKS' });
  await expect(host.openSession()).resolves.toMatchObject({ id: 's' });
});

test("sessions without a name of their own: the first is the host's, the next have new ones", async () => {
  const { host } = testHost();
  const [a, b, c] = [await host.openSession(), await host.openSession(), await host.openSession()];
  expect(a.id).toBe('s');
  expect(new Set([a.id, b.id, c.id]).size).toBe(3);
});

test('an agent that has ended and goes on has the hooks of its type, and may be started again', async () => {
  const log: string[] = [];
  const { host, session } = await opened();
  host.spawnHooks('worker', noting(log, 'type', 'PostToolUse'));
  const agent = { agent_id: 'a', agent_type: 'worker' };
  const child = await session.spawn({ agent_type: 'worker', id: 'a' });
  await child.stop();
  await host.fire('PostToolUse', { ...agent, tool_name: 'T', tool_input: {}, tool_response: 1 });
  expect(log.splice(0)).toEqual(['type: PostToolUse of a']);
  const again = await session.spawn({ agent_type: 'worker', id: 'a' });
  await again.tool(call);
  expect(log).toEqual(['type: PostToolUse of a']);
});
