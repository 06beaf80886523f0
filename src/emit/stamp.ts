import { randomUUID } from 'node:crypto';
import type { Stamp } from './recorded.js';

/** Random for this process and thread; what follows it is counted, which costs a tenth of a random id for each. */
const PREFIX = randomUUID().slice(0, 24);
const LOW = 0x1_0000;
let high = 0;
let low = 0;
let head = headOf(0);

/** A UUID that nobody else has. */
export function nextId(): string {
  if (low === LOW) {
    low = 0;
    head = headOf(++high);
  }
  return head + (LOW + low++).toString(16).slice(1);
}

function headOf(count: number): string {
  return PREFIX + count.toString(16).padStart(8, '0');
}

let millisecond = 0;
let text = '';

/** Now, as records say it: ISO 8601 in UTC with milliseconds. Its text is made once a millisecond. */
export function isoNow(): string {
  const now = Date.now();
  if (now !== millisecond) {
    millisecond = now;
    text = new Date(now).toISOString();
  }
  return text;
}

/** A record as somebody builds it who does not know when it will be sent. */
export function unstamped<R extends Stamp>({ seq: _, time: __, ...draft }: R): Omit<R, keyof Stamp> {
  return draft;
}
