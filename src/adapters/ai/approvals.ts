import { isDeepStrictEqual } from 'node:util';
import type { ModelMessage, ToolApprovalResponse, ToolCallPart, ToolModelMessage, ToolSet } from 'ai';
import { approved, refusal } from '../../session/tool/approved.js';
import { copyInput, type ToolCall } from '../../session/tool/call.js';
import type { Steps } from '../steps.js';
import { callText } from '../texts.js';
import { judged, note } from './input.js';

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
    const at = made.findLastIndex(
      (part) => part.type === 'tool-approval-request' && part.approvalId === said.approvalId,
    );
    const asked = made[at];
    const id = asked?.type === 'tool-approval-request' ? asked.toolCallId : undefined;
    // Some models give their calls the same ids again.
    const call = made.slice(0, at + 1).findLast((part) => part.type === 'tool-call' && part.toolCallId === id);
    if (call?.type !== 'tool-call') return [];
    // The SDK runs the tool with the call's input, after it has compared what the schema makes of this.
    if (asked && 'inputSchemaInput' in asked) note(call.input, asked.inputSchemaInput);
    return [{ call, said }];
  });
}

/** The user's answers about calls that waited, each for one call as it was asked about. */
export class Answers {
  #left: readonly Answer[];

  /** What was refused alone does not come again: `refused` has told the hooks of it. Of calls with one id the SDK may run another one than the user has allowed. */
  constructor(messages: readonly ModelMessage[]) {
    const all = answersOf(messages);
    const allowed = all.filter(({ said }) => said.approved).map(({ call }) => call.toolCallId);
    this.#left = all.filter(({ call }) => allowed.includes(call.toolCallId));
  }

  /** The user's answer as the call's `pause`: a yes to a call that no other answer refuses. undefined: the user was not asked about it. */
  about(id: string, name: string, input: unknown): ToolCall['pause'] {
    const about = this.#left.filter(isAbout(id, name, input));
    const refused = about.filter(({ said }) => !said.approved);
    if (about.some(({ call, said }) => said.approved && refused.every((other) => other.call !== call)))
      return approved();
    return refused[0] && refusal(refused[0].said.reason);
  }

  /** The call is made. An equal one after it is another call. */
  take(id: string, name: string, input: unknown): void {
    const isOf = isAbout(id, name, input);
    this.#left = this.#left.filter((answer) => !isOf(answer));
  }
}

function isAbout(id: string, name: string, input: unknown): (answer: Answer) => boolean {
  return ({ call }) => call.toolCallId === id && call.toolName === name && isSame(call.input, input);
}

/** In the form that JSON gives it: conversations are stored. */
function isSame(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  try {
    return isDeepStrictEqual(copyInput(one), copyInput(other));
  } catch {
    return false;
  }
}

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
    const seen = judged(call.toolName, call.input);
    const result = await steps.run({
      name: call.toolName,
      id: call.toolCallId,
      ...('wrong' in seen ? { input: {}, invalid: seen.wrong } : seen),
      permission: () => ({ behavior: 'ask' }),
      pause: refusal(said.reason),
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
