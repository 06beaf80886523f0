import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { messageOf } from '../../values/waiting/promises.js';
import { type Logger, report } from '../guard.js';
import { nameOf, OWNER_ONLY, openRecords, statIfThere } from './owned-file.js';
import { mendTail } from './torn-tail.js';

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

/** Most bytes one write() gets. */
const CHUNK = 1024 * 1024;
/** A lock this old, in milliseconds, is a dead process's: rotating takes a few. */
const STALE_LOCK = 10_000;

/** A file of lines that moves aside when it is full. Several processes may append to the same one. */
export function createRotatingFile({ path, maxBytes, keep, logger }: RotatingFileOptions): RotatingFile {
  let handle: FileHandle | undefined;
  let expected = 0;
  let problem: string | undefined;
  let lostSince = 0;
  let stuck: string | undefined;

  /** The open file and its size; opened again when somebody moved or removed it. */
  async function current(): Promise<{ handle: FileHandle; size: number }> {
    if (handle !== undefined) {
      const [ours, there] = await Promise.all([handle.stat(), statIfThere(path)]);
      if (there?.ino !== ours.ino || there.dev !== ours.dev) await release();
      else if (ours.size !== expected) expected = await mendTail(handle, path, logger);
    }
    if (handle === undefined) {
      handle = await openRecords(path);
      expected = await mendTail(handle, path, logger);
    }
    return { handle, size: expected };
  }

  async function release(): Promise<void> {
    const old = handle;
    handle = undefined;
    await old?.close();
  }

  /** Whether the file was moved aside. Not if another process is just doing it: then it may grow a little beyond its size. */
  async function rotate(): Promise<boolean> {
    const lock = await takeLock(`${path}.lock`);
    if (lock === undefined) return false;
    try {
      const [ours, there] = await Promise.all([handle?.stat(), statIfThere(path)]);
      if (ours !== undefined && ours.ino === there?.ino) await shift(path, keep);
    } finally {
      await lock.close();
      await rm(`${path}.lock`, { force: true });
    }
    await release();
    return true;
  }

  /** One write of whole lines. What a failure left of a line is cut off again. Resolves to how many lines are in the file. */
  async function write(to: FileHandle, size: number, lines: readonly Buffer[]): Promise<number> {
    const bytes = Buffer.concat(lines);
    let done = 0;
    try {
      while (done < bytes.length) done += (await to.write(bytes, done)).bytesWritten;
      expected = size + done;
      settled();
      return lines.length;
    } catch (error) {
      failed(error);
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

  function failed(error: unknown): void {
    const name = nameOf(error);
    if (problem !== name) report(logger, `Records cannot be written to ${path}: ${messageOf(error)}`, error);
    problem = name;
  }

  function settled(): void {
    if (problem !== undefined) report(logger, `Records are written to ${path} again`, { lost: lostSince });
    problem = undefined;
    lostSince = 0;
  }

  async function append(lines: readonly Buffer[]): Promise<number> {
    let next = 0;
    let limit = maxBytes;
    try {
      while (next < lines.length) {
        const { handle: to, size } = await current();
        const room = limit - size;
        if (size > 0 && (lines[next]?.length ?? 0) > room) {
          // A file that cannot be moved aside now grows on: no record is lost for it.
          if (!(await tryRotate())) limit = Number.POSITIVE_INFINITY;
          continue;
        }
        const chunk = lines.slice(next, next + Math.max(1, countThatFit(lines, next, Math.min(CHUNK, room))));
        const written = await write(to, size, chunk);
        next += written;
        if (written < chunk.length) break;
      }
    } catch (error) {
      failed(error);
    }
    lostSince += lines.length - next;
    return lines.length - next;
  }

  async function tryRotate(): Promise<boolean> {
    try {
      const moved = await rotate();
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
    close: () =>
      release().catch((error: unknown) => report(logger, `${path} was not closed: ${messageOf(error)}`, error)),
  };
}

/** path.1 to path.2 and so on, then path to path.1; the oldest goes only if all places are taken. */
async function shift(path: string, keep: number): Promise<void> {
  let free = 1;
  while (free < keep && (await statIfThere(`${path}.${free}`)) !== undefined) free += 1;
  for (let place = free; place > 1; place -= 1) await rename(`${path}.${place - 1}`, `${path}.${place}`);
  await rename(path, `${path}.1`);
  for (let extra = keep + 1; (await statIfThere(`${path}.${extra}`)) !== undefined; extra += 1)
    await rm(`${path}.${extra}`);
}

async function takeLock(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'wx', OWNER_ONLY);
  } catch (error) {
    if (nameOf(error) !== 'EEXIST') throw error;
  }
  const lock = await statIfThere(path);
  if (lock !== undefined && Date.now() - lock.mtimeMs > STALE_LOCK) await rm(path, { force: true });
  return undefined;
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
