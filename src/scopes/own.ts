import { ByName } from './by-name.js';
import { isPlaced, OrderCircle, order } from './order.js';
import type { Registration } from './registration.js';

/**
 * A scope's registrations of one event. Sorted on first read: thousands may be added and removed before that, at constant cost
 * each. Where hooks are placed by name (`before`, `after`) that gives what sorting them one by one would, as long as none is removed:
 * removing one must not move the others, so those that one of them may have moved are sorted before.
 */
export class Own {
  /** Handed out once sorted, and never changed after that. */
  #list: Registration[] = [];
  #isSorted = false;
  /** Once hooks are, or were, placed by name. */
  #names: ByName | undefined = undefined;
  /** Some that are not sorted yet move others. */
  #moves = false;
  /** Registrations in the list that were removed again; each once. */
  #gone: Set<Registration> | undefined = undefined;

  /** Adds registrations; throws an OrderCircle, and has changed nothing then. */
  static with(known: Own | undefined, added: readonly Registration[]): Own {
    const own = known ?? new Own();
    own.#place(added);
    if (own.#isSorted) own.#list = [...own.#list];
    own.#isSorted = false;
    for (const r of added) own.#list.push(r);
    return own;
  }

  /** Looks at the names as they would be with those, where any hook is placed by name. Changes nothing. */
  static look<T>(
    known: Own | undefined,
    added: readonly Registration[],
    look: (names: ByName, circle: boolean) => T,
  ): T | undefined {
    const kept = known === undefined ? undefined : known.#names;
    if (kept === undefined && !added.some(isPlaced)) return undefined;
    const names = kept ?? new ByName(known?.sorted);
    const { circle } = names.add(added);
    try {
      return look(names, circle);
    } finally {
      kept?.remove(added);
    }
  }

  /** Throws the OrderCircle that adding them would. */
  static check(known: Own | undefined, added: readonly Registration[]): void {
    Own.look(known, added, (_, circle) => {
      if (circle) order([...(known?.sorted ?? []), ...added]);
    });
  }

  #place(added: readonly Registration[]): void {
    if (this.#names === undefined && !added.some(isPlaced)) return;
    const names = this.#names ?? new ByName(this.#left());
    const { moves, circle } = names.add(added);
    if (circle) {
      names.remove(added);
      order([...this.sorted, ...added]);
      throw new OrderCircle(added.map(({ name }) => name));
    }
    this.#names = names;
    this.#moves ||= moves;
  }

  get sorted(): readonly Registration[] {
    this.#list = this.#left();
    if (!this.#isSorted) this.#list = order(this.#list);
    this.#gone = undefined;
    this.#isSorted = true;
    this.#moves = false;
    return this.#list;
  }

  #left(): Registration[] {
    const gone = this.#gone;
    return gone === undefined ? this.#list : this.#list.filter((r) => !gone.has(r));
  }

  get size(): number {
    return this.#list.length - (this.#gone?.size ?? 0);
  }

  /** Takes out what is in it. */
  remove(registrations: readonly Registration[]): void {
    if (this.#moves) void this.sorted;
    this.#names?.remove(registrations);
    this.#gone ??= new Set();
    for (const r of registrations) this.#gone.add(r);
  }
}

export function byEvent(registrations: readonly Registration[]): Map<string, Registration[]> {
  const found = new Map<string, Registration[]>();
  for (const r of registrations) {
    const list = found.get(r.spec.name);
    if (list) list.push(r);
    else found.set(r.spec.name, [r]);
  }
  return found;
}
