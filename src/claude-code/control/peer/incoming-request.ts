import { LazySignal } from '../../../values/waiting/lazy-signal.js';

/** One of the other side's requests that is being answered. */
export class IncomingRequest {
  readonly id: string;
  /** Aborts when the request is withdrawn. */
  readonly ending = new LazySignal();

  constructor(id: string) {
    this.id = id;
  }

  /** The same as a real AbortSignal. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }
}

/** One of our requests that waits for its reply. */
export interface Waiting {
  resolve(response: unknown): void;
  reject(error: Error): void;
}
