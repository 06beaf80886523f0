import { isErrorOf } from '../errors.js';
import type { ToolCall, ToolResult } from '../session/tool/call.js';
import { standIn, type ToolExecute } from '../session/tool/stand-in.js';

/** Thrown where a call has to wait for the framework's user; it goes through `run` when it is made again. */
export class Waits extends Error {
  override readonly name = 'Waits';
}

/** A call that is judged before the framework runs it; it is kept until the framework runs the tool or drops the call. */
export class EarlyCall {
  readonly call: ToolCall;
  /** Its result. */
  readonly result: Promise<ToolResult>;
  /** Resolves when hooks let the call run; the call then waits for the framework to make it. */
  readonly reached: Promise<void>;
  #reach!: () => void;
  #make!: (execute: ToolExecute | undefined) => void;

  constructor(call: ToolCall, run: (call: ToolCall) => Promise<ToolResult>) {
    this.call = call;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    const made = new Promise<ToolExecute | undefined>((resolve) => {
      this.#make = resolve;
    });
    const execute = standIn(async (input, context, begun) => {
      this.#reach();
      const given = await made;
      if (given === undefined) throw new Error(`${call.name} was allowed, and then not called.`);
      // The call may have been interrupted while it waited.
      context.signal.throwIfAborted();
      begun();
      return await given(input, context);
    });
    this.result = run({ ...call, execute });
    // Whoever awaits `result` gets the error; this avoids an unhandled rejection.
    this.result.catch(() => undefined);
  }

  /** Whether the user has to be asked, which ends this call. A denial or failure is reported when the call is made. */
  async waits(): Promise<boolean> {
    const over = this.result.then(
      () => false,
      (error: unknown) => isErrorOf(error, Waits),
    );
    return await Promise.race([this.reached.then(() => false), over]);
  }

  make(execute: ToolCall['execute']): void {
    this.#make(execute);
  }

  /** Ends a call that the framework does not make. */
  async drop(): Promise<void> {
    this.#make(undefined);
    await this.result.catch(() => undefined);
  }
}
