import { expect, test } from 'vitest';
import type { SessionMessage } from '../../src/session/options.js';
import { deferred, never, until } from '../host/kit.js';
import { on, opened } from './kit.js';

test('close waits for what it cut short: the hooks that are told of it end before SessionEnd begins', async () => {
  const { host, session } = await opened();
  const order: string[] = [];
  const gate = deferred<void>();
  on(host, 'PostToolUseFailure', async () => {
    order.push('failure begins');
    await gate.promise;
    order.push('failure ends');
  });
  on(host, 'SessionEnd', () => void order.push('end'));
  const running = session.tool({ name: 'T', input: {}, execute: () => never() });
  await until(() => !session.closed);
  const closing = session.close().then(() => order.push('closed'));
  await until(() => order.length === 1);
  await new Promise(setImmediate);
  expect(order).toEqual(['failure begins']);
  gate.resolve();
  await closing;
  expect(order).toEqual(['failure begins', 'failure ends', 'end', 'closed']);
  expect((await running).status).toBe('interrupted');
});

test('an agent whose loop a hook has ended takes no more calls once it is being closed', async () => {
  const { host, session } = await opened();
  const agent = await session.spawn({ agent_type: 'outer', id: 'o' });
  on(host, 'PostToolUse', () => ({ continue: false }));
  const call = { name: 'T', input: {}, execute: () => 1 };
  expect(await agent.tool(call)).toMatchObject({ endsLoop: true });
  await agent.spawn({ agent_type: 'inner', id: 'i' });
  const gate = deferred<void>();
  let asked = false;
  on(host, 'SubagentStop', () => {
    asked = true;
    return gate.promise;
  });
  const closing = agent.close();
  await until(() => asked);
  expect(agent.closed).toBe(true);
  await expect(agent.tool(call)).rejects.toMatchObject({ code: 'SESSION_CLOSED' });
  gate.resolve();
  await closing;
});

test('what PostCompact hooks have to say is shown to the user', async () => {
  const messages: SessionMessage[] = [];
  const { host, session } = await opened({ onMessage: (message) => messages.push(message) });
  on(host, 'PostCompact', () => ({ systemMessage: 'compacted well' }));
  await session.compact({ trigger: 'auto', run: () => 'the summary' });
  expect(messages).toEqual([{ event: 'PostCompact', text: 'compacted well', session_id: session.id }]);
});

test('an onPermissionUpdate that throws is told, and the call runs as it was allowed', async () => {
  const { session, reports } = await opened({
    permission: () => ({ behavior: 'ask' }),
    ask: () => ({ behavior: 'allow', updatedPermissions: [{ type: 'addRules' }] }),
    onPermissionUpdate: () => {
      throw new Error('no disk');
    },
  });
  expect(await session.tool({ name: 'T', input: {}, execute: () => 'ok' })).toMatchObject({ status: 'ran' });
  expect(reports).toEqual([expect.stringMatching(/^onPermissionUpdate of session .* threw: .*no disk/)]);
});

test('a call that needs approval is asked about whatever hooks, rules and the mode allow, and what they deny is denied', async () => {
  const run = async (options: Parameters<typeof opened>[0], hook?: object) => {
    const { host, session, seen } = await opened(options);
    on(host, 'PreToolUse', () => hook);
    const call = { name: 'T', input: {}, needsApproval: true, effect: 'read' as const, execute: () => 'ran' };
    const { status, deniedBy } = await session.tool(call);
    return { status, deniedBy, asked: seen.some(({ event }) => event === 'PermissionRequest') };
  };
  const allow = () => ({ behavior: 'allow' as const });
  const nobody = { status: 'denied', deniedBy: 'nobody', asked: true };
  expect(await run({ permission: allow })).toEqual(nobody);
  expect(await run({}, { hookSpecificOutput: { permissionDecision: 'allow' } })).toEqual(nobody);
  expect(await run({ permission_mode: 'bypassPermissions' })).toEqual(nobody);
  expect(await run({ permission: allow, ask: allow })).toMatchObject({ status: 'ran', asked: true });
  const rules = { permission: () => ({ behavior: 'deny' as const }), ask: allow };
  expect(await run(rules)).toEqual({ status: 'denied', deniedBy: 'rules', asked: false });
  expect(await run({ ask: allow }, { decision: 'block', reason: 'no' })).toMatchObject({
    deniedBy: 'hook',
    asked: false,
  });
});
