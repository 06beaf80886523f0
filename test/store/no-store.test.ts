import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { keptPlaces, openStores } from '../../src/store/place.js';
import { BIN } from '../cli/cli.js';
import { fire } from '../emit/samples.js';
import { asNobody } from '../nobody.js';
import { readStore } from './read-store.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-no-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const LINKS = [
  ['itself', 'is a link that leads to itself'],
  ['/nowhere/x', 'there is no such file'],
] as const;
const link = (name: string, to: string): string => {
  const path = join(folder, name);
  symlinkSync(to === 'itself' ? path : to, path);
  return path;
};

test.each(
  LINKS.flatMap(([to, problem]) => ['records.db', 'records.ndjson'].map((name) => [name, to, problem] as const)),
)(
  '%s that is a link to %s is a place where records would be kept, and reading it says what is wrong',
  async (name, to, problem) => {
    const path = link(name, to);
    expect(keptPlaces(folder)).toEqual([path]);
    await expect(readStore(path)).rejects.toMatchObject({ code: 'FILE', message: `${path}: ${problem}.` });
  },
);

test.each(LINKS)('beside a link to %s, the records of the other file are read', async (to, problem) => {
  const path = link('records.db', to);
  writeFileSync(join(folder, 'records.ndjson'), `${JSON.stringify(fire())}\n`);
  const lost: string[] = [];
  const store = await openStores(keptPlaces(folder), {}, (_, { message }) => lost.push(message));
  const types: string[] = [];
  for await (const { type } of store.records()) types.push(type);
  await store.close();
  expect(types).toEqual(['hook_fire']);
  expect(lost).toEqual([`${path}: ${problem}.`]);
});

test.skipIf(process.platform === 'win32')('a database that its user may not read is said to be that', async () => {
  const path = join(folder, 'closed.db');
  const database = openSqlite(path);
  database.exec('CREATE TABLE records (id)');
  database.close();
  chmodSync(folder, 0o755);
  chmodSync(path, 0);
  const { stderr } = await asNobody(process.execPath, [BIN, 'history', '--store', path], folder);
  expect(stderr).toBe(`hookscope: ${path}: may not be read by you.\n`);
});
