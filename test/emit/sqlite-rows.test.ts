import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { type SqliteOptions, sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { openSqlite } from '../../src/emit/sinks/sqlite-driver.js';
import { isWanted } from '../../src/store/store.js';
import { readStore } from '../store/read-store.js';
import { fire, stamped } from './samples.js';

// Records of one fire are in one row: nobody who reads can see that.

/** More of them with HOOKSCOPE_GENERATED=N. */
const RUNS = Math.ceil(Number(process.env['HOOKSCOPE_GENERATED'] ?? 300) / 8);

const folder = mkdtempSync(join(tmpdir(), 'hookscope-rows-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const place = (): string => join(folder, `${++count}.db`);

const START = Date.now() - 600_000;
interface Told {
  readonly host: number;
  readonly fire: number;
  readonly agent: number;
  readonly whole: boolean;
  /** Milliseconds after the one before. */
  readonly later: number;
  /** A sequence that none of these records has. */
  readonly gap: boolean;
}
const told = fc.array(
  fc.record({
    host: fc.constantFrom(0, 0, 0, 1, 2),
    fire: fc.constantFrom(1, 1, 1, 2, 3),
    agent: fc.constantFrom(1, 1, 1, 1, 2),
    whole: fc.boolean(),
    later: fc.constantFrom(0, 0, 1, 3, -2, 700, 5000),
    gap: fc.constantFrom(false, false, false, false, false, true),
  }),
  { minLength: 1, maxLength: 120 },
);

/** As hosts emit them: each counts its own. Host 2 has no id. */
function recordsOf(list: readonly Told[]): HookRecord[] {
  const seqs = [0, 0, 0];
  let at = START;
  return list.map(({ host, fire: number, agent, whole, later, gap }) => {
    seqs[host] = (seqs[host] as number) + (gap ? 2 : 1);
    at += later;
    const seq = seqs[host] as number;
    const made: HookRecord = whole ? fire(seq) : stamped(seq);
    const about = { fire_id: `fire-${number}`, agent_id: `agent-${agent}`, time: new Date(at).toISOString() };
    return { ...made, ...about, ...(host === 2 ? {} : { host_id: `h${host}` }) } as HookRecord;
  });
}

async function write(path: string, records: readonly HookRecord[], options: SqliteOptions = {}): Promise<void> {
  const sink = sqliteSink(path, { redact: false, maxAge: 0, ...options });
  for (const record of records) sink.push(record);
  await sink.close();
}

const plain = (records: readonly HookRecord[]): HookRecord[] => JSON.parse(JSON.stringify(records));
const idOf = ({ host_id, seq }: HookRecord): string => `${host_id} ${seq}`;

const query = fc.record(
  {
    since: fc.integer({ min: -5000, max: 100_000 }).map((ms) => START + ms),
    until: fc.integer({ min: -5000, max: 100_000 }).map((ms) => START + ms),
    types: fc.constantFrom<readonly HookRecord['type'][]>(
      ['hook_fire'],
      ['system'],
      ['hook_fire', 'system'],
      ['tool_call'],
      [],
    ),
    fire: fc.constantFrom('fire-1', 'fire-2', 'nothing'),
    agent: fc.constantFrom('agent-1', 'agent-2'),
    newest: fc.boolean(),
    limit: fc.integer({ min: 1, max: 130 }),
  },
  { requiredKeys: [] },
);

test('a query finds the records that it asks for, in their order', async () => {
  await fc.assert(
    fc.asyncProperty(told, fc.array(query, { minLength: 4, maxLength: 4 }), async (list, queries) => {
      const path = place();
      const records = plain(recordsOf(list));
      await write(path, records);
      expect(await readStore(path)).toEqual(records);
      for (const one of queries) {
        const { newest = false, limit = records.length } = one;
        const wanted = (newest ? records.toReversed() : records).filter((record) => isWanted(record, one));
        expect(await readStore(path, one)).toEqual(wanted.slice(0, limit));
      }
    }),
    { numRuns: RUNS },
  );
});

test('records that are written again, in other parts and in another order, are there once; none is left out', async () => {
  const parts = fc.array(
    fc.record({
      from: fc.nat(100),
      length: fc.nat(60),
      shuffled: fc.boolean(),
      durability: fc.constantFrom('batch', 'batch', 'sync'),
    }),
    { minLength: 1, maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(told, parts, async (list, some) => {
      const path = place();
      const records = plain(recordsOf(list.map((one) => ({ ...one, host: one.host === 2 ? 0 : one.host }))));
      for (const { from, length, shuffled, durability } of some) {
        const piece = records.slice(from, from + length);
        if (shuffled) piece.sort((a, b) => (a.seq % 7) - (b.seq % 7));
        await write(path, [...piece, ...piece.slice(-3)], { durability: durability as 'batch' | 'sync' });
      }
      await write(path, records);
      const found = await readStore(path);
      expect(found.map(idOf).sort()).toEqual(records.map(idOf).sort());
      for (const record of records) expect(found).toContainEqual(record);
    }),
    { numRuns: RUNS },
  );
});

test('a fire of very many hooks is in rows of a bounded size, and one row takes the records of one fire alone', async () => {
  const path = place();
  const records = Array.from({ length: 1000 }, (_, i) => ({ ...stamped(i + 1), host_id: 'h' }));
  const long = Array.from({ length: 20 }, (_, i) => ({
    ...fire(1001 + i, { input: { text: 'x'.repeat(10_000) } }),
    host_id: 'h',
  }));
  await write(path, [...records, ...long]);
  const file = openSqlite(path);
  const rows = file.all('SELECT length(json) AS size FROM records');
  file.close();
  expect(rows.length).toBeGreaterThan(20);
  for (const { size } of rows) expect(Number(size)).toBeLessThan(64_000);
  expect((await readStore(path)).map(({ seq }) => seq)).toEqual(Array.from({ length: 1020 }, (_, i) => i + 1));
});

test('a query by time finds a record whose row begins before it', async () => {
  const path = place();
  // The clock was set back by two.
  const records = plain(recordsOf([ONE, { ...ONE, later: 700 }, { ...ONE, later: -2 }]));
  await write(path, records);
  const since = Date.parse(records[1]?.time ?? '');
  expect(await readStore(path, { since })).toEqual([records[1]]);
  expect(await readStore(path, { until: since - 1 })).toEqual([records[0], records[2]]);
  const slow = place();
  const late = plain(recordsOf([ONE, { ...ONE, later: 5000 }]));
  await write(slow, late);
  expect(await readStore(slow, { since: START + 4900 })).toEqual(late.slice(1));
});

test('a record that comes after later ones is kept; one that is within a row is not kept again', async () => {
  const path = place();
  const records = plain(recordsOf([ONE, ONE, ONE, ONE, ONE]));
  const some = (...seqs: number[]): HookRecord[] => records.filter(({ seq }) => seqs.includes(seq));
  await write(path, some(1, 4, 5));
  await write(path, some(2));
  await write(path, some(2, 3));
  await write(path, some(5));
  expect((await readStore(path)).map(({ seq }) => seq).sort()).toEqual([1, 2, 3, 4, 5]);
});

test('a file of version 1 is read as it is, and goes on in rows of several', async () => {
  const path = place();
  const records = plain(recordsOf([1, 2, 3, 4].map((number) => ({ ...ONE, whole: number === 3 }))));
  // As version 1 had it: a row for each, and no columns for a last one.
  for (const record of records.slice(0, 2)) await write(path, [record]);
  const file = openSqlite(path);
  for (const column of ['last_seq', 'last_at']) file.exec(`ALTER TABLE records DROP COLUMN ${column}`);
  file.exec("UPDATE meta SET value = '1' WHERE key = 'version'");
  file.exec('VACUUM');
  expect(await readStore(path, { since: START - 1000, types: ['system'] })).toEqual(records.slice(0, 2));
  expect(file.all('PRAGMA table_info(records)').map(({ name }) => name)).not.toContain('last_at');
  file.close();
  await write(path, records);
  expect(await readStore(path)).toEqual(records);
  expect(await readStore(path, { types: ['hook_fire'] })).toEqual([records[2]]);
});

const ONE: Told = { host: 0, fire: 1, agent: 1, whole: false, later: 1, gap: false };
