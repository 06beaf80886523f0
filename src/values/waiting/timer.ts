import { setTimeout as sleep } from 'node:timers/promises';

/** The longest delay of a timer, in milliseconds. Node fires a timer with a longer delay at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Converts seconds to a timer's delay. */
export const timerDelay = (seconds: number): number => timerMs(seconds * 1000);

/** Limits milliseconds to the longest delay of a timer. */
export const timerMs = (ms: number): number => Math.min(ms, LONGEST_TIMER);

/** The timer delay until a deadline given in the time of `performance.now()`. */
export const timerUntil = (deadline: number): number =>
  Math.min(Math.max(0, deadline - performance.now()), LONGEST_TIMER);

/** Waits at most this many milliseconds for the work. Returns whether it finished in time. */
export async function doneWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
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
