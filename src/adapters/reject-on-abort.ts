import { linkAbort } from '../values/waiting/link-abort.js';

/** Rejects with the signal's reason once it fires, without waiting for `work`, because the framework does not wait for it either. */
export function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    const unlink = linkAbort(signal, { end });
    if (signal.aborted) end();
    work.then(resolve, reject).finally(unlink);
  });
}
