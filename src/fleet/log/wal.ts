import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '../../files/replace-file.js';
import { makeFolder } from '../../values/make-folder.js';
import { type LogPlace, readCursor } from './cursor.js';
import { countLines, cutToLines, firstLine, linesOf } from './lines.js';

/** Bytes of a piece of the log, and of all of it. */
export interface LogBounds {
  readonly segmentBytes: number;
  readonly maxBytes: number;
}

/** A decision that waits to be sent. */
export interface QueuedDecision {
  readonly line: Buffer;
  /** The position of the next record. */
  readonly next: LogPlace;
}

/** The end of a record that is done with; `lost`: how many were dropped there, in place of one that was sent. */
export type PassedMark = LogPlace & { readonly lost?: number | undefined };

const NAMES = /^(\d{6})\.ndjson$/;
const nameOf = (segment: number): string => `${String(segment).padStart(6, '0')}.ndjson`;

/**
 * The decisions of a host as they wait on disk, in pieces of lines. What the cursor has passed was acknowledged. When all pieces together are larger than they
 * may be, the oldest goes, and what of it was not sent is counted. One process writes a folder, in one thread.
 */
export class Wal {
  readonly #folder: string;
  readonly #bounds: LogBounds;
  /** Bytes by number. */
  readonly #segments = new Map<number, number>();
  #current: { readonly segment: number; readonly handle: number } | undefined;
  #cursor: LogPlace;
  #dropped: number;
  #sent: number;
  #waiting = 0;
  #unsaved = 0;
  /** The newest piece that others have written: nothing is added to it. */
  #taken = 0;
  /** The position of the cursor, with the record there. */
  #oldest: (LogPlace & { readonly line: Buffer | undefined }) | undefined;
  /** What was read, but not requested yet. */
  #read: LogPlace;
  /** Where lines begin that were added since `setOld`, by piece. */
  readonly #new = new Map<number, number>();

  constructor(folder: string, bounds: LogBounds) {
    this.#folder = folder;
    this.#bounds = bounds;
    makeFolder(folder);
    for (const name of readdirSync(folder)) {
      const [, number] = NAMES.exec(name) ?? [];
      const stats = statSync(join(folder, name));
      if (number !== undefined && stats.isFile()) this.#segments.set(Number(number), stats.size);
    }
    const { dropped, sent, segment, offset } = readCursor(join(folder, 'cursor.json'));
    [this.#dropped, this.#sent] = [dropped, sent];
    const last = this.#numbers().at(-1);
    if (last !== undefined) this.#segments.set(last, cutToLines(join(folder, nameOf(last))));
    // A crash of the machine may leave less than was acknowledged: what is written there next is new.
    const [[first = 1], left = 0] = [this.#numbers(), this.#segments.get(segment)];
    this.#read = segment < first ? { segment: first, offset: 0 } : { segment, offset: Math.min(offset, left) };
    this.#cursor = this.#read;
    for (const number of this.#numbers()) this.#waiting += this.#linesFrom(number);
  }

  /** How many records wait to be acknowledged. */
  get waiting(): number {
    return this.#waiting;
  }

  /** How many were lost because the log was full. */
  get dropped(): number {
    return this.#dropped;
  }

  get sent(): number {
    return this.#sent;
  }

  /** The first that waits. */
  get oldest(): Buffer | undefined {
    if (this.#waiting === 0) return undefined;
    const { segment, offset } = this.#cursor;
    if (this.#oldest?.segment !== segment || this.#oldest.offset !== offset)
      this.#oldest = { segment, offset, line: this.#firstFrom(this.#cursor) };
    return this.#oldest.line;
  }

  /** All that is there now is old. */
  readonly setOld = (): void => this.#new.clear();

  /** Whether the line that ends there was added here since then. */
  isNew({ segment, offset }: LogPlace): boolean {
    return offset > (this.#new.get(segment) ?? Number.POSITIVE_INFINITY);
  }

  /** Adds lines, each with its end. Throws what the system says; then some of them may be there. */
  append(lines: readonly Buffer[]): void {
    for (let from = 0; from < lines.length; ) {
      const { segment, handle } = this.#open();
      let size = this.#segments.get(segment) as number;
      let to = from;
      const begin = size;
      if (!this.#new.has(segment)) this.#new.set(segment, begin);
      while (to < lines.length && (to === from || size < this.#bounds.segmentBytes))
        size += (lines[to++] as Buffer).length;
      const bytes = Buffer.concat(lines.slice(from, to));
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(handle, bytes, done);
      } catch (error) {
        // Half a line would spoil the next one; in another piece it does not, where even that cannot be done.
        try {
          ftruncateSync(handle, begin);
        } catch {
          this.#end();
          this.#segments.set(segment, this.#bounds.segmentBytes);
        }
        throw error;
      }
      this.#segments.set(segment, size);
      this.#waiting += to - from;
      from = to;
      if (size >= this.#bounds.segmentBytes) this.#end();
      this.#shrink();
    }
  }

  /** The next records that were not returned yet, at most `most`. */
  next(most: number): QueuedDecision[] {
    const found: QueuedDecision[] = [];
    for (const segment of this.#numbers()) {
      if (segment < this.#read.segment || found.length >= most) continue;
      let offset = segment === this.#read.segment ? this.#read.offset : 0;
      const size = this.#segments.get(segment) as number;
      if (offset >= size) continue;
      const handle = openSync(join(this.#folder, nameOf(segment)), 'r');
      try {
        for (const line of linesOf(handle, offset, size)) {
          if (found.length >= most) break;
          offset += line.length + 1;
          found.push({ line, next: { segment, offset } });
        }
      } finally {
        closeSync(handle);
      }
    }
    this.#read = found.at(-1)?.next ?? this.#read;
    return found;
  }

  /** Records that were returned but not acknowledged are returned again. */
  rewind(): void {
    this.#read = this.#cursor;
  }

  /** Takes over a file of lines that no one writes to any more, as its newest piece. Throws what the system says. */
  take(file: string): void {
    this.#end();
    const segment = Math.max(this.#numbers().at(-1) ?? 0, this.#cursor.segment) + 1;
    renameSync(file, join(this.#folder, nameOf(segment)));
    this.#segments.set(segment, cutToLines(join(this.#folder, nameOf(segment))));
    this.#taken = segment;
    this.#waiting += this.#linesFrom(segment);
    this.#shrink();
  }

  /** Passes the records that end at these places, and all before them. Records dropped in the meantime count as dropped. */
  acknowledge(places: readonly PassedMark[]): void {
    const { segment: from, offset: behind } = this.#cursor;
    const passed = places.filter((place) => place.segment > from || (place.segment === from && place.offset > behind));
    const last = passed.at(-1);
    if (last === undefined) return;
    const { segment } = last;
    const count = passed.length;
    this.#cursor = { segment, offset: last.offset };
    this.#waiting -= count;
    this.#dropped += passed.reduce((sum, { lost = 0 }) => sum + lost, 0);
    this.#sent += passed.filter(({ lost }) => lost === undefined).length;
    this.#unsaved += count;
    const done = this.#numbers().filter((number) => number < segment);
    if (done.length === 0 && this.#unsaved < 500) return;
    this.save();
    for (const number of done) this.#remove(number);
  }

  /** Saves the cursor: after a crash, everything after it is sent again. Never throws; on a full disk, too, existing records continue to be sent. */
  save(): void {
    const kept = { ...this.#cursor, dropped: this.#dropped, sent: this.#sent };
    try {
      replaceFile(join(this.#folder, 'cursor.json'), JSON.stringify(kept), 0o600);
      this.#unsaved = 0;
    } catch {
      this.#unsaved = 1;
    }
  }

  close(): void {
    if (this.#unsaved > 0) this.save();
    this.#end();
  }

  /** Another process has it now. */
  leave(): void {
    this.#end();
  }

  #firstFrom(place: LogPlace): Buffer | undefined {
    for (const segment of this.#numbers()) {
      const offset = segment === place.segment ? place.offset : 0;
      const size = this.#segments.get(segment) as number;
      if (segment < place.segment || offset >= size) continue;
      try {
        return firstLine(join(this.#folder, nameOf(segment)), offset, size);
      } catch {
        return undefined;
      }
    }
    return undefined;
  }

  #numbers(): number[] {
    return [...this.#segments.keys()].sort((a, b) => a - b);
  }

  #open(): { readonly segment: number; readonly handle: number } {
    if (this.#current) return this.#current;
    const last = this.#numbers().at(-1) ?? 0;
    const isFull = last === this.#taken || (this.#segments.get(last) as number) >= this.#bounds.segmentBytes;
    const segment = isFull ? Math.max(last, this.#cursor.segment - 1) + 1 : last;
    const handle = openSync(join(this.#folder, nameOf(segment)), 'a', 0o600);
    this.#segments.set(segment, fstatSync(handle).size);
    this.#current = { segment, handle };
    return this.#current;
  }

  #end(): void {
    if (this.#current) closeSync(this.#current.handle);
    this.#current = undefined;
  }

  /** Deletes the oldest segments until the rest is within the limit. The one being written stays. */
  #shrink(): void {
    let total = [...this.#segments.values()].reduce((sum, bytes) => sum + bytes, 0);
    for (const number of this.#numbers()) {
      if (total <= this.#bounds.maxBytes || number === this.#current?.segment || this.#segments.size === 1) return;
      const lost = this.#linesFrom(number);
      total -= this.#segments.get(number) as number;
      this.#dropped += lost;
      this.#waiting -= lost;
      if (this.#cursor.segment <= number) this.#cursor = { segment: number + 1, offset: 0 };
      if (this.#read.segment <= number) this.#read = this.#cursor;
      // The count first: a crash in between counts them once more, and loses none unseen.
      this.save();
      this.#remove(number);
    }
  }

  #remove(number: number): void {
    rmSync(join(this.#folder, nameOf(number)), { force: true });
    this.#segments.delete(number);
    this.#new.delete(number);
  }

  /** Lines of a piece that the cursor has not passed. */
  #linesFrom(segment: number): number {
    if (segment < this.#cursor.segment) return 0;
    const from = segment === this.#cursor.segment ? this.#cursor.offset : 0;
    return countLines(join(this.#folder, nameOf(segment)), from, this.#segments.get(segment));
  }
}
