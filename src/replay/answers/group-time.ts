import type { Registration } from '../../scopes/registration.js';

/** The time left for hooks with a shared deadline (`timeoutFor: 'group'`) in one run of a fire, computed from recorded durations. */
export class GroupTime {
  #spent = 0;
  /** When the first hook of each group was asked: the time spent until then, in milliseconds. */
  readonly #began = new Map<object, number>();
  /** Groups with a hook whose duration is not known. */
  readonly #doubted = new Set<object>();

  /** Whether an answer with this duration (milliseconds) is in time; parallel hooks count as if they ran in series. */
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

  /** Notes that the duration of this hook is not known. */
  doubt({ shared }: Registration): void {
    if (shared !== undefined) this.#doubted.add(shared);
  }
}
