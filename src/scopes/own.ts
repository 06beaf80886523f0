import { isPlaced, order } from './order.js';
import type { Registration } from './registration.js';

/**
 * A scope's registrations of one event. Sorted on first read: thousands may be added and removed before that, at constant cost
 * each. Only hooks placed by name (`before`, `after`) are sorted when added, since removing one must not move the others.
 */
export class Own {
  /** Handed out once sorted, and never changed after that. */
  #list: Registration[];
  #isSorted: boolean;
  /** Whether hooks are, or were, placed by name. */
  readonly placed: boolean;
  /** Registrations in the list that were removed again; each once. */
  #gone: Set<Registration> | undefined = undefined;

  private constructor(list: Registration[], placed: boolean) {
    this.#list = list;
    this.#isSorted = placed;
    this.placed = placed;
  }

  /** Adds registrations; the previous object must not be used afterwards. If it throws (an OrderCircle), nothing has changed. */
  static with(known: Own | undefined, added: readonly Registration[]): Own {
    const placed = (known ? known.placed : false) || added.some(isPlaced);
    if (placed) return new Own(order([...(known?.sorted ?? []), ...added]), true);
    const own = known ?? new Own([], false);
    if (own.#isSorted) own.#list = [...own.#list];
    own.#isSorted = false;
    for (const r of added) own.#list.push(r);
    return own;
  }

  get sorted(): readonly Registration[] {
    const gone = this.#gone;
    if (gone !== undefined) this.#list = this.#list.filter((r) => !gone.has(r));
    if (!this.#isSorted) this.#list = order(this.#list);
    this.#gone = undefined;
    this.#isSorted = true;
    return this.#list;
  }

  get size(): number {
    return this.#list.length - (this.#gone?.size ?? 0);
  }

  /** Takes out what is in it. */
  remove(registrations: readonly Registration[]): void {
    this.#gone ??= new Set();
    for (const r of registrations) this.#gone.add(r);
  }
}
