import { closeSync, constants, existsSync, openSync, readSync, realpathSync, statSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';

/**
 * What a file is, by its first bytes. One that lies beside its log (`-wal`) is a database and is not opened: this process may have it open already, and on
 * POSIX closing any handle of a file drops all locks that the process holds on it, SQLite's as well. Another process would take itself for the
 * last one, and delete the log together with what is written into it from then on.
 */
export function kindOfFile(path: string): 'database' | 'empty' | 'other' {
  if (statSync(path).size === 0) return 'empty';
  // SQLite keeps it beside the file itself, not beside a link to it.
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
