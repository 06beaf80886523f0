import { HookscopeError } from '../../../errors.js';
import type { HookRecord } from '../../record.js';
import { type SqliteFile, transaction } from './driver.js';
import { type RecordRow, rowOf } from './rows.js';

/** The version of the schema that this program writes: the number of `STEPS`. */
export const SCHEMA_VERSION = 3;

const TABLES = `
CREATE TABLE records (
  id INTEGER PRIMARY KEY,
  host_id TEXT,
  seq INTEGER NOT NULL,
  time TEXT NOT NULL,
  at INTEGER NOT NULL,
  type TEXT NOT NULL,
  event TEXT,
  session_id TEXT,
  agent_id TEXT,
  fire_id TEXT,
  tool_use_id TEXT,
  json TEXT NOT NULL,
  UNIQUE (host_id, seq)
);
CREATE INDEX records_at ON records (at);
CREATE INDEX records_fire ON records (fire_id) WHERE fire_id IS NOT NULL;
CREATE INDEX records_tool_use ON records (tool_use_id) WHERE tool_use_id IS NOT NULL;
CREATE INDEX records_session ON records (session_id, agent_id);
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
`;

/** Marks a row whose time is unknown; no record has this time. */
const UNKNOWN = -1;

/** Step n upgrades version n to n + 1 and notes what it could not convert. Version 0: an empty file, or one table `records` of ids and JSON. */
const STEPS: readonly ((file: SqliteFile, note: (text: string) => void) => void)[] = [
  (file, note) => {
    const older = hasTable(file, 'records');
    if (older) file.exec('ALTER TABLE records RENAME TO records_0');
    file.exec(TABLES);
    if (!older) return;
    let damaged = 0;
    let first: number | undefined;
    let last = UNKNOWN;
    for (const { json } of file.all('SELECT json FROM records_0 ORDER BY id')) {
      const text = String(json);
      const read = oldRow(text);
      if (read === undefined) damaged++;
      // A row that is not a record gets the time of the row before it, so that both are deleted together.
      const row = read ?? { ...NO_RECORD, at: last, json: text };
      last = row.at;
      if (read !== undefined) first ??= read.at;
      file.run(INSERT_OLD, [...COLUMNS_OLD.map((column) => row[column])]);
    }
    file.exec('DROP TABLE records_0');
    if (damaged === 0) return;
    // Invalid rows before the first record get that record's time; otherwise `maxAge` would delete them at once.
    file.run("UPDATE records SET at = ? WHERE at = ? AND type = ''", [first ?? Date.now(), UNKNOWN]);
    note(
      damaged === 1
        ? 'a row in it is no record, and is kept as it is'
        : `${damaged} rows in it are no records, and are kept as they are`,
    );
  },
  // Several records of one fire may share a row.
  (file) => {
    for (const column of ['last_seq', 'last_at']) file.exec(`ALTER TABLE records ADD COLUMN ${column} INTEGER`);
  },
  // A row's JSON may be packed (packed.ts), which does not change the tables.
  () => undefined,
];

const COLUMNS_OLD = [
  'host_id',
  'seq',
  'time',
  'at',
  'type',
  'event',
  'session_id',
  'agent_id',
  'fire_id',
  'tool_use_id',
  'json',
] as const;

/** Inserts a row of version 0, unless the table has it already. */
const INSERT_OLD = `INSERT OR IGNORE INTO records (${COLUMNS_OLD.join(', ')}) VALUES (${COLUMNS_OLD.map(() => '?').join(', ')})`;

const NO_RECORD: Omit<RecordRow, 'at' | 'json'> = {
  host_id: null,
  seq: 0,
  last_seq: null,
  time: '',
  last_at: null,
  type: '',
  event: null,
  session_id: null,
  agent_id: null,
  fire_id: null,
  tool_use_id: null,
};

/** Whether the value has the column's type. */
function isColumn(column: (typeof COLUMNS_OLD)[number], value: unknown): boolean {
  if (NO_RECORD[column as keyof typeof NO_RECORD] === null && value === null) return true;
  return typeof value === (column === 'seq' || column === 'at' ? 'number' : 'string');
}

/** undefined: the JSON is not a record. */
function oldRow(json: string): RecordRow | undefined {
  try {
    const row = rowOf(JSON.parse(json) as HookRecord, json);
    const isKept = COLUMNS_OLD.every((column) => isColumn(column, row[column]));
    return isKept ? row : undefined;
  } catch {
    return undefined;
  }
}

/** Upgrades a file to this version; `note` gets what it could not convert. Throws FILE for a later version and for another program's database. */
export function migrate(file: SqliteFile, path: string, note: (text: string) => void): void {
  if (versionOf(file, path) === SCHEMA_VERSION) return;
  const notes: string[] = [];
  transaction(file, () => {
    // The version is read again: another process may have upgraded the file in the meantime.
    for (let version = versionOf(file, path); version < SCHEMA_VERSION; version++) {
      STEPS[version]?.(file, (text) => notes.push(text));
      file.run("INSERT OR REPLACE INTO meta (key, value) VALUES ('version', ?)", [String(version + 1)]);
    }
  });
  for (const text of notes) note(`${path} was upgraded; ${text}`);
}

/** A view that shows version 0, or an empty file, as this version. */
const VERSION_0 = (from: string): string => `
CREATE TEMP VIEW records AS SELECT
  id, json,
  CAST(round((julianday(json_extract(read, '$.time')) - 2440587.5) * 86400000) AS INTEGER) AS at,
  NULL AS last_at,
  json_extract(read, '$.type') AS type,
  coalesce(json_extract(read, '$.event'), json_extract(read, '$.hook_event')) AS event,
  json_extract(read, '$.session_id') AS session_id,
  json_extract(read, '$.agent_id') AS agent_id,
  json_extract(read, '$.fire_id') AS fire_id,
  json_extract(read, '$.tool_use_id') AS tool_use_id
FROM (SELECT id, json, iif(json_valid(json), json, '{}') AS read FROM ${from})`;
const VERSION_1 = 'CREATE TEMP VIEW records AS SELECT *, NULL AS last_at FROM main.records';

/** Makes a file of any version readable as this version without changing it. Throws like `migrate`. */
export function readAsThisVersion(file: SqliteFile, path: string): void {
  const version = versionOf(file, path);
  if (version === 1) file.exec(VERSION_1);
  else if (version === 0)
    file.exec(VERSION_0(hasTable(file, 'records') ? 'main.records' : '(SELECT 0 AS id, NULL AS json LIMIT 0)'));
}

function versionOf(file: SqliteFile, path: string): number {
  const wrong = (problem: string): never => {
    throw new HookscopeError('FILE', { file: path, problem });
  };
  if (!hasTable(file, 'meta')) {
    const tables = file.all("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    if (tables.some(({ name }) => name !== 'records'))
      wrong('is a database of something else; choose another file, or move it away');
    return 0;
  }
  const [found] = file.all("SELECT value FROM meta WHERE key = 'version'");
  const version = Number(found?.['value']);
  if (!Number.isInteger(version) || !hasTable(file, 'records'))
    wrong('is a database of something else; choose another file, or move it away');
  if (version > SCHEMA_VERSION)
    wrong(
      `was written by a later version of hookscope (its schema is ${version}, this one knows ${SCHEMA_VERSION}); update hookscope, or choose another file, or move it away`,
    );
  return version;
}

function hasTable(file: SqliteFile, name: string): boolean {
  return file.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", name).length > 0;
}
