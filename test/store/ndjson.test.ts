import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { type FileLine, linesBackward, linesForward } from '../../src/store/lines.js';
import { ndjsonStore } from '../../src/store/ndjson.js';
import { isWanted, type RecordQuery } from '../../src/store/store.js';
import { fire, stamped } from '../emit/samples.js';
import { until } from '../host/kit.js';
import { generated } from '../seed.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-store-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const file = (name = 'records.ndjson'): string => join(folder, name);

async function all<T>(list: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of list) found.push(one);
  return found;
}

/** What a store at this place holds, and what it says of the rest. */
async function read(path: string, query: RecordQuery = {}): Promise<{ records: HookRecord[]; notes: string[] }> {
  const notes: string[] = [];
  const store = ndjsonStore(path, { note: (text) => notes.push(text) });
  return { records: await all(store.records(query)), notes };
}

const seqs = (records: readonly HookRecord[]): number[] => records.map(({ seq }) => seq);
const upTo = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);
const line = (record: unknown): string => `${JSON.stringify(record)}\n`;

async function write(count: number, options: Parameters<typeof ndjsonSink>[1] = {}): Promise<void> {
  const sink = ndjsonSink(file(), options);
  for (const seq of upTo(count)) sink.push(stamped(seq));
  await sink.close();
}

describe('the lines of a file', () => {
  test('are the same from both ends, whatever the size of a chunk', async () => {
    const part = fc.oneof(fc.constant('\n'), fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'é', '"') }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom(5, 1000),
        async (parts, step, longest) => {
          const text = Buffer.from(parts.join(''));
          writeFileSync(file(), text);
          const handle = await open(file());
          const told = ({ bytes, ...rest }: FileLine) => ({ text: rest.tooLong ? '' : bytes.toString(), ...rest });
          const forward = (await all(linesForward(handle, text.length, { step, longest }))).flat().map(told);
          const backward = (await all(linesBackward(handle, text.length, { step, longest }))).flat().map(told);
          await handle.close();
          expect(backward.reverse()).toEqual(forward);
          const lines = text.toString().split('\n');
          if (lines.at(-1) === '') lines.pop();
          expect(forward.map(({ text: t, tooLong }) => tooLong ?? t)).toEqual(
            lines.map((one) => (Buffer.byteLength(one) > longest ? true : one)),
          );
          expect(forward.map(({ open: isOpen }) => isOpen === true)).toEqual(
            lines.map((_, i) => i === lines.length - 1 && !text.toString().endsWith('\n')),
          );
        },
      ),
      { numRuns: generated(100) },
    );
  });
});

describe('a store of NDJSON files', () => {
  test('holds what a sink wrote, rotated files too, from both ends', async () => {
    await write(200, { maxBytes: 9_000, keep: 100 });
    expect(readdirSync(folder).length).toBeGreaterThan(12);
    const { records, notes } = await read(file());
    expect(seqs(records)).toEqual(upTo(200));
    expect(records[7]).toEqual({ ...stamped(8), uuid: expect.any(String) });
    expect(seqs((await read(file(), { newest: true })).records)).toEqual(upTo(200).reverse());
    expect(seqs((await read(file(), { newest: true, limit: 3 })).records)).toEqual([200, 199, 198]);
    expect(seqs((await read(file(), { limit: 2 })).records)).toEqual([1, 2]);
    expect((await read(file(), { limit: 0 })).records).toEqual([]);
    expect(notes).toEqual([]);
  });

  test('reads each record once, also when its file is moved aside meanwhile', async () => {
    await write(30);
    const seen: number[] = [];
    for await (const { seq } of ndjsonStore(file()).records()) {
      if (seen.length === 0) {
        renameSync(file(), file('records.ndjson.1'));
        appendFileSync(file(), line(stamped(31)));
      }
      seen.push(seq);
    }
    expect(seen).toEqual(upTo(30));
    expect(seqs((await read(file())).records)).toEqual(upTo(31));
  });

  test('passes over a last line that is cut short, and names the lines that are no records', async () => {
    const foreign = ['nonsense', '{"at_ms": 0}', '[]', '"text"', '{"type":"hook_fire"}'].join('\n');
    writeFileSync(
      file(),
      `${line(stamped(1))}${foreign}\n\n${line({ ...stamped(2), type: 'receipt' })}${line(stamped(3))}{"seq":4,"ti`,
    );
    for (const newest of [false, true]) {
      const { records, notes } = await read(file(), { newest });
      expect(seqs(records)).toEqual(newest ? [3, 1] : [1, 3]);
      const places = newest ? ['6', '5', '4'] : ['2', '3', '4'];
      const why = newest ? 'is no record of hookscope' : 'is not JSON';
      expect(notes).toContain(`${file()}:${places[0]}: this line ${why}, and is left out`);
      for (const place of places) expect(notes.join('\n')).toContain(`${file()}:${place}: this line is `);
      expect(notes).toContain(`${file()}: 2 more lines are no records, and are left out`);
      expect(notes).toContain(`${file()}:10: its last line is not complete, and is left out`);
      expect(notes).toContain(`${file()}: records of types that this version does not know are left out: receipt (1)`);
      expect(notes).toHaveLength(6);
    }
  });

  test('has a last line that lacks only its end', async () => {
    writeFileSync(file(), line(stamped(1)) + line(stamped(2)).trimEnd());
    expect(seqs((await read(file())).records)).toEqual([1, 2]);
  });

  test('finds what is asked for, and that alone', async () => {
    const at = (seq: number) => new Date(Date.UTC(2026, 0, 1) + seq * 1000).toISOString();
    const agents = ['a1', 'a"2', undefined];
    const records = upTo(60).map((seq) => {
      const agent = agents[seq % 3];
      const { agent_id: _, tool_use_id: __, ...rest } = fire(seq);
      return seq % 4 === 0
        ? { ...stamped(seq), time: at(seq) }
        : {
            ...rest,
            time: at(seq),
            fire_id: `fire-${seq}`,
            session_id: `s${seq % 2}`,
            ...(agent === undefined ? {} : { agent_id: agent }),
            ...(seq % 5 === 0 ? { tool_use_id: 'call' } : {}),
          };
    });
    writeFileSync(file(), records.map(line).join(''));
    const queries: RecordQuery[] = [
      { since: Date.parse(at(40)) },
      { until: Date.parse(at(40)) },
      { agent: 'a"2' },
      { types: ['hook_fire'] },
      { event: 'PreToolUse', session: 's1' },
      { fire: 'fire-7' },
      { toolUse: 'call', since: Date.parse(at(11)), until: Date.parse(at(50)) },
      { session: 'nobody' },
    ];
    for (const query of queries) {
      const wanted = seqs((records as HookRecord[]).filter((record) => isWanted(record, query)));
      expect(seqs((await read(file(), query)).records), JSON.stringify(query)).toEqual(wanted);
    }
    expect(seqs((await read(file(), { fire: 'fire-7' })).records)).toEqual([7]);
    expect(seqs((await read(file(), { since: Date.parse(at(58)) })).records)).toEqual([58, 59, 60]);
  });

  test('says that there is no such file, or that it is a folder', async () => {
    await expect(read(file('nothing'))).rejects.toThrow(/nothing: there is no such file/);
    await expect(read(folder)).rejects.toThrow(/is not a regular file/);
  });
});

/** Whether this process reads it. */
function isOpened(path: string): boolean {
  return readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === realpathSync(path);
    } catch {
      // The one that lists them is gone.
      return false;
    }
  });
}

describe('following a file', () => {
  const MARK = line({ ...stamped(0), host_id: 'mark' });

  /** Follows until `stop`; what was seen so far. `begun`: it shows what is written from then on. */
  function follow(path = file()) {
    const controller = new AbortController();
    const seen: number[] = [];
    let marked = false;
    const notes: string[] = [];
    const store = ndjsonStore(path, { note: (text) => notes.push(text) });
    const done = (async () => {
      for await (const { seq, host_id } of store.follow(controller.signal)) {
        if (host_id === 'mark') marked = true;
        else seen.push(seq);
      }
    })();
    const begun = () =>
      until(() => {
        if (!marked) appendFileSync(path, MARK);
        return marked;
      });
    const stop = (): Promise<void> => {
      controller.abort();
      return done;
    };
    return { seen, notes, begun, stop };
  }

  test('shows what is written from then on, across rotations, each record once', async () => {
    await write(5);
    const watch = follow();
    await watch.begun();
    const sink = ndjsonSink(file(), { maxBytes: 4_000, keep: 100 });
    for (let seq = 6; seq <= 300; seq++) {
      sink.push(stamped(seq));
      if (seq % 20 === 0) await sink.flush();
      if (seq % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await sink.close();
    expect(readdirSync(folder).length).toBeGreaterThan(10);
    await until(() => watch.seen.length >= 295);
    await watch.stop();
    expect(watch.seen).toEqual(upTo(300).slice(5));
  });

  test('says how many records it could not show, since their files were deleted before it came to them', async () => {
    const of = (seq: number): HookRecord => ({ ...fire(seq), host_id: 'h' });
    writeFileSync(file(), line(of(1)));
    const watch = follow();
    await watch.begun();
    const sink = ndjsonSink(file(), { maxBytes: 20_000, keep: 2 });
    for (let seq = 2; seq <= 400; seq++) {
      sink.push(of(seq));
      if (seq % 10 === 0) await sink.flush();
    }
    await sink.close();
    await until(() => watch.seen.at(-1) === 400);
    await watch.stop();
    const missed = watch.notes.map((text) => Number(/^(\d+) records are not shown: .*faster than/.exec(text)?.[1]));
    expect(missed.length).toBeGreaterThan(0);
    expect(missed.reduce((sum, count) => sum + count, 0) + watch.seen.length).toBe(399);
  });

  test('shows no older file again when the one that is followed is deleted and made anew', async () => {
    writeFileSync(`${file()}.1`, line(stamped(1)));
    await write(1);
    const watch = follow();
    await watch.begun();
    for (const seq of [2, 3]) {
      appendFileSync(file(), line(stamped(10 * seq)));
      await until(() => watch.seen.at(-1) === 10 * seq);
      rmSync(file());
      appendFileSync(file(), line(stamped(10 * seq + 1)));
      await until(() => watch.seen.at(-1) === 10 * seq + 1);
    }
    await watch.stop();
    expect(watch.seen).toEqual([20, 21, 30, 31]);
  });

  test('waits for a file that is not there, and for the end of a line', async () => {
    const watch = follow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const text = line(stamped(1));
    writeFileSync(file(), text.slice(0, 20));
    await new Promise((resolve) => setTimeout(resolve, 300));
    appendFileSync(file(), `${text.slice(20)}nonsense\n${line(stamped(2))}`);
    await until(() => watch.seen.length === 2);
    await watch.stop();
    expect([watch.seen, watch.notes]).toEqual([[1, 2], [`${file()}:2: this line is not JSON, and is left out`]]);
  });

  test('goes on where a line was half written when it began, and in a file that was emptied', async () => {
    const text = line(stamped(2));
    writeFileSync(file(), line(stamped(1)) + text.slice(0, 30));
    const watch = follow();
    await until(() => isOpened(file()));
    // Where it begins is known a moment after the file is opened.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    appendFileSync(file(), text.slice(30));
    await until(() => watch.seen.length === 1);
    truncateSync(file());
    await new Promise((resolve) => setTimeout(resolve, 400));
    appendFileSync(file(), line(stamped(3)));
    await until(() => watch.seen.length === 2);
    await watch.stop();
    expect([watch.seen, watch.notes]).toEqual([[2, 3], []]);
  });
});
