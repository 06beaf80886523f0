import { setTimeout as sleep } from 'node:timers/promises';
import type { HookRecord } from '../emit/record.js';
import { linesBackward, readAt } from './lines.js';
import { createNotes, type StoreNotes } from './notes.js';
import { recordOf } from './record-line.js';
import { closeFiles, isSameFile, type OpenedFile, openRotated, statOf } from './rotated.js';
import type { StoreOptions } from './store.js';

/** Milliseconds between two looks. */
const PAUSE = 150;
const STEP = 256 * 1024;
const LONGEST = 256 * 1024 * 1024;
const NEWLINE = 10;

/** The records that are written to a file from now on, also after it was moved aside; one that is not there is waited for. */
export async function* followFile(
  path: string,
  signal: AbortSignal,
  { note }: StoreOptions,
): AsyncGenerator<HookRecord> {
  const notes = createNotes(note);
  const known = new Set<string>();
  let reader = await lastOf(path, known);
  try {
    while (!signal.aborted) {
      if (reader) yield* reader.read(notes);
      const there = await statOf(path);
      if (there && !(reader && isSameFile(there, reader.file.stats))) {
        // What was written before it was moved.
        if (reader) yield* reader.read(notes);
        for (const next of await after(path, reader, known)) {
          await reader?.close();
          reader = next;
          yield* reader.read(notes);
        }
      }
      notes.end();
      // The wait's own error says that it is over; the loop sees why.
      await sleep(PAUSE, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    notes.end();
    await reader?.close();
  }
}

/** Identifies a file under any name; the inode of a deleted file may be reused. */
const keyOf = ({ stats: { dev, ino, birthtimeMs } }: OpenedFile): string => `${dev} ${ino} ${birthtimeMs}`;

/** The newest file, at its end. */
async function lastOf(path: string, known: Set<string>): Promise<FileReader | undefined> {
  const files = await openRotated(path);
  for (const file of files) known.add(keyOf(file));
  const last = files.pop();
  await closeFiles(files);
  if (!last) return undefined;
  return new FileReader(last, await endOf(last));
}

/** The end of the last complete line: a line still being written is read when it is complete. */
async function endOf({ handle, stats }: OpenedFile): Promise<number> {
  for await (const [last] of linesBackward(handle, stats.size)) if (last) return last.open ? last.at : stats.size;
  return stats.size;
}

/** The files that came after this one, the oldest first; of one that is gone, all that were not there before. */
async function after(path: string, reader: FileReader | undefined, known: Set<string>): Promise<FileReader[]> {
  const files = await openRotated(path);
  const at = reader ? files.findIndex(({ stats }) => isSameFile(stats, reader.file.stats)) : -1;
  const isNew = (file: OpenedFile, i: number): boolean => i > at && !known.has(keyOf(file));
  await closeFiles(files.filter((file, i) => !isNew(file, i)));
  const next = files.filter(isNew);
  for (const file of next) known.add(keyOf(file));
  return next.map((file) => new FileReader(file, 0));
}

/** Reads on in a file that grows. */
class FileReader {
  readonly file: OpenedFile;
  #at: number;
  #pending: Buffer[] = [];
  #held = 0;
  #line: number | undefined;

  constructor(file: OpenedFile, at: number) {
    this.file = file;
    this.#at = at;
    // Lines can be counted only from the beginning.
    this.#line = at === 0 ? 0 : undefined;
  }

  async *read(notes: StoreNotes): AsyncGenerator<HookRecord> {
    const { size } = await this.file.handle.stat();
    if (size < this.#at) this.#again();
    for (;;) {
      const chunk = await readAt(this.file.handle, this.#at, STEP);
      if (chunk.length === 0) return;
      this.#at += chunk.length;
      let from = 0;
      for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, from)) {
        const record = await this.#record(chunk.subarray(from, stop), notes);
        if (record) yield record;
        from = stop + 1;
      }
      this.#hold(chunk.subarray(from));
    }
  }

  close(): Promise<void> {
    return this.file.handle.close();
  }

  /** It was emptied and is written from its beginning. */
  #again(): void {
    this.#at = 0;
    this.#line = 0;
    this.#pending = [];
    this.#held = 0;
  }

  #hold(bytes: Buffer): void {
    this.#held += bytes.length;
    if (this.#held > LONGEST) this.#pending = [];
    else if (bytes.length > 0) this.#pending.push(bytes);
  }

  #record(end: Buffer, notes: StoreNotes): Promise<HookRecord | undefined> {
    this.#hold(end);
    const tooLong = this.#held > LONGEST;
    const bytes = Buffer.concat(this.#pending);
    this.#pending = [];
    this.#held = 0;
    if (this.#line !== undefined) this.#line += 1;
    const { path } = this.file;
    const place = this.#line === undefined ? `${path}, a new line` : `${path}:${this.#line}`;
    return recordOf({ bytes, at: 0, ...(tooLong ? { tooLong } : {}) }, notes, async () => place);
  }
}
