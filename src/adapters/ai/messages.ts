import type { ModelMessage, ToolResultPart, UserModelMessage } from 'ai';

/** The user's prompt: text, or messages in the SDK's form, with images and files. */
export type UserPrompt = string | UserModelMessage | readonly ModelMessage[];

/** A conversation, split into what came before and the user's new messages, which no model has answered. */
export interface ModelConversation {
  readonly before: readonly ModelMessage[];
  readonly asked: readonly UserModelMessage[];
}

/**
 * Splits the messages. Without a prompt, the user's messages at the end are the new ones, so that prompt hooks see them. If the last message is
 * not the user's (answers to `needsApproval`), none is new, and the turn continues.
 */
export function conversation(messages: readonly ModelMessage[], prompt: UserPrompt | undefined): ModelConversation {
  if (typeof prompt === 'string') return { before: messages, asked: [{ role: 'user', content: prompt }] };
  const given = prompt === undefined ? messages : [prompt].flat();
  const end = given.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  // System messages between or after the user's messages are skipped.
  const tail = given.slice(end);
  const asked = tail.filter((message): message is UserModelMessage => message.role === 'user');
  const before = [...given.slice(0, end), ...tail.filter(({ role }) => role !== 'user')];
  return { before: prompt === undefined ? before : [...messages, ...before], asked };
}

/** The results of tools that ran in this program; calls that did not run have an error instead. */
export function ranHere(messages: readonly ModelMessage[]): ToolResultPart[] {
  const parts = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return parts.filter((part) => part.type === 'tool-result' && ANSWERS.includes(part.output.type)) as ToolResultPart[];
}

const ANSWERS = ['text', 'json', 'content'];

/** The part of the SDK's step result that is needed. */
export interface SdkStep {
  readonly toolCalls: readonly unknown[];
}

/** Whether the model is finished, whatever its finish reason: no call waits for a result or for the user, and the last results were answered. */
export function isFinished(messages: readonly ModelMessage[], steps: readonly SdkStep[] | undefined): boolean {
  // An answer without content adds no message; only its step shows that there was one.
  if (messages.at(-1)?.role === 'tool' && steps?.at(-1)?.toolCalls.length !== 0) return false;
  const open: string[] = [];
  const close = (id: string): void => {
    const at = open.indexOf(id);
    if (at >= 0) open.splice(at, 1);
  };
  for (const { content } of messages)
    for (const part of typeof content === 'string' ? [] : content) {
      // Calls that the provider runs have their results in the same message.
      if (part.type === 'tool-call' && !part.providerExecuted) open.push(part.toolCallId);
      else if (part.type === 'tool-result') close(part.toolCallId);
      else if (part.type === 'tool-approval-request') open.push(part.approvalId);
      else if (part.type === 'tool-approval-response') close(part.approvalId);
    }
  return open.length === 0;
}
