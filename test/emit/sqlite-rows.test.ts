import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { recordSink } from '../../src/emit/sinks/sqlite/sink.js';
import { type SqliteOptions, sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { Batches, linesOf } from '../../src/server/batches.js';
import { openStore } from '../../src/store/place.js';
import { isWanted } from '../../src/store/store.js';
import { inputOf } from '../host/inputs.js';
import { testHost } from '../host/kit.js';
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

/** As a server's own thread writes them: those of a fire are one text. */
async function writeLines(path: string, records: readonly HookRecord[], options: SqliteOptions = {}): Promise<void> {
  const sink = recordSink(path, { redact: false, maxAge: 0, ...options });
  const batches = new Batches(
    (batch) => {
      for (const line of linesOf(batch)) sink.pushLine(line);
    },
    () => undefined,
  );
  for (const record of records) batches.push(record);
  batches.pass();
  await sink.close();
}

/** So that a fire has runs to be packed with. */
async function callsOf(seed: number): Promise<HookRecord[]> {
  const { host } = testHost();
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  host.register({
    PreToolUse: [{ hooks: [() => undefined, async () => ({}), { handler: () => undefined, name: SECRET }] }],
  });
  for (let i = 0; i <= seed % 5; i++)
    await host.fire('PreToolUse', { ...(inputOf('PreToolUse') as object), tool_use_id: `toolu_${seed}_${i}` } as never);
  await host.close();
  return plain(records);
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

const rowsOf = (path: string): string[] => {
  const file = openSqlite(path);
  const rows = file.all('SELECT json FROM records').map(({ json }) => String(json));
  file.close();
  return rows;
};

test('records that came as one text are found, and written again, as those that came one by one', async () => {
  const some = fc.array(
    fc.record({
      seed: fc.nat(9),
      from: fc.nat(12),
      length: fc.nat(12),
      lines: fc.boolean(),
      again: fc.boolean(),
      together: fc.boolean(),
      later: fc.array(fc.constantFrom(0, 0, 0, 1, 700, 5000, -2), { minLength: 7, maxLength: 7 }),
    }),
    { minLength: 1, maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(some, query, async (parts, asked) => {
      const path = place();
      const all: HookRecord[] = [];
      for (const { seed, from, length, lines, again, together, later } of parts) {
        let at = START;
        const records = (await callsOf(seed)).map((record, i): HookRecord => {
          at += later[i % later.length] as number;
          return { ...record, time: new Date(at).toISOString() };
        });
        all.push(...records);
        // Some of them first, perhaps from the middle of a fire; then all.
        const piece = records.slice(from, from + length);
        await (again ? writeLines : write)(path, piece);
        await (lines ? writeLines : write)(path, together ? [...piece, ...records, ...records.slice(length)] : records);
      }
      const found = await readStore(path);
      expect(found.map(idOf).sort()).toEqual(all.map(idOf).sort());
      for (const record of all) expect(found).toContainEqual(record);
      const { limit: _, newest: __, ...which } = asked;
      for (const one of [
        which,
        ...all.slice(0, 6).flatMap(({ time }) => [{ since: Date.parse(time) }, { until: Date.parse(time) }]),
      ])
        expect((await readStore(path, one)).map(idOf).sort()).toEqual(
          all
            .filter((record) => isWanted(record, one))
            .map(idOf)
            .sort(),
        );
    }),
    { numRuns: RUNS },
  );
});

test('a fire of which a part is there already, and which comes twice at once, is there once', async () => {
  const fire = await callsOf(0);
  for (let from = 0; from < fire.length; from++)
    for (let to = 0; to <= fire.length; to++) {
      const path = place();
      await writeLines(path, [...fire.slice(0, to), ...fire, ...fire.slice(from)]);
      expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
});

test('records that come before a text of several are in a row with it only while both are found by their time', async () => {
  for (const late of [200, 1400]) {
    const path = place();
    const [first, ...others] = await callsOf(0);
    const at = (ms: number, record: HookRecord | undefined): HookRecord =>
      ({ ...record, time: new Date(START + ms).toISOString() }) as HookRecord;
    const fire = [{ ...at(0, first), name: 'another' }, ...others.map((one, i) => at(i < 3 ? late / 2 : late, one))];
    await writeLines(path, fire as HookRecord[]);
    expect(rowsOf(path)).toHaveLength(late === 200 ? 1 : 2);
    expect((await readStore(path, { since: START + late })).map(({ seq }) => seq)).toEqual([5, 6, 7]);
  }
});

test('a call with its hooks is one row, and takes less than two thirds of what its records do', async () => {
  const records = await callsOf(0);
  const [packed, apart] = [place(), place()];
  await writeLines(packed, records);
  await write(apart, records);
  expect(await readStore(packed)).toEqual(records);
  expect(rowsOf(packed)).toHaveLength(1);
  expect(rowsOf(packed).join().length / rowsOf(apart).join().length).toBeLessThan(0.65);
});

test('what is masked is masked in a text of several as well, also where one place alone is', async () => {
  const records = await callsOf(4);
  for (const redact of [{}, { paths: ['name'] }, { paths: ['handlers.*.name'] }, { patterns: [/PreToolUse:Bash/] }]) {
    const [packed, apart] = [place(), place()];
    await writeLines(packed, records, { redact });
    await write(apart, records, { redact });
    expect(await readStore(packed)).toEqual(await readStore(apart));
    expect(rowsOf(packed).join()).not.toContain(SECRET);
  }
});

test('how many records wait, and how many were lost, is told by the record', async () => {
  const records = await callsOf(4);
  const path = place();
  const sink = recordSink(path, { redact: false, logger: () => undefined, closeTimeout: 0.001 });
  const holder = openSqlite(place());
  holder.close();
  const batches = new Batches(
    (batch) => {
      for (const line of linesOf(batch)) sink.pushLine(line);
    },
    () => undefined,
  );
  for (const record of records) batches.push(record);
  batches.pass();
  expect(sink.pending).toBe(records.length);
  await write(path, []);
  const other = openSqlite(path);
  other.exec('CREATE TABLE held (a)');
  other.exec('BEGIN EXCLUSIVE');
  await sink.close();
  other.exec('ROLLBACK');
  other.close();
  expect(sink.dropped).toBe(records.length);
});

test('a row that is damaged is told of, and hides no other', async () => {
  const path = place();
  const records = await callsOf(2);
  await writeLines(path, records);
  const file = openSqlite(path);
  const damage = ['{"runs":[[7,0,"a","b"]],"hook_name":"x","fire":{}}', '{"runs":4}', '{"runs":[null],"fire":null}'];
  for (const [i, json] of damage.entries()) file.run('UPDATE records SET json = ? WHERE id = ?', [json, i + 1]);
  file.close();
  expect(await readStore(path)).toEqual([]);
  await writeLines(
    path,
    (await callsOf(0)).map((record) => ({ ...record, host_id: 'another' })),
  );
  const notes: string[] = [];
  const store = await openStore(path, { note: (text) => notes.push(text) });
  const found: HookRecord[] = [];
  for await (const record of store.records()) found.push(record);
  await store.close();
  expect(found).toHaveLength(7);
  expect(notes).toHaveLength(3);
});

/** In a name, which stands at two places. */
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
const ONE: Told = { host: 0, fire: 1, agent: 1, whole: false, later: 1, gap: false };
