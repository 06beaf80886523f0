import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Sink } from '../../src/emit/sink.js';
import { emptyMarks, unclosedWriters } from '../../src/emit/sinks/files/open-mark.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { asNobodyHere } from '../nobody.js';
import { readStore } from '../store/read-store.js';
import { fire, listen } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-open-mark-'));
// For the user without rights.
chmodSync(folder, 0o711);
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const record = (seq: number) => ({ ...fire(seq), time: new Date().toISOString(), host_id: 'h' });
const marksOf = (path: string): string[] =>
  readdirSync(dirname(path)).filter((name) => name.startsWith(`${basename(path)}.writing.`));

const EMPTY = join(folder, 'empty');
writeFileSync(EMPTY, '');

/** How many records the sink dropped. */
async function writeTwo(sink: Sink): Promise<number> {
  for (const seq of [1, 2]) sink.push(record(seq));
  await sink.close();
  return sink.dropped;
}

const sinks: [string, (path: string, options: object) => Sink, string][] = [
  ['ndjson', (path, options) => ndjsonSink(path, options), 'r.ndjson'],
  ['ndjson, sync', (path, options) => ndjsonSink(path, { ...options, durability: 'sync' }), 'r.ndjson'],
  ['sqlite', (path, options) => sqliteSink(path, options), 'r.db'],
  ['sqlite, sync', (path, options) => sqliteSink(path, { ...options, durability: 'sync' }), 'r.db'],
];

describe.each(sinks)('%s: a mark that cannot be removed', (_, make, name) => {
  const place = (): string => {
    const own = join(folder, String(++count));
    mkdirSync(own);
    return join(own, name);
  };

  test('holds up no record, be it of another user', async () => {
    const path = place();
    const old = `${path}.writing.999999-aabbccdd`;
    writeFileSync(old, '');
    utimesSync(old, 0, 0);
    // As in /tmp: everybody may write there, and nobody remove the files of others.
    chmodSync(dirname(path), 0o1777);
    const { told, logger } = listen();
    const dropped = await asNobodyHere(() => writeTwo(make(path, { logger })));
    expect([dropped, told]).toEqual([0, []]);
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(existsSync(old)).toBe(process.getuid?.() === 0);
  });

  test.each<[string, (mark: string) => void]>([
    ['a link to itself', (mark) => symlinkSync(basename(mark), mark)],
    ['a link to nothing', (mark) => symlinkSync('nothing', mark)],
    ['a link to a file', (mark) => symlinkSync(EMPTY, mark)],
    ['a folder', (mark) => mkdirSync(mark)],
  ])('holds up no record, and is no mark, where it is %s', async (_what, plant) => {
    const path = place();
    const mark = `${path}.writing.999999-aabbccdd`;
    plant(mark);
    const { told, logger } = listen();
    expect([await writeTwo(make(path, { logger })), told]).toEqual([0, []]);
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2]);
    expect(marksOf(path)).toEqual([basename(mark)]);
    expect([...unclosedWriters(path), ...emptyMarks(path)]).toEqual([]);
  });

  test('does not make close() reject', async () => {
    const path = place();
    const sink = make(path, {});
    sink.push(record(1));
    await sink.flush();
    const [mark = ''] = marksOf(path);
    rmSync(join(dirname(path), mark));
    mkdirSync(join(dirname(path), mark));
    await sink.close();
    expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1]);
  });
});

test.each(sinks)('%s: a record that comes while the sink closes leaves no mark', async (_, make, name) => {
  const own = join(folder, String(++count));
  mkdirSync(own);
  const path = join(own, name);
  const sink = make(path, {});
  for (const seq of [1, 2]) sink.push(record(seq));
  const closed = [sink.close(), sink.close()];
  sink.push(record(3));
  await Promise.all(closed);
  sink.push(record(4));
  expect([sink.dropped, sink.pending, marksOf(path)]).toEqual([2, 0, []]);
  expect((await readStore(path)).map(({ seq }) => seq)).toEqual([1, 2]);
});

describe('the mark of a sink that was detached', () => {
  const NONE = 'this is no database, whatever its name says '.repeat(200);
  const newPath = (): string => {
    const own = join(folder, String(++count));
    mkdirSync(own);
    return join(own, 'r.db');
  };
  const lostOf = (path: string): unknown => {
    const [mark = ''] = marksOf(path);
    return (JSON.parse(readFileSync(join(dirname(path), mark), 'utf8')) as { lost?: unknown }).lost;
  };

  test.each([2, 10])('stays: what waited is lost, and what was refused (room for %i)', async (capacity) => {
    const path = newPath();
    writeFileSync(path, NONE);
    const { told, logger } = listen();
    const sink = sqliteSink(path, { logger, capacity });
    for (const seq of [1, 2, 3]) sink.push(record(seq));
    await sink.flush();
    sink.push(record(4));
    await sink.close();
    expect(sink.dropped).toBe(4);
    expect(JSON.stringify(told)).toContain('detached');
    expect(lostOf(path)).toBe(4);
  });

  test('does not count what was refused before records that were written', async () => {
    const path = newPath();
    const sink = sqliteSink(path, { logger: listen().logger, capacity: 2 });
    for (const seq of [1, 2, 3, 4, 5]) sink.push(record(seq));
    await sink.flush();
    sink.push(record(6));
    await sink.flush();
    expect(sink.dropped).toBe(3);
    for (const end of ['', '-wal', '-shm']) rmSync(path + end);
    writeFileSync(path, NONE);
    for (const seq of [7, 8]) sink.push(record(seq));
    await sink.close();
    expect(sink.dropped).toBe(5);
    expect(lostOf(path)).toBe(2);
  });
});
