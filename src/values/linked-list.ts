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
 * Values in the order in which they came. A Set or a Map does the same, but makes its table anew every few times that it is emptied and filled
 * again, which is what the calls of an agent do.
 */
export class LinkedList<T> {
  /** Before the first link and after the last one. */
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

  /** False: it was removed before. */
  remove(link: Link<T>): boolean {
    if (link.after === link) return false;
    link.before.after = link.after;
    link.after.before = link.before;
    link.before = link.after = link;
    return true;
  }

  /** A copy, which later changes do not affect. */
  toArray(): T[] {
    const all: T[] = [];
    for (let link = this.#ends.after; link !== this.#ends; link = link.after) all.push(link.value);
    return all;
  }
}
