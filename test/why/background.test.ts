import { beforeAll, describe, expect, test } from 'vitest';
import { Health } from '../../src/cli/doctor/health.js';
import { createHost, type FireRecord, type HookRecord } from '../../src/index.js';
import { countsOf, tallies } from '../../src/page/records/filter.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { rowAt } from '../../src/page/records/row.js';
import { answerFor } from '../../src/why/answer.js';
import { BackgroundRuns, endsIn } from '../../src/why/background.js';
import { SameHooks } from '../../src/why/same-hook.js';
import { countedIn, Tallies } from '../../src/why/tally.js';

const isFire = (record: HookRecord): record is FireRecord => record.type === 'hook_fire';
const isEnd = (record: HookRecord) => record.type === 'system' && record.subtype === 'hook_response';

/** The records of three fires with a hook that fails in the background; `beside`: its end comes before the fire's record. */
async function recordsOf(beside: boolean): Promise<HookRecord[]> {
  const records: HookRecord[] = [];
  const host = createHost({ logger: () => undefined });
  host.events$.subscribe((record) => records.push(record));
  let failed: () => void = () => undefined;
  const broken = async () => {
    await (beside ? undefined : new Promise((resolve) => setTimeout(resolve, 20)));
    setTimeout(() => failed());
    throw new Error('no disk');
  };
  host.register({ PostToolUse: [{ name: 'audit', hooks: [{ handler: broken, async: true }] }] });
  if (beside) {
    const slow = () =>
      new Promise<undefined>((resolve) => {
        failed = () => setTimeout(() => resolve(undefined), 5);
      });
    host.register({ PostToolUse: [{ name: 'slow', hooks: [slow] }] });
  }
  for (let i = 0; i < 3; i++) {
    const call = { tool_name: 'Bash', tool_input: {}, tool_use_id: `t${i}`, session_id: 's' };
    await host.fire('PostToolUse', { ...call, tool_response: '' });
  }
  await host.close();
  return records;
}

describe.each([{ beside: false }, { beside: true }])(
  'a hook that fails in the background ($beside: before its fire is recorded)',
  ({ beside }) => {
    let records: HookRecord[];
    let fire: FireRecord;
    beforeAll(async () => {
      records = await recordsOf(beside);
      fire = records.find(isFire) as FireRecord;
      const handler = fire.handlers.find(({ name }) => name === 'audit');
      const end = records.findIndex((record) => isEnd(record) && (record as { name: string }).name === 'audit');
      expect([handler?.status, end < records.indexOf(fire)]).toEqual(['background', beside]);
    });

    test('stats counts its failures and its times', () => {
      const [counted, hooks] = [new Tallies(), new SameHooks()];
      for (const record of records) {
        if (record.type === 'system' && record.subtype === 'hook_response') counted.end(record);
        if (isFire(record)) for (const handler of countedIn(record, hooks)) counted.add(record, handler, undefined);
      }
      const audit = counted.rows().find(({ hook }) => hook === 'audit');
      expect(audit).toMatchObject({ runs: 3, failures: 3, max: expect.any(Number) });
    });

    test('doctor says that it always fails, with its message', () => {
      const health = new Health((record) => record);
      for (const record of records) health.add(record);
      expect(health.findings(1000)).toEqual([
        {
          level: 'problem',
          about: 'hook',
          text: expect.stringMatching(
            /^audit .* failed each of the 3 times it ran on PostToolUse \(threw\), .* no disk\.$/,
          ),
          fix: expect.stringMatching(/^Fix the error that it throws/),
        },
      ]);
    });

    test('why says how it ended, and what to do', () => {
      const ends = records.filter((record) => record.type === 'system' && record.subtype === 'hook_response');
      const facts = { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome: [] };
      const told = answerFor(fire, { ...facts, ends });
      const [audit] = told.asked;
      expect(audit?.text).toMatch(
        /went on in the background and decided nothing; there it failed \(threw: .*no disk\) \([\d.]+ ms\)\.$/,
      );
      expect(told.changes).toContainEqual(expect.stringMatching(/^For audit to work: fix the error that it throws/));
      const unknown = answerFor(fire, facts);
      expect(unknown.asked[0]?.text).toMatch(/goes on in the background, and decides nothing\.$/);
    });

    test('the page counts its failures among the fires as among the hooks, from when they were known', () => {
      const kept = new KeptRecords(false);
      for (const record of records) kept.add(JSON.stringify(record));
      kept.settle();
      const all = Number.POSITIVE_INFINITY;
      expect(tallies(kept.rows, kept, '', all).find(({ hook }) => hook === 'audit')?.failures).toBe(3);
      expect(countsOf(kept.rows)).toMatchObject({ fires: 3, failed: 3 });
      const [row] = kept.rows;
      const known = Math.max(...kept.ended.filter(({ fire_id }) => fire_id === fire.fire_id).map(({ at }) => at));
      expect(countsOf(kept.rows.slice(0, 1).map((one) => rowAt(one, known - 1)))).toMatchObject({ failed: 0 });
      expect(row && rowAt(row, known)).toBe(row);
    });
  },
);

describe('a run in the background and its end', () => {
  const end = (handler_id: string, message?: string) => ({
    ...{ fire_id: 'f', handler_id, time: '2026-01-31T09:15:00.000Z', duration_ms: 1 },
    ...(message === undefined ? {} : { failure: { cause: 'threw', message } }),
  });
  const background = { id: 'h', status: 'background' } as const;

  test('find each other once, whichever comes first', () => {
    const runs = new BackgroundRuns<string>();
    expect(runs.begin('f', background, 'place')).toBe(undefined);
    expect(runs.end(end('h'))).toBe('place');
    expect(runs.end(end('h', 'late'))).toBe(undefined);
    expect(runs.begin('f', background, 'place')?.failure?.message).toBe('late');
    expect(runs.begin('f', background, 'place')).toBe(undefined);
  });

  test('the answers before it went on in the background are not its end', () => {
    const ends = [end('h'), end('h', 'in the background')];
    const fire = { fire_id: 'f', handlers: [{ ...background, reasked: 1 }] };
    expect(endsIn(fire, ends.slice(0, 1)).size).toBe(0);
    expect(endsIn(fire, ends).get('h')?.failure?.message).toBe('in the background');
  });

  test('of many that have ended and whose fires never come, the oldest are forgotten; those of fires that came need no room', () => {
    const runs = new BackgroundRuns<string>(2);
    runs.end(end('h', 'mine'));
    for (let i = 0; i < 10; i++) {
      runs.end(end(`done${i}`));
      runs.begin('f', { id: `done${i}`, status: 'ran' }, '');
    }
    expect(runs.begin('f', background, 'place')?.failure?.message).toBe('mine');
    for (const handler of ['h', 'a', 'b']) runs.end(end(handler));
    expect(runs.begin('f', background, 'place')).toBe(undefined);
  });
});
