import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { changedScripts, keyOfScripts, ScriptsLook } from '../../src/server/bound/scripts.js';
import { bound } from '../../src/trust/changes.js';

const LARGE = 24 * 1024 * 1024;
let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hookscope-look-')));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const scriptsOf = (...names: readonly string[]) => ({
  [keyOfScripts(folder, join(folder, 'h.json'))]: Object.fromEntries(
    names.map((name) => [name, bound(join(folder, name))]),
  ),
});
const write = (name: string, content: string | Buffer): string => {
  const file = join(folder, name);
  writeFileSync(file, content, { mode: 0o755 });
  return file;
};
/** Bytes that this process has read so far; where the system does not count them, none. */
const bytesRead = (): number =>
  existsSync('/proc/self/io') ? Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]) : 0;

test('a large program is read once, and again when it may have changed', async () => {
  const file = write('program', Buffer.alloc(LARGE, 'a'));
  const look = new ScriptsLook(scriptsOf('program'));
  const looks = async (times: number): Promise<string[]> => {
    for (let i = 0; i < times; i++) {
      look.changed();
      await look.read;
    }
    return look.changed();
  };
  await looks(1);
  const before = bytesRead();
  expect(await looks(20)).toEqual([]);
  expect(bytesRead() - before).toBeLessThan(LARGE);
  // The same size and the same times, as far as a program can set them.
  writeFileSync(file, Buffer.alloc(LARGE, 'b'));
  utimesSync(file, 1, 1);
  expect(await looks(1)).toEqual([file]);
  writeFileSync(file, Buffer.alloc(LARGE, 'a'));
  expect(await looks(1)).toEqual([]);
  // No longer a program, and too large for anything else.
  chmodSync(file, 0o644);
  expect(await looks(1)).toEqual([file]);
});

test('a small one that was written or has gone is seen at the next look, one that was only touched has not changed', () => {
  const file = write('small', 'exit 0\n');
  const scripts = scriptsOf('small', 'missing');
  const look = new ScriptsLook(scripts);
  expect(look.changed()).toEqual([]);
  utimesSync(file, 1, 1);
  expect(look.changed()).toEqual([]);
  write('small', 'exit 1\n');
  expect(look.changed()).toEqual([file]);
  expect(changedScripts(scripts)).toEqual([file]);
  rmSync(file);
  expect(look.changed()).toEqual([file]);
  write('small', 'exit 0\n');
  write('missing', '');
  expect(look.changed()).toEqual([join(folder, 'missing')]);
});

test('a script that loses its executable bit has changed, one that never had it has not', () => {
  const [guard, read] = [write('guard', 'exit 2\n'), write('read', 'exit 2\n')];
  chmodSync(read, 0o644);
  const scripts = scriptsOf('guard', 'read');
  const look = new ScriptsLook(scripts);
  expect([look.changed(), changedScripts(scripts)]).toEqual([[], []]);
  chmodSync(guard, 0o644);
  expect([look.changed(), changedScripts(scripts)]).toEqual([[guard], [guard]]);
  chmodSync(guard, 0o700);
  chmodSync(read, 0o755);
  expect([look.changed(), changedScripts(scripts)]).toEqual([[], []]);
});
