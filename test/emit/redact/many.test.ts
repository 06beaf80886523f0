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

const value = (i: number): string => `a1b2${i}x`;
/** A list of so many values, however it is written. */
const LISTS: Readonly<Record<string, (count: number) => string>> = {
  'a list in JSON': (count) => `{"passwords":[${many(count, (i) => `"${value(i)}"`, ',')}]}`,
  'a map in JSON': (count) => `{"secrets":{${many(count, (i) => `"k${i}":"${value(i)}"`, ',')}}}`,
  'a list in a list': (count) => `{"secrets":{"a":{"passwords":[${many(count, (i) => `"${value(i)}"`, ',')}]}}}`,
  'an array of a shell': (count) => `PASSWORDS=(${many(count, (i) => `'${value(i)}'`, ' ')})`,
  'a section of INI': (count) => `[passwords]\n${many(count, (i) => `u${i} = "${value(i)}"`, '\n')}`,
  'a list in YAML': (count) => `passwords:\n${many(count, (i) => `  - ${value(i)}`, '\n')}`,
  'a map in YAML': (count) => `secrets:\n${many(count, (i) => `  k${i}: "${value(i)}"`, '\n')}`,
  'a block in YAML': (count) => `password: |\n${many(count, (i) => `  ${value(i)}`, '\n')}\nb: 1\n`,
  'rows of SQL': (count) => `INSERT INTO u (a,password) VALUES ${many(count, (i) => `(1,'${value(i)}')`, ',')}`,
  'rows of SQL behind odd ones': (count) =>
    `INSERT INTO u (a,password) VALUES ${many(count, (i) => `(${i % 50 ? 1 : '{"a'},'${value(i)}')`, ',')}`.replace(
      /\{"a,'\w+'/g,
      '{"a,1',
    ),
  'a manifest': (count) => `apiVersion: v1\nkind: Secret\ndata:\n${many(count, (i) => `  k${i}: ${value(i)}`, '\n')}`,
  'a manifest in JSON': (count) =>
    `{"apiVersion":"v1","kind":"Secret","data":{${many(count, (i) => `"k${i}":"${value(i)}"`, ',')}}}`,
  'users of cloud-init': (count) => `chpasswd:\n  list: |\n${many(count, (i) => `    u${i}:${value(i)}`, '\n')}\n`,
  'rows of a table': (count) => `user,password\n${many(count, (i) => `bob,${value(i)}`, '\n')}`,
  'a table with a wide row': (count) =>
    `user,password\n${'x'.repeat(20_000)},a\n${many(count, (i) => `bob,${value(i)}`, '\n')}`,
  'a list of words': (count) => `API_TOKENS=${many(count, value, ',')}`,
  variables: (count) => many(count, (i) => `K${i}_PASSWORD=${value(i)}`, '\n'),
};

test.each(Object.entries(LISTS))('every value of a long list is masked: %s', (_, listOf) => {
  const masked = createRedactor({ keyFile }).text(listOf(5000));
  expect(masked.match(/a1b2\d+x/g)?.slice(0, 3)).toBe(undefined);
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
