/** A queue for a single reader. An error is delivered after all items that were queued before it. */
export class ReaderQueue<T> implements AsyncIterable<T> {
  #items: T[] = [];
  /** How many items at the front have been read. They are removed in batches, so that a long array is not shifted for each. */
  #read = 0;
  #wake: (() => void) | undefined;
  #ended = false;
  #error: unknown;

  push(item: T): void {
    if (this.#ended) return;
    this.#items.push(item);
    this.#wake?.();
  }

  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      while (this.#read < this.#items.length) yield this.#next();
      if (this.#ended) break;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#error !== undefined) throw this.#error;
  }

  #next(): T {
    const item = this.#items[this.#read] as T;
    // Releases the item for garbage collection.
    this.#items[this.#read++] = undefined as T;
    if (this.#read * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#read);
      this.#read = 0;
    }
    return item;
  }
}
