// Three agents of three frameworks in one process, at the same time, under one host: one policy for all of them, a rule for one of them alone, and one stream that
// tells what each of them did. The models are the frameworks' own fakes.
import * as openai from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { generateText, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { createHost, deny, type HookInput } from 'hookscope';
import * as ai from 'hookscope/adapters/ai';
import { hooks } from 'hookscope/adapters/langchain';
import * as agents from 'hookscope/adapters/openai-agents';
import { AIMessage, tool as chainTool, createAgent, fakeModel } from 'langchain';
import { z } from 'zod';

openai.setTracingDisabled(true);
const reader = { name: 'read', description: 'Reads a file.' };
const schema = z.object({ path: z.string() });
const read = ({ path }: { path: string }) => `the text of ${path}`;
const paths = ['.env', 'a.md'];
// One policy and one stream for everybody.
const host = createHost();
const guard = ({ tool_input }: HookInput<'PreToolUse'>) =>
  (tool_input as { path: string }).path === '.env' ? deny('not for agents') : undefined;
host.register({ PreToolUse: [{ onFailure: 'block', hooks: [guard] }] });
const lines: string[] = [];
host.events$.subscribe((one) => {
  if (one.type === 'tool_call') lines.push([one.session_id, one.tool_name, one.status, one.reason].join(' ').trim());
});
const open = (session_id: string) => host.openSession({ session_id, permission: () => ({ behavior: 'allow' }) });

async function withAiSdk() {
  const session = await open('ai');
  const calls = paths.map((path, i) => ({ toolCallId: `${i}`, toolName: 'read', input: JSON.stringify({ path }) }));
  const said = [calls.map((call) => ({ type: 'tool-call', ...call })), [{ type: 'text', text: 'Done.' }]];
  const how = { usage: { inputTokens: {}, outputTokens: {} }, finishReason: { unified: 'stop' } };
  const model = new MockLanguageModelV3({ doGenerate: said.map((content) => ({ ...how, content })) as never });
  const tools = { read: tool({ ...reader, inputSchema: schema, execute: read }) };
  await ai.drive(session, { prompt: 'Read.', tools }, (round) => generateText({ model, ...round }));
}

async function withOpenAiAgents() {
  const session = await open('openai');
  // For this one alone.
  session.on('PreToolUse', () => deny('it only talks'), { onFailure: 'block' });
  const calls = paths.map((path, i) => functionCall('read', { path }, { callId: `${i}` }));
  const model = new ScriptedModel([calls, [assistantMessage('Done.')]]);
  const tools = [openai.tool({ ...reader, parameters: schema, execute: read })];
  await agents.drive(session, new openai.Agent({ name: 'talker', model, tools }), 'Read.');
}

async function withLangChain() {
  const session = await open('langchain');
  const calls = paths.map((path, i) => ({ name: 'read', args: { path }, id: `${i}` }));
  const model = fakeModel().respondWithTools(calls).respond(new AIMessage('Done.'));
  const tools = [chainTool(read, { ...reader, schema })];
  await createAgent({ model, tools, middleware: [hooks(session)] }).invoke({ messages: 'Read.' });
}

await Promise.all([withAiSdk(), withOpenAiAgents(), withLangChain()]);
console.log(lines.sort().join('\n'));
await host.close();
