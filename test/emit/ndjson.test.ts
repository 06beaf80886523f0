import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { HookRecord } from '../../src/emit/record.js';
import { unclosedWriters } from '../../src/emit/sinks/files/open-mark.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { fire, listen, stamped } from './samples.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-ndjson-'));
  path = join(folder, 'hooks.ndjson');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (file: string) => statSync(file).mode & 0o777;
const seqsIn = (file: string): number[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => (JSON.parse(line) as HookRecord).seq);

/** Both ways to write keep their files alike. */
const WAYS = ['batch', 'sync'] as const;
let durability: (typeof WAYS)[number] = 'batch';
afterEach(() => {
  durability = 'batch';
});

const make = (options: Parameters<typeof ndjsonSink>[1] = {}) => ndjsonSink(path, { durability, ...options });

/** Writes records 1 to `count` (or from `first`) through a sink of its own. */
async function write(count: number, options: Parameters<typeof ndjsonSink>[1] = {}, first = 1) {
  const { told, logger } = listen();
  const sink = make({ logger, ...options });
  for (let seq = first; seq < first + count; seq++) sink.push(stamped(seq));
  await sink.close();
  return { told, sink };
}

const LINE = Buffer.byteLength(`${JSON.stringify(stamped(1))}\n`);

describe('the NDJSON sink', () => {
  test('writes one line a record, each the record as told, after what is there', async () => {
    const { logger, told } = listen();
    const sink = ndjsonSink(path, { logger });
    const input = { tool_name: 'Bash', tool_input: { command: 'printf "ü\\n\u2028"\n' } };
    const record = fire(2, { input });
    const first = stamped(1);
    sink.push(first);
    sink.push(record);
    const expected = structuredClone(record);
    const change = (): unknown => Object.assign(record.input['tool_input'] as object, { command: 'changed later' });
    expect(change).toThrow(TypeError);
    await sink.flush();
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines).toHaveLength(3);
    expect(JSON.parse(lines[0] as string)).toEqual(first);
    expect(hookRecord.parse(JSON.parse(lines[1] as string))).toEqual(expected);
    await sink.close();

    await write(1, {}, 3);
    expect(seqsIn(path)).toEqual([1, 2, 3]);
    expect([told, sink.dropped]).toEqual([[], 0]);
  });

  test('drops and counts a record that is no JSON, by its number, and writes the others', async () => {
    const { told, logger } = listen();
    const sink = ndjsonSink(path, { logger, redact: false });
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    sink.push(stamped(1));
    sink.push({ ...fire(2), input: { big: 1n } });
    sink.push({ ...fire(3), input: cycle });
    sink.push(stamped(4));
    await sink.close();
    expect(seqsIn(path)).toEqual([1, 4]);
    expect(sink.dropped).toBe(2);
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringMatching(/record 2 .*BigInt/),
      expect.stringMatching(/record 3 .*circular/),
    ]);
  });

  test('with a full queue does not even make the text, and counts', async () => {
    const { logger } = listen();
    const sink = ndjsonSink(path, { capacity: 2, logger });
    let asked = 0;
    const record = () => ({ ...stamped(1), toJSON: () => ({ seq: ++asked }) });
    for (let i = 0; i < 5; i++) sink.push(record());
    await sink.close();
    expect(asked).toBe(2);
    expect(seqsIn(path)).toEqual([1, 2]);
    expect(sink.dropped).toBe(3);
  });

  test('drops nothing of 20,000 records that come before the event loop turns, as long as their bytes have room', async () => {
    const { logger, told } = listen();
    const sink = ndjsonSink(path, { logger });
    const record = fire(1);
    for (let seq = 1; seq <= 20_000; seq++) sink.push({ ...record, seq });
    expect([sink.dropped, sink.pending]).toEqual([0, 20_000]);
    await sink.close();
    expect(seqsIn(path)).toEqual(Array.from({ length: 20_000 }, (_, i) => i + 1));
    expect([told, sink.dropped]).toEqual([[], 0]);
  });

  test('drops what has no room in the bytes that may wait, counts it, and says so once', async () => {
    const { logger, told } = listen();
    const sink = ndjsonSink(path, { maxPendingBytes: LINE * 5, logger });
    for (let seq = 1; seq <= 9; seq++) sink.push(stamped(seq));
    expect([sink.dropped, sink.pending]).toEqual([4, 5]);
    await sink.flush();
    sink.push(stamped(10));
    await sink.close();
    expect(seqsIn(path)).toEqual([1, 2, 3, 4, 5, 10]);
    expect(told.map(({ message }) => message)).toEqual([
      `Sink "${path}" is too slow: records are being dropped`,
      `Sink "${path}" has caught up`,
    ]);
  });

  test('bounds what waits by size too', async () => {
    const { logger } = listen();
    const sink = ndjsonSink(path, { maxBytes: 1000, logger });
    const big = { ...fire(1), input: { text: 'x'.repeat(30_000_000) } };
    for (let i = 0; i < 4; i++) sink.push(big);
    expect(sink.dropped).toBe(1);
    await sink.close();
    expect([`${path}.2`, `${path}.1`, path].map(seqsIn)).toEqual([[1], [1], [1]]);
  });

  test.each([{ maxBytes: 0 }, { maxPendingBytes: 0 }, { keep: 0 }, { keep: 1.5 }, { capacity: 0 }])(
    'refuses options %j by name',
    (options) => {
      expect(() => ndjsonSink(path, options)).toThrow(
        expect.objectContaining({
          code: 'INVALID_OPTIONS',
          message: expect.stringContaining(Object.keys(options)[0] as string),
        }),
      );
    },
  );
});

describe.each(WAYS)('the file of the NDJSON sink, %s', (way) => {
  beforeEach(() => {
    durability = way;
  });

  test('sync: says at once how many of the last records could not be written, and no more as soon as one could', async () => {
    mkdirSync(path);
    const sink = make({ durability: 'sync', logger: listen().logger });
    for (let seq = 1; seq <= 11; seq++) sink.push({ ...stamped(seq), host_id: 'h' });
    expect(unclosedWriters(path)).toMatchObject([{ hosts: ['h'], lost: 11 }]);
    rmSync(path, { recursive: true });
    sink.push({ ...stamped(12), host_id: 'h' });
    expect([seqsIn(path), unclosedWriters(path)]).toEqual([[12], []]);
    await sink.close();
    expect(readdirSync(folder)).toEqual(['hooks.ndjson']);
  });

  test('makes the file and missing folders for their owner alone, and leaves other folders as they are', async () => {
    chmodSync(folder, 0o755);
    path = join(folder, 'a', 'b', 'hooks.ndjson');
    await write(1);
    expect([mode(join(folder, 'a')), mode(join(folder, 'a', 'b')), mode(path)]).toEqual([0o700, 0o700, 0o600]);
    expect(mode(folder)).toBe(0o755);
  });

  test('closes a file of records that others could read', async () => {
    writeFileSync(path, `${JSON.stringify(stamped(1))}\n`, { mode: 0o644 });
    chmodSync(path, 0o644);
    await write(1, {}, 2);
    expect(mode(path)).toBe(0o600);
    expect(seqsIn(path)).toEqual([1, 2]);
  });

  test('moves full files aside, newest first, keeps as many as told, and never splits or loses a line', async () => {
    await write(95, { maxBytes: LINE * 10 + 15, keep: 3 });
    const files = [`${path}.3`, `${path}.2`, `${path}.1`, path];
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.1', 'hooks.ndjson.2', 'hooks.ndjson.3']);
    const seqs = files.flatMap(seqsIn);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => 95 - seqs.length + 1 + i));
    for (const file of files) {
      expect(statSync(file).size).toBeLessThanOrEqual(LINE * 10 + 15);
      expect(mode(file)).toBe(0o600);
    }
    for (const file of files.slice(0, 3)) expect(seqsIn(file).length).toBeGreaterThanOrEqual(9);
  });

  test('fills a file to its last byte', async () => {
    const line = Buffer.byteLength(`${JSON.stringify(stamped(100))}\n`);
    await write(25, { maxBytes: line * 10, keep: 3 }, 100);
    expect([`${path}.2`, `${path}.1`, path].map((file) => seqsIn(file).length)).toEqual([10, 10, 5]);
  });

  test('goes on in the file of an earlier process, and with fewer kept removes the rest', async () => {
    await write(50, { maxBytes: LINE * 10 + 15, keep: 9 });
    expect(readdirSync(folder).length).toBeGreaterThan(4);
    await write(12, { maxBytes: LINE * 10 + 15, keep: 2 }, 51);
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.1', 'hooks.ndjson.2']);
    const seqs = [`${path}.2`, `${path}.1`, path].flatMap(seqsIn);
    expect(seqs.at(-1)).toBe(62);
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, i) => 62 - seqs.length + 1 + i));
  });

  test('gives a line that is longer than a file a file of its own', async () => {
    const { logger } = listen();
    const sink = make({ maxBytes: 2000, keep: 5, logger });
    const long = fire(2, { input: { text: 'x'.repeat(5000) } });
    for (const record of [stamped(1), long, stamped(3)]) sink.push(record);
    await sink.close();
    expect([`${path}.2`, `${path}.1`, path].map(seqsIn)).toEqual([[1], [2], [3]]);
  });

  test('after a crash between two moves fills the free place before it drops a file', async () => {
    const line = (seq: number) => `${JSON.stringify(stamped(seq))}\n`;
    writeFileSync(`${path}.2`, line(1));
    writeFileSync(`${path}.3`, line(0));
    writeFileSync(path, line(2));
    await write(1, { maxBytes: LINE + 10, keep: 3 }, 3);
    expect([`${path}.3`, `${path}.2`, `${path}.1`, path].map(seqsIn)).toEqual([[0], [1], [2], [3]]);
  });

  test('grows on where the full file cannot be moved, and says so once', async () => {
    mkdirSync(`${path}.1`);
    mkdirSync(`${path}.1/in the way`);
    const { told, logger } = listen();
    const sink = make({ maxBytes: LINE * 10, keep: 1, logger });
    for (let seq = 1; seq <= 30; seq++) {
      sink.push(stamped(seq));
      if (seq % 10 === 0) await sink.flush();
    }
    await sink.close();
    expect(seqsIn(path)).toHaveLength(30);
    expect(sink.dropped).toBe(0);
    expect(told).toHaveLength(1);
    expect(told[0]?.message).toContain('cannot be moved aside');
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.1']);
  });

  test('leaves moving to the process that is at it; a lock left by a dead one is removed', async () => {
    writeFileSync(`${path}.lock`, '');
    await write(20, { maxBytes: LINE * 10 });
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.lock']);
    expect(seqsIn(path)).toHaveLength(20);

    // Made just now, or by a clock that is ahead: its process lives.
    const ahead = Date.now() / 1000 + 3_600;
    utimesSync(`${path}.lock`, ahead, ahead);
    for (const seq of [21, 22, 23]) await write(1, { maxBytes: LINE * 10 }, seq);
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.lock']);

    const old = Date.now() / 1000 - 60;
    utimesSync(`${path}.lock`, old, old);
    await write(1, { maxBytes: LINE * 10 }, 24);
    await write(1, { maxBytes: LINE * 10 }, 25);
    expect(readdirSync(folder).sort()).toEqual(['hooks.ndjson', 'hooks.ndjson.1']);
    expect([`${path}.1`, path].map(seqsIn)).toEqual([Array.from({ length: 24 }, (_, i) => i + 1), [25]]);
  });

  test('makes a new file when somebody moved or removed the one it writes', async () => {
    const { logger, told } = listen();
    const sink = make({ logger });
    sink.push(stamped(1));
    await sink.flush();
    renameSync(path, join(folder, 'moved'));
    sink.push(stamped(2));
    await sink.flush();
    expect([join(folder, 'moved'), path].map(seqsIn)).toEqual([[1], [2]]);
    rmSync(path);
    sink.push(stamped(3));
    await sink.close();
    expect(seqsIn(path)).toEqual([3]);
    expect([told, sink.dropped]).toEqual([[], 0]);
  });
});

/** What the logger is told last. */
const notWritten = (lost: number): string =>
  `${lost} ${lost === 1 ? 'record was' : 'records were'} not written to ${path}, which is closed`;

describe.each(WAYS)('a file it must not write, %s', (way) => {
  beforeEach(() => {
    durability = way;
  });

  test('is left alone: a symbolic link is not followed', async () => {
    const target = join(folder, 'target');
    writeFileSync(target, '');
    chmodSync(target, 0o644);
    symlinkSync(target, path);
    const { told, sink } = await write(2);
    expect([readFileSync(target, 'utf8'), mode(target)]).toEqual(['', 0o644]);
    expect(sink.dropped).toBe(2);
    expect(told.map(({ message }) => message)).toEqual([expect.stringContaining('ELOOP'), notWritten(2)]);
  });

  test('is left alone: one that holds something else than records', async () => {
    writeFileSync(path, '# Notes\n', { mode: 0o644 });
    chmodSync(path, 0o644);
    const { told, sink } = await write(2);
    expect([readFileSync(path, 'utf8'), mode(path)]).toEqual(['# Notes\n', 0o644]);
    expect(sink.dropped).toBe(2);
    expect(told.map(({ message }) => message)).toEqual([
      expect.stringContaining('holds something else than records'),
      notWritten(2),
    ]);
  });

  test('is reported by name: a folder, a path below a file', async () => {
    mkdirSync(path);
    const directory = await write(1);
    expect(directory.told.map(({ message }) => message)).toEqual([expect.stringContaining('EISDIR'), notWritten(1)]);
    writeFileSync(join(folder, 'file'), '');
    path = join(folder, 'file', 'hooks.ndjson');
    const below = await write(1);
    expect(below.told.map(({ message }) => message)).toEqual([expect.stringMatching(/ENOTDIR|EEXIST/), notWritten(1)]);
    expect([directory.sink.dropped, below.sink.dropped]).toEqual([1, 1]);
  });

  test('is tried again with the next record, and a second of success is reported with what was lost', async () => {
    mkdirSync(path);
    const { told, logger } = listen();
    const sink = make({ logger });
    for (const seq of [1, 2]) {
      sink.push(stamped(seq));
      await sink.flush();
    }
    rmSync(path, { recursive: true });
    sink.push(stamped(3));
    await sink.flush();
    expect(told).toHaveLength(1);
    await sleep(1_050);
    sink.push(stamped(4));
    await sink.close();
    expect(seqsIn(path)).toEqual([3, 4]);
    expect(sink.dropped).toBe(2);
    expect(told).toMatchObject([
      { message: expect.stringContaining('EISDIR') },
      { message: expect.stringContaining('again'), detail: { lost: 2 } },
    ]);
  });

  test.each([0, 1, 2])(
    'which %i records are written to before it is closed: what was lost is told then',
    async (more) => {
      mkdirSync(path);
      const { told, logger } = listen();
      const sink = make({ logger });
      for (let seq = 1; seq <= 2 + more; seq++) {
        if (seq === 3) rmSync(path, { recursive: true });
        sink.push(stamped(seq));
        await sink.flush();
      }
      for (let i = 0; i < 2; i++) await sink.close();
      expect(sink.dropped).toBe(2);
      expect(told).toMatchObject([
        { message: expect.stringContaining('EISDIR') },
        { message: notWritten(2), detail: { lost: 2 } },
      ]);
    },
  );

  test('twice, more than a second apart, is reported twice', async () => {
    const { told, logger } = listen();
    const sink = make({ logger });
    for (const seq of [1, 4]) {
      rmSync(path, { recursive: true, force: true });
      mkdirSync(path);
      sink.push(stamped(seq));
      await sink.flush();
      rmSync(path, { recursive: true });
      for (const after of [1, 2]) {
        sink.push(stamped(seq + after));
        await sink.flush();
        if (after === 1) await sleep(1_050);
      }
    }
    await sink.close();
    const pair = [{ message: expect.stringContaining('EISDIR') }, { detail: { lost: 1 } }];
    expect(told).toMatchObject([...pair, ...pair]);
  });
});

describe.each(WAYS)('a last line cut short, %s', (way) => {
  beforeEach(() => {
    durability = way;
  });

  const whole = [1, 2].map((seq) => `${JSON.stringify(stamped(seq))}\n`).join('');
  const cut = JSON.stringify(stamped(2)).slice(0, -20);

  test.each([
    ['in its middle', cut],
    ['to one character', '{'],
    ['and filled with zeros, as after a power loss', `${cut}${'\0'.repeat(5000)}`],
    ['after 200,000 characters', `{"a":"${'x'.repeat(200_000)}`],
  ])('%s is moved aside, and the next line is whole', async (_, torn) => {
    writeFileSync(path, whole + torn);
    const { told, sink } = await write(1, {}, 3);
    expect(seqsIn(path)).toEqual([1, 2, 3]);
    expect(readFileSync(`${path}.torn`, 'utf8')).toBe(`${torn}\n`);
    expect(mode(`${path}.torn`)).toBe(0o600);
    expect(told).toMatchObject([{ message: expect.stringContaining('cut short'), detail: { bytes: torn.length } }]);
    expect(sink.dropped).toBe(0);
  });

  test('that was the only one leaves an empty file', async () => {
    writeFileSync(path, cut);
    await write(1);
    expect(seqsIn(path)).toEqual([1]);
    expect(readFileSync(`${path}.torn`, 'utf8')).toBe(`${cut}\n`);
  });

  test('of its newline alone gets it', async () => {
    writeFileSync(path, whole + JSON.stringify(stamped(3)));
    const { told } = await write(1, {}, 4);
    expect(seqsIn(path)).toEqual([1, 2, 3, 4]);
    expect(existsSync(`${path}.torn`)).toBe(false);
    expect(told).toEqual([]);
  });

  test('by another process, while this one has the file open, is moved too', async () => {
    const { logger } = listen();
    const sink = make({ logger });
    sink.push(stamped(1));
    await sink.flush();
    writeFileSync(path, cut, { flag: 'a' });
    sink.push(stamped(3));
    await sink.close();
    expect(seqsIn(path)).toEqual([1, 3]);
    expect(readFileSync(`${path}.torn`, 'utf8')).toBe(`${cut}\n`);
  });
});
