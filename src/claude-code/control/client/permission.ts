import { untoldReason, whyOther } from '../../../handlers/untold.js';
import type { Alarms } from '../../../host/alarms/alarms.js';
import { rememberAnswer } from '../../../host/alarms/use.js';
import type { AnyDecision } from '../../../host/decide/decision.js';
import { isObject } from '../../../values/shape.js';
import type { EndSignal } from '../../../values/waiting/lazy-signal.js';
import { messageOf, resultOf } from '../../../values/waiting/promises.js';
import { type ControlAsk, type Json, type PermissionReply, permissionResult } from '../peer/wire.js';
import type { FireEvent } from './hook-callbacks.js';

/** The user's answer about a tool call, as in Claude's SDK. */
export type PermissionResult =
  | {
      readonly behavior: 'allow';
      /** Replaces the tool's whole input. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      readonly updatedPermissions?: readonly unknown[];
    }
  | { readonly behavior: 'deny'; readonly message: string; readonly interrupt?: boolean };

/** Facts about the call for which the user is asked. */
export interface PermissionAsk {
  /** Fires when the client withdraws the question. */
  readonly signal: AbortSignal;
  readonly toolUseID: string;
  readonly agentID?: string;
  /** Rules that would allow such calls from now on. */
  readonly suggestions?: readonly unknown[];
  readonly blockedPath?: string;
  readonly decisionReason?: string;
  readonly title?: string;
  readonly displayName?: string;
  readonly description?: string;
  /** The whole request, as it was received. */
  readonly request: Json;
}

/** Asks the user about a call that no PermissionRequest hook has decided. */
export type CanUseTool = (
  tool: string,
  input: Readonly<Record<string, unknown>>,
  ask: PermissionAsk,
) => Promise<PermissionResult> | PermissionResult;

type Channel = 'hook_callback' | 'can_use_tool';

/** A question about a call, which the client may ask over two channels at the same time. */
interface PendingQuestion {
  readonly asked: Set<Channel>;
  readonly decision: Promise<AnyDecision>;
  readonly controller: AbortController;
  /** The tool's name and input as JSON, to compare calls. */
  readonly call: string;
  live: number;
}

/** How many questions are remembered for the second channel. */
const REMEMBERED = 100;

export interface PermissionsOptions {
  readonly fire: FireEvent;
  readonly canUseTool: CanUseTool | undefined;
  readonly alarms: Alarms;
  /** The fields that all inputs of the session or an agent have but `can_use_tool` lacks. */
  base(agent: unknown): Json;
}

/**
 * Claude Code asks about a call twice at the same time: its PermissionRequest hooks and the user (`can_use_tool`). Both get the
 * decision of one fire, so no hook runs twice. The user is asked only if no hook has decided.
 */
export class Permissions {
  readonly #questions = new Map<string, PendingQuestion>();
  readonly #options: PermissionsOptions;

  constructor(options: PermissionsOptions) {
    this.#options = options;
  }

  /** The decision of the hooks, for either channel. */
  decide(asker: Channel, input: Json, { signal }: { readonly signal: EndSignal }): Promise<AnyDecision> {
    const id = input['tool_use_id'];
    const key = typeof id === 'string' ? id : undefined;
    const known = key === undefined ? undefined : this.#questions.get(key);
    const call = JSON.stringify([input['tool_name'], input['tool_input']]);
    const question =
      known && !known.asked.has(asker) && known.call === call && !known.controller.signal.aborted
        ? known
        : this.#ask(input, call, key);
    question.asked.add(asker);
    question.live++;
    signal.addEventListener(
      'abort',
      () => {
        question.live--;
        // The other channel may still be waiting.
        if (question.live === 0) question.controller.abort(signal.reason);
      },
      { once: true },
    );
    return question.decision;
  }

  /** Answers `can_use_tool`. If the user cannot be asked, the answer is a denial, never a permission. */
  async answer(ask: ControlAsk, how: { readonly signal: AbortSignal }): Promise<Json> {
    const { tool_name: tool, input, tool_use_id: toolUseID } = ask;
    if (typeof tool !== 'string' || !isObject(input))
      throw new TypeError('A can_use_tool request needs "tool_name" and an "input" object.');
    const id = typeof toolUseID === 'string' ? { toolUseID } : {};
    const event = { ...this.#options.base(ask['agent_id']), ...inputOf(ask) };
    const decision = await this.decide('can_use_tool', event, how);
    if (decision.verdict === 'deny') {
      const message = decision.reason ?? `A hook denied ${tool}.`;
      return { behavior: 'deny', message, ...(decision.interrupt ? { interrupt: true } : {}), ...id };
    }
    const final = (decision.updatedInput ?? input) as Json;
    const untold = whyOther(final, input);
    if (untold !== undefined) {
      const asked = decision.verdict === 'ask' ? decision.reason : undefined;
      return { behavior: 'deny', message: untoldReason(untold, asked), ...id };
    }
    if (decision.verdict === 'allow') {
      const { updatedPermissions } = decision;
      return { behavior: 'allow', updatedInput: final, ...(updatedPermissions ? { updatedPermissions } : {}), ...id };
    }
    const answer = await this.#askPerson(tool, final, ask, how);
    // An answer to a withdrawn question does not count.
    if (!how.signal.aborted) rememberAnswer(this.#options.alarms, { ...event, tool_input: final }, answer);
    return { ...answer, ...id };
  }

  async #askPerson(
    tool: string,
    input: Json,
    ask: ControlAsk,
    how: { readonly signal: AbortSignal },
  ): Promise<PermissionReply> {
    const { canUseTool } = this.#options;
    if (!canUseTool) return { behavior: 'deny', message: `Nobody is there to be asked about ${tool}.` };
    try {
      const said = await resultOf(() => canUseTool(tool, input, askOf(ask, how.signal)));
      const { data: answer } = permissionResult().safeParse(said);
      if (answer === undefined) throw new Error(NO_ANSWER);
      if (answer.behavior === 'deny') return { ...answer, message: answer.message ?? `The user denied ${tool}.` };
      const untold = whyOther(answer.updatedInput, input);
      if (untold !== undefined) throw new Error(`Claude Code cannot be told of its input: ${untold}`);
      return { ...answer, updatedInput: answer.updatedInput ?? input };
    } catch (error) {
      return { behavior: 'deny', message: `canUseTool failed, so ${tool} is denied: ${messageOf(error)}` };
    }
  }

  #ask(input: Json, call: string, key: string | undefined): PendingQuestion {
    const controller = new AbortController();
    const decision = this.#options.fire('PermissionRequest', input, { signal: controller.signal });
    const question: PendingQuestion = { asked: new Set(), decision, controller, call, live: 0 };
    // If both channels have withdrawn, nobody else handles the rejection.
    decision.catch(() => undefined);
    if (key === undefined) return question;
    this.#questions.delete(key);
    this.#questions.set(key, question);
    if (this.#questions.size > REMEMBERED) this.#questions.delete(this.#questions.keys().next().value as string);
    return question;
  }
}

/** Converts the request to an input of the PermissionRequest event. */
function inputOf({ tool_name, input, tool_use_id, permission_suggestions, agent_id, mcp_server }: ControlAsk): Json {
  const fields = { tool_name, tool_input: input, tool_use_id, permission_suggestions, agent_id, mcp_server };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function askOf(request: ControlAsk, signal: AbortSignal): PermissionAsk {
  const text = (key: string, name: string): Json => (typeof request[key] === 'string' ? { [name]: request[key] } : {});
  const suggestions = request['permission_suggestions'];
  return {
    signal,
    toolUseID: String(request['tool_use_id'] ?? ''),
    ...text('agent_id', 'agentID'),
    ...(Array.isArray(suggestions) ? { suggestions } : {}),
    ...text('blocked_path', 'blockedPath'),
    ...text('decision_reason', 'decisionReason'),
    ...text('title', 'title'),
    ...text('display_name', 'displayName'),
    ...text('description', 'description'),
    request,
  };
}

const NO_ANSWER =
  "its answer is not { behavior: 'allow', updatedInput?: an object } or { behavior: 'deny', message?: a string }";
