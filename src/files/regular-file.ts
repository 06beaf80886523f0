import { closeSync, constants, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** The most that is read of a file that was found, not named. */
const MOST_BYTES = 16 * 1024 * 1024;
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
  // Looked at before it is opened, since to open is enough for some devices, and once more, since it may be another by then.
  check(statSync(path));
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const { size } = check(fstatSync(file));
    const until = performance.now() + DEADLINE;
    const chunks: Buffer[] = [];
    for (let total = 0; ; ) {
      const chunk = Buffer.allocUnsafe(Math.max(CHUNK, Math.min(size + 1 - total, MOST_BYTES)));
      const length = readSync(file, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
      total += length;
      if (total > MOST_BYTES) throw new NotRead(TOO_LARGE);
      if (performance.now() > until) throw new NotRead(`took more than ${DEADLINE / 1000} seconds to read`);
    }
  } finally {
    closeSync(file);
  }
}

const TOO_LARGE = `is larger than ${MOST_BYTES / 1024 / 1024} MiB`;

function check<S extends { isFile(): boolean; isDirectory(): boolean; size: number }>(stat: S): S {
  if (stat.isDirectory()) throw new IsFolder('is a directory, not a file');
  if (!stat.isFile()) throw new NotRead('is no regular file');
  if (stat.size > MOST_BYTES) throw new NotRead(TOO_LARGE);
  return stat;
}
