import { asPromise, isThenable, messageOf } from '../values/waiting/promises.js';
import { doneWithin, timerDelay } from '../values/waiting/timer.js';
import { type Logger, report } from './guard.js';

/** A bounded queue of items to be written. An item that does not fit is dropped and counted; `push` never waits. */
export interface SinkQueue<T> {
  /** Queues the item or, if there is no room, drops and counts it. */
  push(item: T): void;
  /** Whether there is room; an empty queue always has room for one item, however large. */
  readonly hasRoom: boolean;
  /** Counts a record as dropped without an item having been made of it. */
  refuse(): void;
  readonly dropped: number;
  /** How many records are queued or being written. */
  readonly pending: number;
  /** Resolves when everything that waits now is written or dropped. Never rejects. */
  flush(): Promise<void>;
  /** Refuses new items and writes waiting ones, for at most `closeTimeout`. Resolves to false if the rest had to be dropped. */
  close(): Promise<boolean>;
}

export interface QueueOptions<T> {
  readonly name: string;
  readonly logger: Logger;
  /** The most records that may be pending. */
  readonly capacity: number;
  /** The most weight that may wait, and the weight of an item. */
  readonly maxWeight?: number;
  readonly weigh?: (item: T) => number;
  /** Seconds. */
  readonly closeTimeout: number;
  /** How many records one item holds; default 1. */
  readonly size?: (item: T) => number;
  /** The most items passed to one call of `write`. */
  readonly batch: number;
  /** Writes the items, in order. A throw ends the queue. */
  readonly write: (items: readonly T[]) => unknown;
  /** Called once if `write` threw, with how many records that were queued or being written are dropped. */
  readonly failed?: (dropped: number) => void;
}

/** After this many consecutive synchronous writes, the event loop gets a turn. */
const BURST = 128;

export function createQueue<T>(options: QueueOptions<T>): SinkQueue<T> {
  const { name, logger, capacity, maxWeight = Number.POSITIVE_INFINITY, weigh = () => 1, size = () => 1 } = options;
  let waiting: T[] = [];
  /** How many items at the front are written or being written. They are cut off in bulk: each `shift` would move all others. */
  let taken = 0;
  let inHand = 0;
  /** Records that wait or are being written. */
  let pending = 0;
  let weight = 0;
  let dropped = 0;
  let lagging = false;
  let accepted = 0;
  let finished = 0;
  let open = true;
  let running = false;
  let flushes: { target: number; resolve: () => void }[] = [];

  const hasRoom = (): boolean => open && (pending === 0 || (pending < capacity && weight < maxWeight));

  function refuse(): void {
    dropped += 1;
    if (!lagging && open) report(logger, `Sink "${name}" is too slow: records are being dropped`, { dropped });
    lagging = true;
  }

  function finish(count: number): void {
    finished += count;
    for (const flush of flushes) if (flush.target <= finished) flush.resolve();
    flushes = flushes.filter((flush) => flush.target > finished);
  }

  /** Drops the items that wait and those being written, and returns how many records they are. */
  function abandon(): number {
    const count = pending;
    dropped += count;
    pending = 0;
    waiting = [];
    taken = 0;
    inHand = 0;
    finish(accepted - finished);
    return count;
  }

  function next(): T[] {
    const items = waiting.slice(taken, taken + options.batch);
    taken += items.length;
    if (taken * 2 > waiting.length) {
      waiting = waiting.slice(taken);
      taken = 0;
    }
    return items;
  }

  async function run(): Promise<void> {
    running = true;
    // Never write in the turn that emitted the record: it is the agent's.
    await nextTurn();
    for (let burst = 1; waiting.length > taken; burst++) {
      const items = next();
      inHand = items.length;
      for (const item of items) weight -= weigh(item);
      const written = options.write(items);
      if (isThenable(written)) await asPromise(written);
      else if (burst % BURST === 0) await nextTurn();
      if (inHand > 0) {
        for (const item of items) pending -= size(item);
        finish(items.length);
      }
      inHand = 0;
    }
    if (lagging) report(logger, `Sink "${name}" has caught up`, { dropped });
    lagging = false;
    running = false;
  }

  function fail(error: unknown): void {
    open = false;
    running = false;
    report(logger, `Sink "${name}" threw and was detached: ${messageOf(error)}`, error);
    const count = abandon();
    options.failed?.(count);
  }

  function flush(): Promise<void> {
    if (finished === accepted) return Promise.resolve();
    return new Promise((resolve) => flushes.push({ target: accepted, resolve }));
  }

  return {
    push(item) {
      if (!hasRoom()) return refuse();
      waiting.push(item);
      accepted += 1;
      pending += size(item);
      weight += weigh(item);
      if (!running) run().catch(fail);
    },
    refuse,
    get hasRoom() {
      return hasRoom();
    },
    get dropped() {
      return dropped;
    },
    get pending() {
      return pending;
    },
    flush,
    async close() {
      open = false;
      const inTime = await doneWithin(timerDelay(options.closeTimeout), flush());
      if (inTime) return true;
      report(logger, `Sink "${name}" did not finish within ${options.closeTimeout} s: ${pending} records were dropped`);
      abandon();
      return false;
    },
  };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
