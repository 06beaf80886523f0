import type { HelperOutput } from './helpers.js';
import type { MeantOutcome } from './meant-outcome.js';

/** After this many new answers in a row, only every eighth answer is compared: the hook's answers keep changing, and comparing texts costs more than reading the answer. */
const PATIENCE = 8;

/** Caches the last two answers of one hook, since most hooks give only one or two different answers. */
export class RecentAnswers {
  latest: MeantOutcome | undefined = undefined;
  before: MeantOutcome | undefined = undefined;
  /** How many answers in a row were neither of the two. */
  #news = 0;

  get #isWorthALook(): boolean {
    return this.#news < PATIENCE || this.#news % PATIENCE === 0;
  }

  /** The cached answer that equals this output of a helper, if any. */
  saidBy(answer: HelperOutput<string>): MeantOutcome | undefined {
    if (!this.#isWorthALook) return undefined;
    const { latest, before } = this;
    if (latest?.isSaidBy(answer)) return this.#found(latest);
    return before?.isSaidBy(answer) ? this.#found(before) : undefined;
  }

  /** The cached answer that equals this answer in the wire format, if any. */
  saidIn(inner: object, eventName: string): MeantOutcome | undefined {
    if (!this.#isWorthALook) return undefined;
    const { latest, before } = this;
    if (latest?.isSaidIn(inner, eventName)) return this.#found(latest);
    return before?.isSaidIn(inner, eventName) ? this.#found(before) : undefined;
  }

  #found(meant: MeantOutcome): MeantOutcome {
    if (this.#news !== 0) this.#news = 0;
    return meant;
  }

  /** Stores an answer that was not in the cache. */
  add(meant: MeantOutcome): void {
    this.#news++;
    this.before = this.latest;
    this.latest = meant;
  }

  has(outcome: object | undefined): boolean {
    return outcome !== undefined && (outcome === this.latest || outcome === this.before);
  }
}
