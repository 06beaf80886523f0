// Put hooks around an agent of LangChain: one middleware. One hook denies a call, one asks the user about another, and the run pauses until it is resumed.
// The model is LangChain's own fake; take a real one, and nothing else changes.
import { Command, MemorySaver } from '@langchain/langgraph';
import { ask, createHost, deny, type HookInput } from 'hookscope';
import { hooks, type Question } from 'hookscope/adapters/langchain';
import { AIMessage, createAgent, fakeModel, tool } from 'langchain';
import { z } from 'zod';

const host = createHost();
const guard = (input: HookInput<'PreToolUse'>) => {
  const { path } = input.tool_input as { path: string };
  if (path.endsWith('.env')) return deny(`${path} is not for agents.`);
  return path.endsWith('.md') ? undefined : ask(`May ${path} go?`);
};
host.register({ PreToolUse: [{ matcher: 'remove', onFailure: 'block', hooks: [guard] }] });

const remove = tool(({ path }) => `${path} is gone.`, {
  name: 'remove',
  description: 'Removes a file.',
  schema: z.object({ path: z.string() }),
});
const model = fakeModel()
  .respondWithTools([
    { name: 'remove', args: { path: '.env' }, id: 'call-1' },
    { name: 'remove', args: { path: 'old.md' }, id: 'call-2' },
    { name: 'remove', args: { path: 'old.ts' }, id: 'call-3' },
  ])
  .respond(new AIMessage('All but .env is gone.'));

// The harness's own rules: every call that no hook speaks against may run. Without them, and without a person to ask, it would be denied.
const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
const agent = createAgent({ model, tools: [remove], middleware: [hooks(session)], checkpointer: new MemorySaver() });
const config = { configurable: { thread_id: '1' } };

const paused = await agent.invoke({ messages: 'Clean up.' }, config);
console.log(
  'the user is asked:',
  paused.__interrupt__?.map(({ value }) => (value as Question).actionRequests[0]),
);

const answer = new Command({ resume: { decisions: [{ type: 'approve' }] } });
const { messages, hooks: turn } = await agent.invoke(answer, config);
for (const message of messages) console.log(`${message.type}: ${message.text}`);
console.log(turn);
await session.close();
await host.close();
