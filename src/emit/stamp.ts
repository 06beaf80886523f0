import { randomUUID } from 'node:crypto';
import type { Stamp } from './recorded.js';

/** Random for this process and thread; what follows it is counted, which costs a tenth of a random id for each. */
const PREFIX = randomUUID().slice(0, 24);
/** The last two digits; a call with subscribers takes three ids, and a table is the fastest way to print a number. */
const LAST = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'));
let high = 0;
let last = 0;
let head = headOf(0);

/** A unique id. */
export function nextId(): string {
  if (last === LAST.length) {
    last = 0;
    head = headOf(++high);
  }
  return head + LAST[last++];
}

function headOf(count: number): string {
  return PREFIX + count.toString(16).padStart(10, '0');
}

/** 48 random bits: of 100,000 hosts whose records are kept together, no two are the same but once in 50,000 times. */
export function newHostId(): string {
  return randomUUID().slice(-12);
}

/** A reading of the time of day is reused for this many milliseconds: records have a resolution of milliseconds, and a call with subscribers needs two readings. */
const FRESH = 0.05;
let read = 0;
let millisecond = 0;
let text = '';

/** The time of day as records say it, ISO 8601 in UTC with milliseconds; `now`: just read from `performance.now()`. Its text is made once a millisecond. */
export function isoAt(now: number): string {
  // If the clock stands still, a test has set it.
  if (now > read && now - read < FRESH) return text;
  read = now;
  const time = Date.now();
  if (time !== millisecond) {
    millisecond = time;
    text = new Date(time).toISOString();
  }
  return text;
}

export const isoNow = (): string => isoAt(performance.now());

/** What a bus stamps on its records. */
export interface Numbers {
  /** The same in all of them. */
  readonly hostId: string;
  /** The next record's `seq`. Taken when the rest of the record is made: getters in it may fire events, whose records come first. */
  next(): number;
}

/** A record built by code that does not know when it will be sent. */
export function unstamped<R extends Stamp>({
  seq: _,
  time: __,
  host_id: ___,
  redacted: ____,
  ...draft
}: R): Omit<R, keyof Stamp> {
  return draft;
}
