import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { unpacked } from '../emit/packed.js';
import type { HookRecord } from '../emit/record.js';
import {
  isDamaged,
  openSqliteToRead,
  type SqliteFile,
  type SqliteRow,
  type SqliteValue,
  sqliteProblem,
} from '../emit/sinks/sqlite/driver.js';
import { SPAN } from '../emit/sinks/sqlite/rows.js';
import { readAsThisVersion } from '../emit/sinks/sqlite/schema.js';
import { HookscopeError, isHookscopeError } from '../errors.js';
import { describeError } from '../values/message.js';
import { isObject } from '../values/shape.js';
import { readRecord } from './read-record.js';
import { isWanted, type RecordQuery, type RecordStore, type StoreOptions } from './store.js';

/** The most rows of one query. */
const PAGE = 500;
/** Milliseconds between two reads while following. */
const LOOK = 100;

/** The records that `sqliteSink` wrote, readable also while it writes. The file is opened when it is first read. */
export function sqliteStore(place: string, options: StoreOptions = {}): RecordStore {
  const { note = () => undefined, progress } = options;
  let open: { readonly file: SqliteFile; readonly schema: number; readonly id: string | undefined } | undefined;
  const close = (): void => {
    open?.file.close();
    open = undefined;
  };
  const file = (): SqliteFile => {
    // A file is read according to its version, which a writer may have changed: it creates the tables of a new file and upgrades an old one.
    if (open !== undefined && schemaOf(open.file) !== open.schema) close();
    if (open !== undefined) return open.file;
    const id = fileAt(place);
    const opened = openSqliteToRead(place);
    try {
      const schema = schemaOf(opened);
      readAsThisVersion(opened, place);
      open = { file: opened, schema, id };
    } catch (error) {
      opened.close();
      throw error;
    }
    return opened;
  };

  /** Throws FILE if the file is truncated or damaged, or cannot be opened. */
  const all = (sql: string, ...values: readonly SqliteValue[]): readonly SqliteRow[] => {
    try {
      return file().all(sql, ...values);
    } catch (error) {
      if (isHookscopeError(error)) throw error;
      throw new HookscopeError('FILE', { file: place, problem: problemOf(error, place) }, { cause: error });
    }
  };
  const newestId = (): number => Number(all('SELECT max(id) AS id FROM records')[0]?.['id'] ?? -1);

  /** The records of the rows that match the query. */
  function* recordsOf(
    rows: readonly SqliteRow[],
    { newest = false, ...query }: RecordQuery = {},
  ): Iterable<HookRecord> {
    for (const { id, json } of rows) {
      const found = read(String(json));
      if (found === undefined || found.includes(undefined)) note(`${place}: row ${id} is no record`, true);
      for (const record of (newest ? found?.reverse() : found) ?? []) {
        // A row with a single record was selected by the query; of several records, perhaps only some match.
        if (record !== undefined && (found?.length === 1 || isWanted(record, query))) yield record;
      }
    }
  }

  return {
    place,
    async *records(query: RecordQuery = {}) {
      const { limit = Number.POSITIVE_INFINITY, newest = false } = query;
      const [where, values] = conditions(query);
      let last = newest ? Number.MAX_SAFE_INTEGER : -1;
      for (let left = limit; left > 0; ) {
        const wanted = Math.min(PAGE, left);
        const page = all(
          `SELECT id, json FROM records WHERE id ${newest ? '<' : '>'} ?${where} ORDER BY id ${newest ? 'DESC' : 'ASC'} LIMIT ?`,
          last,
          ...values,
          wanted,
        );
        for (const record of recordsOf(page, query)) {
          yield record;
          if (--left === 0) return;
        }
        if (page.length < wanted) return;
        last = Number(page.at(-1)?.['id']);
        if (progress !== undefined && !newest) progress(last / newestId());
      }
    },
    async *follow(signal: AbortSignal) {
      let followed = fileAt(place);
      // The file that is open was deleted meanwhile.
      if (open !== undefined && open.id !== followed) close();
      let last = isThere(place) ? newestId() : -1;
      while (!signal.aborted) {
        const now = fileAt(place);
        // The file was deleted, and a new one is being written.
        if (now !== undefined && followed !== undefined && now !== followed) {
          close();
          last = -1;
        }
        followed = now ?? followed;
        const page = isThere(place)
          ? all('SELECT id, json FROM records WHERE id > ? ORDER BY id LIMIT ?', last, PAGE)
          : [];
        yield* recordsOf(page);
        last = Number(page.at(-1)?.['id'] ?? last);
        if (page.length < PAGE) await sleep(LOOK, undefined, { signal }).catch(() => undefined);
      }
    },
    async close() {
      close();
    },
  };
}

/** SQLite's number that changes with every change of the tables. */
const schemaOf = (file: SqliteFile): number => Number(file.all('PRAGMA main.schema_version')[0]?.['schema_version']);

/** Identifies a file under any name; the inode of a deleted file may be reused. */
function fileAt(place: string): string | undefined {
  const stats = statSync(place, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino} ${stats.birthtimeMs}`;
}

const isThere = (place: string): boolean => existsSync(place) && statSync(place).size > 0;

/** Does not open the file: closing it again would drop the locks that this process may hold on it. */
function mayRead(place: string): boolean {
  try {
    accessSync(place, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function problemOf(error: unknown, place: string): string {
  const text = describeError(error);
  if (sqliteProblem(error) === 'full')
    return `there is no room on its disk, or the disk fails (${text.replace(/\.$/, '')}); make room, and try again: that does not mean that it is damaged`;
  if (sqliteProblem(error) === 'closed' && !mayRead(place)) return 'may not be read by you';
  if (!isDamaged(error)) return text;
  return `is damaged (${text.replace(/\.$/, '')}); move it aside with ${place}-wal and ${place}-shm, and a new one is begun. What is whole in it may be saved with sqlite3 ${place} .recover`;
}

/** The record or records of a row; undefined stands for the row, or for a record in it, that cannot be read. */
function read(json: string): (HookRecord | undefined)[] | undefined {
  try {
    const found: unknown = JSON.parse(json);
    return (Array.isArray(found) ? found : [found])
      .flatMap((one) => (isObject(one) ? unpacked(one as never) : [one]))
      .map((one) => readRecord(one).record);
  } catch {
    return undefined;
  }
}

function conditions(query: RecordQuery): readonly [sql: string, values: readonly SqliteValue[]] {
  const { since, until, types, agent, event, fire, toolUse, session } = query;
  const all: (readonly [sql: string, ...values: readonly SqliteValue[]])[] = [];
  // `at` is the first record's time, and the only one with an index.
  if (since !== undefined) all.push(['at >= ? AND coalesce(last_at, at) >= ?', since - SPAN, since]);
  if (until !== undefined) all.push(['at <= ?', until]);
  if (types !== undefined)
    all.push([
      `(${types.map(() => "instr(' ' || type || ' ', ' ' || ? || ' ') > 0").join(' OR ') || 'FALSE'})`,
      ...types,
    ]);
  if (agent !== undefined) all.push(['agent_id = ?', agent]);
  if (event !== undefined) all.push(['event = ?', event]);
  if (fire !== undefined) all.push(['fire_id = ?', fire]);
  if (toolUse !== undefined) all.push(['tool_use_id = ?', toolUse]);
  if (session !== undefined) all.push(['session_id = ?', session]);
  return [all.map(([sql]) => ` AND ${sql}`).join(''), all.flatMap(([, ...values]) => values)];
}
