import type { SkipReason } from '../../scopes/skip.js';

/** Why hooks did not run when the walk looked at them, for the record: it must not ask again, because a predicate may answer differently later. A hot class (CONTRIBUTING.md). */
export class Skips {
  private readonly size: number;
  /** By place in the plan. */
  private reasons: (SkipReason | undefined)[] | undefined = undefined;
  /** The places whose predicates were called. */
  private asked: Set<number> | undefined = undefined;
  private thrown: Map<number, string> | undefined = undefined;

  constructor(size: number) {
    this.size = size;
  }

  at(place: number): SkipReason | undefined {
    return this.reasons?.[place];
  }

  /** `undefined`: the handler runs. */
  lookedAt(place: number, reason: SkipReason | undefined): void {
    if (reason === undefined && this.reasons === undefined) return;
    this.reasons ??= new Array<SkipReason | undefined>(this.size);
    this.reasons[place] = reason;
  }

  /** Notes handlers that a list leaves out, although their turn has come: they are before `reached`. */
  leftOut(barred: readonly (readonly [place: number, why: SkipReason | undefined])[], reached: number): void {
    for (const [place, why] of barred) if (place < reached && this.at(place) === undefined) this.lookedAt(place, why);
  }

  /** The walk ends after this place: the turn of later handlers, at which it may have looked ahead, has not come. What a predicate answered stays. */
  endAfter(place: number): void {
    const { reasons, asked } = this;
    if (reasons === undefined) return;
    for (let later = place + 1; later < reasons.length; later++)
      if (asked?.has(later) !== true) reasons[later] = undefined;
  }

  /** The predicate of the handler at a place was called. `why`: it threw, so the handler runs. */
  predicateAt(place: number, why: string | undefined): void {
    this.asked ??= new Set();
    this.asked.add(place);
    if (why === undefined) return;
    this.thrown ??= new Map();
    this.thrown.set(place, why);
  }

  thrownAt(place: number): string | undefined {
    return this.thrown?.get(place);
  }
}
