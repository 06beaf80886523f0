import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { checkRegular, MOST_BYTES, readChunks } from './regular-file.js';

/** The most that is hashed of one that can be executed: Node and the like are larger than what people write. */
const MOST_OF_PROGRAM = 512 * 1024 * 1024;

/** Hashes of large files that were made in this turn of the event loop: one file may have very many names. */
const hashed = new Map<string, string>();

/** The SHA-256, in hex, of a regular file of at most 16 MiB, or 512 MiB where it can be executed. Throws as `readRegularFile`. */
export function hashRegularFile(path: string): string {
  const stat = checkRegular(statSync(path), MOST_OF_PROGRAM);
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
