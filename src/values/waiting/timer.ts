import { setTimeout as sleep } from 'node:timers/promises';

/** The longest a timer can wait, in milliseconds. Node makes a longer one fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Seconds in the milliseconds of a timer. */
export const timerDelay = (seconds: number): number => timerMs(seconds * 1000);

/** Milliseconds, as a timer can wait them. */
export const timerMs = (ms: number): number => Math.min(ms, LONGEST_TIMER);

/** Milliseconds until then (by `performance.now()`), as a timer can wait them. */
export const timerUntil = (deadline: number): number =>
  Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);

/** Waits for the work, but no longer than that many milliseconds; whether it was done by then. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const done = new AbortController();
  const over = sleep(Math.min(ms, LONGEST_TIMER), undefined, { signal: done.signal }).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), over]);
  } finally {
    done.abort();
  }
}
