import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/values/make-folder.js';
import { ROOT } from '../package/sources.js';

let place: string;
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-folder-')));
  writeFileSync(join(place, 'file'), '');
  symlinkSync(join(place, 'nowhere/at/all'), join(place, 'dangling'));
  symlinkSync('loop', join(place, 'loop'));
  mkdirSync(join(place, 'closed'), { mode: 0o700 });
  mkdirSync(join(place, 'there'));
  symlinkSync('there', join(place, 'link'));
});
afterAll(() => {
  chmodSync(join(place, 'closed'), 0o700);
  rmSync(place, { recursive: true });
});

const BAD = ['file', 'dangling', 'loop'];
const below = ['', '/a', '/a/b/c'];

test.each([
  ...BAD.flatMap((bad) => below.map((more) => `${bad}${more}`)),
  '/proc/x',
  '/proc/x/y/z',
  '/proc/self/fd/x',
  '/dev/null/x',
])('%s cannot be made, which is an error at once', (path) => {
  expect(() => makeFolder(path.startsWith('/') ? path : join(place, path))).toThrow(/^E[A-Z]+: /);
});

test('makes what is missing for its owner alone, and leaves what is there', () => {
  for (const path of ['new/a/b', 'new/a/b', 'link/c', 'there', `../${place.split('/').pop()}/new/d/`])
    makeFolder(join(place, path));
  for (const path of ['new', 'new/a', 'new/a/b', 'there/c', 'new/d'])
    expect([path, statSync(join(place, path)).mode & 0o777]).toEqual([path, 0o700]);
  expect(existsSync(join(place, 'there'))).toBe(true);
  makeFolder('/');
});

test("nothing of ours makes folders with Node's own recursive mkdir", () => {
  const files = (readdirSync(join(ROOT, 'src'), { recursive: true }) as string[]).filter((name) =>
    /\.tsx?$/.test(name),
  );
  const text = (name: string): string => readFileSync(join(ROOT, 'src', name), 'utf8');
  expect(files.length).toBeGreaterThan(300);
  expect(files.filter((name) => /mkdir(?:Sync)?\([^;]*recursive: true/.test(text(name)))).toEqual([]);
});
