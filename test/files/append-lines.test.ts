import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { appendLines } from '../../src/files/append-lines.js';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'hookscope-append-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test.each(['', '{"a":1}\n', '{"a":1}', '{"a":', '\n', '{"a":1}\r'])('whole lines stand behind %j', (before) => {
  const file = join(dir, 'lines');
  writeFileSync(file, before);
  appendLines(file, ['one', 'two']);
  appendLines(file, ['three']);
  const text = readFileSync(file, 'utf8');
  expect(text.startsWith(before)).toBe(true);
  expect(text.slice(before.length)).toMatch(/^\n?one\ntwo\nthree\n$/);
  expect(text.split('\n').slice(-4)).toEqual(['one', 'two', 'three', '']);
});

test('a new file is for its owner only, and so is its folder', () => {
  const file = join(dir, 'a/b/lines');
  appendLines(file, ['one']);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, 'a')).mode & 0o077).toBe(0);
});

test('nothing is written to what is no file', () => {
  mkdirSync(join(dir, 'folder'));
  symlinkSync('/dev/null', join(dir, 'device'));
  for (const name of ['folder', 'device'])
    expect(() => appendLines(join(dir, name), ['x'])).toThrow(/is (?:a directory|no regular file)/);
});
