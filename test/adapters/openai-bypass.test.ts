import { Agent, RunState, run as runAgent, setTracingDisabled, tool, toolSearchTool } from '@openai/agents';
import { SandboxAgent } from '@openai/agents/sandbox';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type AnyAgent, agentTool, drive } from '../../src/adapters/openai-agents.js';
import type { HookRecord } from '../../src/emit/record.js';
import { names, on, opened } from '../session/kit.js';
import { toolsInto } from './openai-kit.js';

setTracingDisabled(true);

test('tools that a search of the program finds go through the hooks', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'not that' }));
  const ran: string[] = [];
  const late = tool({
    name: 'late',
    description: 'late',
    parameters: z.object({}),
    execute: () => {
      ran.push('late');
      return 'done';
    },
  });
  const model = new ScriptedModel([
    [{ type: 'tool_search_call', call_id: 's', execution: 'client', arguments: {}, status: 'completed' } as never],
    [functionCall('late', {}, { callId: 'c' })],
    [assistantMessage('Done.')],
  ]);
  const tools = [toolSearchTool({ execution: 'client', execute: () => [late] })];
  const { text } = await drive(session, new Agent({ name: 'main', model, tools }), 'Go');
  expect(text).toBe('Done.');
  expect(ran).toEqual([]);
  expect(names(seen)).toContain('PreToolUse');
  expect(JSON.stringify(model.calls[2]?.request.input)).toContain('not that');
});

test('an agent of a sandbox, which gets its tools while it runs, is refused, also as one to hand over to', async () => {
  const { session } = await opened();
  const boxed = new SandboxAgent({ name: 'boxed' });
  const expected = { code: 'INVALID_OPTIONS', message: expect.stringContaining('agent boxed: no hook would see') };
  await expect(drive(session, boxed as never, 'Go')).rejects.toMatchObject(expected);
  const main = new Agent({ name: 'main', handoffs: [boxed as never] });
  await expect(drive(session, main, 'Go')).rejects.toMatchObject(expected);
});

test('a prompt is asked about behind which a message of the system stands', async () => {
  const { host, session } = await opened();
  on(host, 'UserPromptSubmit', () => ({ decision: 'block', reason: 'not here' }));
  const model = new ScriptedModel([[assistantMessage('never said')]]);
  const input = [
    { role: 'user' as const, content: 'hello' },
    { role: 'system' as const, content: 'Be kind.' },
  ];
  const { status } = await drive(session, new Agent({ name: 'main', model }), input);
  expect(status).toBe('blocked');
  expect(model.calls).toEqual([]);
});

const write = (ran: string[], more: object = {}) =>
  tool({
    name: 'write',
    description: 'Writes.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => {
      ran.push(path);
      return 'written';
    },
    ...more,
  });
const calls = (path: string) => [functionCall('write', { path }, { callId: 'w' })];
const SAID = [assistantMessage('Done.')];
const ask = (updatedInput?: object) => ({ hookSpecificOutput: { permissionDecision: 'ask', updatedInput } });

test.each([
  { who: 'a hook', more: {}, hook: ask() },
  { who: 'the tool', more: { needsApproval: true }, hook: undefined },
])('what the user has approved is the input that $who asked about, whatever the state says by then', async (how) => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', () => how.hook);
  const ran: string[] = [];
  const model = new ScriptedModel([calls('a'), SAID]);
  const agent = new Agent({ name: 'main', model, tools: [write(ran, how.more)] });
  const first = await drive(session, agent, 'Go');
  const changed = String(first.state).replaceAll('{\\"path\\":\\"a\\"}', '{\\"path\\":\\"b\\"}');
  expect(changed).not.toBe(String(first.state));
  const state = await RunState.fromString(agent, changed);
  for (const item of state.getInterruptions()) state.approve(item);
  expect(await drive(session, agent, state as never)).toMatchObject({ status: 'done', text: 'Done.' });
  expect(ran).toEqual([]);
  expect(JSON.stringify(model.calls.at(-1)?.request.input)).toContain('asked about another input of write');

  // Where nobody remembers what was asked, the state is taken as it is.
  const other = await opened();
  const again = new Agent({ name: 'main', model: new ScriptedModel([SAID]), tools: [write(ran, how.more)] });
  const taken = await RunState.fromString(again, changed);
  for (const item of taken.getInterruptions()) taken.approve(item);
  await drive(other.session, again, taken as never);
  expect(ran).toEqual(['b']);
});

test('what the user has approved is recorded so, also where a hook allows it', async () => {
  const { host, session } = await opened();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision: 'allow' } }));
  const write = toolsInto([])('write', { needsApproval: true });
  const model = new ScriptedModel([
    [functionCall('write', { path: 'a' }, { callId: '1' })],
    [assistantMessage('Done.')],
  ]);
  const agent: AnyAgent = new Agent({ name: 'main', model, tools: [write] });
  const first = await drive(session, agent, 'Go');
  for (const item of first.interruptions) first.state?.approve(item);
  await drive(session, agent, first.state as never);
  const calls = records.filter((record) => record.type === 'tool_call');
  expect(calls).toMatchObject([{ status: 'ran', approver: 'user' }]);
  expect(calls[0]).not.toHaveProperty('decided_by');
});

test('what a hook has rewritten is approved so, and not as it is rewritten by then', async () => {
  for (const [later, expected] of [
    ['b', ['b']],
    ['c', []],
  ] as const) {
    const { host, session } = await opened();
    const paths = ['b', later];
    on(host, 'PreToolUse', () => ask({ path: paths.shift() }));
    const ran: string[] = [];
    const agent = new Agent({ name: 'main', model: new ScriptedModel([calls('a'), SAID]), tools: [write(ran)] });
    const shown: unknown[] = [];
    const onAsk = (input: unknown) => void shown.push(input);
    const first = await drive(session, agent, 'Go', { onAsk });
    for (const item of first.interruptions) first.state?.approve(item);
    await drive(session, agent, first.state as never, { onAsk });
    expect([shown, ran]).toEqual([[{ path: 'b' }], expected]);
  }
});

test.each([undefined, 'ask', 'allow'])(
  'what a tool needs approval of, and a hook rewrites, saying %s, is approved as it is shown',
  async (permissionDecision) => {
    for (const onAsk of [undefined, () => undefined])
      for (const restored of [false, true]) {
        const options = { permission: () => ({ behavior: 'allow' as const }) };
        const { host, session } = await opened(permissionDecision === undefined ? options : {});
        const records: HookRecord[] = [];
        host.events$.subscribe((record) => records.push(record));
        on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision, updatedInput: { path: 'b' } } }));
        const ran: string[] = [];
        const model = new ScriptedModel([calls('a'), SAID]);
        const agent = new Agent({ name: 'main', model, tools: [write(ran, { needsApproval: true })] });
        const first = await drive(session, agent, 'Go', { onAsk });
        for (const item of first.interruptions) first.state?.approve(item);
        const later = restored ? await host.openSession(options) : session;
        await drive(later, agent, first.state as never, { onAsk });
        expect(ran).toEqual(onAsk ? ['b'] : []);
        const call = records.findLast((record) => record.type === 'tool_call');
        expect(call).toMatchObject(
          onAsk ? { status: 'ran', approver: 'user' } : { status: 'denied', denied_by: 'nobody' },
        );
        expect(call).not.toHaveProperty('decided_by');
      }
  },
);

test("a subagent's tool that needs approval is asked about, and what rules deny stays denied", async () => {
  for (const [behavior, expected] of [
    ['allow', ['a']],
    ['deny', []],
  ] as const) {
    const permission = (_: unknown, { name }: { name: string }) => ({
      behavior: name === 'write' ? behavior : 'allow',
    });
    const { session, seen } = await opened({ permission, ask: () => ({ behavior: 'allow' }) });
    const ran: string[] = [];
    const writer = new Agent({
      name: 'writer',
      model: new ScriptedModel([calls('a'), SAID]),
      tools: [write(ran, { needsApproval: true })],
    });
    const model = new ScriptedModel([[functionCall('writer', { input: 'Go' }, { callId: 's' })], SAID]);
    const tools = [agentTool(writer, { toolDescription: 'Writes.' })];
    await drive(session, new Agent({ name: 'main', model, tools }), 'Go');
    expect(ran).toEqual(expected);
    expect(names(seen).includes('PermissionRequest')).toBe(behavior === 'allow');
  }
});

test('an agent that a tool runs on its own account is that call alone to the hooks', async () => {
  const { session, seen } = await opened();
  const ran: string[] = [];
  const inner = new Agent({ name: 'inner', model: new ScriptedModel([calls('a'), SAID]), tools: [write(ran)] });
  const helper = tool({
    name: 'helper',
    description: 'Helps.',
    parameters: z.object({}),
    execute: async () => (await runAgent(inner, 'Go')).finalOutput,
  });
  const model = new ScriptedModel([[functionCall('helper', {}, { callId: 'h' })], SAID]);
  await drive(session, new Agent({ name: 'main', model, tools: [helper] }), 'Go');
  expect(ran).toEqual(['a']);
  expect(seen.flatMap(({ input }) => input['tool_name'] ?? [])).toEqual(['helper', 'helper']);
});
