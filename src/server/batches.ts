import { type PackedFire, packed, unpacked } from '../emit/packed.js';
import type { HookRecord } from '../emit/record.js';
import { wellFormedJson } from '../plain.js';

/** Records that are passed on together. */
export interface Batch {
  /** A line of JSON for each record, or for all of one fire (`packed`); bytes are nothing that the garbage collector moves. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** When the first of them came, by `performance.now()`. */
  readonly since: number;
}

/**
 * Milliseconds that a record waits for others: a transaction writes the same pages for one as for hundreds. With a write it is what is lost when the
 * process is killed.
 */
const TOGETHER = 25;
/**
 * So many records of one turn of the event loop are written at its end, behind the answers. Those of a lonely call wait for others: to write them alone
 * takes three times as long as among many, since the code for it is in no cache.
 */
const MANY = 6;
/** So many written records are passed on when a turn has ended: twice as many in a transaction save little, and answers wait for records that are late. */
const ENOUGH = 150;
/** Records that wait no longer, not even for the answers of their turn. */
const FLOOD = 1_500;

/** Bytes of a batch, unless one record is larger. */
const ROOM = 1024 * 1024;
/** Bytes of a character in UTF-8. */
const MOST_BYTES = 3;
const NEWLINE = '\n';

/** Puts records together, some at a time. */
export class Batches {
  readonly #to: (batch: Batch) => void;
  readonly #tell: (text: string) => void;
  /** Not written yet. */
  #records: HookRecord[] = [];
  /** Written up to there, and how many records they are. */
  #bytes = Buffer.allocUnsafeSlow(ROOM);
  #end = 0;
  #count = 0;
  /** When the first that waits came. */
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #turnEnds: NodeJS.Immediate | undefined;
  /** Waited when this turn began. */
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

  /** Passes on what has waited too long: the timer may be late. */
  passOverdue(): void {
    if ((this.#count > 0 || this.#records.length > 0) && performance.now() - this.#since > TOGETHER) this.pass();
  }

  /** Passes on what waits. */
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
      // Something in them (of a plugin's own making) cannot be written.
      for (const record of unpacked(item))
        if (!this.#add(record)) this.#tell(`record ${record.seq} cannot be kept: it is no JSON`);
    }
    // The full buffer has drained since then, and its timer is gone.
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

/** Records that came as one line, and it. */
export interface Line {
  readonly records: readonly HookRecord[];
  readonly text: string;
}

/** The lines of a batch, one after the other. */
export function* linesOf({ bytes }: Batch): Generator<Line> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  for (const line of text.split(NEWLINE))
    yield { records: unpacked(JSON.parse(line) as HookRecord | PackedFire), text: line };
}

/** The records of a batch, one after the other. */
export function* recordsOf(batch: Batch): Generator<HookRecord> {
  for (const { records } of linesOf(batch)) yield* records;
}
