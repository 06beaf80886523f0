import type { Failure } from '../../events/failure.js';
import { saysByHelper } from '../../events/output/helper-words.js';
import { describeError } from '../../values/message.js';
import { isObject } from '../../values/shape.js';
import { ignoreRejections } from '../../values/waiting/promises.js';

/** A failure of a handler's own code. */
export function threw(error: unknown): Failure {
  // A promise can be thrown, too.
  ignoreRejections(error);
  if (isDecision(error)) return { cause: 'threw', message: THROWN_DECISION };
  const message = describeError(error);
  return { cause: 'threw', message: message.trim() === '' ? 'an empty text was thrown' : message };
}

const THROWN_DECISION = 'a decision was thrown, which decides nothing: return it, as in return deny(…)';

/** Whether a thrown value is what helpers such as `deny()` return. */
function isDecision(error: unknown): boolean {
  try {
    return !(error instanceof Error) && isObject(error) && saysByHelper(error);
  } catch {
    // A proxy that throws on every access.
    return false;
  }
}
