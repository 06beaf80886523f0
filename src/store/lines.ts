import type { FileHandle } from 'node:fs/promises';
import { append } from '../values/append.js';

/** A line of a file, without its end. */
export interface FileLine {
  readonly bytes: Buffer;
  /** The byte offset at which it begins. */
  readonly at: number;
  /** The line has no newline; it may be incomplete. */
  readonly open?: true;
  /** The line is longer than any record; `bytes` is its beginning. */
  readonly tooLong?: true;
}

const NEWLINE = 10;
const STEP = 256 * 1024;
/** The longest possible record, in bytes. */
const LONGEST = 256 * 1024 * 1024;
/** How many bytes of an overlong line are kept to describe it. */
const KEPT = 64;

export interface ReadLinesOptions {
  /** For tests. */
  readonly step?: number;
  readonly longest?: number;
}

/** The lines of a file up to `end`, one list a chunk; a last line without a newline is marked `open`. */
export async function* linesForward(
  file: FileHandle,
  end: number,
  { step = STEP, longest = LONGEST }: ReadLinesOptions = {},
): AsyncGenerator<FileLine[]> {
  let pending: Buffer[] = [];
  let held = 0;
  let start = 0;
  for (let at = 0; at < end; ) {
    const chunk = await readAt(file, at, Math.min(step, end - at));
    if (chunk.length === 0) break;
    const lines: FileLine[] = [];
    let from = 0;
    for (let stop = chunk.indexOf(NEWLINE); stop >= 0; stop = chunk.indexOf(NEWLINE, from)) {
      lines.push(lineOf([...pending, chunk.subarray(from, stop)], start, held + stop - from > longest));
      pending = [];
      held = 0;
      from = stop + 1;
      start = at + from;
    }
    const rest = chunk.subarray(from);
    held += rest.length;
    if (rest.length > 0 && held - rest.length <= longest) pending.push(rest);
    at += chunk.length;
    yield lines;
  }
  if (held > 0) yield [{ ...lineOf(pending, start, held > longest), open: true }];
}

/** The same lines as `linesForward`, last one first. */
export async function* linesBackward(
  file: FileHandle,
  end: number,
  { step = STEP, longest = LONGEST }: ReadLinesOptions = {},
): AsyncGenerator<FileLine[]> {
  let pending: Buffer[] = [];
  let held = 0;
  let open = true;
  const take = (bytes: Buffer): void => {
    held += bytes.length;
    // An overlong line is described by its beginning, which is read last.
    if (held > longest) pending = [];
    if (bytes.length > 0) pending.unshift(bytes);
  };
  const closed = (at: number): FileLine[] => {
    const line = lineOf(pending, at, held > longest);
    const isEnd = open;
    const nothing = isEnd && held === 0;
    pending = [];
    held = 0;
    open = false;
    return nothing ? [] : [isEnd ? { ...line, open: true } : line];
  };
  for (let to = end; to > 0; ) {
    const length = Math.min(step, to);
    const chunk = await readAt(file, to - length, length);
    const lines: FileLine[] = [];
    let stop = chunk.length;
    for (let found = chunk.lastIndexOf(NEWLINE); found >= 0; found = chunk.lastIndexOf(NEWLINE, stop - 1)) {
      take(chunk.subarray(found + 1, stop));
      append(lines, closed(to - length + found + 1));
      stop = found;
      if (stop === 0) break;
    }
    take(chunk.subarray(0, stop));
    to -= length;
    yield lines;
  }
  if (held > 0 || !open) yield closed(0);
}

function lineOf(parts: readonly Buffer[], at: number, tooLong: boolean): FileLine {
  if (tooLong) return { bytes: Buffer.concat(parts.slice(0, 1)).subarray(0, KEPT), at, tooLong };
  return { bytes: parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts), at };
}

/** Reads `length` bytes, or fewer if the file ends. */
export async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await file.read(buffer, done, length - done, at + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

/** Counts the line ends before a byte offset; the number of the line is one more. */
export async function linesBefore(file: FileHandle, place: number): Promise<number> {
  let count = 0;
  for (let at = 0; at < place; at += STEP) {
    const chunk = await readAt(file, at, Math.min(STEP, place - at));
    if (chunk.length === 0) break;
    for (let found = chunk.indexOf(NEWLINE); found >= 0; found = chunk.indexOf(NEWLINE, found + 1)) count += 1;
  }
  return count;
}
