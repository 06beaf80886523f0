import type { AsyncSeriesBailHook } from 'tapable';
import type { Registration } from '../scopes/registration.js';

export type FullTap = AsyncSeriesBailHook<unknown[], unknown>['taps'][number];
export const PLAN = Symbol('plan');
/** What a tap of an event's hook runs: a raw tap's registration, or our plan. */
export type TapMeaning = Registration | typeof PLAN;

/** What taps mean, whatever the `register` of an interceptor has put in their place. */
export class TapMeanings {
  readonly #ofTaps = new WeakMap<FullTap, TapMeaning>();
  /** By our own functions, which copies of a tap share. */
  readonly #ofFunctions = new WeakMap<object, TapMeaning>();

  get(tap: FullTap): TapMeaning | undefined {
    return this.#ofTaps.get(tap) ?? this.#ofFunctions.get(tap.fn);
  }

  setOwn(tap: FullTap, meaning: TapMeaning): void {
    this.#ofTaps.set(tap, meaning);
    this.#ofFunctions.set(tap.fn, meaning);
  }

  /** The tap that stands for another from now on: a copy, if it already stands for one. */
  replace(tap: FullTap, given: FullTap): FullTap {
    const meaning = this.get(tap);
    if (meaning === undefined || this.#ofTaps.get(given) === meaning) return given;
    const made = this.#ofTaps.has(given) ? { ...given } : given;
    this.#ofTaps.set(made, meaning);
    return made;
  }

  /** Whether the tap has the function that was made for it. */
  isUnchanged(tap: FullTap): boolean {
    const meaning = this.get(tap);
    return meaning !== undefined && this.#ofFunctions.get(tap.fn) === meaning;
  }
}
