// Put hooks around agents of OpenAI Agents: one hook denies a call, one asks the user about another, and the turn waits until it is approved. A handoff goes through
// the hooks, too. The model is the SDK's own scripted one; take a real one, and nothing else changes.
import { Agent, setTracingDisabled, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { ask, createHost, deny, type HookInput } from 'hookscope';
import { drive } from 'hookscope/adapters/openai-agents';
import { z } from 'zod';

setTracingDisabled(true);
const host = createHost();
const guard = (input: HookInput<'PreToolUse'>) => {
  const { path } = input.tool_input as { path: string };
  if (path.endsWith('.env')) return deny(`${path} is not for agents.`);
  return path.endsWith('.md') ? undefined : ask(`May ${path} go?`);
};
host.register({ PreToolUse: [{ matcher: 'remove', onFailure: 'block', hooks: [guard] }] });
host.on('SubagentStart', ({ agent_type }) => console.log('has the conversation now:', agent_type));

const remove = tool({
  name: 'remove',
  description: 'Removes a file.',
  parameters: z.object({ path: z.string() }),
  execute: ({ path }) => `${path} is gone.`,
});
const call = (name: string, input: { path?: string }, callId: string) => functionCall(name, input, { callId });
const cleaner = new Agent({
  name: 'cleaner',
  tools: [remove],
  model: new ScriptedModel([
    [
      call('remove', { path: '.env' }, 'call-2'),
      call('remove', { path: 'old.md' }, 'call-3'),
      call('remove', { path: 'old.ts' }, 'call-4'),
    ],
    [assistantMessage('All but .env is gone.')],
  ]),
});
const front = new Agent({
  name: 'front',
  handoffs: [cleaner],
  model: new ScriptedModel([[call('transfer_to_cleaner', {}, 'call-1')]]),
});

const session = await host.openSession({ permission: () => ({ behavior: 'allow' }) });
let turn = await drive(session, front, 'Clean up.');
for (const item of turn.interruptions) {
  console.log('the user is asked:', item.name, item.arguments);
  turn.state?.approve(item);
}
if (turn.state) turn = await drive(session, front, turn.state);
for (const item of turn.history)
  if (item.type === 'function_call_result') console.log('the model reads:', (item.output as { text: string }).text);
console.log(turn.status, turn.text);
await host.close();
