import { isErrorOf } from '../errors.js';

/** Thrown to end a framework's loop that cannot be ended in another way. */
export class LoopOver extends Error {
  override readonly name = 'LoopOver';
}

/** Whether an error is a `LoopOver`, even if the framework wrapped it in its own error. */
export function isLoopOver(error: unknown): boolean {
  let one = error;
  for (let depth = 0; depth < 5 && isErrorOf(one, Error); depth++) {
    if (isErrorOf(one, LoopOver)) return true;
    one = one.cause;
  }
  return false;
}
