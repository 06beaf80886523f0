import type { Registration } from '../../scopes/registration.js';

/** The time that hooks with one deadline (`timeoutFor: 'group'`) have left in one run of a fire, as far as durations were recorded. */
export class GroupTime {
  #spent = 0;
  /** When the first of a group was asked. */
  readonly #began = new Map<object, number>();
  /** Groups of which one has taken a time that nobody knows. */
  readonly #doubted = new Set<object>();

  /** Whether an answer that took that long comes in time; hooks in parallel count as if they ran one after the other. */
  isEnough({ shared, timeout }: Registration, duration: number): boolean {
    if (shared === undefined || timeout === 0) return true;
    if (this.#doubted.has(shared)) return false;
    const began = this.#began.get(shared);
    if (began === undefined) this.#began.set(shared, this.#spent);
    return this.#spent + duration - (began ?? this.#spent) <= timeout * 1000;
  }

  spend(duration = 0): void {
    this.#spent += duration;
  }

  /** It may take any time. */
  doubt({ shared }: Registration): void {
    if (shared !== undefined) this.#doubted.add(shared);
  }
}
