import type { HookRecord } from '../../emit/record.js';

/** Records that are kept for whoever comes back. */
const KEPT = 2_000;
/** Of one reader that does not read; beyond it the oldest go, which the numbers show. */
const WAITING = 10_000;

interface Numbered {
  readonly id: string;
  readonly number: number;
  readonly text: string;
}

/** A record that is masked when somebody reads it, once. */
class Entry implements Numbered {
  readonly number: number;
  readonly #boot: string;
  readonly #write: (record: HookRecord) => string;
  #line: string;
  #isMasked = false;

  constructor(line: string, number: number, boot: string, write: (record: HookRecord) => string) {
    this.#line = line;
    this.number = number;
    this.#boot = boot;
    this.#write = write;
  }

  get id(): string {
    return `${this.#boot}.${this.number}`;
  }

  get text(): string {
    if (!this.#isMasked) this.#line = this.#write(JSON.parse(this.#line) as HookRecord);
    this.#isMasked = true;
    return this.#line;
  }
}

/** The records of all hosts, numbered as they come, for readers that come and go. */
export class Feed {
  readonly #boot = Date.now().toString(36);
  readonly #kept: Numbered[] = [];
  readonly #readers = new Set<(one: Numbered) => void>();
  readonly #write: (record: HookRecord) => string;
  #number = 0;

  /** `write`: a record as text, with nothing in it that may not be shown. */
  constructor(write: (record: HookRecord) => string) {
    this.#write = write;
  }

  /** A record as a line of JSON. Nobody reads: it costs its place in a list, and is masked when somebody asks for it. */
  push(line: string): void {
    const one = new Entry(line, ++this.#number, this.#boot, this.#write);
    this.#kept.push(one);
    if (this.#kept.length > KEPT * 2) this.#kept.splice(0, this.#kept.length - KEPT);
    for (const reader of this.#readers) reader(one);
  }

  /** What came behind a position, then what comes. */
  async *read(after: string | undefined, signal: AbortSignal): AsyncGenerator<Numbered> {
    const waiting: Numbered[] = this.#since(after);
    let wake: () => void = () => undefined;
    const reader = (one: Numbered): void => {
      waiting.push(one);
      if (waiting.length > WAITING) waiting.shift();
      wake();
    };
    this.#readers.add(reader);
    const stop = (): void => wake();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        const one = waiting.shift();
        if (one) yield one;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#readers.delete(reader);
      signal.removeEventListener('abort', stop);
    }
  }

  #since(after: string | undefined): Numbered[] {
    if (after === undefined) return [];
    const [boot, number] = after.split('.');
    // Of another server's life nothing is known here: all that is kept comes.
    return boot === this.#boot ? this.#kept.filter((one) => one.number > Number(number)) : [...this.#kept];
  }
}
