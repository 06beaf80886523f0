import type { HookRecord, HookResponse } from '../../emit/record.js';

/** The most microseconds after the beginning of a record's millisecond. */
const REST = 999;
/** Microseconds by which times may be out of order because records give only the millisecond. If it is more, a clock was set back. */
export const NEAR = 2_000;

/**
 * The time of each record of a host in microseconds, from the record's millisecond, the order of the records and the duration of calls. It
 * goes back only if the host's own clock was set back.
 */
export class RecordClock {
  #last = 0;

  at({ time }: HookRecord): number {
    return this.#pass(Date.parse(time) * 1000);
  }

  /** The end of a call that began at `start`: after its duration, within the record's millisecond unless the clock was set meanwhile. */
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
