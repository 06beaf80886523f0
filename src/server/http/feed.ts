import type { HookRecord } from '../../emit/record.js';
import { type Batch, recordsOf } from '../batches.js';

/** At least this many records are kept for readers that reconnect. */
const KEPT = 2_000;
/** At most this many wait for one slow reader; beyond that the oldest are dropped, and the gap shows in their numbers. */
const WAITING = 10_000;

/** A record as text, by its position; one that another process has kept has none. Without a text: the position that is read from. */
export interface Numbered {
  readonly id?: string;
  readonly text?: string;
}

type Write = (record: HookRecord) => string;

/** Records that came together. They are read and masked once, when they are first needed. */
class Entry {
  /** The number of its first record. */
  readonly first: number;
  readonly count: number;
  #batch: Batch | undefined;
  #texts: readonly string[] = [];

  constructor(batch: Batch, first: number) {
    this.#batch = batch;
    this.count = batch.count;
    this.first = first;
  }

  texts(write: Write): readonly string[] {
    if (this.#batch === undefined) return this.#texts;
    this.#texts = [...recordsOf(this.#batch)].map(write);
    this.#batch = undefined;
    return this.#texts;
  }
}

/** The records of all hosts, numbered as they come, for readers that come and go. */
export class RecordFeed {
  /** The hosts whose records come here: the others' are in the store alone. */
  readonly own = new Set<string | undefined>();
  readonly #boot = Date.now().toString(36);
  #kept: Entry[] = [];
  /** The number of records in them. */
  #count = 0;
  readonly #readers = new Set<(entry: Entry) => void>();
  readonly #write: Write;
  #number = 0;

  /** `write`: a record as text, with nothing in it that may not be shown. */
  constructor(write: Write) {
    this.#write = write;
  }

  /** Without a reader it costs only its place in a list. */
  push(batch: Batch): void {
    const entry = new Entry(batch, this.#number + 1);
    this.#number += batch.count;
    this.#kept.push(entry);
    this.#count += batch.count;
    if (this.#count > KEPT * 2) this.#forget();
    for (const reader of this.#readers) reader(entry);
  }

  #forget(): void {
    let from = 0;
    for (; this.#count - (this.#kept[from] as Entry).count >= KEPT; from++)
      this.#count -= (this.#kept[from] as Entry).count;
    this.#kept = this.#kept.slice(from);
  }

  /** The position after which the next record will come. */
  get position(): string {
    return `${this.#boot}.${this.#number}`;
  }

  /** Yields the position, then the records after it, then new ones as they come. `kept`: what is written to the store. */
  async *read(after: string, signal: AbortSignal, kept?: AsyncIterable<HookRecord>): AsyncGenerator<Numbered> {
    const beside: string[] = [];
    let wake: () => void = () => undefined;
    const listen = async (): Promise<void> => {
      for await (const record of kept ?? []) {
        if (this.own.has(record.host_id)) continue;
        beside.push(this.#write(record));
        if (beside.length > WAITING) beside.shift();
        wake();
      }
    };
    // Without it the reader has what the server answers.
    void listen().catch(() => undefined);
    // A reader that is cut off before its first record continues from here.
    yield { id: after };
    const { entries: waiting, behind } = this.#since(after);
    let count = waiting.reduce((sum, entry) => sum + entry.count, 0);
    const reader = (entry: Entry): void => {
      waiting.push(entry);
      count += entry.count;
      while (count > WAITING && waiting.length > 1) count -= (waiting.shift() as Entry).count;
      wake();
    };
    this.#readers.add(reader);
    const stop = (): void => wake();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        for (let text = beside.shift(); text !== undefined; text = beside.shift()) yield { text };
        const entry = waiting.shift();
        if (entry) {
          count -= entry.count;
          yield* this.#numbered(entry, behind);
        } else if (beside.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#readers.delete(reader);
      signal.removeEventListener('abort', stop);
    }
  }

  *#numbered(entry: Entry, behind: number): Generator<Numbered> {
    const texts = entry.texts(this.#write);
    for (let i = Math.max(0, behind + 1 - entry.first); i < texts.length; i++)
      yield { id: `${this.#boot}.${entry.first + i}`, text: texts[i] as string };
  }

  #since(after: string): { readonly entries: Entry[]; readonly behind: number } {
    const [boot, number] = after.split('.');
    // The position of another server's run means nothing here, so everything kept is sent.
    const behind = boot === this.#boot ? Number(number) || 0 : 0;
    return { entries: this.#kept.filter(({ first, count }) => !(first + count - 1 <= behind)), behind };
  }
}
