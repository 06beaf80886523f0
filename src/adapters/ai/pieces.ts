import { isDeepStrictEqual } from 'node:util';
import { resultOf } from '../../values/waiting/promises.js';

/** Whether the tool is an `async function*`, bound or not. The SDK must know that at once to show what a tool yields. */
export function yields(execute: unknown): boolean {
  return Object.prototype.toString.call(execute) === '[object AsyncGeneratorFunction]';
}

/** Passes on values while the work runs, each one at once, and finally its result. */
export async function* pieces(work: (piece: (output: unknown) => void) => Promise<unknown>): AsyncGenerator<unknown> {
  const waiting: unknown[] = [];
  let wake: () => void = () => undefined;
  let over = false;
  const running = work((output) => {
    waiting.push(output);
    wake();
  }).finally(() => {
    over = true;
    wake();
  });
  // Avoids an unhandled rejection; the error is thrown below.
  running.catch(() => undefined);
  let shown: unknown = waiting;
  while (!over || waiting.length > 0) {
    if (waiting.length > 0) {
      shown = waiting.shift();
      yield shown;
    } else {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  const final = await running;
  if (final !== shown) yield final;
}

/**
 * The output of a tool; of one that yields, its last value. `piece` gets what is yielded, at once, unless hooks may change the output:
 * then only when a different value has come, so that the output is not shown before they have seen it.
 */
export async function lastOf(
  output: unknown,
  piece: ((output: unknown) => void) | undefined,
  mayChange: () => boolean,
): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) {
    return await resultOf(() => output);
  }
  let last: unknown;
  let held: HeldPiece | undefined;
  for await (const value of output as AsyncIterable<unknown>) {
    last = value;
    if (piece === undefined) continue;
    const holds = mayChange();
    const now = held || holds ? new HeldPiece(value) : undefined;
    if (held?.differsFrom(now)) piece(held.copy);
    held = holds ? now : undefined;
    if (!holds) piece(value);
  }
  return last;
}

/** A value as it was when it was yielded: a tool may yield one object again and again, and change it in between. */
class HeldPiece {
  readonly copy: unknown;
  /** What a reader sees of it. `undefined`: JSON cannot carry it. */
  readonly #json: unknown;

  constructor(value: unknown) {
    this.#json = asJson(value);
    this.copy = copyOf(value, this.#json);
  }

  /** False where it is not known: then the value is not shown. */
  differsFrom(other: HeldPiece | undefined): boolean {
    if (this.#json === undefined || other === undefined || other.#json === undefined) return false;
    return !isDeepStrictEqual(this.#json, other.#json);
  }
}

function asJson(value: unknown): unknown {
  try {
    const text = JSON.stringify(value);
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** With dates and bytes as they are, if the value can be cloned. */
function copyOf(value: unknown, json: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return json;
  }
}
