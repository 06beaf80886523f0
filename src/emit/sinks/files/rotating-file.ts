import type { Stats } from 'node:fs';
import { type FileHandle, lstat } from 'node:fs/promises';
import { messageOf } from '../../../values/waiting/promises.js';
import { type Logger, report } from '../../guard.js';
import { moveAside } from './move-aside.js';
import { isSame, nameOf, openRecords } from './owned-file.js';
import { mendTail } from './torn-tail.js';
import { createWriteReport } from './write-report.js';

export interface RotatingFileOptions {
  readonly path: string;
  readonly maxBytes: number;
  readonly keep: number;
  readonly logger: Logger;
}

export interface RotatingFile {
  /** Appends lines, each with its newline; resolves to how many could not be written. Never rejects. */
  append(lines: readonly Buffer[]): Promise<number>;
  close(): Promise<void>;
}

/** The most bytes in one write. */
const CHUNK = 1024 * 1024;

/** A file of lines that is rotated when it is full. Several processes may append to the same file. */
export function createRotatingFile({ path, maxBytes, keep, logger }: RotatingFileOptions): RotatingFile {
  let handle: FileHandle | undefined;
  let expected = 0;
  const writing = createWriteReport(path, logger);
  let stuck: string | undefined;

  /** The open file and its size; reopened if it was moved or removed. */
  async function current(): Promise<{ handle: FileHandle; size: number }> {
    if (handle !== undefined) {
      const [ours, there] = await Promise.all([handle.stat(), statIfThere(path)]);
      if (!isSame(ours, there)) await release();
      else if (ours.size !== expected) expected = mendTail(handle.fd, path, logger);
    }
    if (handle === undefined) {
      handle = await openRecords(path);
      expected = mendTail(handle.fd, path, logger);
    }
    return { handle, size: expected };
  }

  async function release(): Promise<void> {
    const old = handle;
    handle = undefined;
    await old?.close();
  }

  /** Writes whole lines; after a failure, a partly written line is cut off. Resolves to how many lines were written. */
  async function write(to: FileHandle, size: number, lines: readonly Buffer[]): Promise<number> {
    const bytes = Buffer.concat(lines);
    let done = 0;
    try {
      while (done < bytes.length) done += (await to.write(bytes, done)).bytesWritten;
      expected = size + done;
      writing.written();
      return lines.length;
    } catch (error) {
      writing.failed(error);
    }
    let whole = 0;
    let end = 0;
    for (const line of lines) {
      if (end + line.length > done) break;
      end += line.length;
      whole += 1;
    }
    if ((await to.stat()).size === size + done) await to.truncate(size + end);
    expected = size + end;
    return whole;
  }

  async function append(lines: readonly Buffer[]): Promise<number> {
    let next = 0;
    let limit = maxBytes;
    try {
      while (next < lines.length) {
        const { handle: to, size } = await current();
        const room = limit - size;
        if (size > 0 && (lines[next]?.length ?? 0) > room) {
          // A file that cannot be rotated now keeps growing, so that no record is lost.
          if (tryMove(to)) await release();
          else limit = Number.POSITIVE_INFINITY;
          continue;
        }
        const chunk = lines.slice(next, next + Math.max(1, countThatFit(lines, next, Math.min(CHUNK, room))));
        const written = await write(to, size, chunk);
        next += written;
        if (written < chunk.length) break;
      }
    } catch (error) {
      writing.failed(error);
    }
    writing.lost(lines.length - next);
    return lines.length - next;
  }

  /** Whether the file was rotated. */
  function tryMove(full: FileHandle): boolean {
    try {
      const moved = moveAside(path, { keep, file: full.fd });
      stuck = undefined;
      return moved;
    } catch (error) {
      const name = nameOf(error);
      if (stuck !== name) report(logger, `${path} is full but cannot be moved aside: ${messageOf(error)}`, error);
      stuck = name;
      return false;
    }
  }

  return {
    append,
    close() {
      writing.closed();
      return release().catch((error: unknown) => report(logger, `${path} was not closed: ${messageOf(error)}`, error));
    },
  };
}

function countThatFit(lines: readonly Buffer[], from: number, room: number): number {
  let bytes = 0;
  let count = 0;
  for (const line of lines.slice(from)) {
    bytes += line.length;
    if (bytes > room) break;
    count += 1;
  }
  return count;
}

async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if (nameOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
