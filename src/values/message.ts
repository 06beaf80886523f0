import { ignoreRejections, messageOf } from './waiting/promises.js';

/** Like `messageOf`, with the kind of error before it: `TypeError: x is not a function`. Our own errors need no such prefix. */
export function describeError(error: unknown): string {
  try {
    if (!(error instanceof Error) || error.name === 'HookscopeError') return messageOf(error);
    return `${error.name}: ${error.message}`;
  } catch (another) {
    // Reading the error threw something else.
    ignoreRejections(another);
    return messageOf(error);
  }
}
