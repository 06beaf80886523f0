import { plain, warn } from '../../plain.js';
import { describeError } from '../../values/message.js';
import { tell } from '../../values/waiting/promises.js';

const LINES_PER_MINUTE = 100;
/** Repeated lines that get their own count; the counts of all others are added up. */
const REPEATS_LISTED = 20;
/** Alarms that may wait for the next minute. */
const ALARMS_KEPT = 20;
const MINUTE = 60_000;

type LogFunction = (message: string, detail?: unknown) => void;

/**
 * A host's failures and warnings. Of repeats, such as one handler that fails with the same cause, one line is written per minute and then one with their
 * count. A host writes at most 100 lines a minute and reports how many were left out.
 */
export class HostLogger {
  readonly #write: LogFunction;
  readonly #now: () => number;
  readonly #repeats = new Map<string, { readonly message: string; readonly detail: unknown; count: number }>();
  #began = Number.NEGATIVE_INFINITY;
  #written = 0;
  #left = 0;
  /** Alarms that wait for room. When `ALARMS_KEPT` wait, further ones are counted with the other lines that are left out. */
  #alarms: { readonly message: string; readonly detail: unknown }[] = [];

  /** `unheard`: used if the user has set no logger. */
  constructor(
    logger: LogFunction | undefined,
    now: () => number = () => performance.now(),
    unheard: (message: string, detail?: unknown) => void = (message) => warn(message),
  ) {
    this.#write = logger ? walled(logger) : unheard;
    this.#now = now;
  }

  /** `repeats`: a key; lines with the same key are repeats. Default: the line is never a repeat. */
  readonly report = (message: string, detail?: unknown, repeats?: string): void => {
    const now = this.#now();
    if (now - this.#began >= MINUTE) {
      this.#written = this.flush();
      this.#began = now;
    }
    const before = repeats === undefined ? undefined : this.#repeats.get(repeats);
    if (before) before.count++;
    else if (this.#written >= LINES_PER_MINUTE) this.#left++;
    else {
      this.#written++;
      if (repeats !== undefined) this.#repeats.set(repeats, { message, detail, count: 0 });
      this.#write(message, detail);
    }
  };

  /** Like `report`, but an alarm beyond the limit waits, and is written first in the next minute or at close. */
  readonly alarm = (message: string, detail: unknown): void => {
    const isFull = this.#written >= LINES_PER_MINUTE && this.#now() - this.#began < MINUTE;
    if (isFull && this.#alarms.length < ALARMS_KEPT) this.#alarms.push({ message, detail });
    else this.report(message, detail);
  };

  /** Writes what was held back; returns the number of lines. */
  flush(): number {
    const repeated = [...this.#repeats.values()].filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
    const others = repeated.slice(REPEATS_LISTED).reduce((sum, { count }) => sum + count, this.#left);
    this.#repeats.clear();
    this.#left = 0;
    const told = repeated.slice(0, REPEATS_LISTED);
    const alarms = this.#alarms.splice(0);
    for (const { message, detail } of alarms) this.#write(message, detail);
    for (const { message, detail, count } of told) this.#write(`${message} (${count} more times)`, detail);
    if (others > 0)
      this.#write(`${others} more lines were left out: a host writes at most ${LINES_PER_MINUTE} a minute`);
    return alarms.length + told.length + (others > 0 ? 1 : 0);
  }
}

/** The logger, guarded: its errors go to process.emitWarning. */
function walled(logger: LogFunction): LogFunction {
  return (message, detail) =>
    tell(
      () => logger(plain(message), detail),
      (error) => warn(`${message} (and the logger threw: ${describeError(error)})`),
    );
}
