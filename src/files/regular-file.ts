import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

/** The most that is read of a file that was found, not named. */
const MOST_BYTES = 16 * 1024 * 1024;
/** The most that is hashed of one that can be executed: Node and the like are larger than what people write. */
const MOST_OF_PROGRAM = 512 * 1024 * 1024;
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

/** Hashes of large files that were made in this turn of the event loop: one file may have very many names. */
const hashed = new Map<string, string>();

/** The SHA-256, in hex, of a regular file of at most 16 MiB, or 512 MiB where it can be executed. Throws as `readRegularFile`. */
export function hashRegularFile(path: string): string {
  const stat = check(statSync(path), MOST_OF_PROGRAM);
  const key = [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
  const known = hashed.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  readChunks(path, {
    most: ({ mode }) => ((mode & 0o111) === 0 ? MOST_BYTES : MOST_OF_PROGRAM),
    take: (chunk) => hash.update(chunk),
  });
  const hex = hash.digest('hex');
  if (stat.size > MOST_BYTES) {
    if (hashed.size === 0) setImmediate(() => hashed.clear()).unref();
    hashed.set(key, hex);
  }
  return hex;
}

interface Reader {
  /** The most bytes that it may have. */
  most(stat: Stats): number;
  /** Told each piece, which is overwritten by the next one. */
  take(chunk: Buffer): void;
}

function readChunks(path: string, { most, take }: Reader): void {
  // Looked at before it is opened, since to open is enough for some devices, and once more, since it may be another by then.
  const before = statSync(path);
  check(before, most(before));
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = fstatSync(file);
    const limit = most(stat);
    check(stat, limit);
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

const tooLarge = (most: number): NotRead => new NotRead(`is larger than ${most / 1024 / 1024} MiB`);

function check(stat: Stats, most: number): Stats {
  if (stat.isDirectory()) throw new IsFolder('is a directory, not a file');
  if (!stat.isFile()) throw new NotRead('is no regular file');
  if (stat.size > most) throw tooLarge(most);
  return stat;
}
