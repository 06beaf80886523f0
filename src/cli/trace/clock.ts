import type { HookRecord, HookResponse } from '../../emit/record.js';

/** Microseconds, but for the millisecond that a record says. */
const REST = 999;
/** Microseconds by which times may be out of order only because records say the millisecond; what is further back says that a clock was set. */
export const NEAR = 2_000;

/**
 * The time of each record of a host in microseconds. A record says the millisecond; that one came after the other is known too, and how long
 * each call took. So the time goes back only where the host's own clock was set back.
 */
export class RecordClock {
  #last = 0;

  at({ time }: HookRecord): number {
    return this.#pass(Date.parse(time) * 1000);
  }

  /** The end of a call that began at `start`: as long after it as it took, within the record's millisecond unless the clock was set meanwhile. */
  end({ time, duration_ms }: HookResponse, start: number): number {
    const millisecond = Date.parse(time) * 1000;
    const end = Math.round(start + duration_ms * 1000);
    const wasSet = Math.abs(millisecond - end) > NEAR;
    return this.#pass(wasSet ? end : Math.min(Math.max(millisecond, end), millisecond + REST));
  }

  /** At least a microsecond later, so that a slice can be seen. */
  after(start: number): number {
    return this.#pass(start + 1);
  }

  #pass(time: number): number {
    if (time > this.#last || time < this.#last - NEAR) this.#last = time;
    return this.#last;
  }
}
