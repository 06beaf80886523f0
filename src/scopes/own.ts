import { isPlaced, order, type Registration } from './registration.js';

/**
 * A scope's registrations of one event. Sorted when somebody reads them: thousands may come and go before that, and each must cost
 * the same. Only what is placed by name (`before`) is sorted as it comes, since whoever goes must not move those that stay.
 */
export class Own {
  /** Given away once it is sorted, and not changed from then on. */
  private list: Registration[];
  private isSorted: boolean;
  private readonly placed: boolean;
  /** Those in the list that were taken out again; each once. */
  private gone: Set<Registration> | undefined = undefined;

  private constructor(list: Registration[], placed: boolean) {
    this.list = list;
    this.isSorted = placed;
    this.placed = placed;
  }

  /** With those added; what it was is not to be used any more. Where it throws (a `before` cycle), nothing has changed. */
  static with(known: Own | undefined, added: readonly Registration[]): Own {
    const placed = known?.placed === true || added.some(isPlaced);
    if (placed) return new Own(order([...(known?.sorted ?? []), ...added]), true);
    const own = known ?? new Own([], false);
    if (own.isSorted) own.list = [...own.list];
    own.isSorted = false;
    for (const r of added) own.list.push(r);
    return own;
  }

  get sorted(): readonly Registration[] {
    const { gone } = this;
    if (gone !== undefined) this.list = this.list.filter((r) => !gone.has(r));
    if (!this.isSorted) this.list = order(this.list);
    this.gone = undefined;
    this.isSorted = true;
    return this.list;
  }

  get size(): number {
    return this.list.length - (this.gone?.size ?? 0);
  }

  /** Takes out what is in it. */
  remove(registrations: readonly Registration[]): void {
    this.gone ??= new Set();
    for (const r of registrations) this.gone.add(r);
  }
}
