import { beforeEach, describe, expect, test } from 'vitest';
import type { FireRecord, HandlerRecord, HookRecord } from '../../src/index.js';
import { leftOut, someOf } from '../../src/page/parts/some.js';
import { matches, NO_FILTER, tallies } from '../../src/page/records/filter.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { bitOf, marksOf, noHookWords, OUTCOMES } from '../../src/page/records/outcome.js';
import { openFile } from '../../src/page/sources/file.js';
import { begin, extent, kept, showAdded, span, status } from '../../src/page/state.js';
import { columnsOf } from '../../src/page/timeline/columns.js';
import { draw } from '../../src/page/timeline/draw.js';
import { neighbour } from '../../src/page/timeline/find.js';
import { spansDays, timeText } from '../../src/page/timeline/time.js';
import { pan, seen } from '../../src/page/timeline/zoom.js';
import { plainJson } from '../../src/plain.js';
import { fire } from '../emit/samples.js';
import { SAMPLES } from '../store/records.js';

let seq = 0;
const record = (more: Partial<FireRecord> = {}): FireRecord => ({ ...fire(++seq), ...more });
const handler = (more: Partial<HandlerRecord>): HandlerRecord => ({
  ...(fire().handlers[0] as HandlerRecord),
  ...more,
});

function pageOf(records: readonly unknown[], write: (record: unknown) => string = JSON.stringify): KeptRecords {
  const page = new KeptRecords(false);
  for (const one of records) page.add(write(one));
  page.settle();
  return page;
}

test('what hookscope itself answered is a failure, and says so where hooks are listed', () => {
  const { decidedBy: _, reason: __, ...decision } = fire().decision;
  const passed = record({ handlers: [], unanswered: 'it is gone', decision: { ...decision, verdict: 'none' } });
  const denied = record({
    handlers: [],
    unanswered: 'it is gone',
    decision: { ...fire().decision, decidedBy: 'hookscope' },
  });
  const [first, second] = pageOf([passed, denied]).rows;
  expect([first?.came, OUTCOMES[first?.outcome ?? 0]]).toEqual(['no hook answered: "it is gone"', 'failed']);
  expect(second?.came).toMatch(/^deny by hookscope/);
  expect(marksOf(denied)).toBe(bitOf('denied') | bitOf('failed'));
  expect(noHookWords(passed)).toBe('Hookscope itself answered: which hooks are registered for it is not known.');
  expect(noHookWords(record({ handlers: [] }))).toBe('No hook is registered for it.');
  expect(noHookWords(record({ handlers: [], error: 'INVALID_INPUT' }))).toBe('No hook was asked.');
  expect(noHookWords(record())).toBeUndefined();
});

test('a hook that is chosen is that one alone, and no other whose name ends like it', () => {
  const names = ['guard.sh', './guard.sh', 'hookscope-plugin-x/guard.sh'];
  const page = pageOf(names.map((name) => record({ handlers: [handler({ name, id: `${name}#1` })] })));
  for (const name of names) {
    const shown = page.rows.filter((row) => matches(row, { ...NO_FILTER, hook: name }));
    expect(shown.map(({ ran }) => ran[0]?.name)).toEqual([name]);
    expect(tallies(page.rows, page, name, Number.POSITIVE_INFINITY)).toMatchObject([{ hook: name, runs: 1 }]);
  }
});

test.each([
  ['as any program writes them', JSON.stringify],
  ['as ours do', plainJson],
] as const)('words with characters that are not seen are found in records, %s', (_, write) => {
  const words = ['می\u200cخواهم', 'co\u00adop', 'a\u202eb', 'say "hi"', 'C:\\dir', 'new\nline', '👩\u200d💻'];
  const page = pageOf(
    words.map((content) => record({ input: { tool_name: 'Write', tool_input: { file_path: 'f', content } } })),
    write as (record: unknown) => string,
  );
  for (const [i, text] of words.entries())
    expect(page.rows.map((row) => matches(row, { ...NO_FILTER, text }))).toEqual(words.map((__, at) => at === i));
});

test('what a hook printed is found, whether it came before the record of its fire or after', () => {
  const printed = (fire_id: string, stderr: string) => {
    const found = SAMPLES.find((one) => one.type === 'system' && one.subtype === 'hook_response') as HookRecord;
    return { ...found, seq: ++seq, fire_id, stderr };
  };
  const page = pageOf([
    printed('one', 'early words'),
    record({ fire_id: 'one' }),
    record({ fire_id: 'two' }),
    printed('two', 'late words'),
    record({ fire_id: 'three', handlers: [] }),
  ]);
  const found = (text: string) =>
    page.rows.filter((row) => matches(row, { ...NO_FILTER, text })).map((row) => row.fire_id);
  expect(found('EARLY words')).toEqual(['one']);
  expect(found('late words')).toEqual(['two']);
  expect(found('no words')).toEqual([]);
});

test('what a hook printed is not found at a moment before it came', () => {
  const found = SAMPLES.find((one) => one.type === 'system' && one.subtype === 'hook_response') as HookRecord;
  const time = new Date(Date.parse(fire().time) + 60_000).toISOString();
  const page = pageOf([record({ fire_id: 'one' }), { ...found, seq: ++seq, fire_id: 'one', stderr: 'late', time }]);
  const [row] = page.rows;
  const isFound = (until: number) => row !== undefined && matches(row, { ...NO_FILTER, text: 'late' }, until);
  expect([-1, 0].map((ms) => isFound(Date.parse(time) + ms))).toEqual([false, true]);
});

describe('time', () => {
  test('has its day where there are several', () => {
    const at = Date.parse('2026-01-31T23:59:59.123Z');
    expect(spansDays([at, at + 800])).toBe(false);
    expect(spansDays([at, at + 900])).toBe(true);
    expect(timeText(at, { dated: false })).toBe('23:59:59.123');
    expect(timeText(at, { dated: true })).toBe('2026-01-31 23:59:59.123');
    expect(timeText(at, { dated: true, step: 60_000 })).toBe('2026-01-31 23:59:59');
    expect(timeText(at, { dated: false, step: 864e5 })).toBe('2026-01-31');
  });

  test.each([1e300, -1e300, Number.NaN, Number.POSITIVE_INFINITY, 9e15, 253_402_300_800_000])(
    'of %d is shown',
    (at) => {
      expect(timeText(at, { dated: false })).toMatch(/^\d\d:\d\d:\d\d\.\d{3}$/);
      expect(timeText(at, { dated: true })).toMatch(/^[+-]?\d+-\d\d-\d\d \d\d:/);
    },
  );

  test('is left by no key, however long a hook is said to have taken', () => {
    const into = begin({ type: 'none' }, { once: false });
    into.add(JSON.stringify(record({ handlers: [handler({ duration_ms: 1e300, wave: 0 })] })));
    into.add(JSON.stringify(record()));
    showAdded();
    const [first, last] = extent.value;
    for (const part of [0.8, -0.8])
      for (let i = 0; i < 20; i++) {
        pan(part);
        const [from, to] = seen();
        expect(from).toBeLessThanOrEqual(last);
        expect(to).toBeGreaterThanOrEqual(first);
      }
    span.value = undefined;
  });
});

describe('keys in the lanes', () => {
  const quiet = { decision: { ...fire().decision, verdict: 'none' as const }, handlers: [] };
  const page = pageOf([record(quiet), record(), record(quiet)]);
  const columns = columnsOf(page.rows, page.agents.lanes());
  const [first, second, third] = page.rows;

  test.each(['Tab', 'F5', 'Escape', 'Shift', 'x', 'PrintScreen', ' '])('%s is left to the browser', (key) => {
    for (const from of [undefined, first, third]) expect(neighbour(columns, from, key)).toBeUndefined();
  });

  test('lead to the first fire or the last, or to a problem, from nowhere', () => {
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowUp', 'Home'])
      expect(neighbour(columns, undefined, key)).toBe(first);
    expect(neighbour(columns, undefined, 'End')).toBe(third);
    for (const key of ['n', 'p']) expect(neighbour(columns, undefined, key)).toBe(second);
  });
});

test('a list that is too long says how much of it is left out, and keeps what is chosen', () => {
  const all = Array.from({ length: 5000 }, (_, i) => i);
  expect(someOf(all, 5000)).toEqual({ some: all, left: 0 });
  expect(someOf(all, 500)).toMatchObject({ left: 4500 });
  const { some, left } = someOf(all, 500, (one) => one === 4000);
  expect([some.length, some.at(-1), left]).toEqual([501, 4000, 4499]);
  expect(someOf(all, 500, (one) => one === 7).left).toBe(4500);
  expect(leftOut(4499)).toBe('… and 4,499 more');
});

describe('a file that is opened', () => {
  beforeEach(() => void begin({ type: 'none' }, { once: false }));
  const text = `${JSON.stringify(record())}\n`;
  const broken = (error: Error) =>
    Object.assign(new File([text], 'gone.ndjson'), {
      stream: () =>
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
          pull: (controller) => controller.error(error),
        }),
    });

  test('is shown', async () => {
    await openFile(new File([text], 'all.ndjson'));
    expect(status.value).toEqual({ type: 'file', name: 'all.ndjson' });
    expect(kept.value.rows).toHaveLength(1);
  });

  test.each([
    ['is gone', new DOMException('A requested file could not be found', 'NotFoundError')],
    ['has a line without an end', new RangeError('a line is longer than a record can be')],
  ])('and %s is said to be unreadable, beside what was read of it', async (_, error) => {
    await openFile(broken(error));
    expect(status.value).toEqual({ type: 'refused', why: `gone.ndjson cannot be read: ${error.message}` });
    expect(kept.value.rows).toHaveLength(1);
  });

  test('after another says nothing of that other one', async () => {
    const first = openFile(broken(new Error('late')));
    await openFile(new File([text], 'all.ndjson'));
    await first;
    expect(status.value).toEqual({ type: 'file', name: 'all.ndjson' });
  });

  test('and is a database is refused', async () => {
    await openFile(new File(['SQLite format 3\0'], 'x.db'));
    expect(status.value).toMatchObject({ type: 'refused', why: expect.stringContaining('x.db is a database') });
  });
});

test('a bar is drawn from its beginning to its end, whatever shorter ones of the same outcome lie within it', () => {
  // From and to, in the order of their ends; then what of a lane is covered.
  const cases: readonly (readonly [bars: readonly (readonly [number, number])[], covered: readonly string[]])[] = [
    [
      [
        [500, 520],
        [0, 1000],
      ],
      ['0-1000'],
    ],
    [
      [
        [100, 120],
        [300, 320],
        [200, 400],
      ],
      ['100-120', '200-400'],
    ],
    [
      [
        [100, 120],
        [300, 320],
        [310, 330],
        [50, 350],
        [340, 400],
        [600, 700],
      ],
      ['50-400', '600-700'],
    ],
    [
      [
        [500, 900],
        [0, 900],
      ],
      ['0-900'],
    ],
  ];
  for (const [bars, covered] of cases) {
    const page = pageOf(
      bars.map(([from, to]) =>
        record({ time: new Date(to).toISOString(), handlers: [handler({ duration_ms: to - from, wave: 0 })] }),
      ),
    );
    const filled = new Set<number>();
    const ctx = {
      fillStyle: '',
      fillRect(x: number, _: number, wide: number) {
        if (this.fillStyle === 'bar') for (let i = 0; i < wide; i++) filled.add(x + i);
      },
    };
    const nothing = { get: (of: object, key: string) => Reflect.get(of, key) ?? (() => undefined) };
    const colors = { outcomes: Array(8).fill('bar'), text: '', line: '', back: '', stripe: '' };
    const view = { from: 0, to: 1000, width: 1000, height: 400, top: 0, dated: false, selected: undefined, colors };
    draw(new Proxy(ctx, nothing) as never, columnsOf(page.rows, page.agents.lanes()), view);
    const found: string[] = [];
    for (let x = 0, from = -1; x <= 1000; x++) {
      if (filled.has(x) && from < 0) from = x;
      if (filled.has(x) || from < 0) continue;
      found.push(`${from}-${x}`);
      from = -1;
    }
    expect(found).toEqual(covered);
  }
});
