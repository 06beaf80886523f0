import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { SCHEMA_VERSION } from '../../src/emit/sinks/sqlite/schema.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { openStore } from '../../src/store/place.js';
import { until } from '../host/kit.js';
import { asNobodyHere } from '../nobody.js';
import { readStore } from '../store/read-store.js';
import { fire, listen, stamped } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const place = (): string => join(folder, `${++count}`, 'records.db');
const mode = (path: string): number => statSync(path).mode & 0o777;
const now = (record: HookRecord): HookRecord => ({ ...record, time: new Date().toISOString(), host_id: 'h' });

async function write(
  path: string,
  records: readonly HookRecord[],
  options = {},
): Promise<ReturnType<typeof listen>['told']> {
  const { told, logger } = listen();
  const sink = sqliteSink(path, { logger, ...options });
  for (const record of records) sink.push(record);
  await sink.close();
  return told;
}

describe('the SQLite sink', () => {
  test('keeps records in a file, and its log, for their owner alone, in folders of their own', async () => {
    const path = place();
    const sink = sqliteSink(path);
    sink.push(now(fire(1)));
    await sink.flush();
    expect([path, `${path}-wal`, `${path}-shm`].map(mode)).toEqual([0o600, 0o600, 0o600]);
    expect(mode(join(path, '..'))).toBe(0o700);
    await sink.close();
    chmodSync(path, 0o644);
    await write(path, [now(fire(2))]);
    expect(mode(path)).toBe(0o600);
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2]);
  });

  test.each([
    ['a file that is read-only', '', 0o400],
    ['a file that is closed', '', 0],
    ['a folder that is closed', '..', 0],
  ])('says once that it cannot write into %s, and tries again with each record', (_, name, closed) =>
    asNobodyHere(async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'hookscope-closed-')), 'records.db');
      await write(path, [now(fire(1))]);
      const before = mode(join(path, name));
      const { told, logger } = listen();
      const sink = sqliteSink(path, { logger });
      for (const seq of [2, 3, 4]) {
        chmodSync(join(path, name), seq === 4 ? before : closed);
        sink.push(now(fire(seq)));
        await sink.flush();
      }
      await sink.close();
      expect([sink.dropped, (await readStore(path)).map(({ seq }) => seq)]).toEqual([2, [1, 4]]);
      expect(told.map(({ message }) => message)).toEqual([
        expect.stringMatching(/^Records cannot be written to /),
        `2 records were not written to ${path}, which is closed`,
      ]);
      rmSync(join(path, '..'), { recursive: true });
    }),
  );

  test.each(['batch', 'sync'] as const)(
    '%s: a file that was deleted is begun anew, and said once',
    async (durability) => {
      const path = place();
      const { told, logger } = listen();
      const sink = sqliteSink(path, { logger, durability });
      sink.push(now(fire(1)));
      await sink.flush();
      for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
      for (const seq of [2, 3]) {
        sink.push(now(fire(seq)));
        await sink.flush();
      }
      expect(told.map(({ message }) => message)).toEqual([
        expect.stringMatching(/was deleted or moved .* a new file is begun/),
      ]);
      expect([sink.dropped, (await readStore(path)).map(({ seq }) => seq)]).toEqual([0, [2, 3]]);
      await sink.close();
      expect((await readStore(path)).map(({ seq }) => seq)).toEqual([2, 3]);
    },
  );

  test('keeps a record once, whoever writes it how often', async () => {
    const path = place();
    const records = [1, 2, 3].map((seq) => now(stamped(seq)));
    await write(path, records);
    await write(path, [...records, now(stamped(4)), { ...now(stamped(4)), host_id: 'other' }]);
    expect((await readStore(path)).map(({ seq, host_id }) => `${host_id}${seq}`)).toEqual([
      'h1',
      'h2',
      'h3',
      'h4',
      'other4',
    ]);
  });

  test('is read by what is asked for, the newest first where that is asked', async () => {
    const path = place();
    const records = Array.from({ length: 1200 }, (_, i) => now(i % 100 === 0 ? fire(i + 1) : stamped(i + 1)));
    await write(path, records);
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual(records.map(({ seq }) => seq));
    expect((await readStore(path, { types: ['hook_fire'] })).map(({ seq }) => seq)).toEqual([
      1, 101, 201, 301, 401, 501, 601, 701, 801, 901, 1001, 1101,
    ]);
    expect((await readStore(path, { types: ['hook_fire'], newest: true, limit: 2 })).map(({ seq }) => seq)).toEqual([
      1101, 1001,
    ]);
    expect(await readStore(path, { agent: 'nobody' })).toEqual([]);
    expect(
      (
        await readStore(path, {
          agent: 'agent-1',
          event: 'PreToolUse',
          toolUse: 'toolu_1',
          session: 'session-1',
          limit: 700,
        })
      ).length,
    ).toBe(700);
    expect(await readStore(path, { until: Date.now() - 60_000 })).toEqual([]);
  });

  test('is followed while it is written', async () => {
    const path = place();
    const store = await openStore(path);
    const stop = new AbortController();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { seq } of store.follow(stop.signal)) if (seen.push(seq) === 3) stop.abort();
    })();
    const sink = sqliteSink(path);
    for (const seq of [1, 2, 3]) {
      sink.push(now(stamped(seq)));
      await sink.flush();
    }
    await following;
    expect(seen).toEqual([1, 2, 3]);
    await sink.close();
    await store.close();
  });

  test('with durability sync has a record in the file when push returns', async () => {
    const path = place();
    const sink = sqliteSink(path, { durability: 'sync' });
    sink.push(now(stamped(1)));
    const other = openSqlite(path);
    expect(other.all('SELECT seq FROM records')).toEqual([{ seq: 1 }]);
    other.close();
    await sink.close();
  });
});

describe('what is old or too much goes', () => {
  test('by age', async () => {
    const path = place();
    const old = { ...now(stamped(1)), time: new Date(Date.now() - 7200_000).toISOString() };
    await write(path, [old, now(stamped(2))], { maxAge: 86_400 });
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2]);
    await write(path, [now(stamped(3))], { maxAge: 3600 });
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([2, 3]);
    await write(path, [{ ...old, seq: 4 }], { maxAge: 0 });
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([2, 3, 4]);
  });

  test.each(['batch', 'sync'] as const)(
    '%s: by age, all of it soon, and what is left when the sink closes',
    async (durability) => {
      const path = place();
      const old = Array.from({ length: 9000 }, (_, seq) => ({
        ...fire(seq + 1),
        // Records of one fire share a row.
        fire_id: `fire-${seq}`,
        host_id: 'h',
        time: new Date(Date.now() - 40 * 86_400_000).toISOString(),
      }));
      await write(path, old as HookRecord[], { maxAge: 0 });
      const sink = sqliteSink(path, { maxAge: 7 * 86_400, durability });
      sink.push(now(fire(9001)));
      await sink.flush();
      const left = async (): Promise<number> => (await readStore(path)).length;
      if (durability === 'sync') await until(async () => (await left()) === 1);
      await sink.close();
      expect(await left()).toBe(1);
    },
  );

  test('by size, the oldest first, and the file becomes smaller', async () => {
    const path = place();
    const large = (seq: number) => ({ ...now(fire(seq, { input: { text: 'word '.repeat(1000) } })) });
    await write(
      path,
      Array.from({ length: 2000 }, (_, i) => large(i + 1)),
    );
    expect(statSync(path).size).toBeGreaterThan(8_000_000);
    await write(
      path,
      Array.from({ length: 10 }, (_, i) => large(2001 + i)),
      { maxBytes: 2_000_000 },
    );
    const seqs = (await readStore(path)).map(({ seq }) => seq);
    expect(seqs.length).toBeGreaterThan(200);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => 2010 - seqs.length + 1 + i));
    expect(statSync(path).size).toBeLessThan(2_500_000);
  });
});

describe('the schema', () => {
  const tables = (path: string) => {
    const file = openSqlite(path);
    const version = file.all("SELECT value FROM meta WHERE key = 'version'");
    file.close();
    return version;
  };

  test('of an earlier version is brought to this one, with its records', async () => {
    const path = place();
    await write(path, []);
    for (const name of ['0', '0b']) {
      const old = join(folder, `${name}.db`);
      const file = openSqlite(old);
      file.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, json TEXT NOT NULL)');
      for (const seq of [1, 2]) file.run('INSERT INTO records (json) VALUES (?)', [JSON.stringify(now(fire(seq)))]);
      file.close();
    }
    await write(join(folder, '0.db'), [now(fire(3))]);
    expect((await readStore(join(folder, '0.db'), { event: 'PreToolUse' })).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect((await readStore(join(folder, '0b.db'), { fire: 'fire-1' })).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(tables(join(folder, '0.db'))).toEqual([{ value: String(SCHEMA_VERSION) }]);
  });

  test.each(['{"cut', '{}', 'null', '5', '"text"', '[]', '{"seq":1,"time":"2026-01-01T00:00:00Z"}', '{"seq":"1"}'])(
    'of an earlier version with %s for a record is brought to this one, with all that can be read',
    async (damaged) => {
      const path = join(folder, `damaged-${++count}.db`);
      const file = openSqlite(path);
      file.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, json TEXT NOT NULL)');
      const rows = [JSON.stringify(now(fire(1))), damaged, JSON.stringify(now(fire(2)))];
      for (const json of rows) file.run('INSERT INTO records (json) VALUES (?)', [json]);
      file.close();
      const told = await write(path, [now(fire(3))]);
      expect(told.map(({ message }) => message)).toEqual([
        `${path} was upgraded; a row in it is no record, and is kept as it is`,
      ]);
      expect(await write(path, [now(fire(4))])).toEqual([]);
      expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      const upgraded = openSqlite(path);
      expect(upgraded.all('SELECT json FROM records WHERE id = 2')).toEqual([{ json: damaged }]);
      upgraded.close();
    },
  );

  test.each([
    [
      ['{"cut', 1, '{"cut', 2],
      [1, 1, 1, 2],
    ],
    [
      ['{"cut', '{}', 1],
      [1, 1, 1],
    ],
    [
      ['{"cut', '{}'],
      [0, 0],
    ],
  ])('of an earlier version with %j gives what is no record the time of its neighbour', async (rows, times) => {
    const path = join(folder, `damaged-${++count}.db`);
    const file = openSqlite(path);
    file.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, json TEXT NOT NULL)');
    const records = [1, 2].map((seq) => now(fire(seq)));
    for (const row of rows) {
      const json = typeof row === 'string' ? row : JSON.stringify(records[row - 1]);
      file.run('INSERT INTO records (json) VALUES (?)', [json]);
    }
    file.close();
    const before = Date.now();
    await write(path, [now(fire(3))]);
    const upgraded = openSqlite(path);
    const at = upgraded.all('SELECT at FROM records ORDER BY id').map((row) => Number(row['at']));
    upgraded.close();
    // Where there is no neighbour, the time of the upgrade.
    times.forEach((seq, i) => {
      if (seq > 0) expect(at[i]).toBe(Date.parse((records[seq - 1] as { time: string }).time));
      else expect(at[i]).toBeGreaterThanOrEqual(before);
    });
    expect(at).toHaveLength(times.length + 1);
  });

  test('of a later version is refused, by the sink and by whoever reads', async () => {
    const path = place();
    await write(path, [now(fire(1))]);
    const file = openSqlite(path);
    file.exec("UPDATE meta SET value = '99' WHERE key = 'version'");
    file.close();
    const expected = new RegExp(
      `later version of hookscope \\(its schema is 99, this one knows ${SCHEMA_VERSION}\\); update hookscope`,
    );
    const told = await write(path, [now(fire(2))]);
    expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(expected)]);
    await expect(readStore(path)).rejects.toThrow(expected);
    expect(() => sqliteSink(path, { durability: 'sync' })).toThrow(expected);
  });

  test.each([
    ['a text', (path: string) => writeFileSync(path, 'some text of mine')],
    [
      "somebody else's database",
      (path: string) => {
        const file = openSqlite(path);
        file.exec('CREATE TABLE mine (a)');
        file.close();
      },
    ],
  ])('a file that is %s is left as it is', async (_, make) => {
    const path = join(folder, `mine-${++count}.db`);
    make(path);
    const before = readFileSync(path);
    const told = await write(path, [now(fire(1))]);
    expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(/choose another file/)]);
    expect(readFileSync(path).subarray(0, 16)).toEqual(before.subarray(0, 16));
    expect(existsSync(path)).toBe(true);
  });
});

test('what cannot be opened is an error with its code, at once with durability sync', () => {
  const path = place();
  writeFileSync(join(folder, 'a-file'), '');
  const opened = (file: string) => () => sqliteSink(file, { durability: 'sync' });
  expect(opened(join(folder, 'a-file/records.db'))).toThrow(expect.objectContaining({ code: 'FILE' }));
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `SQLite format 3\u0000${'x'.repeat(5000)}`);
  expect(opened(path)).toThrow(expect.objectContaining({ code: 'FILE', message: expect.stringContaining(path) }));
});

test('a damaged file is said to be that, with what to do', async () => {
  const path = place();
  await write(
    path,
    Array.from({ length: 300 }, (_, seq) => now(fire(seq + 1))),
  );
  const whole = openSqlite(path);
  whole.all('PRAGMA wal_checkpoint(TRUNCATE)');
  whole.close();
  writeFileSync(path, readFileSync(path).fill(0xff, 60_000));
  await expect(readStore(path)).rejects.toThrow(
    expect.objectContaining({ code: 'FILE', message: expect.stringMatching(/is damaged \(.*; move it aside/) }),
  );
});

test('libsql gives rows without what it adds', () => {
  const path = join(folder, 'libsql.db');
  const file = openSqlite(path, 'libsql');
  file.exec('CREATE TABLE a (b)');
  expect(file.run('INSERT INTO a VALUES (?)', [1]).changes).toBe(1);
  expect(file.all('SELECT b FROM a')).toEqual([{ b: 1 }]);
  file.close();
});
