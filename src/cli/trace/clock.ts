import type { HookRecord, HookResponse } from '../../emit/record.js';

/** Microseconds, but for the millisecond that a record says. */
const REST = 999;

/**
 * The time of each record in microseconds. A record says the millisecond; that one came after the other is known too, and how long
 * each call took. So the time never goes back, and what came after something begins after its end.
 */
export class RecordClock {
  #last = 0;

  at({ time }: HookRecord): number {
    return this.#pass(Date.parse(time) * 1000);
  }

  /** The end of a call that began at `start`: as long after it as it took, if that is within the record's millisecond. */
  end({ time, duration_ms }: HookResponse, start: number): number {
    const millisecond = Date.parse(time) * 1000;
    const end = Math.round(start + duration_ms * 1000);
    return this.#pass(Math.min(Math.max(millisecond, end), millisecond + REST));
  }

  /** At least a microsecond later, so that a slice can be seen. */
  after(start: number): number {
    return this.#pass(start + 1);
  }

  #pass(time: number): number {
    if (time > this.#last) this.#last = time;
    return this.#last;
  }
}
