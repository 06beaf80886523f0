/** A value's place in a list. */
export class Link<T> {
  readonly value: T;
  before: Link<T>;
  after: Link<T>;

  constructor(value: T, before?: Link<T>, after?: Link<T>) {
    this.value = value;
    this.before = before ?? this;
    this.after = after ?? this;
  }
}

/**
 * Values in insertion order. A Set or a Map would do, but it rebuilds its hash table every few times that it is emptied and refilled, which
 * happens with every call of an agent.
 */
export class LinkedList<T> {
  /** Sentinel: the list is circular, and this link is both before the first and after the last. */
  readonly #ends = new Link<T>(undefined as T);

  get isEmpty(): boolean {
    return this.#ends.after === this.#ends;
  }

  add(value: T): Link<T> {
    const ends = this.#ends;
    const link = new Link(value, ends.before, ends);
    ends.before.after = link;
    ends.before = link;
    return link;
  }

  /** Returns false if the link was removed before. */
  remove(link: Link<T>): boolean {
    if (link.after === link) return false;
    link.before.after = link.after;
    link.after.before = link.before;
    link.before = link.after = link;
    return true;
  }

  /** Returns a copy, so the list may change while the caller iterates. */
  toArray(): T[] {
    const all: T[] = [];
    for (let link = this.#ends.after; link !== this.#ends; link = link.after) all.push(link.value);
    return all;
  }
}
