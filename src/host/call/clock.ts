import type { HookscopeError } from '../../errors.js';

/** The fire that a watched call belongs to. */
export interface WatchedFire {
  readonly spec: { readonly name: string };
  readonly input: Readonly<Record<string, unknown>>;
  cancel(error: HookscopeError): void;
}

/** Something under way that may run out of time or be cancelled: one handler's call. */
export interface PendingWork {
  /** Milliseconds; 0 never expires. */
  limit: number;
  /** When it was first seen pending, in milliseconds of the monotonic clock; 0: not yet. */
  since: number;
  /** The fire it belongs to. */
  readonly fire: WatchedFire;
  expire(): void;
  /** The fire was cut short: settle now. */
  cancel(): void;
  /** Names of the handlers it waits for. */
  pendingNames(): readonly string[];
  before?: PendingWork | undefined;
  after?: PendingWork | undefined;
}

/** A whole fire that is under way, also between two of its calls. */
export class PendingFire implements PendingWork {
  readonly limit = 0;
  readonly since = 0;
  before: PendingWork | undefined = undefined;
  after: PendingWork | undefined = undefined;
  readonly fire: WatchedFire;

  constructor(fire: WatchedFire) {
    this.fire = fire;
  }

  expire(): void {
    // Only its calls have deadlines.
  }

  cancel(): void {
    // Its calls are cancelled, and it ends with them.
  }

  pendingNames(): readonly string[] {
    return [];
  }
}

/** Milliseconds between two checks of pending work: a timeout is never early, and at most two of these late. */
const SWEEP = 10;

/**
 * One timer for all deadlines. A call that settles between two sweeps costs neither a clock reading nor a timer object; the timer
 * exists only while something is pending.
 */
export class Clock {
  #first: PendingWork | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idle = 0;

  watch(node: PendingWork): void {
    const next = this.#first;
    if (next) {
      node.after = next;
      next.before = node;
    }
    this.#first = node;
    this.#timer ??= setInterval(this.#sweep, SWEEP);
  }

  /** Safe to call twice. */
  forget(node: PendingWork): void {
    const { before, after } = node;
    if (before) before.after = after;
    else if (this.#first === node) this.#first = after;
    else return;
    if (after) after.before = before;
    if (before) node.before = undefined;
    if (after) node.after = undefined;
  }

  /** Everything under way now. */
  *pending(): Generator<PendingWork> {
    for (let node = this.#first; node; ) {
      const next: PendingWork | undefined = node.after;
      yield node;
      node = next;
    }
  }

  get idle(): boolean {
    return this.#first === undefined;
  }

  #sweep = (): void => {
    if (!this.#first) {
      // A second empty sweep ends the timer, so that a busy host does not make a new one for every fire.
      if (++this.#idle < 2) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
      this.#idle = 0;
      return;
    }
    this.#idle = 0;
    const now = performance.now();
    for (const node of [...this.pending()]) {
      if (node.limit === 0) continue;
      if (node.since === 0) node.since = now;
      else if (now - node.since >= node.limit) node.expire();
    }
  };
}
