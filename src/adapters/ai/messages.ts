import type { ModelMessage, ToolResultPart, UserModelMessage } from 'ai';

/** The user's prompt: text, or messages in the SDK's form, with images and files. */
export type UserPrompt = string | UserModelMessage | readonly ModelMessage[];

/** A conversation, and what of it is new: the user's messages that no model has answered. */
export interface Conversation {
  readonly before: readonly ModelMessage[];
  readonly asked: readonly UserModelMessage[];
}

/**
 * Without a prompt the user's last messages are what is new, so that no hook for prompts is passed by; where the last message is another
 * (answers to `needsApproval`), nothing is, and the turn continues.
 */
export function conversation(messages: readonly ModelMessage[], prompt: UserPrompt | undefined): Conversation {
  if (typeof prompt === 'string') return { before: messages, asked: [{ role: 'user', content: prompt }] };
  const given = prompt === undefined ? messages : [prompt].flat();
  const end = given.findLastIndex(({ role }) => role === 'assistant' || role === 'tool') + 1;
  // A message of the system hides none of the user's before it.
  const tail = given.slice(end);
  const asked = tail.filter((message): message is UserModelMessage => message.role === 'user');
  const before = [...given.slice(0, end), ...tail.filter(({ role }) => role !== 'user')];
  return { before: prompt === undefined ? before : [...messages, ...before], asked };
}

/** The results of this program's tools. A call that did not run has an error. */
export function ranHere(messages: readonly ModelMessage[]): ToolResultPart[] {
  const parts = messages.flatMap((message) => (message.role === 'tool' ? message.content : []));
  return parts.filter((part) => part.type === 'tool-result' && ANSWERS.includes(part.output.type)) as ToolResultPart[];
}

const ANSWERS = ['text', 'json', 'content'];

/** What of a step of the SDK's is needed. */
export interface Step {
  readonly toolCalls: readonly unknown[];
}

/** Whether the model wants nothing more, whatever it says of that itself: no call waits for its result or for the user, and it has answered the last results. */
export function isFinished(messages: readonly ModelMessage[], steps: readonly Step[] | undefined): boolean {
  // An answer without content adds no message: only its step tells that there was one.
  if (messages.at(-1)?.role === 'tool' && steps?.at(-1)?.toolCalls.length !== 0) return false;
  const open: string[] = [];
  const close = (id: string): void => {
    const at = open.indexOf(id);
    if (at >= 0) open.splice(at, 1);
  };
  for (const { content } of messages)
    for (const part of typeof content === 'string' ? [] : content) {
      // What its provider runs has its result there.
      if (part.type === 'tool-call' && !part.providerExecuted) open.push(part.toolCallId);
      else if (part.type === 'tool-result') close(part.toolCallId);
      else if (part.type === 'tool-approval-request') open.push(part.approvalId);
      else if (part.type === 'tool-approval-response') close(part.approvalId);
    }
  return open.length === 0;
}
