import { LazySignal } from '../../../values/waiting/lazy-signal.js';

/** A request of theirs under way. */
export class IncomingRequest {
  readonly id: string;
  /** Aborts when the request is withdrawn. */
  readonly ending = new LazySignal();

  constructor(id: string) {
    this.id = id;
  }

  /** The same as a real one. */
  get signal(): AbortSignal {
    return this.ending.signal;
  }
}

/** A request of ours under way. */
export interface Waiting {
  resolve(response: unknown): void;
  reject(error: Error): void;
}
