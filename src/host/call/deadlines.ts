import type { Registration } from '../../scopes/registration.js';

/** Deadlines that handlers of one fire share (`timeoutFor: 'group'`): they run from when the first of them is called. */
export class Deadlines {
  readonly #began = new Map<object, number>();

  /** Milliseconds that are left to a handler. 0: no limit. */
  remaining({ timeout, shared }: Registration): number {
    const limit = timeout * 1000;
    if (shared === undefined || limit === 0) return limit;
    const now = performance.now();
    const began = this.#began.get(shared);
    if (began === undefined) this.#began.set(shared, now);
    return began === undefined ? limit : Math.max(1, limit - (now - began));
  }
}
