import { LinkedList } from '../values/linked-list.js';

/** A tool call, or an agent that is starting. */
interface WorkItem {
  readonly work: Promise<unknown>;
  readonly name: string;
  readonly id: string;
}

/** The work that an interruption or the end of a session waits for. */
export class SessionWork {
  readonly #pieces = new LinkedList<WorkItem>();

  get some(): boolean {
    return !this.#pieces.isEmpty;
  }
  get work(): Promise<unknown>[] {
    return this.#pieces.toArray().map((piece) => piece.work);
  }
  /** The names that `close` lists. */
  get names(): string[] {
    return this.#pieces.toArray().map(({ name, id }) => `${name} (${id})`);
  }

  /** Tracks the work until it ends, and returns it. */
  during<T>(work: Promise<T>, name: string, id: string): Promise<T> {
    const piece = this.#pieces.add({ work, name, id });
    return work.then(
      (value) => {
        this.#pieces.remove(piece);
        return value;
      },
      (error) => {
        this.#pieces.remove(piece);
        throw error;
      },
    );
  }
}

/** Work that runs at most once at a time. A caller that asks for it while it runs gets the promise of that run, even if the call comes from the work itself. */
export class SharedWork {
  #work: Promise<unknown> | undefined;

  get underWay(): Promise<unknown> | undefined {
    return this.#work;
  }

  run<T>(begin: () => Promise<T>): Promise<T> {
    if (this.#work !== undefined) return this.#work as Promise<T>;
    let follow!: (begun: Promise<T>) => void;
    const work = new Promise<T>((resolve) => {
      follow = resolve;
    });
    // Set before the work begins, because it may ask for itself at once.
    this.#work = work;
    const begun = begin().finally(() => {
      this.#work = undefined;
    });
    follow(begun);
    return work;
  }
}
