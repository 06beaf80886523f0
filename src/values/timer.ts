/** The longest a timer can wait, in milliseconds. Node makes a longer one fire at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Seconds in the milliseconds of a timer. */
export const timerDelay = (seconds: number): number => Math.min(seconds * 1000, LONGEST_TIMER);
