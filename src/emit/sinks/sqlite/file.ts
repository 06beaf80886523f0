import { chmodSync, closeSync, lstatSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { HookscopeError } from '../../../errors.js';
import { makeFolder } from '../../../values/make-folder.js';
import { kindOfFile } from '../files/database-file.js';
import { openSqlite, type SqliteFile, transaction } from './driver.js';
import { insertRows, type RecordRow } from './rows.js';
import { migrate } from './schema.js';

export interface Retention {
  /** Seconds. */
  readonly maxAge: number;
  readonly maxBytes: number;
}

/** A database of records, open for writing. */
export interface RecordFile {
  /** Inserts all records or none; a record that the file already has is not written again. */
  insert(records: readonly RecordRow[]): void;
  /** Deletes records beyond `maxAge` and `maxBytes`, in parts; returns whether more are left to delete. */
  prune(retention: Retention): boolean;
  /** Whether the path still leads to this file: records written to a deleted file would be lost. */
  isThere(): boolean;
  close(): void;
}

const OWNER_ONLY = 0o600;
/** The most rows deleted in one transaction: other processes may be waiting to write. */
const PRUNED = 2000;
/** From this `maxBytes` on, the file gets larger pages. */
const LARGE = 16 * 1024 * 1024;

export interface RecordFileOptions {
  /** Milliseconds that a statement waits for another process's lock; it blocks the thread. */
  readonly wait: number;
  readonly isSync: boolean;
  readonly maxBytes: number;
  /** Reports rows that a migration of the file could not convert. */
  note(text: string): void;
}

export function openRecordFile(path: string, { wait, isSync, maxBytes, note }: RecordFileOptions): RecordFile {
  prepareFile(path);
  const file = openSqlite(path);
  const ours = statSync(path, { throwIfNoEntry: false });
  try {
    file.exec(`PRAGMA busy_timeout = ${wait}`);
    // Only for a new file. Larger pages mean fewer writes, but waste bytes in a file with a small limit.
    file.exec(`PRAGMA page_size = ${maxBytes < LARGE ? 4096 : 8192}`);
    file.exec('PRAGMA auto_vacuum = INCREMENTAL');
    file.all('PRAGMA journal_mode = WAL');
    file.exec(`PRAGMA synchronous = ${isSync ? 'FULL' : 'NORMAL'}`);
    migrate(file, path, note);
  } catch (error) {
    file.close();
    throw error;
  }
  return {
    insert: (records) => transaction(file, () => insertRows(file, records)),
    prune: (retention) => prune(file, retention),
    isThere() {
      const there = statSync(path, { throwIfNoEntry: false });
      return there !== undefined && there.ino === ours?.ino && there.dev === ours.dev;
    },
    close: () => file.close(),
  };
}

/** Makes the file readable only by its owner; SQLite gives its `-wal` and `-shm` files the same mode. */
function prepareFile(path: string): void {
  makeFolder(dirname(path));
  if (made(path)) return;
  const problem = (what: string) => new HookscopeError('FILE', { file: path, problem: what });
  // Never through a symbolic link: in a shared folder it could lead anywhere.
  const stats = lstatSync(path);
  if (!stats.isFile()) throw problem('is not a regular file');
  if (kindOfFile(path) === 'other')
    throw problem('holds something else than records; choose another file, or move it away');
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
}

/** Creates an empty file; false: the path exists already and must not be opened (see `kindOfFile`). */
function made(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', OWNER_ONLY));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function prune(file: SqliteFile, { maxAge, maxBytes }: Retention): boolean {
  let isMore = false;
  const number = (sql: string): number => Number(Object.values(file.all(sql)[0] ?? {})[0] ?? 0);
  transaction(file, () => {
    const before = Date.now() - maxAge * 1000;
    if (!Number.isFinite(maxAge)) return;
    const { changes } = file.run(
      'DELETE FROM records WHERE id IN (SELECT id FROM records WHERE at < ? ORDER BY at LIMIT ?)',
      [before, PRUNED],
    );
    isMore = changes >= PRUNED;
  });
  if (!Number.isFinite(maxBytes)) return isMore;
  const page = number('PRAGMA page_size');
  const size = (): number => (number('PRAGMA page_count') - number('PRAGMA freelist_count')) * page;
  const before = size();
  for (let round = 0; round < 20 && size() > maxBytes; round++) {
    const rows = number('SELECT max(id) - min(id) + 1 FROM records');
    const some = Math.ceil(rows * Math.max(0.02, 1 - (0.9 * maxBytes) / size()));
    if (rows <= 1) break;
    transaction(file, () => {
      file.run('DELETE FROM records WHERE id IN (SELECT id FROM records ORDER BY id LIMIT ?)', [
        Math.min(PRUNED, some),
      ]);
    });
  }
  file.exec('PRAGMA incremental_vacuum');
  // Deleted records leave the file itself only when its log is written back.
  if (before > maxBytes) file.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return isMore;
}
