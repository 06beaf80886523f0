import { stripComments } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { withoutComments } from '../../src/files/json-comments.js';
import { generated, randomFrom, SEED } from '../seed.js';

const COUNT = generated(2_000);
const PIECES = [
  '"',
  '\\',
  '//',
  '/',
  '*',
  '/*',
  '*/',
  '\n',
  '\r\n',
  ' ',
  'a',
  '{',
  '}',
  ':',
  ',',
  '"a//b"',
  '"\\""',
  '1',
];

test('comments become blanks, and texts that look like them stay', () => {
  const text = '{ // one "\n/* two\n three */ "a//b": "\\"/*", /*/ x */ "c": "\\\\" } // end';
  const plain = withoutComments(text);
  expect(JSON.parse(plain)).toEqual({ 'a//b': '"/*', c: '\\' });
  expect(plain).toHaveLength(text.length);
  expect(plain.indexOf('"c"')).toBe(text.indexOf('"c"'));
});

test.each(['1 /* x', '"a // b', '1 /*/', '/'])('%j has no end, and stays', (text) => {
  expect(withoutComments(text)).toBe(text);
});

test(`${COUNT} texts are as long as before, have their lines where they were, and are what jsonc-parser makes of them`, () => {
  const random = randomFrom(SEED);
  const pick = (): string => PIECES[Math.floor(random() * PIECES.length)] as string;
  let read = 0;
  for (let i = 0; i < COUNT; i += 1) {
    const text = `[1, ${Array.from({ length: 12 }, pick).join('')}\n]`;
    const plain = withoutComments(text);
    expect(plain.replace(/[^\r\n]/g, '.'), text).toBe(text.replace(/[^\r\n]/g, '.'));
    let data: unknown;
    try {
      data = JSON.parse(plain);
    } catch {
      continue;
    }
    read += 1;
    expect(data, text).toEqual(JSON.parse(stripComments(text)));
  }
  expect(read).toBeGreaterThan(0);
});

test.each(['"'.padEnd(4_000_000, '\\"'), '/*'.repeat(2_000_000), '//'.repeat(2_000_000), '"a"//\n'.repeat(500_000)])(
  'a text of megabytes is read too',
  (text) => {
    expect(withoutComments(text)).toHaveLength(text.length);
  },
);
