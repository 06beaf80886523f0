import { isDeepStrictEqual } from 'node:util';
import type { ModelMessage, ToolApprovalResponse, ToolCallPart, ToolModelMessage, ToolSet } from 'ai';
import { approved, refusal } from '../../session/tool/approved.js';
import { copyInput, type ToolCall } from '../../session/tool/call.js';
import type { Steps } from '../steps.js';
import { callText } from '../texts.js';
import { judged, rememberWritten } from './input.js';

interface ApprovalReply {
  readonly call: ToolCallPart;
  readonly said: ToolApprovalResponse;
}

/** The user's answers at the end of a conversation, each with the call that waited for it. */
function answersOf(messages: readonly ModelMessage[]): ApprovalReply[] {
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
    // Some models use the ids of their calls again.
    const call = made.slice(0, at + 1).findLast((part) => part.type === 'tool-call' && part.toolCallId === id);
    if (call?.type !== 'tool-call') return [];
    // The SDK runs the tool with the call's input, after checking that the schema parses this JSON to it.
    if (asked && 'inputSchemaInput' in asked) rememberWritten(call.input, asked.inputSchemaInput);
    return [{ call, said }];
  });
}

/** The user's answers for calls that waited. Each is valid for one call with the input that the user was asked about. */
export class ApprovalReplies {
  #left: readonly ApprovalReply[];

  /** Ids with only refusals are left out: their calls do not run, and `refused` tells the hooks. If calls share an id, the SDK may run one that was refused. */
  constructor(messages: readonly ModelMessage[]) {
    const all = answersOf(messages);
    const allowed = all.filter(({ said }) => said.approved).map(({ call }) => call.toolCallId);
    this.#left = all.filter(({ call }) => allowed.includes(call.toolCallId));
  }

  /** The user's answer as the call's `pause`, an approval only if no other answer refuses the call; undefined if the user was not asked. */
  about(id: string, name: string, input: unknown): ToolCall['pause'] {
    const about = this.#left.filter(isAbout(id, name, input));
    const refused = about.filter(({ said }) => !said.approved);
    if (about.some(({ call, said }) => said.approved && refused.every((other) => other.call !== call)))
      return approved();
    return refused[0] && refusal(refused[0].said.reason);
  }

  /** Uses up the answer for a call that is made; an equal call later is a new one. */
  take(id: string, name: string, input: unknown): void {
    const isOf = isAbout(id, name, input);
    this.#left = this.#left.filter((answer) => !isOf(answer));
  }
}

function isAbout(id: string, name: string, input: unknown): (answer: ApprovalReply) => boolean {
  return ({ call }) => call.toolCallId === id && call.toolName === name && isSame(call.input, input);
}

/** Compares inputs as JSON, because conversations may have been stored. */
function isSame(one: unknown, other: unknown): boolean {
  if (isDeepStrictEqual(one, other)) return true;
  try {
    return isDeepStrictEqual(copyInput(one), copyInput(other));
  } catch {
    return false;
  }
}

/**
 * Reports the calls that the user has refused to the hooks; they do not run, whatever hooks decide. Returns the conversation with the results of these
 * calls for the model. Calls of tools that run elsewhere are left to the SDK.
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
