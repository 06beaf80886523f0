import { Agent, tool as openaiTool, setTracingDisabled } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { tool as aiTool, generateText } from 'ai';
import { AIMessage, tool as chainTool, createAgent, fakeModel } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as ai from '../../src/adapters/ai.js';
import { hooks } from '../../src/adapters/langchain.js';
import * as openai from '../../src/adapters/openai-agents.js';
import type { ToolCallRecord } from '../../src/emit/record.js';
import type { Session } from '../../src/session/types.js';
import { anyHooks, testHost } from '../host/kit.js';
import { spy } from '../session/kit.js';
import { scripted } from './ai-kit.js';

setTracingDisabled(true);
const schema = z.object({ path: z.string() });
const how = { name: 'read', description: 'Reads.' };
const paths = ['.env', 'a'];

/** An agent that starts a subagent of the type `worker`, which reads two files. */
const FRAMEWORKS: Readonly<
  Record<string, (session: Session, read: (path: string) => Promise<string>) => Promise<unknown>>
> = {
  async ai(session, read) {
    const inner = scripted({ read: { path: '.env' }, 'read#2': { path: 'a' } }, 'Read.');
    const tools = { read: aiTool({ inputSchema: schema, execute: ({ path }) => read(path) }) };
    const worker = ai.agentTool(session, {
      agent_type: 'worker',
      description: 'Works.',
      run: async (child, prompt) =>
        (await ai.drive(child, { prompt, tools }, (round) => generateText({ model: inner, ...round }))).text,
    });
    const model = scripted({ worker: { prompt: 'Go on.' } }, 'Done.');
    await ai.drive(session, { prompt: 'Go', tools: { worker } }, (round) => generateText({ model, ...round }));
  },
  async openai(session, read) {
    const calls = paths.map((path, i) => functionCall('read', { path }, { callId: `inner-${i}` }));
    const worker = new Agent({
      name: 'worker',
      model: new ScriptedModel([calls, [assistantMessage('Read.')]]),
      tools: [openaiTool({ ...how, parameters: schema, execute: ({ path }) => read(path) })],
    });
    const model = new ScriptedModel([
      [functionCall('worker', { input: 'Go on.' }, { callId: 'outer' })],
      [assistantMessage('Done.')],
    ]);
    const tools = [openai.agentTool(worker, { toolDescription: 'Works.' })];
    await openai.drive(session, new Agent({ name: 'main', model, tools }), 'Go');
  },
  async langchain(session, read) {
    const calls = paths.map((path, i) => ({ name: 'read', args: { path }, id: `inner-${i}` }));
    const inner = createAgent({
      model: fakeModel().respondWithTools(calls).respond(new AIMessage('Read.')),
      tools: [chainTool((input) => read((input as unknown as { path: string }).path), { ...how, schema })],
      middleware: [hooks(session, { agent: { agent_type: 'worker' } })],
    });
    const task = async ({ prompt }: { prompt: string }) =>
      (await inner.invoke({ messages: prompt })).messages.at(-1)?.text;
    const worker = chainTool(task, { name: 'worker', description: 'Works.', schema: z.object({ prompt: z.string() }) });
    const model = fakeModel()
      .respondWithTools([{ name: 'worker', args: { prompt: 'Go on.' }, id: 'outer' }])
      .respond(new AIMessage('Done.'));
    await createAgent({ model, tools: [worker], middleware: [hooks(session)] }).invoke({ messages: 'Go' });
  },
};

test('three agents of three frameworks under one host, at the same time: one policy, scopes apart, one stream', async () => {
  const { host } = testHost();
  const seen = spy(host);
  const calls: ToolCallRecord[] = [];
  host.events$.subscribe((record) => {
    if (record.type === 'tool_call') calls.push(record);
  });
  const deny = (reason: string) => ({
    hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: reason },
  });
  const guard = (input: { tool_input: { path?: string } }) =>
    input.tool_input.path === '.env' ? deny('policy') : undefined;
  host.register(anyHooks({ PreToolUse: [{ name: 'policy', onFailure: 'block', hooks: [guard] }] }));
  const own: Record<string, number> = {};
  const done: Record<string, string[]> = {};
  let reading = 0;
  let most = 0;
  // Each waits until all three are reading.
  let all: () => void = () => undefined;
  const together = new Promise<void>((resolve) => {
    all = resolve;
  });
  const sessions = Object.entries(FRAMEWORKS).map(async ([name, go]) => {
    const session = await host.openSession({ session_id: name, permission: () => ({ behavior: 'allow' }) });
    own[name] = 0;
    session.on('PreToolUse', () => {
      own[name] = (own[name] ?? 0) + 1;
    });
    await go(session, async (path) => {
      done[name] = [...(done[name] ?? []), path];
      most = Math.max(most, ++reading);
      if (most === 3) all();
      await together;
      reading--;
      return `text of ${path}`;
    });
  });
  await Promise.all(sessions);
  await host.close();

  expect(most).toBe(3);
  expect(done).toEqual({ ai: ['a'], openai: ['a'], langchain: ['a'] });
  // Hooks of a session are asked about its own calls alone: the subagent's, and the call that starts it.
  expect(own).toEqual({ ai: 3, openai: 3, langchain: 3 });
  const agents = new Set(seen.filter(({ event }) => event === 'SubagentStart').map(({ input }) => input['agent_id']));
  expect(agents.size).toBe(3);
  const told = (name: string) =>
    calls
      .filter((record) => record.session_id === name)
      .map(({ agent_type = 'main', tool_name, status, reason = '' }) =>
        `${agent_type}: ${tool_name} ${status} ${reason}`.trim(),
      )
      .sort();
  const alike = ['main: worker ran', 'worker: read denied policy', 'worker: read ran'];
  for (const name of Object.keys(FRAMEWORKS)) expect(told(name), name).toEqual(alike);
});
