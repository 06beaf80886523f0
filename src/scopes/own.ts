import { ByName } from './by-name.js';
import { isPlaced, OrderCircle, order } from './order.js';
import type { Registration } from './registration.js';

/**
 * A scope's registrations for one event. They are sorted on first read, so thousands can be added and removed before that at constant
 * cost each. With `before` and `after`, the result is the same as if every addition had been sorted at once. Removing a hook must not
 * change the order of the others, so if hooks not yet sorted move others, the list is sorted before anything is removed.
 */
export class OwnRegistrations {
  /** Once sorted, the list is handed out and never changed again. */
  #list: Registration[] = [];
  #isSorted = false;
  /** Created when the first hook with `before` or `after` is added. */
  #names: ByName | undefined = undefined;
  /** Whether a hook that is not sorted yet moves other hooks. */
  #moves = false;
  /** Registrations that were removed but are still in the list; no registration is there twice. */
  #gone: Set<Registration> | undefined = undefined;

  /** Adds registrations. If it throws an OrderCircle, nothing has changed. */
  static with(known: OwnRegistrations | undefined, added: readonly Registration[]): OwnRegistrations {
    const own = known ?? new OwnRegistrations();
    own.#place(added);
    if (own.#isSorted) own.#list = [...own.#list];
    own.#isSorted = false;
    for (const r of added) own.#list.push(r);
    return own;
  }

  /** Calls `look` with the names as they would be after adding these hooks, if any hook has `before` or `after`. Changes nothing. */
  static look<T>(
    known: OwnRegistrations | undefined,
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

  /** Throws the OrderCircle that adding these registrations would throw. */
  static check(known: OwnRegistrations | undefined, added: readonly Registration[]): void {
    OwnRegistrations.look(known, added, (_, circle) => {
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

  /** Removes registrations, all of which must be in the list. */
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
