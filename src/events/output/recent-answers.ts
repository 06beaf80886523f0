import type { HelperOutput } from './helpers.js';
import type { Meant } from './meant-outcome.js';

/** After this many new answers in a row, only every eighth is compared: the hook always says something else, and comparing texts costs more than reading. */
const PATIENCE = 8;

/** The last two answers of one hook, since most hooks have one or two things to say. */
export class RecentAnswers {
  latest: Meant | undefined = undefined;
  before: Meant | undefined = undefined;
  /** How many answers in a row were neither. */
  #news = 0;

  get #isWorthALook(): boolean {
    return this.#news < PATIENCE || this.#news % PATIENCE === 0;
  }

  /** The one that says what an answer made by a helper says. */
  saidBy(answer: HelperOutput<string>): Meant | undefined {
    if (!this.#isWorthALook) return undefined;
    const { latest, before } = this;
    if (latest?.isSaidBy(answer)) return this.#found(latest);
    return before?.isSaidBy(answer) ? this.#found(before) : undefined;
  }

  /** The one that says what an answer in the wire's words says. */
  saidIn(inner: object, eventName: string): Meant | undefined {
    if (!this.#isWorthALook) return undefined;
    const { latest, before } = this;
    if (latest?.isSaidIn(inner, eventName)) return this.#found(latest);
    return before?.isSaidIn(inner, eventName) ? this.#found(before) : undefined;
  }

  #found(meant: Meant): Meant {
    if (this.#news !== 0) this.#news = 0;
    return meant;
  }

  /** A new answer. */
  add(meant: Meant): void {
    this.#news++;
    this.before = this.latest;
    this.latest = meant;
  }

  has(outcome: object | undefined): boolean {
    return outcome !== undefined && (outcome === this.latest || outcome === this.before);
  }
}
