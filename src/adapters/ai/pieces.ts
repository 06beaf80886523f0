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
 * then only when the next value has come, so that the output is not shown before they have seen it.
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
  let isHeld = false;
  for await (const value of output as AsyncIterable<unknown>) {
    if (isHeld) piece?.(last);
    last = value;
    isHeld = piece !== undefined && mayChange();
    if (!isHeld) piece?.(last);
  }
  return last;
}
