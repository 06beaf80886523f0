import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { wellFormedJson } from '../../src/plain.js';
import { type Batch, Batches, recordsOf } from '../../src/server/batches.js';
import { RecordFeed } from '../../src/server/http/feed.js';
import { fire } from '../emit/samples.js';

/** Half a surrogate pair is U+FFFD in all that leaves the process. */
const plain = (record: HookRecord): unknown => JSON.parse(wellFormedJson(record));
const withInput = (seq: number, tool_input: Record<string, unknown>): HookRecord => {
  const record = fire(seq) as FireRecord;
  return { ...record, input: { ...record.input, tool_input } };
};

/** What is read of all that went on, with what a sink would write of it. */
function through(records: readonly HookRecord[]): { readonly read: unknown[]; readonly told: string[] } {
  const read: unknown[] = [];
  const told: string[] = [];
  const take = (batch: Batch): void => {
    read.push(...recordsOf(batch));
  };
  const batches = new Batches(take, (text) => told.push(text));
  for (const record of records) batches.push(record);
  batches.pass();
  return { read, told };
}

describe('records that go on together', () => {
  test('come out as they went in, whatever is in them', () => {
    const texts = ['},{"seq":1', '}]', '[{"seq":', '\n', '\u2028', '\ud800', 'ä€😀', '', '"', '\\'];
    const inputs: Record<string, unknown>[] = [
      ...texts.map((text) => ({ text, [text]: text })),
      { records: [{ seq: 1 }, { seq: 2 }, { seq: 3 }] },
      { records: [[{ a: 1 }, { seq: 2 }]] },
      JSON.parse('{"__proto__":{"seq":1},"1":1,"a":-0,"b":1e-7}') as Record<string, unknown>,
    ];
    for (let size = 1; size < inputs.length; size++) {
      const records = inputs.slice(-size).map((input, i) => withInput(i + 1, input));
      expect(through(records).read).toEqual(records.map(plain));
    }
    const many = Array.from({ length: 500 }, (_, i) =>
      withInput(i, inputs[i % inputs.length] as Record<string, unknown>),
    );
    expect(through(many)).toEqual({ read: many.map(plain), told: [] });
  });

  test('one that cannot be written takes no other with it', () => {
    const records = [fire(1), withInput(2, { big: 1n }), fire(3)];
    expect(through(records)).toEqual({
      read: [plain(fire(1)), plain(fire(3))],
      told: [expect.stringContaining('record 2 cannot be kept')],
    });
  });

  test('go on without another record', async () => {
    let count = 0;
    const batches = new Batches(
      (batch) => {
        count += batch.count;
      },
      () => undefined,
    );
    batches.push(fire(1));
    expect(count).toBe(0);
    // Timers run in the order in which they are due: theirs has run by then, however busy the machine is.
    await sleep(100);
    expect(count).toBe(1);
  });

  test('however large they are, all go on, and what comes behind them', async () => {
    for (const sizes of [
      [600_000, 600_000, 600_000, 10],
      [3_000_000],
      [10, 2_000_000, 10],
      [349_000, 10, 349_000, 349_000],
    ]) {
      const read: unknown[] = [];
      const batches = new Batches(
        (batch) => read.push(...recordsOf(batch)),
        () => undefined,
      );
      const records = [...sizes, 5].map((size, i) => withInput(i + 1, { text: '€ä'.repeat(size / 5) }));
      for (const record of records.slice(0, -1)) batches.push(record);
      while (read.length < sizes.length) await sleep(1);
      batches.push(records.at(-1) as HookRecord);
      while (read.length <= sizes.length) await sleep(1);
      expect(read).toEqual(records.map(plain));
    }
  });

  test('wait until what they are about is answered, however many they are', async () => {
    const counts: number[] = [];
    const batches = new Batches(
      (batch) => counts.push(batch.count),
      () => undefined,
    );
    for (let seq = 1; seq <= 200; seq++) batches.push(fire(seq));
    await Promise.resolve();
    expect(counts).toEqual([]);
    while (counts.length === 0) await nextTurn();
    expect(counts).toEqual([200]);
    batches.push(fire(201));
    batches.pass();
    await nextTurn();
    expect(counts).toEqual([200, 1]);
    for (let seq = 1; seq <= 1_600; seq++) batches.push(fire(seq));
    // Less than that goes on where a buffer is full.
    expect(counts.slice(2).reduce((sum, count) => sum + count, 0)).toBe(1_500);
  });

  test('go on at the end of a turn when they are enough, and wait for others when they are not', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const counts: number[] = [];
      const batches = new Batches(
        (batch) => counts.push(batch.count),
        () => undefined,
      );
      const turn = async (records: number): Promise<void> => {
        for (let i = 0; i < records; i++) batches.push(fire(i));
        await nextTurn();
      };
      await turn(149);
      expect(counts).toEqual([]);
      await turn(10);
      expect(counts).toEqual([159]);
      await turn(50);
      await turn(50);
      expect(counts).toEqual([159]);
      vi.advanceTimersByTime(25);
      expect(counts).toEqual([159, 100]);
    } finally {
      vi.useRealTimers();
    }
  });

  test('of lonely calls wait for others to be written, those of many calls for the end of their turn alone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      let written = 0;
      let count = 0;
      const batches = new Batches(
        (batch) => {
          count += batch.count;
        },
        () => undefined,
      );
      const some = (seqs: readonly number[]): void => {
        for (const seq of seqs)
          batches.push(withInput(seq, Object.defineProperty({}, 'a', { enumerable: true, get: () => ++written })));
      };
      for (const turn of [1, 2, 3]) {
        some([turn * 3, turn * 3 + 1, turn * 3 + 2]);
        await nextTurn();
        await nextTurn();
      }
      expect(written).toBe(0);
      some([12, 13, 14, 15, 16, 17]);
      expect(written).toBe(0);
      await nextTurn();
      await nextTurn();
      expect([written, count]).toEqual([15, 0]);
      some([18]);
      await nextTurn();
      await vi.advanceTimersByTimeAsync(25);
      expect([written, count]).toEqual([16, 16]);
      // What comes next has its own time.
      some([19]);
      await nextTurn();
      await vi.advanceTimersByTimeAsync(25);
      expect([written, count]).toEqual([17, 17]);
      some([20, 21, 22, 23, 24, 25]);
      await nextTurn();
      await nextTurn();
      expect([written, count]).toEqual([23, 17]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a feed', () => {
  const feedOf = (count: number): RecordFeed => {
    const feed = new RecordFeed((record) => JSON.stringify(record));
    const batches = new Batches(
      (batch) => feed.push(batch),
      () => undefined,
    );
    for (let seq = 1; seq <= count; seq++) batches.push(fire(seq));
    batches.pass();
    return feed;
  };
  const seqs = async (feed: RecordFeed, after: string, most = Number.POSITIVE_INFINITY): Promise<number[]> => {
    const found: number[] = [];
    const over = new AbortController();
    setTimeout(() => over.abort(), 0);
    for await (const { id, text } of feed.read(after, over.signal)) {
      if (text === undefined) {
        expect([id, found]).toEqual([after, []]);
        continue;
      }
      found.push((JSON.parse(text) as HookRecord).seq);
      if (found.length >= most) break;
    }
    return found;
  };
  const upTo = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

  test('goes on behind a position, in the middle of records that came together too', async () => {
    const feed = feedOf(200);
    const over = new AbortController();
    const reading = feed.read('another.7', over.signal);
    expect((await reading.next()).value).toEqual({ id: 'another.7' });
    const id = ((await reading.next()).value as { id: string }).id;
    const boot = id.slice(0, id.indexOf('.'));
    expect(id).toBe(`${boot}.1`);
    expect(feed.position).toBe(`${boot}.200`);
    for (const at of [0, 1, 63, 64, 65, 199]) expect(await seqs(feed, `${boot}.${at}`)).toEqual(upTo(at + 1, 200));
    expect(await seqs(feed, `${boot}.200`)).toEqual([]);
    expect(await seqs(feed, `${boot}.x`)).toEqual(upTo(1, 200));
  });

  test('keeps the last 2,000 at the least, and forgets what was before', async () => {
    const found = await seqs(feedOf(9_000), 'another.0');
    expect(found.at(-1)).toBe(9_000);
    expect(found).toEqual(upTo(found[0] as number, 9_000));
    expect(found.length).toBeGreaterThanOrEqual(2_000);
    expect(found.length).toBeLessThanOrEqual(4_000);
  });

  test('tells who reads what comes', async () => {
    const feed = feedOf(3);
    const over = new AbortController();
    const reading = feed.read(feed.position, over.signal);
    await reading.next();
    const next = reading.next();
    new Batches(
      (batch) => feed.push(batch),
      () => undefined,
    ).push(fire(4));
    const found = await Promise.race([next, sleep(100, undefined)]);
    expect(JSON.parse(found?.value?.text ?? '{}')).toMatchObject({ seq: 4 });
    over.abort();
  });
});
