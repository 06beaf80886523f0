import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../src/cli/trace/event.js';
import { Trace } from '../../src/cli/trace/trace.js';
import { createHost } from '../../src/create-host.js';
import type { HookRecord } from '../../src/emit/record.js';
import { deny } from '../../src/events/output/helpers.js';
import { problemsIn } from './trace-rules.js';

function draw(records: readonly HookRecord[], isShown: (record: HookRecord) => boolean = () => true): TraceEvent[] {
  const events: TraceEvent[] = [];
  const trace = new Trace({ write: (event) => void events.push(event), isShown, text: (text) => text });
  for (const record of records) trace.take(record);
  return events;
}

type Slice = Extract<TraceEvent, { ph: 'X' }>;
const slicesOf = (events: readonly TraceEvent[], cat: string): Slice[] =>
  events.filter((event): event is Slice => event.ph === 'X' && event.cat?.startsWith(cat) === true);

/** One thing that happens, after so many microseconds. */
type Step = {
  readonly after: number;
  readonly agent: number;
  readonly pick: number;
  readonly what: 'fire' | 'call' | 'answer' | 'end' | 'set';
};

/** Records as hosts make them: any number of fires of an agent at once, of calls of a fire at once, calls that outlast their fire. */
function recordsOf(steps: readonly Step[]): HookRecord[] {
  const records: HookRecord[] = [];
  let now = 1_769_850_900_000_000;
  let ids = 0;
  const fires: { id: string; agent: string | undefined }[] = [];
  const calls: { id: string; fire: (typeof fires)[number]; start: number }[] = [];
  const add = (record: Record<string, unknown>): void => {
    const time = new Date(Math.floor(now / 1000)).toISOString();
    records.push({
      seq: records.length + 1,
      time,
      session_id: 's',
      scope: 'session',
      ...record,
    } as unknown as HookRecord);
  };
  const run = (id: string, { id: fire_id, agent }: (typeof fires)[number]) => ({
    type: 'system',
    hook_id: id,
    fire_id,
    name: `hook ${id}`,
    ...(agent === undefined ? {} : { agent_id: agent }),
  });
  for (const { after, agent, pick, what } of steps) {
    now += after;
    if (what === 'set') now += (pick - 10) * 1_234_567;
    const fire = fires[pick % fires.length];
    if (what === 'fire') fires.push({ id: `f${++ids}`, agent: agent === 0 ? undefined : `agent-${agent}` });
    else if (what === 'call' && fire) {
      const id = `c${++ids}`;
      calls.push({ id, fire, start: now });
      add({ ...run(id, fire), subtype: 'hook_started' });
    } else if (what === 'answer' && calls.length > 0) {
      const [{ id, fire, start }] = calls.splice(pick % calls.length, 1) as [(typeof calls)[number]];
      add({ ...run(id, fire), subtype: 'hook_response', duration_ms: (now - start) / 1000, outcome: 'success' });
    } else if (what === 'end' && fire) {
      fires.splice(fires.indexOf(fire), 1);
      const verdict = pick % 3 === 0 ? 'deny' : 'none';
      add({
        type: 'hook_fire',
        fire_id: fire.id,
        event: pick % 5 === 0 && fire.agent !== undefined ? 'SubagentStart' : 'PreToolUse',
        input: {},
        handlers: [],
        decision: { verdict, continue: true, overruled: [], failures: [], conflicts: [] },
        ...(fire.agent === undefined ? {} : { agent_id: fire.agent }),
      });
    }
  }
  return records;
}

const steps = fc.array(
  fc.record<Step>({
    after: fc.oneof(fc.constant(0), fc.nat(900), fc.nat(5000)),
    agent: fc.nat(2),
    pick: fc.nat(20),
    what: fc.constantFrom('fire', 'call', 'call', 'answer', 'answer', 'end'),
  }),
  { maxLength: 80, size: 'max' },
);

/** The clock of a host is set forward and back meanwhile. */
const anySteps = fc.array(
  fc.record({
    after: fc.nat(3000),
    agent: fc.nat(2),
    pick: fc.nat(20),
    what: fc.constantFrom('fire', 'call', 'call', 'answer', 'answer', 'end', 'set'),
  }),
  { maxLength: 80, size: 'max' },
);

describe('a trace of any records', () => {
  test('has slices that lie beside or within each other, one for each fire, and one for each call that ended', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const records = recordsOf(given);
        const events = draw(records);
        expect(problemsIn(events)).toEqual([]);
        const fires = records.filter(({ type }) => type === 'hook_fire');
        expect(slicesOf(events, 'fire')).toHaveLength(fires.length);
        const over = new Set(fires.map((record) => (record as { fire_id: string }).fire_id));
        const ended = records.filter(
          (record) => record.type === 'system' && record.subtype === 'hook_response' && over.has(record.fire_id),
        );
        const drawn = new Set(
          slicesOf(events, 'hook')
            .filter(({ args }) => args?.['outcome'] !== undefined)
            .map(({ name }) => name),
        );
        expect(drawn.size).toBe(ended.length);
        const denials = fires.filter(
          (record) => (record as { decision: { verdict: string } }).decision.verdict === 'deny',
        );
        expect(events.filter(({ ph, cat }) => ph === 'i' && cat === 'denial')).toHaveLength(denials.length);
      }),
      { numRuns: 150 },
    );
  });

  test('is one that importers take whatever is missing, twice there, or in another order', () => {
    const broken = fc
      .oneof(steps, anySteps)
      .chain((given) => fc.shuffledSubarray(recordsOf(given)).map((some) => [...some, ...some.slice(0, 5)]));
    fc.assert(
      fc.property(broken, (records) => {
        expect(problemsIn(draw(records))).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('has them also of several hosts whose clocks are set', () => {
    fc.assert(
      fc.property(anySteps, fc.array(fc.nat(2)), (given, hosts) => {
        const records = recordsOf(given).map((record, i) => ({
          ...record,
          host_id: `h${hosts[i % hosts.length] ?? 0}`,
        }));
        expect(problemsIn(draw(records))).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('shows what it is asked for alone, where the other is', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const events = draw(recordsOf(given), (record) => record.type === 'hook_fire' && record.agent_id === 'agent-1');
        expect(problemsIn(events)).toEqual([]);
        expect(events.filter(({ ph }) => ph === 'i' || ph === 'X').every(({ pid }) => pid === 1)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

const START = Date.UTC(2026, 0, 31, 9, 15);
const HOUR = 3_600_000;
let numbers = 0;

/** A fire with one call of 50 ms, and so long after the start of the session as that host's clock says. */
function fireAt(at: number, host = 'a'): HookRecord[] {
  const id = String(++numbers);
  const made = (ms: number, fields: object) => ({
    seq: ++numbers,
    time: new Date(START + ms).toISOString(),
    ...{ host_id: host, session_id: 's', scope: 'session', fire_id: id, ...fields },
  });
  const call = { type: 'system', hook_id: `c${id}`, hook_event: 'PreToolUse', hook_name: 'PreToolUse', name: 'guard' };
  const decision = { verdict: 'none', continue: true, overruled: [], failures: [], conflicts: [] };
  return [
    made(at, { ...call, subtype: 'hook_started' }),
    made(at + 50, { ...call, subtype: 'hook_response', duration_ms: 50, outcome: 'success' }),
    made(at + 50, { type: 'hook_fire', event: 'PreToolUse', input: {}, handlers: [], decision }),
  ] as unknown as HookRecord[];
}

/** When a fire and its call begin, in milliseconds after the start, how long they take, and in which row. */
function drawnOf(events: readonly TraceEvent[]): [cat: string, at: number, ms: number, row: unknown][] {
  const rows = new Map(
    events.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args?.['name']]),
  );
  return events
    .filter((event): event is Slice => event.ph === 'X')
    .map(({ cat = '', ts, dur, tid }) => [cat, Math.floor(ts / 1000) - START, Math.floor(dur / 1000), rows.get(tid)]);
}
const both = (at: number, row = 'main') => [
  ['fire', at, 50, row],
  ['hook', at, 50, row],
];

describe('a clock that is not one', () => {
  test('a clock that was ahead for a moment moves nothing that came after it', () => {
    const times = [0, 1000, HOUR + 2000, 3000, 4000, 605_000];
    const events = draw(times.flatMap((at) => fireAt(at)));
    expect(problemsIn(events)).toEqual([]);
    const beside = 'main, beside (2)';
    expect(drawnOf(events)).toEqual([
      ...[0, 1000, HOUR + 2000].flatMap((at) => both(at)),
      ...[3000, 4000, 605_000].flatMap((at) => both(at, beside)),
    ]);
  });

  test('two hosts of a session whose clocks differ keep their own times, and a row each', () => {
    const events = draw([
      ...fireAt(HOUR, 'b'),
      ...fireAt(1000, 'a'),
      ...fireAt(2000, 'a'),
      ...fireAt(HOUR + 3000, 'b'),
    ]);
    expect(problemsIn(events)).toEqual([]);
    expect(drawnOf(events)).toEqual([
      ...both(HOUR),
      ...both(1000, 'main, beside (2)'),
      ...both(2000, 'main, beside (2)'),
      ...both(HOUR + 3000),
    ]);
  });

  test('two hosts whose clocks differ by a millisecond keep their own times too', () => {
    const [started, ...rest] = fireAt(1, 'b') as [HookRecord, ...HookRecord[]];
    const events = draw([started, ...fireAt(0, 'a'), ...rest]);
    expect(problemsIn(events)).toEqual([]);
    expect(drawnOf(events)).toEqual([...both(0, 'main, beside (2)'), ...both(1)]);
  });

  test('a clock that is set while a hook runs leaves it as long as it took', () => {
    const [started, answered, fired] = fireAt(HOUR) as [HookRecord, HookRecord, HookRecord];
    const [, early, then] = fireAt(0) as [HookRecord, HookRecord, HookRecord];
    const events = draw([started, { ...answered, time: early.time }, { ...fired, time: then.time }] as HookRecord[]);
    expect(problemsIn(events)).toEqual([]);
    expect(drawnOf(events)).toEqual(both(HOUR));
  });

  test('hooks that are hosts of their own share the row, one after the other, and are beside each other where they overlap', () => {
    const [started, answered, fired] = fireAt(1020, 'c') as [HookRecord, HookRecord, HookRecord];
    const events = draw([...fireAt(0, 'a'), ...fireAt(51, 'b'), started, ...fireAt(1000, 'd'), answered, fired]);
    expect(problemsIn(events)).toEqual([]);
    expect(drawnOf(events)).toEqual([...both(0), ...both(51), ...both(1000, 'main, beside (2)'), ...both(1020)]);
  });
});

test('a host that works: waves side by side, a background that goes on, an arrow to an agent that was started, a denial', async () => {
  const records: HookRecord[] = [];
  const host = createHost();
  host.events$.subscribe((record) => void records.push(record));
  let finish: () => void = () => undefined;
  const later = new Promise<void>((resolve) => {
    finish = resolve;
  });
  host.register({
    PreToolUse: [
      {
        matcher: 'Write',
        hooks: [
          function guard() {
            return deny('protected');
          },
        ],
      },
      { mode: 'parallel', hooks: [async function left() {}, async function right() {}] },
      { hooks: [{ name: 'report', handler: () => later, async: true }] },
    ],
  });
  const session = await host.openSession({ session_id: 's1' });
  await session.tool({
    name: 'Agent',
    input: {},
    async execute() {
      const child = await session.spawn({ agent_type: 'builder', id: 'b12345678' });
      await child.tool({ name: 'Write', input: {}, execute: () => 'x' });
      await child.close();
    },
    permission: () => ({ behavior: 'allow' }),
  } as never);
  await session.close();
  finish();
  await host.close();
  const events = draw(records);
  expect(problemsIn(events)).toEqual([]);
  const rows = new Map(
    events.filter(({ name }) => name === 'thread_name').map(({ tid, args }) => [tid, args?.['name']]),
  );
  const at = (name: string) =>
    events.filter((event) => event.name === name && event.ph !== 'M').map(({ tid }) => rows.get(tid));
  expect(new Set(rows.values())).toEqual(
    new Set(['main', 'main, beside (2)', 'builder b12345', 'builder b12345, beside (2)']),
  );
  expect(at('PreToolUse Agent')).toEqual(['main']);
  expect(at('PreToolUse Write')).toEqual(['builder b12345']);
  expect(at('deny by guard')).toEqual(['builder b12345']);
  expect(at('left')[0]).toBe('main');
  expect(at('right')[0]).toBe('main, beside (2)');
  expect(events.filter(({ ph }) => ph === 's' || ph === 'f').map(({ ph, tid }) => [ph, rows.get(tid)])).toEqual([
    ['s', 'main'],
    ['f', 'builder b12345'],
  ]);
  // The agent that was started is drawn below who has started it.
  const order = new Map(
    events
      .filter(({ name }) => name === 'thread_sort_index')
      .map(({ tid, args }) => [rows.get(tid), args?.['sort_index'] as number]),
  );
  expect([...order].sort(([, a], [, b]) => a - b).map(([name]) => name)[0]).toBe('main');
  expect(order.get('main, beside (2)')).toBeLessThan(order.get('builder b12345') as number);
  expect(slicesOf(events, 'hook').filter(({ name }) => name === 'report').length).toBeGreaterThanOrEqual(2);
});

test('however long it goes on, it holds what is under way alone: what was seen long ago begins anew', () => {
  const names: unknown[] = [];
  const trace = new Trace({
    write: ({ name, args }) => void (name === 'process_name' && names.push(args?.['name'])),
    isShown: () => true,
    text: (text) => text,
  });
  const [sample] = recordsOf([
    { after: 0, agent: 0, pick: 0, what: 'fire' },
    { after: 0, agent: 0, pick: 0, what: 'end' },
  ]);
  const started = (i: number): void => trace.take({ ...sample, session_id: `s${i}`, fire_id: `f${i}` } as HookRecord);
  for (let i = 0; i <= 10_000; i++) started(i);
  started(10_000);
  started(0);
  expect(names).toHaveLength(10_002);
  expect(names.at(-1)).toBe('session s0');
});
