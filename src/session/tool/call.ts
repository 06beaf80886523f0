import { randomUUID } from 'node:crypto';
import type { Traced } from '../../emit/tracing.js';
import { HookscopeError } from '../../errors.js';
import type { Decision } from '../../host/types.js';
import { copyJson, MOST_BYTES } from '../../values/copies/copy.js';
import { checkKeys, type Keys } from '../../values/options.js';
import { checks } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { Core } from '../core.js';
import type { Effect, McpServer, PermissionCall, SessionSettings } from '../options.js';
import type { Content } from './content.js';
import type { DeniedBy } from './judgement.js';

/** The second argument of a tool. */
export interface ToolContext {
  readonly id: string;
  /** Aborts when the turn is interrupted or the session closes; what the tool answers after that is dropped. */
  readonly signal: AbortSignal;
}

/** One call of a tool, as the model made it. */
export interface ToolCall<Input = Record<string, unknown>, Output = unknown>
  extends Pick<SessionSettings, 'permission' | 'ask' | 'classify' | 'passThrough'> {
  readonly name: string;
  /** JSON data; it is copied, and never changed. */
  readonly input: unknown;
  /** Default: a new one. */
  readonly id?: string | undefined;
  /** The effect of the call, for permission modes and `toolBatch`. Default `other`. */
  readonly effect?: Effect | undefined;
  /** Whether it may run at the same time as other calls of its batch. Default: only if its effect is `read`. */
  readonly concurrent?: boolean | undefined;
  /** The server that an MCP tool belongs to. */
  readonly mcp?: McpServer | undefined;
  /**
   * A framework's own way to ask the user, where neither the call nor the session has `ask`: it answers, or throws what `passThrough` lets
   * through, and answers when the same call is made again. After a question of `Steps` (`asks`, `asked`) its answer alone allows the call.
   */
  readonly pause?: SessionSettings['ask'];
  /** The user or an approver is asked even if hooks and rules allow the call: the tool itself wants it. A deny stays a deny. */
  readonly needsApproval?: boolean | undefined;
  /** Why the call cannot be made (an unknown tool, an invalid input): only PostToolBatch reports it. */
  readonly invalid?: string | undefined;
  /**
   * Returns what is wrong with an input with which a hook, a rule or the user replaced the model's; no answer: it may run. The returned (or
   * thrown) text is the call's error, which names who rewrote it, and the tool does not run.
   */
  check?(input: unknown): string | undefined | Promise<string | undefined>;
  /** Runs it on a copy of the final input. What it throws is the model's error result. Absent only with `invalid`. */
  execute?(input: Input, context: ToolContext): Output | Promise<Output>;
  /** The text of a response for the model. Default: text and content blocks unchanged, anything else as JSON. */
  render?(response: Output): Content;
}

/** The result of a call. */
export interface ToolResult {
  readonly status: 'ran' | 'failed' | 'denied' | 'deferred' | 'interrupted';
  readonly id: string;
  readonly name: string;
  /** The text for the model: rewritten, hidden, with feedback and context included. */
  readonly content: Content;
  readonly isError: boolean;
  /** The input as it ran, or as far as it got. */
  readonly input: unknown;
  /** Why it was denied, failed or was deferred. */
  readonly reason?: string;
  readonly deniedBy?: DeniedBy;
  /** The tool's response as hooks left it; absent when it did not run or is hidden. */
  readonly response?: unknown;
  /** A hook hid the output: it must not reach the transcript either. */
  readonly hidden: boolean;
  /** A PermissionDenied hook lets the model try again. */
  readonly retry: boolean;
  /** The turn is over: call no model, and no `stop()`. */
  readonly endsLoop: boolean;
  /** Permissions that hooks or the user granted with it. */
  readonly updatedPermissions: readonly unknown[];
  /** From PostToolUse hooks, for a classifier. */
  readonly classifierContext?: string;
  /** How long the tool itself ran. */
  readonly duration_ms?: number;
  /** The decision on PreToolUse; if it was asked more than once, the last. */
  readonly decision?: Decision<'PreToolUse'>;
  /** The decision on PostToolUse or PostToolUseFailure. */
  readonly after?: Decision<'PostToolUse'> | Decision<'PostToolUseFailure'>;
}

/** A call that was looked at: what is missing filled in, its input a private copy. */
export interface CheckedCall extends Pick<SessionSettings, 'permission' | 'ask' | 'classify' | 'passThrough'> {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly effect: Effect;
  readonly concurrent: boolean;
  readonly mcp: McpServer | undefined;
  readonly needsApproval: boolean;
  readonly invalid: string | undefined;
  /** The caller's own object: `check`, `execute` and `render` are called as its methods, because a tool may have its own `this`. */
  readonly tool: ToolCall;
  /** The signal of its turn. */
  readonly signal: AbortSignal;
  /** For its record; absent without subscribers. */
  readonly watched: WatchedCall | undefined;
}

/** What a call's record contains, but not its result. */
export interface WatchedCall {
  /** The tool was started. */
  ran: boolean;
  /** Milliseconds by event. */
  readonly hooksMs: Record<string, number>;
  /** Once it has begun. */
  traced: Traced | undefined;
}

const CALL: Keys<ToolCall> = {
  name: true,
  input: true,
  id: true,
  effect: true,
  concurrent: checks.flag,
  needsApproval: checks.flag,
  mcp: checks.object,
  invalid: checks.text,
  check: checks.fn,
  execute: true,
  render: checks.fn,
  permission: checks.fn,
  ask: checks.fn,
  classify: checks.fn,
  pause: checks.fn,
  passThrough: checks.fn,
};

/** A tool may be an instance of a class, with other members. */
function checkToolCall(call: unknown): void {
  const own = typeof call === 'object' && call !== null && Object.getPrototypeOf(call) !== Object.prototype;
  if (!own) checkKeys(call ?? null, CALL, 'tool: ');
}

/** Throws INVALID_OPTIONS (the call) and INVALID_INPUT (its input) before anything is fired. */
export function checkCall(core: Core, call: ToolCall): CheckedCall {
  checkToolCall(call);
  if (typeof call.name !== 'string' || call.name === '') throw wrong('name', "expected the tool's name");
  const { id = newCallId(), effect = 'other', mcp, invalid } = call;
  if (typeof id !== 'string' || id === '') throw wrong('id', 'expected a string');
  if (!EFFECTS.includes(effect)) throw wrong('effect', 'expected read, edit or other');
  if (typeof call.execute !== 'function' && invalid === undefined)
    throw wrong('execute', 'expected a function (input, { id, signal })');
  return {
    id,
    name: call.name,
    input: copyInput(call.input, core.deps.maxInputBytes),
    effect,
    concurrent: call.concurrent ?? effect === 'read',
    mcp,
    needsApproval: call.needsApproval === true,
    invalid,
    tool: call,
    permission: call.permission ?? core.settings.permission,
    ask: call.ask ?? core.settings.ask ?? call.pause,
    classify: call.classify ?? core.settings.classify,
    passThrough: either(call.passThrough, core.settings.passThrough),
    signal: core.signal,
    watched: core.deps.records.observed ? { ran: false, hooksMs: {}, traced: undefined } : undefined,
  };
}

const EFFECTS: readonly Effect[] = ['read', 'edit', 'other'];

const wrong = (key: string, expected: string): HookscopeError =>
  new HookscopeError('INVALID_OPTIONS', { where: `tool.${key}`, expected });

type PassThrough = SessionSettings['passThrough'];

/** The framework's own control flow, as the call's adapter knows it or as the session does. */
function either(ofCall: PassThrough, ofSession: PassThrough): PassThrough {
  if (!ofCall || !ofSession) return ofCall ?? ofSession;
  return (error) => ofCall(error) === true || ofSession(error);
}

export const newCallId = (): string => `toolu_${randomUUID().replaceAll('-', '')}`;

export function copyInput(input: unknown, most = MOST_BYTES): unknown {
  try {
    return copyJson(input === undefined ? {} : input, '', { left: most });
  } catch (cause) {
    const expected = `must be JSON data: ${messageOf(cause)}`;
    throw new HookscopeError('INVALID_INPUT', { event: 'PreToolUse', field: 'tool_input', expected }, { cause });
  }
}

/** The call's fields on the wire, in the wire's order. */
export function callFields(
  call: CheckedCall,
  input: unknown,
  more?: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { name: tool_name, id: tool_use_id, mcp: mcp_server } = call;
  // A literal that is spread into is slower.
  if (more === undefined) return { tool_name, tool_input: input, tool_use_id, mcp_server };
  return { tool_name, tool_input: input, tool_use_id, ...more, mcp_server };
}

/** The description of a call that the harness's callbacks get. */
export function describeCall(
  core: Core,
  call: CheckedCall,
  said: Pick<PermissionCall, 'verdict' | 'reason' | 'suggestions'>,
): PermissionCall {
  const { id, name, effect, mcp, signal } = call;
  return {
    id,
    name,
    effect,
    mcp,
    signal,
    permission_mode: core.mode,
    agent_id: core.who.agent_id,
    agent_type: core.who.agent_type,
    ...said,
  };
}
