/** Resolves with the work's result, or with `undefined` as soon as the signal fires; a later result is dropped. Rejects if the work rejects before that. */
export async function unlessAborted<T>(signal: AbortSignal, work: () => Promise<T>): Promise<{ value: T } | undefined> {
  if (signal.aborted) return undefined;
  let abort: () => void = () => undefined;
  const aborted = new Promise<undefined>((resolve) => {
    abort = () => resolve(undefined);
    signal.addEventListener('abort', abort, { once: true });
  });
  const answer = work().then((value) => ({ value }));
  // After an abort, nobody else would handle this promise's rejection.
  answer.catch(() => undefined);
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
