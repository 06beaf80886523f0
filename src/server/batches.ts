import { type PackedFire, type PackedLine, packed, unpacked } from '../emit/packed.js';
import type { HookRecord } from '../emit/record.js';
import { wellFormedJson } from '../plain.js';

/** Serialised records that are passed on together. */
export interface Batch {
  /** One line of JSON for each record or for all of one fire (`packed`). As bytes, because the garbage collector does not move them. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** When the first record came, by `performance.now()`. */
  readonly since: number;
}

/**
 * How long a record waits for others, in milliseconds. A transaction writes the same pages for one record as for hundreds. This time and that of a write
 * are what is lost if the process is killed.
 */
const TOGETHER = 25;
/**
 * From this many records in one turn of the event loop, they are serialised at its end, after the answers. Those of a single call wait for others: to
 * serialise them alone takes three times as long, because the code is not in the CPU's caches.
 */
const MANY = 6;
/** From this many serialised records, they are passed on at the end of the turn. Larger transactions save little, and answers wait for late records. */
const ENOUGH = 150;
/** At this many records they are passed on at once, even before the answers of their turn. */
const FLOOD = 1_500;

/** The size of a batch in bytes, unless one record is larger. */
const ROOM = 1024 * 1024;
/** The most bytes that a UTF-16 code unit takes in UTF-8. */
const MOST_BYTES = 3;
const NEWLINE = '\n';

/** Collects records to batches. */
export class Batches {
  readonly #to: (batch: Batch) => void;
  readonly #tell: (text: string) => void;
  /** Records that are not serialised yet. */
  #records: HookRecord[] = [];
  /** Serialised records, up to `#end`; `#count` is their number. */
  #bytes = Buffer.allocUnsafeSlow(ROOM);
  #end = 0;
  #count = 0;
  /** When the first waiting record came. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #turnEnds: NodeJS.Immediate | undefined;
  /** The number of records that were waiting when this turn began. */
  #before = 0;

  constructor(to: (batch: Batch) => void, tell: (text: string) => void) {
    this.#to = to;
    this.#tell = tell;
  }

  push(record: HookRecord): void {
    if (this.#count === 0 && this.#records.length === 0) this.#since = performance.now();
    if (this.#records.push(record) >= FLOOD) {
      this.pass();
      return;
    }
    this.#turnEnds ??= setImmediate(() => {
      this.#turnEnds = undefined;
      if (this.#records.length - this.#before >= MANY) this.#write();
      this.#before = this.#records.length;
      if (this.#count >= ENOUGH) this.pass();
    });
    this.#timer ??= this.#passLater();
  }

  /** Passes on records that have waited too long, because the timer may be late. */
  passOverdue(): void {
    if ((this.#count > 0 || this.#records.length > 0) && performance.now() - this.#since > TOGETHER) this.pass();
  }

  /** Passes on all waiting records. */
  pass(): void {
    this.#write();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [end, count] = [this.#end, this.#count];
    if (count === 0) return;
    this.#end = 0;
    this.#count = 0;
    const bytes = Buffer.from(this.#bytes.subarray(0, end - NEWLINE.length));
    if (this.#bytes.length > ROOM) this.#bytes = Buffer.allocUnsafeSlow(ROOM);
    this.#to({ bytes, count, since: this.#since });
  }

  #write(): void {
    const records = this.#records;
    if (records.length === 0) return;
    this.#records = [];
    this.#before = 0;
    for (const item of packed(records)) {
      if (this.#add(item)) continue;
      // A record contains something that is not JSON, for example from a plugin; the others are kept.
      for (const record of unpacked(item))
        if (!this.#add(record)) this.#tell(`record ${record.seq} cannot be kept: it is no JSON`);
    }
    // Passing on a full buffer has cleared the timer.
    this.#timer ??= this.#passLater();
  }

  #passLater(): NodeJS.Timeout {
    return setTimeout(() => this.pass(), TOGETHER);
  }

  #add(item: HookRecord | PackedFire): boolean {
    let line: string;
    try {
      line = wellFormedJson(item) + NEWLINE;
    } catch {
      return false;
    }
    const most = MOST_BYTES * line.length;
    if (this.#end + most > this.#bytes.length) this.pass();
    if (most > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(most);
    this.#end += this.#bytes.write(line, this.#end);
    this.#count += 'type' in item ? 1 : item.runs.length + 1;
    return true;
  }
}

/** The lines of a batch, in order. */
export function* linesOf({ bytes }: Batch): Generator<PackedLine> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  for (const line of text.split(NEWLINE))
    yield { records: unpacked(JSON.parse(line) as HookRecord | PackedFire), text: line };
}

/** The records of a batch, in order. */
export function* recordsOf(batch: Batch): Generator<HookRecord> {
  for (const { records } of linesOf(batch)) yield* records;
}
