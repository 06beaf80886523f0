import type { ModelMessage, ToolApprovalResponse, ToolCallPart, ToolModelMessage, ToolSet } from 'ai';
import type { Steps } from '../steps.js';
import { callText } from '../texts.js';

/** The user's answers about calls, by their ids. true: the call may run. */
export type Answers = ReadonlyMap<string, boolean>;

interface Answer {
  readonly call: ToolCallPart;
  readonly said: ToolApprovalResponse;
}

/** The answers at the end of a conversation, for calls that waited. */
function answersOf(messages: readonly ModelMessage[]): Answer[] {
  const last = messages.at(-1);
  if (last?.role !== 'tool') return [];
  const made = messages.flatMap((message) =>
    message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [],
  );
  return last.content.flatMap((said) => {
    if (said.type !== 'tool-approval-response') return [];
    const asked = made.find((part) => part.type === 'tool-approval-request' && part.approvalId === said.approvalId);
    const id = asked?.type === 'tool-approval-request' ? asked.toolCallId : undefined;
    const call = made.find((part) => part.type === 'tool-call' && part.toolCallId === id);
    return call?.type === 'tool-call' ? [{ call, said }] : [];
  });
}

export const approvals = (messages: readonly ModelMessage[]): Answers =>
  new Map(answersOf(messages).map(({ call, said }) => [call.toolCallId, said.approved]));

/**
 * Tells the hooks of calls that the user has refused: these do not run, whatever hooks say. Returns the conversation with their results for the model; calls of
 * tools that run elsewhere are left to the SDK.
 */
export async function refused(
  steps: Steps,
  tools: ToolSet,
  messages: readonly ModelMessage[],
): Promise<ModelMessage[]> {
  const reasons = new Map<string, string>();
  for (const { call, said } of answersOf(messages)) {
    if (said.approved || !tools[call.toolName]?.execute) continue;
    const result = await steps.run({
      name: call.toolName,
      id: call.toolCallId,
      input: call.input,
      permission: () => ({ behavior: 'ask' }),
      ask: () => ({ behavior: 'deny', message: said.reason }),
      execute: () => {
        throw new Error(said.reason ?? `The user denied permission to use ${call.toolName}.`);
      },
    });
    reasons.set(said.approvalId, callText(result));
  }
  const last = messages.at(-1) as ToolModelMessage | undefined;
  if (reasons.size === 0 || last === undefined) return [...messages];
  const content = last.content.map((part) => {
    const reason = part.type === 'tool-approval-response' ? reasons.get(part.approvalId) : undefined;
    return reason === undefined ? part : { ...part, reason };
  });
  return [...messages.slice(0, -1), { ...last, content }];
}
