import type { ModelRequest, ScriptedTurn, ToolCall } from './model-server.js';
import { textOf } from './model-server.js';
import type { Programs, Sandbox } from './sandbox.js';

/** One thing that is to be seen on the real programs. `run` throws what differs. */
export interface Scenario<P = Programs> {
  readonly name: string;
  /** What was looked at, in the world and not in our own records alone. */
  readonly checked: string;
  run(programs: P): Promise<void>;
}

/** An assistant turn that calls Bash. */
export const bash = (...commands: readonly string[]): { readonly tools: readonly ToolCall[] } => ({
  tools: commands.map((command) => ({ name: 'Bash', input: { command, description: 'a command' } })),
});

/** A call of a subagent of that type, whose own turns are those of `thread`. */
export const agentCall = (type: string, thread: string, more: ToolCall['input'] = {}): ToolCall => ({
  name: 'Agent',
  input: { description: thread, subagent_type: type, prompt: `[${thread}] please`, run_in_background: false, ...more },
});

/** What was added to the conversation since the model spoke last. */
export function news(request: ModelRequest): string {
  const last = request.messages.findLastIndex((message) => message.role === 'assistant');
  return request.messages
    .slice(last + 1)
    .map((message) => textOf(message.content))
    .join('\n');
}

/** What the model was newly told in the n-th request of a thread, 0 the first: its system prompt and the new messages. */
export function told({ server }: Sandbox, index: number, thread = 'main'): string {
  const call = server.asked.filter((one) => one.thread === thread)[index];
  return call ? `${textOf(call.body.system)}\n${news(call.body)}` : `(no request ${index} of ${thread})`;
}

/** A model that repeats what it was told last. */
export const echo: ScriptedTurn = (request) => ({ text: `I was told: ${news(request)}` });
