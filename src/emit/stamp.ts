import { randomUUID } from 'node:crypto';
import type { Stamp } from './recorded.js';

/** Random per process and thread. Ids append a counter to it, which takes a tenth of the time of a random id. */
const PREFIX = randomUUID().slice(0, 24);
/** The last two hex digits of an id: a call with subscribers makes three ids, and a table is the fastest way to print a number. */
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

/** 48 random bits: among 100,000 hosts whose records are kept together, two have the same id with a probability of 1 in 50,000. */
export function newHostId(): string {
  return randomUUID().slice(-12);
}

/** The time of day is read again after this many milliseconds: a call with subscribers needs it twice, and records have a resolution of a millisecond. */
const FRESH = 0.05;
let read = 0;
let millisecond = 0;
let text = '';

/** The time of day as records have it, ISO 8601 in UTC with milliseconds. `now`: the current `performance.now()`. Formats at most once a millisecond. */
export function isoAt(now: number): string {
  // `now > read`: a clock that stands still is a test's fake, and the date may have changed.
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
  /** The `host_id` of all its records. */
  readonly hostId: string;
  /** The next record's `seq`. Call it when the rest of the record is built: getters in copied values may fire events, whose records come first. */
  next(): number;
}

/** The record without its stamp, for code that builds a record before it is sent. */
export function unstamped<R extends Stamp>({
  seq: _,
  time: __,
  host_id: ___,
  redacted: ____,
  ...draft
}: R): Omit<R, keyof Stamp> {
  return draft;
}
