import type { PermissionCall } from '../session/options.js';
import type { ToolCall, ToolResult } from '../session/tool/call.js';
import type { Content } from '../session/tool/content.js';
import type { Keys } from '../values/options.js';
import { checks } from '../values/shape.js';

/** Framework-specific behaviour. */
export interface StepsOptions {
  /**
   * Whether an error is the framework's control flow, such as a pause or a jump (LangGraph's `GraphInterrupt`). `run` and `runTurn` rethrow it unchanged, and the
   * same call made again continues. It applies in addition to the session's own `passThrough`.
   */
  readonly passThrough?: ((error: unknown) => boolean) | undefined;
  /** How the framework asks its user if the session has no `ask`: it answers, or throws what `passThrough` accepts. Absent: nobody is asked, and the call is denied. */
  readonly pause?: ToolCall['pause'];
  /**
   * Shows the user the input of a call that waits for an answer (`asks`), after the hooks' rewrites; the answer is then for that input. It does not decide who is asked. If it throws, the
   * call is denied. Absent: the answer is for the model's input, which the framework shows, and a call that a hook rewrites is denied instead of waiting.
   */
  readonly onAsk?: ((input: unknown, call: PermissionCall) => void | Promise<void>) | undefined;
  /** Whether an error means that the framework's own limit of turns or steps was reached. `runTurn` rethrows it, and fires neither Stop nor StopFailure. */
  readonly limit?: ((error: unknown) => boolean) | undefined;
  /** The caller's signal for the whole run. It interrupts the session: running calls end with PostToolUseFailure (`is_interrupt`), and no Stop is fired. */
  readonly signal?: AbortSignal | undefined;
}

export const STEPS: Keys<StepsOptions> = {
  passThrough: checks.fn,
  pause: checks.fn,
  onAsk: checks.fn,
  limit: checks.fn,
  signal: checks.object,
};

/** Options of `run` besides the call itself. */
export interface RunOptions {
  /** The text that the model finally gets, for PostToolBatch, if it differs from the result's own content. */
  readonly said?: ((result: ToolResult) => Content | Promise<Content>) | undefined;
  /** The framework's signal for the tool, like `signal` of `StepsOptions`. */
  readonly signal?: AbortSignal | undefined;
}

export const RUN: Keys<RunOptions> = { said: checks.fn, signal: checks.object };
