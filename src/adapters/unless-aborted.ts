import { linkAbort } from '../values/waiting/link-abort.js';

/** A tool's work, for as long as its framework waits for it: once the signal fires the framework has gone on, and the call has failed with the signal's reason. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    const unlink = linkAbort(signal, { end });
    if (signal.aborted) end();
    work.then(resolve, reject).finally(unlink);
  });
}
