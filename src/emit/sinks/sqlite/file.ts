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
  /** All of them, or none; one that is there already is not written again. */
  insert(records: readonly RecordRow[]): void;
  /** Deletes what is too old or too much, some at a time; whether more of it is left. */
  prune(retention: Retention): boolean;
  /** Whether the file is still the one at its path: a deleted file takes records that no one will read. */
  isThere(): boolean;
  close(): void;
}

const OWNER_ONLY = 0o600;
/** Most rows that are deleted in one go: others are waiting to write. */
const PRUNED = 2000;
/** Bytes from which a file is not small. */
const LARGE = 16 * 1024 * 1024;

export interface OpenOptions {
  /** Milliseconds that a statement waits for another process; the thread waits with it. */
  readonly wait: number;
  readonly isSync: boolean;
  readonly maxBytes: number;
  /** Told what an upgrade of the file could not. */
  note(text: string): void;
}

export function openRecordFile(path: string, { wait, isSync, maxBytes, note }: OpenOptions): RecordFile {
  prepareFile(path);
  const file = openSqlite(path);
  const ours = statSync(path, { throwIfNoEntry: false });
  try {
    file.exec(`PRAGMA busy_timeout = ${wait}`);
    // For a new file. Each page is a write, and a file with a small limit has no bytes to spare.
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

/** SQLite gives its other files the mode of this one. */
function prepareFile(path: string): void {
  makeFolder(dirname(path));
  if (made(path)) return;
  const problem = (what: string) => new HookscopeError('FILE', { file: path, problem: what });
  // Never through a symbolic link: in a shared folder it could lead anywhere.
  const stats = lstatSync(path);
  if (!stats.isFile()) throw problem('is not a regular file');
  if (kindOfFile(path) === 'other') throw problem('holds something else than records; choose another file');
  if (process.platform !== 'win32' && (stats.mode & 0o077) !== 0) chmodSync(path, OWNER_ONLY);
}

/** An empty file; false: there is something already, which is not opened (`kindOfFile`). */
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
  // Deleted records must disappear from the file itself, not only from its log.
  if (before > maxBytes) file.all('PRAGMA wal_checkpoint(TRUNCATE)');
  return isMore;
}
