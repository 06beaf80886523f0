import type { HookRecord } from '../emit/record.js';
import { readRecordText } from '../emit/record-text.js';

/** Records that go on together. */
export interface Batch {
  /** They, as an array in JSON: written together they take half the work, and bytes are nothing that the garbage collector moves. */
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Milliseconds that a record waits for others. With what whoever keeps them waits, and a write, it is what is lost when the process is killed. */
const TOGETHER = 5;
/** Records that no more are waited for. */
const MOST = 64;
/** Records that come in one turn and wait no longer for what they are about to be answered. */
const FLOOD = 256;

const COMMA = Buffer.from(',');
const OPEN = Buffer.from('[');
const CLOSE = Buffer.from(']');

/** Puts records together, some at a time. */
export class Batches {
  readonly #to: (batch: Batch) => void;
  readonly #tell: (text: string) => void;
  /** Not written yet. */
  #records: HookRecord[] = [];
  /** Written, with what stands between them, and how many records they are. */
  #pieces: Uint8Array[] = [];
  #count = 0;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(to: (batch: Batch) => void, tell: (text: string) => void) {
    this.#to = to;
    this.#tell = tell;
  }

  push(record: HookRecord): void {
    if (this.#records.push(record) >= FLOOD) this.pass();
    if (this.#records.length === 0) return;
    // Behind the answers of this turn: while they are read, there is time to write.
    this.#soon ??= setImmediate(() => {
      this.#write();
      if (this.#count >= MOST) this.pass();
    });
    this.#timer ??= setTimeout(() => this.pass(), TOGETHER);
  }

  /** What waits goes on. */
  pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#write();
    const [pieces, count] = [this.#pieces, this.#count];
    if (count === 0) return;
    this.#pieces = [];
    this.#count = 0;
    this.#to({ bytes: Buffer.concat([OPEN, ...pieces.slice(1), CLOSE]), count });
  }

  #write(): void {
    clearImmediate(this.#soon);
    this.#soon = undefined;
    const records = this.#records;
    if (records.length === 0) return;
    this.#records = [];
    if (!this.#add(records)) for (const record of records) this.#alone(record);
  }

  #alone(record: HookRecord): void {
    if (!this.#add([record])) this.#tell(`record ${record.seq} cannot be kept: it is no JSON`);
  }

  /** False: something in them (of a plugin's own making) cannot be written. */
  #add(records: readonly HookRecord[]): boolean {
    try {
      this.#pieces.push(COMMA, Buffer.from(JSON.stringify(records).slice(1, -1)));
      this.#count += records.length;
      return true;
    } catch {
      return false;
    }
  }
}

/** What is between two records. Every record begins so; in a text of one the quotes are escaped, and in a list of one it is no end of JSON. */
const BETWEEN = '},{"seq":';

/** The records of a batch, one after the other; sinks know the text of the last one. */
export function* recordsOf({ bytes, count }: Batch): Generator<HookRecord> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
  const pieces = text.slice(2, -2).split(BETWEEN);
  // A list of records is somewhere in a record.
  if (pieces.length !== count) return yield* JSON.parse(text) as HookRecord[];
  for (let i = 0; i < count; i++) yield readRecordText(`${i === 0 ? '{' : '{"seq":'}${pieces[i]}}`);
}
