import type { HookRecord } from '../../emit/record.js';
import { type Batch, recordsOf } from '../batches.js';

/** At least this many records are kept for readers that reconnect. */
const KEPT = 2_000;
/** The most records of each kind that wait for a slow reader; beyond it, the oldest are dropped. Own records show a gap in their numbers, others are counted. */
const WAITING = 10_000;

/**
 * A record as text, with its position. A record that another process stored has no position, and is not sent again after a reconnect. Without a text, it is the
 * position from which reading starts, or the number of dropped records without a position.
 */
export interface FeedItem {
  readonly id?: string;
  readonly text?: string;
  readonly dropped?: number;
}

interface FeedReader {
  own(entry: FeedEntry): void;
  other(text: string): void;
}

type RecordWriter = (record: HookRecord) => string;
/** Records as they are written to the store from now on, until the signal fires. */
export type FollowRecords = (signal: AbortSignal) => AsyncIterable<HookRecord>;

async function* nothing(): AsyncGenerator<HookRecord> {
  yield* [];
}

/** Records that came together. They are parsed and masked once, on first use. */
class FeedEntry {
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

  texts(write: RecordWriter): readonly string[] {
    if (this.#batch === undefined) return this.#texts;
    this.#texts = [...recordsOf(this.#batch)].map(write);
    this.#batch = undefined;
    return this.#texts;
  }
}

/** The records of all hosts, numbered as they come, for any number of readers. */
export class RecordFeed {
  /** The hosts whose records come here directly; those of others are only in the store. */
  readonly own = new Set<string>();
  readonly #boot = Date.now().toString(36);
  #kept: FeedEntry[] = [];
  /** The number of records in `#kept`. */
  #count = 0;
  readonly #readers = new Set<FeedReader>();
  readonly #write: RecordWriter;
  readonly #follow: FollowRecords;
  /** Ends following the store, which is done once for all readers, from the first one to the last. */
  #following: AbortController | undefined;
  #isOver = false;
  #number = 0;

  /** `write`: makes a record text, with secrets masked. `follow`: the records that are written to the store. */
  constructor(write: RecordWriter, follow: FollowRecords = nothing) {
    this.#write = write;
    this.#follow = follow;
  }

  /** Adds records. Without a reader they are not even parsed. */
  push(batch: Batch): void {
    const entry = new FeedEntry(batch, this.#number + 1);
    this.#number += batch.count;
    this.#kept.push(entry);
    this.#count += batch.count;
    if (this.#count > KEPT * 2) this.#forget();
    for (const reader of this.#readers) reader.own(entry);
  }

  /** Stops following the store, because another process takes over and sends those records to its readers. */
  endFollowing(): void {
    this.#isOver = true;
    this.#following?.abort();
  }

  #join(reader: FeedReader): void {
    this.#readers.add(reader);
    if (this.#following !== undefined || this.#isOver) return;
    this.#following = new AbortController();
    // If it fails, readers still get the server's own records.
    void this.#tellOthers(this.#following.signal).catch(() => undefined);
  }

  #leave(reader: FeedReader): void {
    this.#readers.delete(reader);
    if (this.#readers.size > 0) return;
    this.#following?.abort();
    this.#following = undefined;
  }

  async #tellOthers(signal: AbortSignal): Promise<void> {
    for await (const record of this.#follow(signal)) {
      if (signal.aborted) return;
      if (record.host_id !== undefined && this.own.has(record.host_id)) continue;
      const text = this.#write(record);
      for (const reader of this.#readers) reader.other(text);
    }
  }

  #forget(): void {
    let from = 0;
    for (; this.#count - (this.#kept[from] as FeedEntry).count >= KEPT; from++)
      this.#count -= (this.#kept[from] as FeedEntry).count;
    this.#kept = this.#kept.slice(from);
  }

  /** The position after which the next record will come. */
  get position(): string {
    return `${this.#boot}.${this.#number}`;
  }

  /** Yields the position, the records after it, then new ones as they come, including those of other processes. */
  async *read(after: string, signal: AbortSignal): AsyncGenerator<FeedItem> {
    const others: string[] = [];
    let dropped = 0;
    let wake: () => void = () => undefined;
    const { entries: waiting, behind } = this.#since(after);
    let count = waiting.reduce((sum, entry) => sum + entry.count, 0);
    const reader: FeedReader = {
      own(entry) {
        waiting.push(entry);
        count += entry.count;
        while (count > WAITING && waiting.length > 1) count -= (waiting.shift() as FeedEntry).count;
        wake();
      },
      other(text) {
        if (others.push(text) > WAITING) {
          others.shift();
          dropped += 1;
        }
        wake();
      },
    };
    const stop = (): void => wake();
    signal.addEventListener('abort', stop);
    try {
      if (!signal.aborted) this.#join(reader);
      // If the connection breaks before the first record, the reader continues from here.
      yield { id: after };
      while (!signal.aborted) {
        const missing = dropped;
        dropped = 0;
        if (missing > 0) yield { dropped: missing };
        for (let text = others.shift(); text !== undefined; text = others.shift()) yield { text };
        const entry = waiting.shift();
        if (entry) {
          count -= entry.count;
          yield* this.#numbered(entry, behind);
        } else if (others.length === 0)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      this.#leave(reader);
      signal.removeEventListener('abort', stop);
    }
  }

  *#numbered(entry: FeedEntry, behind: number): Generator<FeedItem> {
    const texts = entry.texts(this.#write);
    for (let i = Math.max(0, behind + 1 - entry.first); i < texts.length; i++)
      yield { id: `${this.#boot}.${entry.first + i}`, text: texts[i] as string };
  }

  #since(after: string): { readonly entries: FeedEntry[]; readonly behind: number } {
    const [boot, number] = after.split('.');
    // A position from another run of the server is not valid here, so everything kept is sent.
    const behind = boot === this.#boot ? Number(number) || 0 : 0;
    return { entries: this.#kept.filter(({ first, count }) => !(first + count - 1 <= behind)), behind };
  }
}
