import { Agent, type AgentOptions, RunState, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentTool, drive } from '../../src/adapters/openai-agents.js';
import { byScope, names, on, opened } from '../session/kit.js';
import { deny, denying, THROWN, twoSessions } from './edges.js';

setTracingDisabled(true);

const SAID = [assistantMessage('Done.')];
const call = (name: string, input: Record<string, unknown>, callId = 'c') => functionCall(name, input, { callId });
const toolOf = (execute: (path: string) => unknown, more: object = {}) =>
  tool({
    name: 'read',
    description: 'Reads.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => execute(path),
    ...more,
  });
const agentOf = (model: AgentOptions['model'], ...tools: ReturnType<typeof toolOf>[]) =>
  new Agent({ name: 'main', model: model as never, tools });

test.each(THROWN)('a tool that throws %j has failed in some words', async (thrown) => {
  for (const more of [{}, { errorFunction: null }]) {
    const { session, seen } = await opened();
    const read = toolOf(() => {
      throw thrown;
    }, more);
    const model = new ScriptedModel([[call('read', { path: 'a' })], SAID]);
    expect(await drive(session, agentOf(model, read), 'Go')).toMatchObject({ status: 'done' });
    expect(seen.find(({ event }) => event === 'PostToolUseFailure')?.input['error']).toMatch(/./);
    const results = JSON.stringify(model.calls[1]?.request.input);
    expect(results).toContain('function_call_result');
    expect(results).not.toContain('"output":""');
  }
});

test('a call of a tool that does not exist ends the turn, unless the SDK is told to return an error to the model', async () => {
  const script = () => new ScriptedModel([[call('nope', {})], SAID]);
  const { session, seen } = await opened();
  await expect(drive(session, agentOf(script()), 'Go')).rejects.toMatchObject({ name: 'ModelBehaviorError' });
  expect(names(seen)).toContain('StopFailure');
  const told = await drive(session, agentOf(script()), 'Go', { toolNotFoundBehavior: 'return_error_to_model' });
  expect(told).toMatchObject({ status: 'done', text: 'Done.' });
});

test('a model that stands in for one that fails has its calls judged', async () => {
  const { session, seen, ran } = await denying();
  const second = new ScriptedModel([[call('read', { path: 'a' })], SAID]);
  const model = {
    getResponse: (request: never) => Promise.reject(new Error('down')).catch(() => second.getResponse(request)),
    getStreamedResponse: (request: never) => second.getStreamedResponse(request),
  };
  await drive(
    session,
    agentOf(
      model,
      toolOf((path) => ran.push(path)),
    ),
    'Go',
  );
  expect(ran).toEqual([]);
  expect(names(seen)).toContain('PreToolUse');
});

test('turns of two sessions with the same agent, at the same time, are apart', async () => {
  const { session, other, ran, slowly } = await twoSessions();
  const read = toolOf(slowly);
  const calls = [call('read', { path: 'a' })];
  // The model answers whoever asks it by what it was asked.
  const models = { a: new ScriptedModel([calls, SAID]), b: new ScriptedModel([[call('read', { path: 'b' })], SAID]) };
  const model = {
    getResponse: (request: { input: unknown }) =>
      models[JSON.stringify(request.input).includes('Go a') ? 'a' : 'b'].getResponse(request as never),
    getStreamedResponse: () => undefined,
  };
  const agent = agentOf(model as never, read);
  const turns = await Promise.all([drive(session, agent, 'Go a'), drive(other, agent, 'Go b')]);
  expect(turns.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(ran).toEqual(['b']);
  expect(JSON.stringify(models.a.calls[1]?.request.input)).toContain('never');
});

test('calls of one subagent beside each other are agents apart', async () => {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', (input: { tool_input: { path?: string } }) =>
    input.tool_input.path === 'a' ? deny() : undefined,
  );
  const ran: string[] = [];
  const both = [[call('read', { path: 'a' }, '1')], [call('read', { path: 'b' }, '2')]];
  const helper = new Agent({
    name: 'helper',
    model: new ScriptedModel([...both, SAID, SAID]),
    tools: [toolOf((p) => ran.push(p))],
  });
  const calls = [call('helper', { input: 'x' }, 'h1'), call('helper', { input: 'y' }, 'h2')];
  const main = new Agent({
    name: 'main',
    model: new ScriptedModel([calls, SAID]),
    tools: [agentTool(helper, { toolDescription: 'Helps.' })],
  });
  await drive(session, main, 'Go');
  expect(ran).toEqual(['b']);
  const { main: own, ...agents } = byScope(seen);
  expect(Object.values(agents).map((events) => events.filter((event) => event === 'PreToolUse:read').length)).toEqual([
    1, 1,
  ]);
  expect(own).not.toContain('PreToolUse:read');
});

test('whoever leaves a stream early ends the turn unfinished: no call that the model wanted is made, and no Stop is fired', async () => {
  const { session, seen } = await opened();
  const ran: string[] = [];
  const model = new ScriptedModel([[call('read', { path: 'a' })], SAID, SAID]);
  const agent = agentOf(
    model,
    toolOf((path) => ran.push(path)),
  );
  const left = await drive(session, agent, 'Go', {
    onStream: async (stream) => {
      for await (const _ of stream) break;
    },
  });
  expect({ status: left.status, text: left.text, ran }).toEqual({ status: 'unfinished', text: '', ran: [] });
  expect(names(seen)).not.toContain('Stop');
  expect(await drive(session, agent, 'Again')).toMatchObject({ status: 'done', text: 'Done.' });
});

test('a state that names another tool, another agent or nothing at all runs nothing that hooks have not judged', async () => {
  const { host, session } = await opened();
  on(host, 'PreToolUse', ({ tool_name }: { tool_name: string }) =>
    tool_name === 'read' ? { hookSpecificOutput: { permissionDecision: 'ask' } } : deny(),
  );
  const ran: string[] = [];
  const write = tool({
    name: 'write',
    description: 'Writes.',
    parameters: z.object({ path: z.string() }),
    execute: ({ path }) => ran.push(`write ${path}`),
  });
  const make = () =>
    agentOf(
      new ScriptedModel([[call('read', { path: 'a' })], SAID]),
      toolOf((path) => ran.push(path)),
      write as never,
    );
  const agent = make();
  const text = String((await drive(session, agent, 'Go')).state);
  for (const [from, to] of [
    ['"name":"read"', '"name":"write"'],
    ['"callId":"c"', '"callId":"d"'],
    ['"toolName":"read"', '"toolName":"write"'],
  ] as const) {
    const state = await RunState.fromString(agent, text.replaceAll(from, to)).catch(() => undefined);
    for (const item of state?.getInterruptions() ?? []) state?.approve(item);
    if (state) await drive(session, agent, state as never).catch(() => undefined);
  }
  expect(ran.filter((one) => one.startsWith('write'))).toEqual([]);
});

test.each(['{not json', '7', '[]'])(
  'a handoff with the arguments %s does not happen, and the model reads so',
  async (text) => {
    const { session, seen } = await opened();
    const clerk = new Agent({ name: 'clerk', model: new ScriptedModel([SAID]) });
    const wrong = { ...call('transfer_to_clerk', {}, 'h1'), arguments: text };
    const model = new ScriptedModel([[wrong], [call('transfer_to_clerk', {}, 'h2')]]);
    const { status, agent } = await drive(session, new Agent({ name: 'main', model, handoffs: [clerk] }), 'Go');
    expect({ status, agent: agent.name }).toEqual({ status: 'done', agent: 'clerk' });
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(1);
    expect(model.calls[1]?.request.systemInstructions).toContain('try again with valid JSON');
  },
);

test.each([undefined, null, 5, {}])('an input that is none (%j) is an error that says what one is', async (input) => {
  const { session } = await opened();
  const made = drive(session, agentOf(new ScriptedModel([SAID])), input as never);
  await expect(made).rejects.toMatchObject({
    code: 'INVALID_OPTIONS',
    message: expect.stringContaining('expected') as string,
  });
});
