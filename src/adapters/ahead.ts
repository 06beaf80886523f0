import { isErrorOf } from '../errors.js';
import type { ToolCall, ToolResult } from '../session/tool/call.js';
import { standIn } from '../session/tool/stand-in.js';

/** A call waits for the framework's user; `run` continues with it when it is made again. */
export class Waits extends Error {
  override readonly name = 'Waits';
}

type Execute = NonNullable<ToolCall['execute']>;

/** A call that is judged before the framework runs it: kept until its tool is run, or until it is dropped. */
export class Ahead {
  readonly call: ToolCall;
  /** Its result. */
  readonly result: Promise<ToolResult>;
  /** It may run, and waits to be made. */
  readonly reached: Promise<void>;
  #reach!: () => void;
  #make!: (execute: Execute | undefined) => void;

  constructor(call: ToolCall, run: (call: ToolCall) => Promise<ToolResult>) {
    this.call = call;
    this.reached = new Promise((resolve) => {
      this.#reach = resolve;
    });
    const made = new Promise<Execute | undefined>((resolve) => {
      this.#make = resolve;
    });
    const execute = standIn(async (input, context, begun) => {
      this.#reach();
      const given = await made;
      if (given === undefined) throw new Error(`${call.name} was allowed, and then not called.`);
      begun();
      return await given(input, context);
    });
    this.result = run({ ...call, execute });
    // The caller of the tool gets the error.
    this.result.catch(() => undefined);
  }

  /** The user has to be asked about it; the call is over then. Its denial or failure is reported when the call is made. */
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

  /** The framework does not make it. */
  async drop(): Promise<void> {
    this.#make(undefined);
    await this.result.catch(() => undefined);
  }
}
