// Log every tool call of a Claude Code session, its subagents' too, before and after, without touching any of them.
// In the hooks design of the Elixir SDK: Example 3, "Log All Tool Usage".
import { createHost, type HookCallback } from 'hookscope';
import { connectClaude } from 'hookscope/claude-code';
import { program, scratch } from './program.js';

/** Calls by number: their ids are long. */
const calls = new Map<string, number>();
function log(toolUseID: string | undefined, input: { agent_type?: string | undefined }, text: string): void {
  const id = toolUseID ?? '';
  const number = calls.get(id) ?? calls.size + 1;
  calls.set(id, number);
  console.log(`#${number} ${input.agent_type ?? 'main'}: ${text}`);
}

const logUse: HookCallback<'PreToolUse'> = (input, id) => {
  log(id, input, `${input.tool_name} called with ${JSON.stringify(input.tool_input)}`);
};
const logResult: HookCallback<'PostToolUse'> = (input, id) => log(id, input, `${input.tool_name} succeeded`);
const logFailure: HookCallback<'PostToolUseFailure'> = (input, id) => {
  log(id, input, `${input.tool_name} failed: ${input.error}`);
};

const { cwd, remove } = await scratch({ 'notes.md': 'old' });
const host = createHost({ session: { cwd } });
host.register({
  // An observer runs last, once, on the input that will really run, and its answer decides nothing.
  PreToolUse: [{ phase: 'observe', hooks: [logUse] }],
  PostToolUse: [{ hooks: [logResult] }],
  PostToolUseFailure: [{ hooks: [logFailure] }],
});

const reader = { description: 'reads files', prompt: 'Read what you are asked for.', tools: ['Read'] };
const client = await connectClaude({
  host,
  cwd,
  initialize: { agents: { reader } },
  ...program('03-log-all-tools.json'),
});
const prompt =
  'Let the agent "reader" (not in the background) read notes.md and todo.md. Then overwrite notes.md with "new".';
for await (const message of client.query(prompt)) {
  if (message.type === 'result') console.log('Claude:', message['result']);
}

await client.close();
await host.close();
await remove();
