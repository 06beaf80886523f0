import { statSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HookscopeError } from '../../../errors.js';

/** The part of SQLite that hookscope uses, whichever driver provides it. Synchronous, as both drivers are. */
export interface SqliteFile {
  /** The driver in use. */
  readonly driver: 'node:sqlite' | 'libsql';
  exec(sql: string): void;
  run(sql: string, values: readonly SqliteValue[]): { readonly changes: number };
  all(sql: string, ...values: readonly SqliteValue[]): readonly SqliteRow[];
  close(): void;
}

export type SqliteValue = string | number | null;
export type SqliteRow = Readonly<Record<string, SqliteValue>>;

interface Statement {
  /** libsql also takes the values as one array, which saves a copy. */
  run(...values: readonly (SqliteValue | readonly SqliteValue[])[]): { readonly changes: number | bigint };
  all(...values: readonly SqliteValue[]): readonly object[];
}

interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type DatabaseConstructor = new (path: string | URL, options?: { readonly readOnly: boolean }) => Database;

const require = createRequire(import.meta.url);

/** Opens a file with Node's own SQLite, or else with libsql. Throws FILE if there is neither. */
export function openSqlite(path: string, only?: SqliteFile['driver']): SqliteFile {
  const { driver, Connection } = driverFor(path, only);
  return wrapped(driver, new Connection(path));
}

/** Opens a file only for reading, also in a read-only folder, and also while another process writes to it. Never changes the file. */
export function openSqliteToRead(path: string, only?: SqliteFile['driver']): SqliteFile {
  const { driver, Connection } = driverFor(path, only);
  const url = (how: string): URL => new URL(`${pathToFileURL(resolve(path))}?${how}`);
  const isNode = driver === 'node:sqlite';
  const open = (): SqliteFile => {
    const connection = isNode ? new Connection(path, { readOnly: true }) : new Connection(url('mode=ro').href);
    return wrapped(driver, connection);
  };
  const file = open();
  try {
    // A writer that is creating the file locks it for a moment.
    file.exec('PRAGMA busy_timeout = 5000');
    file.all('PRAGMA schema_version');
    return file;
  } catch (error) {
    file.close();
    if (!isLockProblem(error)) throw error;
  }
  // Readers lock a `-shm` file beside it; if that cannot be made, the file is opened as immutable, without its log. So the log must be empty.
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    throw new HookscopeError('FILE', {
      file: path,
      problem: `cannot be read where nothing can be written, since some of it is in ${path}-wal; make room if the disk is full, or copy both into another folder`,
    });
  return wrapped(driver, new Connection(isNode ? url('immutable=1') : url('immutable=1').href));
}

function driverFor(path: string, only: SqliteFile['driver'] | undefined): FoundDriver {
  const found = (only === 'libsql' ? undefined : ofNode()) ?? (only === 'node:sqlite' ? undefined : ofPackage());
  if (found !== undefined) return found;
  throw new HookscopeError('FILE', {
    file: path,
    problem: `this Node (${process.versions.node}) has no SQLite of its own, and the package libsql is not installed; run: npm i libsql`,
  });
}

/** Whether SQLite is available, judged without loading it. */
export function hasSqlite(): boolean {
  if (isBuiltin('node:sqlite')) return true;
  try {
    require.resolve('libsql');
    return true;
  } catch {
    return false;
  }
}

interface FoundDriver {
  readonly driver: SqliteFile['driver'];
  readonly Connection: DatabaseConstructor;
}

function ofNode(): FoundDriver | undefined {
  const Connection = withoutWarning(() => load<{ DatabaseSync: DatabaseConstructor }>('node:sqlite'))?.DatabaseSync;
  return Connection && { driver: 'node:sqlite', Connection };
}

function ofPackage(): FoundDriver | undefined {
  const Connection = load<DatabaseConstructor>('libsql');
  return Connection && { driver: 'libsql', Connection };
}

/** Node 22 warns on stderr when its SQLite is loaded. Users can do nothing about it, and agents show the stderr of a hook command. */
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (...warning: unknown[]): void => {
    if (!String(warning[0]).startsWith('SQLite is an experimental feature'))
      Reflect.apply(emitWarning, process, warning);
  };
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** undefined: the module is not installed. */
function load<T>(name: 'node:sqlite' | 'libsql'): T | undefined {
  try {
    return (name === 'libsql' ? require('libsql') : require('node:sqlite')) as T;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_UNKNOWN_BUILTIN_MODULE') return undefined;
    throw error;
  }
}

function wrapped(driver: SqliteFile['driver'], connection: Database): SqliteFile {
  const statements = new Map<string, Statement>();
  const statement = (sql: string): Statement => {
    const known = statements.get(sql) ?? connection.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  return {
    driver,
    exec: (sql) => void connection.exec(sql),
    run(sql, values) {
      const found = statement(sql);
      return { changes: Number((driver === 'libsql' ? found.run(values) : found.run(...values)).changes) };
    },
    all: (sql, ...values) =>
      statement(sql)
        .all(...values)
        .map(row),
    close: () => connection.close(),
  };
}

/** Runs `work` in a transaction. Throws the error of `work`, even if the rollback fails. */
export function transaction(file: SqliteFile, work: () => void): void {
  file.exec('BEGIN IMMEDIATE');
  try {
    work();
    file.exec('COMMIT');
  } catch (error) {
    try {
      file.exec('ROLLBACK');
    } catch {
      // The disk is full, and SQLite has rolled back on its own.
    }
    throw error;
  }
}

/** Removes libsql's `_metadata`, the query's duration. */
function row(found: object): SqliteRow {
  const { _metadata: _, ...columns } = found as SqliteRow;
  return columns;
}

/** Whether the `-shm` file that readers lock could not be made: SQLITE_READONLY, SQLITE_CANTOPEN, and, where the disk is full, the kinds of SQLITE_IOERR that are about that file. */
function isLockProblem(error: unknown): boolean {
  const { errcode, code } = error as { readonly errcode?: unknown; readonly code?: unknown };
  const number = typeof errcode === 'number' ? errcode : Number(/_(\d+)$/.exec(String(code))?.[1] ?? 0);
  return (
    [8, 14].includes(number & 0xff) ||
    SHM_FAILED.includes(number) ||
    /^SQLITE_(?:READONLY|CANTOPEN|IOERR_SHM)/.test(String(code))
  );
}

/** SQLITE_IOERR_SHMOPEN, SHMSIZE and SHMMAP. */
const SHM_FAILED = [18, 19, 21].map((kind) => 10 | (kind << 8));

/** Whether the file is damaged or not a database: SQLITE_CORRUPT, SQLITE_NOTADB. */
export function isDamaged(error: unknown): boolean {
  const { errcode, code } = (error ?? {}) as { readonly errcode?: unknown; readonly code?: unknown };
  return (
    (typeof errcode === 'number' && [11, 26].includes(errcode & 0xff)) ||
    /^SQLITE_(?:CORRUPT|NOTADB)/.test(String(code))
  );
}

/** Classifies an error of SQLite or of the file system: `busy` if another process is writing, `full` if there is no room or the disk failed, `closed` if the file may not be written now. */
export function sqliteProblem(error: unknown): 'busy' | 'full' | 'closed' | undefined {
  const { errcode, code, message } = error as { readonly [key in 'errcode' | 'code' | 'message']?: unknown };
  // Of a file that it cannot open, libsql gives the number only in the message.
  const opening = /^ConnectionFailed\(.*: (\d+)"\)$/s.exec(String(message))?.[1];
  const number = typeof errcode === 'number' ? errcode & 0xff : Number(opening) & 0xff;
  if (number === 5 || number === 6 || /^SQLITE_(?:BUSY|LOCKED)/.test(String(code))) return 'busy';
  if (number === 13 || number === 10 || /^(?:SQLITE_(?:FULL|IOERR)|ENOSPC$|EDQUOT$|EFBIG$|EIO$)/.test(String(code)))
    return 'full';
  const isClosed = [3, 8, 14].includes(number);
  return isClosed || /^(?:SQLITE_(?:PERM|READONLY|CANTOPEN)|EACCES$|EPERM$|EROFS$|EMFILE$|ENFILE$)/.test(String(code))
    ? 'closed'
    : undefined;
}
