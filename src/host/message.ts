/** What was thrown, in words. Anything can be thrown, also what cannot be looked at; this never throws. */
export function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    // A proxy that lets nobody look at it, an object that cannot be printed.
    return 'an error that cannot be printed';
  }
}

/** The same with the kind of error before it: `TypeError: x is not a function`. Our own errors speak for themselves. */
export function describeError(error: unknown): string {
  try {
    if (!(error instanceof Error) || error.name === 'HookscopeError') return messageOf(error);
    return `${error.name}: ${error.message}`;
  } catch {
    // As above.
    return messageOf(error);
  }
}
