import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** The most that is read of a file that was found, not named. */
export const MOST_BYTES = 16 * 1024 * 1024;
/** Milliseconds; a file system may be slow, or somebody's program. */
const DEADLINE = 10_000;
const CHUNK = 65_536;

/** Why a file that was found is not read, in words. */
export class NotRead extends Error {
  readonly isFolder: boolean = false;
}

class IsFolder extends NotRead {
  override readonly isFolder = true;
}

/**
 * Reads a file that was found: a regular one only, since a pipe or device may never end, of at most 16 MiB, which all that people
 * write is under. Throws NotRead, and what the system throws.
 */
export function readRegularFile(path: string): Buffer {
  const chunks: Buffer[] = [];
  readChunks(path, { most: () => MOST_BYTES, take: (chunk) => chunks.push(Buffer.from(chunk)) });
  return Buffer.concat(chunks);
}

interface Reader {
  /** The most bytes that it may have. */
  most(stat: Stats): number;
  /** Told each piece, which is overwritten by the next one. */
  take(chunk: Buffer): void;
}

/** Hands over all of it, piece by piece. Throws as `readRegularFile`. */
export function readChunks(path: string, { most, take }: Reader): void {
  // Looked at before it is opened, since to open is enough for some devices, and once more, since it may be another by then.
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
      if (performance.now() > until) throw new NotRead(`took more than ${DEADLINE / 1000} seconds to read`);
    }
  } finally {
    closeSync(file);
  }
}

export const tooLarge = (most: number): NotRead => new NotRead(`is larger than ${most / 1024 / 1024} MiB`);

/** Throws NotRead for what is none. */
export function checkRegular(stat: Stats, most: number): Stats {
  if (stat.isDirectory()) throw new IsFolder('is a directory, not a file');
  if (!stat.isFile()) throw new NotRead('is no regular file');
  if (stat.size > most) throw tooLarge(most);
  return stat;
}
