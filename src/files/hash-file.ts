import { createHash } from 'node:crypto';
import { constants, type Stats, statSync } from 'node:fs';
import { open, stat as statOf } from 'node:fs/promises';
import { checkRegular, MOST_BYTES, readChunks, tooLarge } from './regular-file.js';

/** The size limit for executable files, in bytes: binaries such as Node are much larger than hand-written files. */
const MOST_OF_PROGRAM = 512 * 1024 * 1024;

/** Hashes of large files, kept for one turn of the event loop, because the same file may be hashed under many names. */
const hashed = new Map<string, string>();

/** The SHA-256, in hex, of a regular file of at most 16 MiB, or 512 MiB if it is executable. Throws the errors of `readRegularFile`. */
export function hashRegularFile(path: string): string {
  const stat = checkRegular(statSync(path), MOST_OF_PROGRAM);
  const key = [stat.dev, stat.ino, stat.size, stat.mtimeMs, stat.ctimeMs].join();
  const known = hashed.get(key);
  if (known !== undefined) return known;
  const hash = createHash('sha256');
  readChunks(path, { most: mostOf, take: (chunk) => hash.update(chunk) });
  const hex = hash.digest('hex');
  if (stat.size > MOST_BYTES) {
    if (hashed.size === 0) setImmediate(() => hashed.clear()).unref();
    hashed.set(key, hex);
  }
  return hex;
}

const mostOf = ({ mode }: Stats): number => ((mode & 0o111) === 0 ? MOST_BYTES : MOST_OF_PROGRAM);

/** How many bytes are hashed between two turns of the event loop. */
const PIECE = 1024 * 1024;

/** Like `hashRegularFile`, but without blocking the event loop. Rejects with the same errors. */
export async function hashRegularFileSlowly(path: string): Promise<string> {
  const before = await statOf(path);
  checkRegular(before, mostOf(before));
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stat = await file.stat();
    const most = mostOf(stat);
    checkRegular(stat, most);
    const hash = createHash('sha256');
    const piece = Buffer.allocUnsafe(PIECE);
    for (let left = most; left >= 0; ) {
      const { bytesRead } = await file.read(piece);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
      left -= bytesRead;
    }
    throw tooLarge(most);
  } finally {
    await file.close();
  }
}
