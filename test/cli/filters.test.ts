import { describe, expect, test } from 'vitest';
import { type FilterFlags, readFilter } from '../../src/cli/history/filter.js';
import type { FireRecord, HookRecord, ToolCallRecord } from '../../src/emit/record.js';
import { isWanted, type RecordStore } from '../../src/store/store.js';
import { fire } from '../emit/samples.js';
import { SAMPLES } from '../store/records.js';

const [HANDLER] = fire().handlers as [FireRecord['handlers'][number]];
const sample = (type: string): object => SAMPLES.find((record) => record['type'] === type) as object;

/** All of what filters look at, in every combination. */
function everything(): HookRecord[] {
  const records: object[] = [];
  for (const event of ['PreToolUse', 'PostToolUse'])
    for (const verdict of ['deny', 'allow'])
      for (const [name, duration_ms] of [
        ['slow', 2000],
        ['quick', 1],
      ])
        for (const shadow of [
          {},
          { shadow_of: 'f', would: verdict, decision: { ...fire().decision, verdict: 'none' } },
        ])
          for (const type of ['builder', 'surveyor'])
            records.push({
              ...fire(),
              event,
              agent_id: `${type}-1`,
              input: { agent_type: type },
              decision: { ...fire().decision, verdict },
              handlers: [{ ...HANDLER, name, duration_ms, verdict }],
              ...shadow,
            });
  for (const type of ['builder', 'surveyor']) {
    for (const status of ['denied', 'ran', 'interrupted', 'failed'])
      records.push({ ...sample('tool_call'), agent_id: `${type}-1`, agent_type: type, status });
    records.push({ ...sample('hook_alarm'), agent_id: `${type}-1`, session_id: fire().session_id });
  }
  return records.map((record, seq) => ({ ...record, session_id: 's', seq, host_id: 'h' }) as HookRecord);
}

const isFire = (record: HookRecord): record is FireRecord => record.type === 'hook_fire';
const shadowed = (record: HookRecord): boolean => isFire(record) && record.shadow_of !== undefined;

/** What docs/observability.md and the help say of each, by itself. */
const READING: { readonly [K in keyof FilterFlags]?: readonly [FilterFlags[K], (record: HookRecord) => boolean] } = {
  blocked: [
    true,
    (record) =>
      isFire(record)
        ? (record.would ?? record.decision.verdict) === 'deny'
        : record.type === 'tool_call' && ['denied', 'interrupted'].includes((record as ToolCallRecord).status),
  ],
  agent: ['builder', (record) => (record as { agent_id?: string }).agent_id === 'builder-1'],
  hook: ['slow', (record) => isFire(record) && record.handlers.some(({ name }) => name === 'slow')],
  event: ['PreToolUse', (record) => isFire(record) && record.event === 'PreToolUse'],
  slow: [1000, (record) => isFire(record) && record.handlers.some(({ duration_ms: ms = 0 }) => ms >= 1000)],
  alarms: [true, (record) => record.type === 'hook_alarm'],
  shadow: [true, shadowed],
};
const NAMES = Object.keys(READING) as (keyof typeof READING)[];
/** Without filters: what ran as it should is in its fires. */
const usual = (record: HookRecord): boolean =>
  record.type !== 'tool_call' || ['denied', 'interrupted'].includes((record as ToolCallRecord).status);

const pairs = NAMES.flatMap((a, i) => NAMES.slice(i).map((b) => [a, b] as const));
test.each(pairs)('--%s and --%s: a record must match both', (...keys) => {
  const records = everything();
  const flags = Object.fromEntries(keys.map((key) => [key, READING[key]?.[0]])) as FilterFlags;
  const filter = readFilter(flags);
  for (const record of records) filter.match(record);
  const shown = records.filter((record) => isWanted(record, filter.query) && filter.match(record) === 'yes');
  const wanted = records.filter(
    (record) =>
      usual(record) && shadowed(record) === keys.includes('shadow') && keys.every((key) => READING[key]?.[1](record)),
  );
  expect(shown).toEqual(wanted);
});

describe('the agent of a record', () => {
  const of = (host_id: string, session_id: string, type?: string) =>
    ({
      ...fire(),
      host_id,
      session_id,
      agent_id: 'a1',
      input: type === undefined ? {} : { agent_type: type },
    }) as HookRecord;
  const alarm = (host_id: string, session_id: string) =>
    ({ ...sample('hook_alarm'), host_id, session_id, agent_id: 'a1' }) as HookRecord;

  test('is of its own session on its own host, whoever else has its id', () => {
    const filter = readFilter({ agent: 'builder' });
    const agents = [of('h', 's1', 'builder'), of('h', 's2', 'surveyor'), of('other', 's1', 'surveyor')];
    expect(agents.map((record) => filter.match(record))).toEqual(['yes', 'no', 'no']);
    const alarms = [alarm('h', 's1'), alarm('h', 's2'), alarm('other', 's1'), alarm('h', 's3')];
    expect(alarms.map((record) => filter.match(record))).toEqual(['yes', 'no', 'no', 'maybe']);
    expect(alarms.map((record) => filter.agentOf(record))).toEqual([
      'builder a1',
      'surveyor a1',
      'surveyor a1',
      'agent a1',
    ]);
  });
});

describe('what is mistyped', () => {
  const store = (records: readonly HookRecord[]): RecordStore =>
    ({
      place: 'here',
      async *records(query = {}) {
        yield* records.filter((record) => isWanted(record, query));
      },
    }) as unknown as RecordStore;
  const own = { ...fire(), event: 'Deployed' } as HookRecord;

  test('an event that nobody has is an error with its name, one of a host is none', async () => {
    const asked = (event: string, soon = false) => readFilter({ event }).checkEvent(store([own]), soon);
    await expect(asked('PreToolUze')).rejects.toThrow(/--event: no record is about an event PreToolUze.*PreToolUse/);
    await expect(asked('PreToolUze', true)).rejects.toThrow(/PreToolUse/);
    await expect(asked('Zzzzzzzzzz')).rejects.toThrow('--event');
    // Records of it may still come.
    await expect(asked('Zzzzzzzzzz', true)).resolves.toBeUndefined();
    for (const event of ['Deployed', 'PreToolUse', 'pre-tool-use']) await expect(asked(event)).resolves.toBeUndefined();
  });

  test('a hook that no record lists is told which there are', () => {
    const filter = readFilter({ hook: 'allowBsh' });
    filter.match(fire());
    expect(filter.unknownHook()).toMatch(/lists a hook allowBsh; did you mean allowBash\?$/);
    const right = readFilter({ hook: 'allowBash' });
    right.match(fire());
    expect(right.unknownHook()).toBeUndefined();
  });

  test.each([
    [{ agent: '' }, '--agent: expected a name'],
    [{ hook: ' ' }, '--hook: expected a name'],
    [{ event: '' }, '--event: expected a name'],
    [{ since: 2, until: 1 }, '--until: expected a time after that of --since'],
  ])('%j is an error', (flags, message) => {
    expect(() => readFilter(flags)).toThrow(message);
  });
});
