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
  /** Aborts when the turn is interrupted or the session closes; the tool's result after that is dropped. */
  readonly signal: AbortSignal;
}

/** A tool call of the model. */
export interface ToolCall<Input = Record<string, unknown>, Output = unknown>
  extends Pick<SessionSettings, 'permission' | 'ask' | 'classify' | 'passThrough'> {
  readonly name: string;
  /** JSON data. It is copied, and never changed. */
  readonly input: unknown;
  /** The call's id. Default: a new one. */
  readonly id?: string | undefined;
  /** What the call does, for permission modes and `toolBatch`. Default: `other`. */
  readonly effect?: Effect | undefined;
  /** Whether the call may run in parallel with others of its batch. Default: only if its effect is `read`. */
  readonly concurrent?: boolean | undefined;
  /** The server that an MCP tool belongs to. */
  readonly mcp?: McpServer | undefined;
  /**
   * A framework's own way to ask the user, if neither the call nor the session has `ask`. It returns the answer, or throws what `passThrough`
   * accepts, and returns the answer when the call is made again. After `asks` or `asked` of `Steps`, only its answer allows the call.
   */
  readonly pause?: SessionSettings['ask'];
  /** The tool itself needs approval: the user or an approver is asked even if hooks and rules allow the call. A deny still denies. */
  readonly needsApproval?: boolean | undefined;
  /** Why the call cannot be made, such as an unknown tool or invalid input. Only PostToolBatch reports such a call. */
  readonly invalid?: string | undefined;
  /**
   * Checks an input that replaced the model's, by a hook, a rule or the user. If it returns (or throws) a text, the tool does not run, and
   * the text is the call's error, with the name of whoever rewrote the input.
   */
  check?(input: unknown): string | undefined | Promise<string | undefined>;
  /**
   * Runs the tool on `input`, a copy of the final input, which hooks, rules or the user may have rewritten. Do not run the `input` of the call: it is
   * what the model wrote, and may be what a hook denied. A thrown error is the model's error result. Required unless `invalid` is set.
   */
  execute?(input: Input, context: ToolContext): Output | Promise<Output>;
  /** Renders a response for the model. Default: text and content blocks unchanged, anything else as JSON. */
  render?(response: Output): Content;
}

/** The result of a call. */
export interface ToolResult {
  readonly status: 'ran' | 'failed' | 'denied' | 'deferred' | 'interrupted';
  readonly id: string;
  readonly name: string;
  /** The content for the model, after rewriting or hiding by hooks, and with their feedback and context. */
  readonly content: Content;
  readonly isError: boolean;
  /** The input that ran or, if the call did not run, the last one. */
  readonly input: unknown;
  /** Why the call was denied, deferred or failed. */
  readonly reason?: string;
  readonly deniedBy?: DeniedBy;
  /** The tool's response after hooks' rewrites; absent if the tool did not run or its output is hidden. */
  readonly response?: unknown;
  /** A hook hid the output, or hooks that could have hidden it were cut short or failed: it must not reach the transcript either. */
  readonly hidden: boolean;
  /** A PermissionDenied hook lets the model try again. */
  readonly retry: boolean;
  /** The turn is over: call neither the model nor `stop()`. */
  readonly endsLoop: boolean;
  /** Permissions that hooks or the user granted with the call; none if it was denied. */
  readonly updatedPermissions: readonly unknown[];
  /** Context from PostToolUse hooks for a classifier. */
  readonly classifierContext?: string;
  /** How long the tool itself ran, in milliseconds. */
  readonly duration_ms?: number;
  /** The decision on PreToolUse; if there were several, the last. */
  readonly decision?: Decision<'PreToolUse'>;
  /** The decision on PostToolUse or PostToolUseFailure. */
  readonly after?: Decision<'PostToolUse'> | Decision<'PostToolUseFailure'>;
}

/** A checked call, with defaults filled in and a private copy of its input. */
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
  /** Data for its record; absent without subscribers. */
  readonly watched: WatchedCall | undefined;
}

/** Data for a call's record that its result does not have. */
export interface WatchedCall {
  /** The tool was started. */
  ran: boolean;
  /** Milliseconds spent in hooks, by event. */
  readonly hooksMs: Record<string, number>;
  /** The call's span; set once the call has begun. */
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

/** Checks the keys of plain objects only, because an instance of a class may have other members. */
function checkToolCall(call: unknown): void {
  const own = typeof call === 'object' && call !== null && Object.getPrototypeOf(call) !== Object.prototype;
  if (!own) checkKeys(call ?? null, CALL, 'tool: ');
}

/** Checks a call before anything is fired. Throws INVALID_OPTIONS for the call, INVALID_INPUT for its input. */
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

/** A `passThrough` that accepts what the call's or the session's own accepts. */
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

/** The fields of the call's events, in the wire's order. */
export function callFields(
  call: CheckedCall,
  input: unknown,
  more?: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { name: tool_name, id: tool_use_id, mcp: mcp_server } = call;
  // Spreading into a literal is slower, so it is avoided here.
  if (more === undefined) return { tool_name, tool_input: input, tool_use_id, mcp_server };
  return { tool_name, tool_input: input, tool_use_id, ...more, mcp_server };
}

/** The call as the harness's callbacks get it. */
export function describeCall(
  core: Core,
  call: CheckedCall,
  said: Pick<PermissionCall, 'verdict' | 'reason' | 'suggestions'> &
    Partial<Pick<PermissionCall, 'granted' | 'permission_mode'>>,
): PermissionCall {
  const { id, name, effect, mcp, signal } = call;
  return {
    id,
    name,
    effect,
    mcp,
    signal,
    permission_mode: core.mode,
    granted: [],
    agent_id: core.who.agent_id,
    agent_type: core.who.agent_type,
    ...said,
  };
}
