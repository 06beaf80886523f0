import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { createHost } from '../../src/index.js';
import { openStore } from '../../src/store/place.js';
import { BIN } from '../cli/cli.js';
import { until } from '../host/kit.js';
import { asNobody } from '../nobody.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-reads-'));
afterAll(() => {
  chmodSync(join(folder, 'sealed'), 0o700);
  rmSync(folder, { recursive: true });
});
chmodSync(folder, 0o755);

async function recorded(path: string, command = 'ls'): Promise<void> {
  const host = createHost();
  const sink = sqliteSink(path);
  sink.attach(host.events$);
  await host.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command }, tool_use_id: 't' });
  await host.close();
  await sink.close();
}

const typesIn = async (path: string): Promise<string[]> => {
  const store = await openStore(path);
  const types: string[] = [];
  for await (const { type } of store.records()) types.push(type);
  await store.close();
  return types;
};

describe('to read a database changes not a byte of it', () => {
  test('of this version', async () => {
    const path = join(folder, 'own.db');
    await recorded(path);
    const before = readFileSync(path);
    const { mtimeMs } = statSync(path);
    expect(await typesIn(path)).toContain('hook_fire');
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(path).mtimeMs).toBe(mtimeMs);
  });

  test('of an earlier version, with a row that is no JSON; nor of an empty file', async () => {
    const path = join(folder, 'older.db');
    const file = openSqlite(path);
    file.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, json TEXT NOT NULL)');
    await recorded(join(folder, 'new.db'));
    const rows = openSqlite(join(folder, 'new.db')).all('SELECT json FROM records');
    const records = rows.flatMap(({ json }) => JSON.parse(String(json)) as HookRecord | HookRecord[]);
    const fire = records.find(({ type }) => type === 'hook_fire');
    for (const json of ['{"cut', JSON.stringify(fire)]) file.run('INSERT INTO records (json) VALUES (?)', [json]);
    file.close();
    writeFileSync(join(folder, 'empty.db'), '');
    const before = readFileSync(path);
    expect(await typesIn(path)).toEqual(['hook_fire']);
    expect(await typesIn(join(folder, 'empty.db'))).toEqual([]);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(statSync(join(folder, 'empty.db')).size).toBe(0);

    const store = await openStore(path);
    const query = { event: 'PreToolUse', toolUse: 't', types: ['hook_fire'], since: Date.now() - 60_000 } as const;
    const found = [];
    for await (const record of store.records(query)) found.push(record);
    await store.close();
    expect(found).toHaveLength(1);
  });
});

test('a database in a folder where nothing may be written is read; one whose log would be left out is not', async () => {
  const sealed = join(folder, 'sealed');
  mkdirSync(sealed);
  for (const name of ['whole.db', 'logged.db']) {
    await recorded(join(sealed, name));
    const file = openSqlite(join(sealed, name));
    file.all('PRAGMA wal_checkpoint(TRUNCATE)');
    file.close();
    for (const beside of ['-wal', '-shm']) rmSync(join(sealed, name + beside), { force: true });
    chmodSync(join(sealed, name), 0o444);
  }
  writeFileSync(join(sealed, 'logged.db-wal'), 'what was not yet moved', { mode: 0o444 });
  chmodSync(sealed, 0o555);
  const before = readdirSync(sealed);
  const read = (name: string) => asNobody(process.execPath, [BIN, 'history', '--store', join(sealed, name)], folder);
  expect(await read('whole.db')).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('PreToolUse') });
  const { code, stdout, stderr } = await read('logged.db');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(
    /logged\.db: cannot be read where nothing can be written, .*logged\.db-wal; make room if the disk is full, or copy both/,
  );
  expect(readdirSync(sealed)).toEqual(before);
});

test('a database that is deleted while it is followed is followed where it is made anew', async () => {
  const path = join(folder, 'followed.db');
  await recorded(path);
  const store = await openStore(path);
  const controller = new AbortController();
  const seen: string[] = [];
  const done = (async () => {
    for await (const record of store.follow(controller.signal)) seen.push(JSON.stringify(record));
  })();
  // Nothing shows that it has begun: it shows what comes, and not what was there.
  await until(async () => {
    await recorded(path);
    return seen.length > 0;
  });
  for (const end of ['', '-wal', '-shm']) rmSync(`${path}${end}`, { force: true });
  await recorded(path, 'anew');
  await until(() => seen.some((text) => text.includes('anew')));
  controller.abort();
  await done;
  await store.close();
});

// A writer makes the file first and its tables then, and upgrades an older file; whoever reads may come between.
test.each([
  ['a file that has no tables yet', 'PRAGMA user_version = 0'],
  ['a file of the first version', 'CREATE TABLE records (id INTEGER PRIMARY KEY, json TEXT NOT NULL)'],
])('%s, opened before a writer makes its tables, is read with what comes', async (kind, made) => {
  const path = join(folder, `${kind.replaceAll(' ', '-')}.db`);
  const file = openSqlite(path);
  file.all('PRAGMA journal_mode = WAL');
  file.exec(made);
  file.close();
  const store = await openStore(path);
  const found = async (): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of store.records({ event: 'PreToolUse' })) types.push(type);
    return types;
  };
  expect(await found()).toEqual([]);
  const controller = new AbortController();
  const seen: string[] = [];
  const done = (async () => {
    for await (const { type } of store.follow(controller.signal)) seen.push(type);
  })();
  await until(async () => {
    await recorded(path);
    return seen.includes('hook_fire');
  });
  expect(await found()).toContain('hook_fire');
  controller.abort();
  await done;
  await store.close();
});

test('a database that a writer holds for itself, as while it makes the tables, is waited for', async () => {
  const path = join(folder, 'held.db');
  await recorded(join(folder, 'free.db'));
  const free = openSqlite(join(folder, 'free.db'));
  free.all('PRAGMA wal_checkpoint(TRUNCATE)');
  free.close();
  // Another file: what this process has had open could keep the writer out.
  cpSync(join(folder, 'free.db'), path);
  const program = `const file = new (require('libsql'))(process.argv[1]);
    file.exec('PRAGMA journal_mode = DELETE');
    file.exec('BEGIN EXCLUSIVE');
    console.log('held');
    setTimeout(() => file.exec('COMMIT'), 700);`;
  const writer = spawn(process.execPath, ['--eval', program, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(writer, 'exit');
  await Promise.race([once(writer.stdout, 'data'), ended]);
  expect(await typesIn(path)).toContain('hook_fire');
  expect(await ended).toEqual([0, null]);
});
