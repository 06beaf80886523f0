import { setTimeout as sleep } from 'node:timers/promises';
import type { HookRecord } from '../emit/record.js';
import { linesBackward, readAt } from './lines.js';
import { createNotes, type StoreNotes } from './notes.js';
import { recordOf } from './record-line.js';
import { closeFiles, isSameFile, type OpenedFile, openRotated, statOf } from './rotated.js';
import type { StoreOptions } from './store.js';

/** Milliseconds between two reads. */
const PAUSE = 150;
const STEP = 256 * 1024;
const LONGEST = 256 * 1024 * 1024;
const NEWLINE = 10;
/** How many hosts are remembered. */
const HOSTS = 10_000;

/** The records that are written to a file from now on, also after it is rotated. Waits for a file that does not exist yet. */
export async function* followFile(
  path: string,
  signal: AbortSignal,
  { note }: StoreOptions,
): AsyncGenerator<HookRecord> {
  const notes = createNotes(note, path);
  const known = new Set<string>();
  const seen = new HostSequences();
  let reader = await lastOf(path, known, seen);
  try {
    while (!signal.aborted) {
      if (reader) yield* seen.noting(reader.read(notes));
      const there = await statOf(path);
      if (there && !(reader && isSameFile(there, reader.file.stats))) {
        // Records that were written before the file was moved.
        if (reader) yield* seen.noting(reader.read(notes));
        const { files, isGone } = await after(path, reader, known);
        if (isGone) seen.gap();
        for (const next of files) {
          await reader?.close();
          reader = next;
          yield* seen.noting(reader.read(notes));
        }
        seen.tell(note);
      }
      notes.end();
      // An aborted wait rejects; the loop checks the signal itself.
      await sleep(PAUSE, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    notes.end();
    await reader?.close();
  }
}

/** Identifies a file under any name; the inode of a deleted file may be reused. */
const keyOf = ({ stats: { dev, ino, birthtimeMs } }: OpenedFile): string => `${dev} ${ino} ${birthtimeMs}`;

/** A reader at the end of the newest file. */
async function lastOf(path: string, known: Set<string>, seen: HostSequences): Promise<FileReader | undefined> {
  const files = await openRotated(path);
  for (const file of files) known.add(keyOf(file));
  const last = files.pop();
  await closeFiles(files);
  if (!last) return undefined;
  return new FileReader(last, await endOf(last, seen));
}

/** The end of the last complete line, whose record counts as seen. A line that is still being written is read later. */
async function endOf({ handle, stats }: OpenedFile, seen: HostSequences): Promise<number> {
  let end: number | undefined;
  for await (const lines of linesBackward(handle, stats.size))
    for (const line of lines) {
      end ??= line.open ? line.at : stats.size;
      if (line.open) continue;
      const record = await recordOf(line, createNotes(), async () => '');
      if (record) seen.add(record);
      return end;
    }
  return end ?? stats.size;
}

/** The last `seq` of each host, to count records that were deleted before they were read. */
class HostSequences {
  readonly #last = new Map<string, number>();
  /** `#last` at the time when unread files were deleted; undefined: none were. */
  #before: Map<string, number> | undefined;
  #missed = 0;
  /** A known host has written since, so a gap in `seq` would show what is missing. */
  #isKnown = false;

  add({ host_id: host, seq }: HookRecord): void {
    if (host === undefined) return;
    const before = this.#before?.get(host);
    if (before !== undefined) {
      this.#missed += Math.max(0, seq - before - 1);
      this.#isKnown = true;
      this.#before?.delete(host);
    }
    this.#last.delete(host);
    this.#last.set(host, seq);
    if (this.#last.size > HOSTS) this.#last.delete(this.#last.keys().next().value as string);
  }

  async *noting(records: AsyncGenerator<HookRecord>): AsyncGenerator<HookRecord> {
    for await (const record of records) {
      this.add(record);
      yield record;
    }
  }

  /** To be called when files were deleted before they were read. */
  gap(): void {
    this.#before = new Map(this.#last);
    this.#isKnown = false;
  }

  tell(note: StoreOptions['note']): void {
    if (this.#before === undefined) return;
    this.#before = undefined;
    if (this.#isKnown && this.#missed === 0) return;
    const what = this.#missed > 0 ? `${this.#missed} records are` : 'records may be';
    note?.(`${what} not shown: they came, and were deleted with their files, faster than they were read`);
    this.#missed = 0;
  }
}

/** The files newer than the reader's, oldest first; if that file is gone, all files that were not known before. */
async function after(
  path: string,
  reader: FileReader | undefined,
  known: Set<string>,
): Promise<{ readonly files: readonly FileReader[]; readonly isGone: boolean }> {
  const files = await openRotated(path);
  const at = reader ? files.findIndex(({ stats }) => isSameFile(stats, reader.file.stats)) : -1;
  const isNew = (file: OpenedFile, i: number): boolean => i > at && !known.has(keyOf(file));
  await closeFiles(files.filter((file, i) => !isNew(file, i)));
  const next = files.filter(isNew);
  for (const file of next) known.add(keyOf(file));
  return { files: next.map((file) => new FileReader(file, 0)), isGone: reader !== undefined && at < 0 };
}

/** Reads the new lines of a growing file. */
class FileReader {
  readonly file: OpenedFile;
  #at: number;
  #pending: Buffer[] = [];
  #held = 0;
  #line: number | undefined;

  constructor(file: OpenedFile, at: number) {
    this.file = file;
    this.#at = at;
    // Line numbers are known only if the file is read from its beginning.
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

  /** Starts again at the beginning, because the file was emptied. */
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
