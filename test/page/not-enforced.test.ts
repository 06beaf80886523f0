import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import type { TraceEvent } from '../../src/cli/trace/event.js';
import { Trace } from '../../src/cli/trace/trace.js';
import { allow, createHost, deny, type FireRecord, type HookRecord, rewrite } from '../../src/index.js';
import { countsOf, matches, NO_FILTER, tallies } from '../../src/page/records/filter.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { SHADOW } from '../../src/page/records/outcome.js';
import type { RowOnPage } from '../../src/page/records/row.js';
import { outOfScript } from '../../src/page/sources/lines.js';
import { inScript } from '../../src/server/page.js';
import { readRecord } from '../../src/store/read-record.js';
import { answerFor } from '../../src/why/answer.js';
import { problemsIn } from '../cli/trace-rules.js';
import { fire, stamped } from '../emit/samples.js';

const CALL = { tool_name: 'Agent', tool_input: { subagent_type: 'builder' }, tool_use_id: 't1', session_id: 's1' };

let records: HookRecord[];
beforeAll(async () => {
  records = [];
  const host = createHost({ logger: () => undefined });
  host.events$.subscribe((record) => records.push(record));
  const off = { enforce: false } as const;
  host.register({
    PreToolUse: [
      { name: 'live', hooks: [() => allow()] },
      { ...off, name: 'guard', hooks: [() => deny('Not here.')] },
      { ...off, name: 'limiter', hooks: [() => rewrite({ subagent_type: 'other' })] },
      {
        ...off,
        name: 'broken',
        onFailure: 'block',
        hooks: [
          () => {
            throw new Error('no');
          },
        ],
      },
    ],
    SubagentStart: [{ ...off, name: 'watcher', hooks: [() => undefined] }],
  });
  await host.fire('PreToolUse', CALL);
  await host.fire('SubagentStart', { session_id: 's1', agent_id: 'b12345', agent_type: 'builder' });
  await host.close();
});

const fires = (): FireRecord[] => records.filter((one): one is FireRecord => one.type === 'hook_fire');
const shadowOf = (name: string): FireRecord =>
  fires().find((one) => one.shadow_of !== undefined && one.handlers[0]?.name === name) as FireRecord;

/** The page with these records in it. */
function pageOf(lines: readonly string[]): KeptRecords {
  const kept = new KeptRecords(false);
  for (const line of lines) kept.add(line);
  kept.settle();
  return kept;
}
const all = (): string[] => records.map((record) => JSON.stringify(record));

test('the page has what is not enforced beside what was decided, and counts the latter alone', () => {
  const kept = pageOf(all());
  const { rows } = kept;
  expect(rows.filter(({ marks }) => marks === SHADOW).map(({ came }) => came)).toEqual([
    'not enforced: guard would deny',
    expect.stringMatching(/^not enforced: limiter would /),
    'not enforced: broken would deny',
    'not enforced: watcher would say nothing',
  ]);
  expect(countsOf(rows)).toEqual({ fires: 2, denied: 0, failed: 0, alarms: 0 });
  expect(tallies(rows, kept, '', Number.POSITIVE_INFINITY)).toMatchObject([{ hook: 'live', runs: 1 }]);
  expect(rows.filter((row) => matches(row, { ...NO_FILTER, outcomes: SHADOW }))).toHaveLength(4);
});

test('its explanation says what it would have said, and no decision', () => {
  const said = (name: string) =>
    answerFor(shadowOf(name), { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] });
  const guard = said('guard');
  const [main] = fires() as [FireRecord];
  expect(guard.decision).toEqual([
    `guard is not enforced: it would deny; the fire ${main.fire_id} was decided without it.`,
  ]);
  expect(guard.asked[0]?.text).toMatch(/would deny, and is not enforced: "Not here\."/);
  expect(guard.changes).toEqual([expect.stringContaining('remove "enforce"')]);
  expect(said('limiter').decision).toEqual([expect.stringContaining('it would rewrite it; the fire')]);
  expect(said('watcher').decision).toEqual([expect.stringContaining('it would say nothing; the fire')]);
});

test('who started whom is told by fires alone, however late what is not enforced was asked', () => {
  const [call, start] = fires().filter((one) => one.shadow_of === undefined) as [FireRecord, FireRecord];
  const late = shadowOf('guard');
  const other = {
    ...start,
    seq: 900,
    fire_id: 'other',
    agent_id: 'c12345',
    input: { ...start.input, agent_id: 'c12345' },
  };
  const kept = pageOf([call, start, late, { ...late, agent_id: 'b12345' }, other].map((one) => JSON.stringify(one)));
  const lanes = kept.agents.lanes();
  expect(lanes.map(({ id, parent }) => [id, parent?.id])).toEqual([
    [undefined, undefined],
    ['b12345', undefined],
    ['c12345', undefined],
  ]);
});

test('a trace file draws it as such: no denial, no second arrow', () => {
  const events: TraceEvent[] = [];
  const trace = new Trace({ write: (event) => void events.push(event), isShown: () => true, text: (text) => text });
  for (const record of records) trace.take(record);
  expect(problemsIn(events)).toEqual([]);
  const drawn = events.filter((event) => event.cat === 'fire,shadow');
  expect(drawn.map(({ name, args }) => [name, args?.['would']])).toEqual([
    ['PreToolUse Agent, not enforced', 'deny'],
    ['PreToolUse Agent, not enforced', expect.any(String)],
    ['PreToolUse Agent, not enforced', 'deny'],
    ['SubagentStart, not enforced', 'none'],
  ]);
  for (const { args } of drawn) expect(args).not.toHaveProperty('verdict');
  expect(events.filter(({ cat }) => cat === 'denial')).toEqual([]);
  expect(events.filter(({ ph }) => ph === 's')).toHaveLength(1);
  expect(events.find(({ name }) => name === 'guard')?.args).toMatchObject({ would: 'deny' });
});

test('what is asked late about a call that has started its agents starts no more of them in a trace file', () => {
  const [call, start] = fires() as [FireRecord, FireRecord];
  const by = { agent_id: 'b12345', session_id: 's1' };
  const told = [
    { ...call, fire_id: 'm', input: { tool_name: 'Bash' } },
    { ...call, ...by, fire_id: '1' },
    { ...call, ...by, fire_id: '2', event: 'PostToolUse' },
    { ...call, ...by, fire_id: '3', shadow_of: '1', would: 'deny' },
    { ...start, fire_id: '4', event: 'SubagentStart', agent_id: 'c12345', input: {} },
  ] as const;
  const events: TraceEvent[] = [];
  const trace = new Trace({ write: (event) => void events.push(event), isShown: () => true, text: (text) => text });
  for (const record of told) trace.take(record as HookRecord);
  const main = events.find(({ name }) => name === 'PreToolUse Bash')?.tid;
  expect(events.filter(({ ph }) => ph === 's').map(({ tid }) => tid)).toEqual([main]);
});

const WRONG: readonly { readonly wrong: unknown }[] = [1, {}, [], '\u001b[2J', { toString: 1 }].map((wrong) => ({
  wrong,
}));
test.each(WRONG)('what it would have said is a word, or is left out: $wrong', ({ wrong }) => {
  const [handler] = fire().handlers;
  const odd = { ...fire(), shadow_of: wrong, would: wrong, handlers: [{ ...handler, would: wrong }] };
  const { record } = readRecord(JSON.parse(JSON.stringify(odd)));
  expect(record).not.toHaveProperty('would');
  expect((record as FireRecord).handlers[0]).not.toHaveProperty('would');
  if (typeof wrong !== 'string') expect(record).not.toHaveProperty('shadow_of');
  const response = { ...stamped(2), would: wrong, shadow: wrong, stdout: wrong, stderr: undefined };
  expect(readRecord(JSON.parse(JSON.stringify(response))).record).toMatchObject({ stderr: '' });
});

test('no duration takes a bar out of time', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 4 }),
      (times) => {
        const [handler] = fire().handlers;
        const handlers = times.map((duration_ms, wave) => ({ ...handler, id: `h${wave}`, wave, duration_ms }));
        const [row] = pageOf([JSON.stringify({ ...fire(), handlers })]).rows as [RowOnPage];
        expect(row.start).toBeLessThanOrEqual(row.at);
        expect(() => new Date(row.start).toISOString()).not.toThrow();
      },
    ),
    { numRuns: 50, examples: [[[1e308, 1e308]], [[-1e308]]] },
  );
});

test('text that was put into a page is looked for as it was recorded', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('<', '\\', 'u003c', '"', '\n', '</script>', 'a')), (parts) => {
      const line = JSON.stringify({ text: parts.join('') });
      expect(inScript(line)).not.toContain('<');
      expect(outOfScript(inScript(line))).toBe(line);
    }),
    { numRuns: 200 },
  );
});
