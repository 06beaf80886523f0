import { expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { allow, ask, createHost, deny, type Host, rule } from '../../src/index.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import { anyHooks } from '../host/kit.js';

class Pause {
  readonly question = 'Which one?';
}

const groups = (event: string, handler: unknown, more: object = {}) =>
  anyHooks({ [event]: [{ name: 'guard', onFailure: 'block', hooks: [handler], ...more }] });

/** Where a hook for the agent `a1` of the session `s9` can be registered. */
const PLACES: [string, (host: Host, hooks: ReturnType<typeof groups>) => unknown][] = [
  ['for the host', (host, hooks) => host.register(hooks)],
  ['for all sessions', (host, hooks) => host.registerScoped({}, hooks)],
  ['for the session', (host, hooks) => host.registerScoped({ session: 's9' }, hooks)],
  ['for the agent, in all sessions', (host, hooks) => host.registerScoped('a1', hooks)],
  ['for the agent of the session', (host, hooks) => host.registerScoped({ session: 's9', agent: 'a1' }, hooks)],
  [
    'on the raw hook',
    (host, hooks) => host.hooks.PreToolUse.tap('guard', Object.values(hooks)[0]?.[0]?.hooks[0] as never),
  ],
];

/** A host that was given no session, so that hooks registered without one are for all. */
function freeHost(reports: string[] = []) {
  return { host: createHost({ logger: (line) => void reports.push(line) }), reports };
}

async function agentOf(host: Host) {
  const session = await host.openSession({ session_id: 's9', watch: false, permission: () => ({ behavior: 'allow' }) });
  return session.spawn({ id: 'a1', agent_type: 'worker' });
}

test.each(PLACES)('a guard that comes while a call is paused judges it, where it is registered %s', async (_, add) => {
  const { host } = freeHost();
  const agent = await agentOf(host);
  let calls = 0;
  const call: ToolCall = {
    ...{ id: 'c1', name: 'Bash', input: { command: 'rm x' } },
    passThrough: (error) => error instanceof Pause,
    execute: () => {
      if (calls++ === 0) throw new Pause();
      return 'ran';
    },
  };
  await expect(agent.tool(call)).rejects.toBeInstanceOf(Pause);
  add(
    host,
    groups('PreToolUse', () => deny('no rm')),
  );
  expect(await agent.tool(call)).toMatchObject({ status: 'denied' });
  expect(calls).toBe(1);
  await host.close();
});

test.each(PLACES.slice(0, -1))(
  'a tool named nearly as in a matcher is reported, where the hook is registered %s',
  async (_, add) => {
    const { host, reports } = freeHost();
    const agent = await agentOf(host);
    add(
      host,
      groups('PreToolUse', () => undefined, { matcher: 'Bash' }),
    );
    await agent.tool({ name: 'bash', input: {}, execute: () => 'ran' });
    expect(reports).toEqual([expect.stringMatching(/guard is for the tool "Bash"/)]);
    await host.close();
  },
);

const CALL = { session_id: 's9', agent_id: 'a1', tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't' };

test.each(PLACES.slice(0, -1))(
  "a rule that asks is known to a rule's allow of the agent, where it is registered %s",
  async (where, add) => {
    const { host } = freeHost();
    add(host, groups('PreToolUse', rule('ask', 'sure?')));
    host.registerScoped({ session: 's9', agent: 'a1' }, { PermissionRequest: [{ hooks: [rule('allow')] }] });
    // Not fired for the call, so that the ask is known only by evaluating the rule.
    const { verdict } = await host.fire('PermissionRequest', { ...CALL, tool_input: { command: 'pwd' } });
    expect(verdict).toBe(where.startsWith('for the agent') ? 'allow' : 'none');
    await host.close();
  },
);

test('what a hook of the agent in all sessions has asked is answered by a rule of that scope', async () => {
  const { host } = freeHost();
  host.registerScoped({ session: 's9', agent: 'a1' }, { Notification: [{ hooks: [() => undefined] }] });
  host.registerScoped('a1', {
    PreToolUse: [{ hooks: [() => ask('sure?')] }],
    PermissionRequest: [{ hooks: [rule('allow')] }],
  });
  expect(await host.fire('PreToolUse', CALL)).toMatchObject({ verdict: 'ask' });
  expect(await host.fire('PermissionRequest', CALL)).toMatchObject({ verdict: 'allow' });
  await host.close();
});

test('hooks of the type of an agent that is known in all sessions are not counted as those of other agents', async () => {
  const host = createHost({ logger: () => undefined });
  const records: FireRecord[] = [];
  host.events$.subscribe((record) => record.type === 'hook_fire' && records.push(record));
  const session = await host.openSession({ watch: false });
  await session.close();
  host.spawnHooks('worker', { PreToolUse: [{ hooks: [() => allow()] }] });
  host.registerScoped('a1', { Notification: [{ hooks: [() => undefined] }] });
  await host.fire('SubagentStart', { agent_id: 'a1', agent_type: 'worker' });
  host.registerScoped({ session: 's9', agent: 'a1' }, { Notification: [{ hooks: [() => undefined] }] });
  await host.fire('PreToolUse', CALL);
  expect(records.at(-1)?.out_of_scope).toBe(0);
  expect(host.explain('PreToolUse', CALL).hooks.filter(({ reason }) => reason === 'scope')).toEqual([]);
  await host.close();
});
