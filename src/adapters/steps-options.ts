import type { PermissionCall } from '../session/options.js';
import type { ToolCall, ToolResult } from '../session/tool/call.js';
import type { Content } from '../session/tool/content.js';
import type { Keys } from '../values/options.js';
import { checks } from '../values/shape.js';

/** Framework-specific behaviour. */
export interface StepsOptions {
  /**
   * Whether an error is the framework's control flow, a pause or a jump (LangGraph's `GraphInterrupt`). It is rethrown unchanged, from `run` and from
   * `runTurn`, and the same call made again continues. Used in addition to the session's own `passThrough`.
   */
  readonly passThrough?: ((error: unknown) => boolean) | undefined;
  /** How the framework asks its user if the session has no `ask`: it answers, or throws what `passThrough` accepts. Absent: nobody is asked, and the call is denied. */
  readonly pause?: ToolCall['pause'];
  /**
   * Shows the user a call that waits for an answer (`asks`): its input as hooks leave it, which the answer is then about. It only shows: who is asked does not depend on it. What it throws denies the call. Absent: the user sees
   * what the framework shows, the input that the model produced, and a call whose input a hook rewrites is denied where it would wait.
   */
  readonly onAsk?: ((input: unknown, call: PermissionCall) => void | Promise<void>) | undefined;
  /** Whether an error says that the framework's own limit is reached (of turns, of steps). `runTurn` throws it on; no Stop and no StopFailure is fired. */
  readonly limit?: ((error: unknown) => boolean) | undefined;
  /** The caller's, of the whole run. Aborted, it interrupts the session: what runs ends with PostToolUseFailure (`is_interrupt`), and no Stop is fired. */
  readonly signal?: AbortSignal | undefined;
}

export const STEPS: Keys<StepsOptions> = {
  passThrough: checks.fn,
  pause: checks.fn,
  onAsk: checks.fn,
  limit: checks.fn,
  signal: checks.object,
};

/** How a call is run, in addition to the call itself. */
export interface RunOptions {
  /** The text that the model finally gets, for PostToolBatch, if it differs from the result's own content. */
  readonly said?: ((result: ToolResult) => Content | Promise<Content>) | undefined;
  /** The framework's signal for the tool, like `signal` of `StepsOptions`. */
  readonly signal?: AbortSignal | undefined;
}

export const RUN: Keys<RunOptions> = { said: checks.fn, signal: checks.object };
