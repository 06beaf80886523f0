import type { HookRecord } from '../emit/record.js';
import { readText } from '../emit/record-text.js';

/** Records that go on together. */
export interface Batch {
  /** They, as an array in JSON: written together they take half the work, and bytes are nothing that the garbage collector moves. */
  readonly bytes: Uint8Array;
  readonly count: number;
}

/** Milliseconds that a record waits for others. With what whoever keeps them waits, and a write, it is what is lost when the process is killed. */
const TOGETHER = 5;
/** Records that no more are waited for: to write them takes a tenth of a millisecond, in which nobody is answered. */
const MOST = 64;
/** Records that come in one turn and wait no longer for what they are about to be answered. */
const FLOOD = 256;

/** Puts records together, some at a time. */
export class Batches {
  readonly #to: (batch: Batch) => void;
  readonly #tell: (text: string) => void;
  #waiting: HookRecord[] = [];
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;

  constructor(to: (batch: Batch) => void, tell: (text: string) => void) {
    this.#to = to;
    this.#tell = tell;
  }

  push(record: HookRecord): void {
    const count = this.#waiting.push(record);
    if (count >= FLOOD) this.pass();
    else if (count >= MOST) this.#soon ??= setImmediate(() => this.pass());
    else this.#timer ??= setTimeout(() => this.pass(), TOGETHER);
  }

  /** What waits goes on. */
  pass(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
    this.#timer = undefined;
    this.#soon = undefined;
    const records = this.#waiting;
    if (records.length === 0) return;
    this.#waiting = [];
    const batch = written(records);
    if (batch !== undefined) this.#to(batch);
    else for (const record of records) this.#alone(record);
  }

  #alone(record: HookRecord): void {
    const batch = written([record]);
    if (batch === undefined) this.#tell(`record ${record.seq} cannot be kept: it is no JSON`);
    else this.#to(batch);
  }
}

/** undefined: something in it (of a plugin's own making) cannot be written. */
function written(records: readonly HookRecord[]): Batch | undefined {
  try {
    return { bytes: Buffer.from(JSON.stringify(records)), count: records.length };
  } catch {
    return undefined;
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
  for (let i = 0; i < count; i++) yield readText(`${i === 0 ? '{' : '{"seq":'}${pieces[i]}}`);
}
