import { isErrorOf } from '../errors.js';

/** Thrown into a framework whose loop cannot be ended otherwise. */
export class LoopOver extends Error {
  override readonly name = 'LoopOver';
}

/** Whether it was thrown, even if the framework has wrapped it in its own error. */
export function isLoopOver(error: unknown): boolean {
  let one = error;
  for (let depth = 0; depth < 5 && isErrorOf(one, Error); depth++) {
    if (isErrorOf(one, LoopOver)) return true;
    one = one.cause;
  }
  return false;
}
