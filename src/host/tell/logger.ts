import { plain, warn } from '../../plain.js';
import { describeError } from '../../values/message.js';
import { tell } from '../../values/promises.js';

/** Lines that a host gives its logger in a minute, and kinds of repeats that are counted one by one. */
const MOST = 100;
const COUNTED = 20;
const MINUTE = 60_000;

type Logger = (message: string, detail?: unknown) => void;

/**
 * What a host has to say of failures and warnings. Repeats, such as one handler failing with one cause, are one line per minute and one with their
 * count; a host writes at most 100 lines a minute, and says how many were left out.
 */
export class HostLogger {
  readonly #write: Logger;
  readonly #now: () => number;
  readonly #repeats = new Map<string, { readonly message: string; readonly detail: unknown; count: number }>();
  #began = Number.NEGATIVE_INFINITY;
  #written = 0;
  #left = 0;
  /** Alarms for which there was no room: they are not what is left out. */
  #alarms: { readonly message: string; readonly detail: unknown }[] = [];

  constructor(logger: Logger | undefined, now: () => number = () => performance.now()) {
    this.#write = logger ? walled(logger) : warn;
    this.#now = now;
  }

  /** `repeats`: what makes two lines one. Default: nothing does. */
  readonly report = (message: string, detail?: unknown, repeats?: string): void => {
    const now = this.#now();
    if (now - this.#began >= MINUTE) {
      this.#written = this.flush();
      this.#began = now;
    }
    const before = repeats === undefined ? undefined : this.#repeats.get(repeats);
    if (before) before.count++;
    else if (this.#written >= MOST) this.#left++;
    else {
      this.#written++;
      if (repeats !== undefined) this.#repeats.set(repeats, { message, detail, count: 0 });
      this.#write(message, detail);
    }
  };

  /** As `report`; if other lines have used up the limit, it comes first in the next minute, or at close. */
  readonly alarm = (message: string, detail: unknown): void => {
    const isFull = this.#written >= MOST && this.#now() - this.#began < MINUTE;
    if (isFull && this.#alarms.length < COUNTED) this.#alarms.push({ message, detail });
    else this.report(message, detail);
  };

  /** Writes what was held back; returns the number of lines. */
  flush(): number {
    const repeated = [...this.#repeats.values()].filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
    const others = repeated.slice(COUNTED).reduce((sum, { count }) => sum + count, this.#left);
    this.#repeats.clear();
    this.#left = 0;
    const told = repeated.slice(0, COUNTED);
    const alarms = this.#alarms.splice(0);
    for (const { message, detail } of alarms) this.#write(message, detail);
    for (const { message, detail, count } of told) this.#write(`${message} (${count} more times)`, detail);
    if (others > 0) this.#write(`${others} more lines were left out: a host writes at most ${MOST} a minute`);
    return alarms.length + told.length + (others > 0 ? 1 : 0);
  }
}

/** The logger, behind a wall: what it throws goes to process.emitWarning. */
function walled(logger: Logger): Logger {
  return (message, detail) =>
    tell(
      () => logger(plain(message), detail),
      (error) => warn(`${message} (and the logger threw: ${describeError(error)})`),
    );
}
