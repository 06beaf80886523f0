import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** The size limit, in bytes, for files that the user did not name. */
export const MOST_BYTES = 16 * 1024 * 1024;
/** In milliseconds. A file system may be slow, for instance if a user program (FUSE) implements it. */
const DEADLINE = 10_000;
const CHUNK = 65_536;

/** Says in words why a file is not read. */
export class UnreadFileError extends Error {
  readonly isFolder: boolean = false;
}

class FolderError extends UnreadFileError {
  override readonly isFolder = true;
}

/**
 * Reads a file that the user did not name. It must be a regular file, since a pipe or device may never end, and at most 16 MiB, more
 * than any hand-written file has. Throws UnreadFileError or the system's error.
 */
export function readRegularFile(path: string): Buffer {
  const chunks: Buffer[] = [];
  readChunks(path, { most: () => MOST_BYTES, take: (chunk) => chunks.push(Buffer.from(chunk)) });
  return Buffer.concat(chunks);
}

interface ChunkReader {
  /** The size limit for this file, in bytes. */
  most(stat: Stats): number;
  /** Called with each chunk. The next chunk overwrites the buffer. */
  take(chunk: Buffer): void;
}

/** Reads a file in chunks. Throws the errors of `readRegularFile`. */
export function readChunks(path: string, { most, take }: ChunkReader): void {
  // Checked before opening, since merely opening some devices has an effect, and again afterwards, since the file may have been replaced.
  const before = statSync(path);
  checkRegular(before, most(before));
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    const limit = most(stat);
    checkRegular(stat, limit);
    const until = performance.now() + DEADLINE;
    const chunk = Buffer.allocUnsafe(Math.max(CHUNK, Math.min(stat.size + 1, MOST_BYTES)));
    for (let total = 0; ; ) {
      const length = readSync(file, chunk);
      if (length === 0) return;
      take(chunk.subarray(0, length));
      total += length;
      if (total > limit) throw tooLarge(limit);
      if (performance.now() > until) throw new UnreadFileError(`took more than ${DEADLINE / 1000} seconds to read`);
    }
  } finally {
    closeSync(file);
  }
}

export const tooLarge = (most: number): UnreadFileError =>
  new UnreadFileError(`is larger than ${most / 1024 / 1024} MiB`);

/** Throws UnreadFileError unless it is a regular file within the limit. */
export function checkRegular(stat: Stats, most: number): Stats {
  if (stat.isDirectory()) throw new FolderError('is a directory, not a file');
  if (!stat.isFile()) throw new UnreadFileError('is no regular file');
  if (stat.size > most) throw tooLarge(most);
  return stat;
}

/** Whether a path leads to what this user may not read, as far as is known: a folder on the way may be closed. */
export function isClosed(path: string): boolean {
  try {
    if (statSync(path).isFile()) closeSync(openSync(path, 'r'));
    return false;
  } catch (error) {
    return ['EACCES', 'EPERM'].includes(`${(error as NodeJS.ErrnoException).code}`);
  }
}

/** What to do about it, whoever owns the file and its folders. */
export const OPEN_IT = 'let this user read it and enter its folders';
