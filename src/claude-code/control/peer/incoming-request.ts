import { LazySignal } from '../../../values/waiting/lazy-signal.js';

/** A request of the other side that is being answered. */
export class IncomingRequest {
  readonly id: string;
  /** Aborts when the request is withdrawn. */
  readonly ending = new LazySignal();

  constructor(id: string) {
    this.id = id;
  }

  /** `ending` as an AbortSignal, which is created on first read. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }
}

/** A request of ours that waits for its reply. */
export interface PendingRequest {
  resolve(response: unknown): void;
  reject(error: Error): void;
}
