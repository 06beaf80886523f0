import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { ROOT } from '../../package/sources.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-many-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');

const many = (count: number, one: (i: number) => string, between: string): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(between);

test('a text with more secrets than a call has room for arguments is masked', () => {
  const redactor = createRedactor({ keyFile, keys: ['scores'] });
  const count = 130_000;
  const list = redactor.text(`{"scores":[${many(count, () => '1', ',')}]}`);
  expect(list.match(/\[redacted /g)).toHaveLength(count);
  const words = redactor.text(many(count, () => 'password=abc12345', ' '));
  expect(words.match(/\[redacted /g)).toHaveLength(count);
});

/** Where the length of a list comes from a text or a store. */
const FOLDERS = ['src/emit', 'src/store', 'src/why', 'src/check/scripts', 'src/page'];
/** A list of any length as arguments; one that is written there has few. */
const SPREAD =
  /\.(?:push|unshift)\(\s*\.\.\.[^;]*|Math\.(?:max|min)\((?:[^()]|\([^()]*\))*?\.\.\.(?!\[['"])[^;]*|fromC\w+\(\s*\.\.\.[^;]*/g;

test('no list of any length is passed as the arguments of a call', () => {
  const files = FOLDERS.flatMap((room) =>
    readdirSync(join(ROOT, room), { recursive: true, encoding: 'utf8' }).map((name) => join(ROOT, room, name)),
  ).filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(SPREAD)].map(([call]) => `${file}: ${call.slice(0, 80)}`),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(found).toEqual([]);
});
