import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { fire } from '../emit/samples.js';
import { cli, isOneMessage } from './cli.js';

const RECORDS = `${JSON.stringify(fire())}\n`;
const EXAMPLES = '- event: Stop\n  expect: silent\n';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-out-'));
  writeFileSync(join(folder, 'a.ndjson'), RECORDS);
  writeFileSync(join(folder, 'some.hooktest.yaml'), EXAMPLES);
  writeFileSync(join(folder, 'hooks.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** All of it in one file. */
async function database(count: number): Promise<void> {
  const file = join(folder, 'b.db');
  const sink = sqliteSink(file);
  for (let seq = 1; seq <= count; seq++) sink.push({ ...fire(), seq });
  await sink.close();
  const whole = openSqlite(file);
  whole.all('PRAGMA wal_checkpoint(TRUNCATE)');
  whole.close();
}

const WRITERS: Readonly<Record<string, (out: string) => string[]>> = {
  'history --format trace --out': (out) => ['history', '--store', 'a.ndjson', '--format', 'trace', '--out', out],
  'page --out': (out) => ['page', 'a.ndjson', '--out', out],
  'test --junit': (out) => ['test', '--hooks', 'hooks.json', '--junit', out],
};
const run = (args: readonly string[]) => cli(args, { cwd: folder, env: { XDG_STATE_HOME: join(folder, 'state') } });

test.each(Object.keys(WRITERS))('%s writes over its own kind of file, and over no other', async (name) => {
  const write = WRITERS[name] as (out: string) => string[];
  await database(1);
  writeFileSync(join(folder, 'notes.txt'), 'mine', { mode: 0o644 });
  writeFileSync(join(folder, 'data.json'), '{"mine":1}');
  linkSync(join(folder, 'notes.txt'), join(folder, 'same.txt'));
  symlinkSync('notes.txt', join(folder, 'link.txt'));
  mkdirSync(join(folder, 'dir'));
  const kept = ['a.ndjson', 'b.db', 'notes.txt', 'data.json', 'same.txt', 'link.txt', 'hooks.json'];
  const before = kept.map((file) => readFileSync(join(folder, file)));
  for (const out of [...kept, 'dir']) {
    const { stderr, code } = await run(write(out));
    expect([code, isOneMessage(stderr)], `${out}: ${stderr}`).toEqual([1, true]);
    expect(stderr).toMatch(/is there, and is no |is what is read|is a directory/);
  }
  expect(kept.map((file) => readFileSync(join(folder, file)))).toEqual(before);
  expect(readlinkSync(join(folder, 'link.txt'))).toBe('notes.txt');
  for (const round of [1, 2]) {
    const { stderr, code } = await run(write('own'));
    expect(code, `${round}: ${stderr}`).toBe(0);
  }
  expect(readdirSync(folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
});

test.each(['history --format trace --out', 'page --out'])(
  '%s leads through no link, is its owner’s to read, and leaves what was there if it fails',
  async (name) => {
    const write = WRITERS[name] as (out: string) => string[];
    symlinkSync('elsewhere', join(folder, 'nowhere'));
    expect(await run(write('nowhere'))).toMatchObject({ code: 1, stderr: expect.stringContaining('is there, and is') });
    expect(lstatSync(join(folder, 'nowhere')).isSymbolicLink()).toBe(true);
    expect(await run(write('own'))).toMatchObject({ code: 0 });
    expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o600);
    const whole = readFileSync(join(folder, 'own'), 'utf8');
    const inside = write('own').map((arg) => (arg === 'a.ndjson' ? 'b.db' : arg));
    // It begins as one of ours, and its pages are none.
    await database(300);
    const bytes = readFileSync(join(folder, 'b.db'));
    bytes.fill(0xff, 60_000);
    writeFileSync(join(folder, 'b.db'), bytes);
    expect(await run(inside)).toMatchObject({ code: 1 });
    expect(readFileSync(join(folder, 'own'), 'utf8')).toBe(whole);
    expect(readdirSync(folder).filter((file) => file.endsWith('.tmp'))).toEqual([]);
  },
);

test('a slow reader is waited for without one more listener for each wait', async () => {
  writeFileSync(
    join(folder, 'many.ndjson'),
    Array.from({ length: 40 }, (_, seq) => `${JSON.stringify({ ...fire(), seq })}\n`).join(''),
  );
  for (const args of [
    ['--limit', '0', '--json'],
    ['--format', 'trace'],
  ]) {
    let most = 0;
    const stdout: Writable = new Writable({
      highWaterMark: 1,
      write(_chunk, _encoding, done) {
        most = Math.max(most, ...stdout.eventNames().map((name) => stdout.listenerCount(name as string)));
        setImmediate(done);
      },
    });
    const { code } = await cli(['history', '--store', 'many.ndjson', ...args], { cwd: folder, stdout });
    expect(code).toBe(0);
    expect(most).toBeLessThan(4);
  }
});
