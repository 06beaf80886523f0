import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';

/**
 * Tells by its first bytes what a file is. A file with a log (`-wal`) beside it is a database and is not opened: this process may have it open already,
 * and on POSIX closing any handle of a file drops all locks that the process holds on it, SQLite's too. Another process could then believe itself
 * the last user and delete the log, with everything that is written to it afterwards.
 */
export function kindOfFile(path: string): 'database' | 'empty' | 'other' {
  if (statSync(path).size === 0) return 'empty';
  // The log is beside the file itself, not beside a symbolic link to it.
  if (existsSync(`${realpathSync(path)}-wal`)) return 'database';
  const start = Buffer.alloc(MAGIC.length);
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    readSync(handle, start, 0, start.length, 0);
  } finally {
    closeSync(handle);
  }
  return start.toString('latin1') === MAGIC ? 'database' : 'other';
}
