import { Agent, type MCPServer, MemorySession, RunState, shellTool, webSearchTool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/openai-agents.js';
import { names, on, opened } from '../session/kit.js';
import { toolsInto } from './openai-kit.js';

let calls = 0;
const call = (name: string, input: object) => functionCall(name, { ...input }, { callId: `call-${++calls}` });
const says = (...said: (string | readonly [string, object] | readonly (readonly [string, object])[])[]) =>
  new ScriptedModel(
    said.map((one) => {
      if (typeof one === 'string') return [assistantMessage(one)];
      const made = (typeof one[0] === 'string' ? [one] : one) as readonly (readonly [string, object])[];
      return made.map(([name, input]) => call(name, input));
    }),
  );
const _path = z.object({ path: z.string() });
const ran: string[] = [];
const toolOf = toolsInto(ran, (what) => `${what} done`);
const heard = (model: ScriptedModel, at: number) => {
  const { input = [], systemInstructions } = model.calls[at]?.request ?? {};
  const items = typeof input === 'string' ? [] : input;
  const outputs = items.flatMap((item) => (item.type === 'function_call_result' ? [item.output] : []));
  return { system: systemInstructions, outputs };
};

async function setup(options: Parameters<typeof opened>[0] = {}) {
  ran.length = 0;
  return opened(options);
}

test("the user's own agent is as it was: its tools run without hooks elsewhere", async () => {
  const { session } = await setup();
  const own = toolOf('read');
  const agent = new Agent({ name: 'main', model: says(['read', { path: 'a' }], 'Done.'), tools: [own] });
  const heardEvents: string[] = [];
  agent.on('agent_start', () => heardEvents.push('start'));
  const { text } = await drive(session, agent, 'Go');
  expect(text).toBe('Done.');
  expect(agent.tools).toEqual([own]);
  expect(heardEvents).toEqual(['start']);
});

test('tools of an MCP server go through the hooks too', async () => {
  const { host, session } = await setup();
  on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'not from there' }));
  const server = {
    name: 'files',
    cacheToolsList: false,
    connect: async () => undefined,
    close: async () => undefined,
    invalidateToolsCache: async () => undefined,
    listTools: async () => [
      {
        name: 'read',
        description: 'Reads.',
        inputSchema: { type: 'object', properties: {}, required: [], additionalProperties: false },
      },
    ],
    callTool: async () => {
      ran.push('read of the server');
      return [{ type: 'text', text: 'the file' }];
    },
  } as unknown as MCPServer;
  const model = says(['read', {}], 'Done.');
  await drive(session, new Agent({ name: 'main', model, mcpServers: [server] }), 'Go');
  expect(ran).toEqual([]);
  expect(JSON.stringify(heard(model, 1).outputs)).toContain('PreToolUse:read hook error: not from there');
});

test.each([
  [
    'agent.asTool()',
    () => new Agent({ name: 'other' }).asTool({ toolName: 'other', toolDescription: 'd' }),
    /agentTool\(\)/,
  ],
  ['a shell', () => shellTool({ shell: { run: async () => ({ output: [] }) } as never }), /shell: no hook would see/],
])('a tool that would run without hooks is refused before any model is called: %s', async (_, make, words) => {
  const { session, seen } = await setup();
  const model = says('never said');
  const agent = new Agent({ name: 'main', model, tools: [make() as never] });
  await expect(drive(session, agent, 'Go')).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringMatching(words) as string,
  });
  expect(model.calls).toHaveLength(0);
  expect(names(seen)).toEqual(['SessionStart']);
});

test('what a tool throws is a failure without its words where the SDK keeps them', async () => {
  const { session, seen } = await setup();
  const broken = toolOf('read', { execute: () => Promise.reject(new Error('the disk is gone')) });
  const model = says(['read', { path: 'a' }], 'Done.');
  await drive(session, new Agent({ name: 'main', model, tools: [broken] }), 'Go');
  const failure = seen.find((s) => s.event === 'PostToolUseFailure');
  expect(failure?.input['error']).toBe('An error occurred while running the tool. Please try again.');
});

test('a structured output stays one, with what hooks add as one more part', async () => {
  const { host, session, seen } = await setup();
  on(host, 'PostToolUse', () => ({ hookSpecificOutput: { additionalContext: 'It is small.' } }));
  const shown = toolOf('read', { execute: () => ({ type: 'text', text: 'a picture' }) });
  const model = says(['read', { path: 'a' }], 'Done.');
  await drive(session, new Agent({ name: 'main', model, tools: [shown] }), 'Go');
  expect(seen.find((s) => s.event === 'PostToolUse')?.input['tool_response']).toEqual({
    type: 'text',
    text: 'a picture',
  });
  const text = JSON.stringify(heard(model, 1).outputs);
  expect(text).toContain('a picture');
  expect(text).toContain('PostToolUse:read hook additional context: It is small.');
});

test("a hook that ends the loop does so for an agent with an output type, and for the agent's own way to end", async () => {
  const { host, session } = await setup();
  on(host, 'PostToolBatch', () => ({ continue: false, stopReason: 'enough' }));
  const model = says(['read', { path: 'a' }], 'never said');
  const agent = new Agent({ name: 'main', model, tools: [toolOf('read')], outputType: z.object({ n: z.number() }) });
  const ended = await drive(session, agent, 'Go');
  expect(ended).toMatchObject({ status: 'ended', reason: 'enough', text: '' });
  expect(ended.history.map((item) => item.type ?? 'message')).toEqual([
    'message',
    'function_call',
    'function_call_result',
  ]);
});

test.each([
  ['stop_on_first_tool', 'read a done'],
  [{ stopAtToolNames: ['read'] }, 'read a done'],
  [() => ({ isFinalOutput: true as const, isInterrupted: undefined, finalOutput: 'mine' }), 'mine'],
  ['run_llm_again', 'Said.'],
])("the agent's own way to end after a tool is kept: %s", async (toolUseBehavior, text) => {
  const { session, seen } = await setup();
  const model = says(['read', { path: 'a' }], 'Said.');
  const agent = new Agent({
    name: 'main',
    model,
    tools: [toolOf('read')],
    toolUseBehavior: toolUseBehavior as 'run_llm_again',
  });
  expect(await drive(session, agent, 'Go')).toMatchObject({ status: 'done', text });
  expect(names(seen).slice(-2)).toEqual(['PostToolBatch', 'Stop']);
});

test("a tool's own needsApproval pauses the turn before hooks judge it, and a hook's deny stands whatever the user said", async () => {
  const { host, session, seen } = await setup();
  on(host, 'PreToolUse', () => ({ decision: 'block', reason: 'never' }));
  const model = says(['write', { path: 'a' }], 'Then not.');
  const agent = new Agent({ name: 'main', model, tools: [toolOf('write', { needsApproval: true })] });
  const first = await drive(session, agent, 'Go');
  expect(first).toMatchObject({ status: 'unfinished', interruptions: [{ name: 'write' }] });
  expect(names(seen)).not.toContain('PreToolUse');
  for (const item of first.interruptions) first.state?.approve(item);
  const second = await drive(session, agent, first.state as never);
  expect(second).toMatchObject({ status: 'done', text: 'Then not.' });
  expect(ran).toEqual([]);
  expect(JSON.stringify(heard(model, 1).outputs)).toContain('PreToolUse:write hook error: never');
});

test('a state that was kept as text goes on in another process, through the hooks', async () => {
  const { host, session } = await setup();
  on(host, 'PreToolUse', () => ({
    hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' },
  }));
  const agentOf = (model: ScriptedModel) => new Agent({ name: 'main', model, tools: [toolOf('write')] });
  const first = await drive(session, agentOf(says(['write', { path: 'a' }])), 'Go');
  const kept = String(first.state);
  await host.close();

  const other = await setup();
  on(other.host, 'PostToolUse', () => ({ hookSpecificOutput: { additionalContext: 'seen' } }));
  const model = says('Done.');
  const agent = agentOf(model);
  const state = await RunState.fromString(agent, kept);
  for (const item of state.getInterruptions()) state.approve(item);
  expect(await drive(other.session, agent, state)).toMatchObject({ status: 'done', text: 'Done.' });
  expect(ran).toEqual(['write a']);
  expect(JSON.stringify(model.calls.at(-1)?.request.input)).toContain('seen');
  expect(names(other.seen)).toEqual(['SessionStart', 'PreToolUse', 'PostToolUse', 'PostToolBatch', 'Stop']);
});

test('an approved call is judged again: what hooks say by then counts', async () => {
  const { host, session } = await setup();
  let asked = 0;
  on(host, 'PreToolUse', () => ({
    hookSpecificOutput: {
      permissionDecision: asked++ === 0 ? 'ask' : 'deny',
      permissionDecisionReason: 'changed my mind',
    },
  }));
  const model = says(['write', { path: 'a' }], 'Then not.');
  const agent = new Agent({ name: 'main', model, tools: [toolOf('write')] });
  const first = await drive(session, agent, 'Go');
  for (const item of first.interruptions) first.state?.approve(item);
  await drive(session, agent, first.state as never);
  expect(ran).toEqual([]);
});

test('a refused call does not run, whatever hooks allow by then', async () => {
  const { host, session } = await setup();
  let asked = 0;
  on(host, 'PreToolUse', () => (asked++ === 0 ? { hookSpecificOutput: { permissionDecision: 'ask' } } : undefined));
  on(host, 'PermissionRequest', () =>
    asked > 1 ? { hookSpecificOutput: { decision: { behavior: 'allow' } } } : undefined,
  );
  const model = says(['write', { path: 'a' }], 'Then not.');
  const agent = new Agent({ name: 'main', model, tools: [toolOf('write')] });
  const first = await drive(session, agent, 'Go');
  for (const item of first.interruptions) first.state?.reject(item, { message: 'the user is against it' });
  expect(await drive(session, agent, first.state as never)).toMatchObject({ status: 'done' });
  expect(ran).toEqual([]);
});

test('what a hook asks about in a subagent is denied where nobody can be asked at once', async () => {
  const { host, session } = await setup();
  on(host, 'PreToolUse', (input: { tool_name: string }) =>
    input.tool_name === 'write'
      ? { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'sure?' } }
      : undefined,
  );
  const inner = says(['write', { path: 'a' }], 'I could not.');
  const writer = new Agent({
    name: 'writer',
    model: inner,
    tools: [toolOf('write'), toolOf('list', { needsApproval: true })],
  });
  const model = says(['writer', { input: 'Write.' }], 'Done.');
  const agent = new Agent({ name: 'main', model, tools: [agentTool(writer, { toolDescription: 'Writes.' })] });
  expect(await drive(session, agent, 'Go')).toMatchObject({ status: 'done', text: 'Done.', interruptions: [] });
  expect(ran).toEqual([]);
  expect(JSON.stringify(heard(inner, 1).outputs)).toContain('sure?');
});

test('an agent that hands back gives up its scope; a Stop hook that goes on keeps who has the conversation', async () => {
  const { host, session, seen } = await setup();
  on(host, 'Stop', (input: { stop_hook_active: boolean }) =>
    input.stop_hook_active ? undefined : { decision: 'block', reason: 'Once more.' },
  );
  const clerkModel = says(['transfer_to_main', {}], 'From the clerk.', 'Again the clerk.');
  const mainModel = says(['transfer_to_clerk', {}], ['transfer_to_clerk', {}]);
  const clerk = new Agent({ name: 'clerk', model: clerkModel });
  const main = new Agent({ name: 'main', model: mainModel, handoffs: [clerk] });
  clerk.handoffs = [main as never];
  const { text, agent } = await drive(session, main, 'Go');
  expect(text).toBe('Again the clerk.');
  expect(agent).toBe(clerk);
  const scopes = seen
    .filter(({ event }) => !event.includes('Tool'))
    .map(({ event, input }) => `${event} ${String(input['agent_type'] ?? '')}`.trim());
  expect(scopes).toEqual([
    'SessionStart',
    'UserPromptSubmit',
    'SubagentStart clerk',
    'SubagentStop clerk',
    'SubagentStart clerk',
    'SubagentStop clerk',
    'Stop',
    'SubagentStart clerk',
    'SubagentStop clerk',
    'Stop',
  ]);
});

test('a handoff has one id, made here, in its events and its record', async () => {
  const { host, session, seen } = await setup();
  const ids: unknown[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'tool_call') ids.push(record.tool_use_id);
  });
  const clerk = new Agent({ name: 'clerk', model: says('From the clerk.') });
  await drive(session, new Agent({ name: 'main', model: says(['transfer_to_clerk', {}]), handoffs: [clerk] }), 'Go');
  const told = seen.flatMap(({ input }) => input['tool_use_id'] ?? []);
  expect(ids).toEqual([expect.stringMatching(/^toolu_/)]);
  expect(new Set(told)).toEqual(new Set(ids));
});

test("the SDK's own memory keeps the conversation, and a Stop hook's reason comes into it once", async () => {
  const { host, session } = await setup();
  on(host, 'Stop', (input: { stop_hook_active: boolean }) =>
    input.stop_hook_active ? undefined : { decision: 'block', reason: 'Shorter.' },
  );
  const memory = new MemorySession();
  const model = says('A long answer.', 'Short.', 'Yes.', 'Yes.');
  const agent = new Agent({ name: 'main', model });
  await drive(session, agent, 'Go', { session: memory });
  const items = await memory.getItems();
  expect(items.map((item) => ('role' in item ? item.role : item.type))).toEqual([
    'user',
    'assistant',
    'user',
    'assistant',
  ]);
});

test('the filter of the user sees what the model would get, and hooks add below what it makes of it', async () => {
  const { host, session } = await setup();
  on(host, 'SessionStart', () => undefined);
  on(host, 'Notification', () => ({ hookSpecificOutput: { additionalContext: 'from a hook' } }));
  await session.notify({ message: 'm', notification_type: 'n' });
  const model = says('Hello.');
  const agent = new Agent({ name: 'main', model, instructions: 'Be brief.' });
  const given: unknown[] = [];
  await drive(session, agent, 'Go', {
    callModelInputFilter: ({ modelData, agent: whose }) => {
      given.push(whose === agent, modelData.instructions);
      return { ...modelData, instructions: 'Be polite.' };
    },
  });
  expect(given).toEqual([true, 'Be brief.']);
  expect(heard(model, 0).system).toBe('Be polite.\n\nfrom a hook');
});

test("a tool reads the context of its run, and the SDK's guardrails of a tool come after the hooks", async () => {
  const { session, seen } = await setup();
  const contexts: unknown[] = [];
  const read = toolOf('read', {
    execute: (_: unknown, context: { context: unknown }) => {
      contexts.push(context.context);
      return 'x';
    },
  });
  const guarded = toolOf('write', {
    inputGuardrails: [
      { name: 'no', run: async () => ({ behavior: { type: 'rejectContent', message: 'the guardrail says no' } }) },
    ],
  });
  const model = says(
    [
      ['read', { path: 'a' }],
      ['write', { path: 'b' }],
    ],
    'Done.',
  );
  await drive(session, new Agent<{ user: string }>({ name: 'main', model, tools: [read, guarded] as never }), 'Go', {
    context: { user: 'u1' },
  });
  expect(contexts).toEqual([{ user: 'u1' }]);
  expect(ran).toEqual([]);
  expect(JSON.stringify(heard(model, 1).outputs)).toContain('the guardrail says no');
  const failed = seen.find((s) => s.event === 'PostToolUseFailure');
  expect(failed?.input['error']).toBe('write was allowed, and then not called.');
});

test('what is no agent of the SDK is refused, with what to look for', async () => {
  const { session } = await setup();
  await expect(drive(session, {} as never, 'Go')).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringContaining('npm ls @openai/agents') as string,
  });
});

test('a hosted tool stays as it is', async () => {
  const { session, seen } = await setup();
  const model = says('Found.');
  const agent = new Agent({ name: 'main', model, tools: [webSearchTool()] });
  expect(await drive(session, agent, 'Go')).toMatchObject({ status: 'done' });
  expect(model.calls[0]?.request.tools).toMatchObject([{ type: 'hosted_tool' }]);
  expect(names(seen)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
});
