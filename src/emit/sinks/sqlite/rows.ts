import { type PackedFire, unpacked } from '../../packed.js';
import type { HookRecord } from '../../record.js';
import type { SqliteFile, SqliteValue } from './driver.js';

/** A row of the table `records`: a record, or several records of one fire. */
export interface RecordRow {
  readonly host_id: string | null;
  readonly seq: number;
  /** The `seq` of the last record, if the row has several. */
  readonly last_seq: number | null;
  readonly time: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly last_at: number | null;
  /** A row of several records has all their types, each once, separated by spaces. */
  readonly type: string;
  readonly event: string | null;
  readonly session_id: string | null;
  readonly agent_id: string | null;
  readonly fire_id: string | null;
  readonly tool_use_id: string | null;
  readonly json: string;
}

/** No record is added to a row of this many characters, because a query reads whole rows. */
const LONG = 32 * 1024;
/** The most milliseconds between records of one row: the index that queries by time use has only the time of the first record. */
export const SPAN = 1000;

/** The row of a single record. */
export function rowOf(record: HookRecord, json: string): RecordRow {
  const { host_id, seq, time, type } = record;
  const { event, hook_event, session_id, agent_id, fire_id, tool_use_id } = record as {
    readonly [K in 'event' | 'hook_event' | 'session_id' | 'agent_id' | 'fire_id' | 'tool_use_id']?: string;
  };
  return {
    host_id: host_id ?? null,
    seq,
    last_seq: null,
    time,
    at: millisecondsOf(time),
    last_at: null,
    type,
    event: event ?? hook_event ?? null,
    session_id: session_id ?? null,
    agent_id: agent_id ?? null,
    fire_id: fire_id ?? null,
    tool_use_id: tool_use_id ?? null,
    json,
  };
}

/** The row of a fire's packed records; undefined: it would be too long, or its records are too far apart to be found by their times. */
export function rowOfPacked(records: readonly HookRecord[], json: string): RecordRow | undefined {
  const { time, seq, host_id } = records[0] as HookRecord;
  if (host_id === undefined || json.length > LONG) return undefined;
  const at = millisecondsOf(time);
  let lastAt = at;
  for (const record of records) {
    const its = millisecondsOf(record.time);
    if (its < at || its > at + SPAN) return undefined;
    lastAt = Math.max(lastAt, its);
  }
  const row = rowOf(records.at(-1) as HookRecord, json);
  return { ...row, seq, last_seq: row.seq, time, at, last_at: lastAt, type: 'system hook_fire' };
}

let last = { time: '', at: 0 };

/** Parses each time once: many records share a millisecond. */
function millisecondsOf(time: string): number {
  if (last.time !== time) last = { time, at: Date.parse(time) || 0 };
  return last.at;
}

/**
 * Inserts records that the file does not have yet, so that the rows of a host never overlap, even if several writers send the same records. It looks up the
 * last `seq` of each host once; records after it are new.
 */
export function insertRows(file: SqliteFile, records: readonly RecordRow[]): void {
  const newest = new Map<string, number>();
  let fresh: RecordRow[] = [];
  for (const record of records) {
    const { host_id, seq } = record;
    if (host_id !== null) {
      const before = newest.get(host_id) ?? coveredUpTo(file, host_id, Number.MAX_SAFE_INTEGER);
      if (seq > before) newest.set(host_id, lastOf(record));
      else {
        newest.set(host_id, Math.max(before, lastOf(record)));
        write(file, fresh);
        fresh = [];
        for (const one of apart(record)) if (coveredUpTo(file, host_id, one.seq) < one.seq) write(file, [one]);
        continue;
      }
    }
    fresh.push(record);
  }
  write(file, fresh);
}

/** The number of records in a row. */
export const recordsIn = ({ seq, last_seq }: RecordRow): number => (last_seq === null ? 1 : last_seq - seq + 1);

const lastOf = ({ seq, last_seq }: RecordRow): number => last_seq ?? seq;

/** Splits a packed row into one row per record, because the file may have some of the records already. */
function apart(row: RecordRow): readonly RecordRow[] {
  if (row.last_seq === null) return [row];
  return unpacked(JSON.parse(row.json) as PackedFire).map((record) => rowOf(record, JSON.stringify(record)));
}

/** The last `seq` of the host's row that begins at `seq` or is the nearest before it. */
function coveredUpTo(file: SqliteFile, host: string, seq: number): number {
  const [row] = file.all(
    'SELECT coalesce(last_seq, seq) AS last FROM records WHERE host_id = ? AND seq <= ? ORDER BY seq DESC LIMIT 1',
    host,
    seq,
  );
  return Number(row?.['last'] ?? Number.NEGATIVE_INFINITY);
}

/** Fields that all records of a row share. */
const SHARED = ['host_id', 'event', 'session_id', 'agent_id', 'fire_id', 'tool_use_id'] as const;
const COLUMNS = ['seq', 'last_seq', 'time', 'at', 'last_at', 'type', 'json', ...SHARED];
/** The statement that inserts this many rows. */
const insertOf = (rows: number): string => {
  const row = `(${COLUMNS.map(() => '?').join(', ')})`;
  return `INSERT INTO records (${COLUMNS.join(', ')}) VALUES ${Array.from({ length: rows }, () => row).join(', ')}`;
};
const INSERT = insertOf(1);
/** Rows of one INSERT statement: inserting this many at once is cheaper than one by one. */
const MANY = 16;
const INSERT_MANY = insertOf(MANY);

/** Consecutive records of one fire become one row, which takes two thirds of the time and of the space. */
function write(file: SqliteFile, records: readonly RecordRow[]): void {
  let values: SqliteValue[] = [];
  for (let from = 0; from < records.length; ) {
    const to = endOf(records, from);
    addRow(values, records, from, to);
    from = to;
    if (values.length < MANY * COLUMNS.length) continue;
    file.run(INSERT_MANY, values);
    values = [];
  }
  for (let i = 0; i < values.length; i += COLUMNS.length) file.run(INSERT, values.slice(i, i + COLUMNS.length));
}

/** The index after the last record that can share a row with the first. */
function endOf(records: readonly RecordRow[], from: number): number {
  const first = records[from] as RecordRow;
  let seq = lastOf(first);
  let { length } = first.json;
  let to = from + 1;
  for (; first.host_id !== null && first.fire_id !== null && length < LONG; to++) {
    const next = records[to];
    if (next?.seq !== seq + 1 || next.at < first.at || next.at > first.at + SPAN) break;
    for (const column of SHARED) if (next[column] !== first[column]) return to;
    if ((next.last_at ?? next.at) > first.at + SPAN) break;
    seq = lastOf(next);
    length += next.json.length;
  }
  return to;
}

/** Appends the values of a row in the order of `COLUMNS`. */
function addRow(values: SqliteValue[], records: readonly RecordRow[], from: number, to: number): void {
  const first = records[from] as RecordRow;
  const end = records[to - 1] as RecordRow;
  let { type, json } = first;
  let lastAt = first.last_at ?? first.at;
  for (let i = from + 1; i < to; i++) {
    const next = records[i] as RecordRow;
    lastAt = Math.max(lastAt, next.last_at ?? next.at);
    for (const word of next.type.split(' ')) if (!type.split(' ').includes(word)) type += ` ${word}`;
    json += `,${next.json}`;
  }
  const isOne = end === first;
  values.push(
    first.seq,
    isOne ? first.last_seq : lastOf(end),
    first.time,
    first.at,
    isOne ? first.last_at : lastAt,
    type,
    isOne ? json : `[${json}]`,
  );
  for (const column of SHARED) values.push(first[column]);
}
