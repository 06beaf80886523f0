import { describe, expect, test } from 'vitest';
import { recordLine } from '../../src/cli/history/line.js';
import type { FireRecord, HookRecord } from '../../src/emit/record.js';
import { createHost, formatFire, formatRecord, type Host } from '../../src/index.js';
import { KeptRecords } from '../../src/page/records/kept.js';
import { readRecord } from '../../src/store/read-record.js';
import { about } from '../../src/why/about.js';
import { answerFor, answerText } from '../../src/why/answer.js';
import { whatBecame } from '../../src/why/ran.js';
import { SAMPLES } from '../store/records.js';

/** Names that every object has, and no table of ours. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);
/** Without these it would be no record, or one of another type. */
const KEPT = new Set(['type', 'subtype', 'time']);

/** Each record, once for each text in it that is replaced by the word. */
function* withWord(value: unknown, word: string): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, one] of Object.entries(value)) {
    const copies = typeof one === 'string' ? (KEPT.has(key) ? [] : [word]) : withWord(one, word);
    for (const copy of copies) yield Array.isArray(value) ? value.with(Number(key), copy) : { ...value, [key]: copy };
  }
}

describe.each(INHERITED)('the word %s anywhere in a record', (word) => {
  const records = [...SAMPLES, { ...SAMPLES[0], error: word }].flatMap((sample) =>
    [...withWord(sample, word), { ...sample, error: word }].flatMap(
      (one) => readRecord(JSON.parse(JSON.stringify(one))).record ?? [],
    ),
  );
  const fires = records.filter((record): record is FireRecord => record.type === 'hook_fire');

  test('is explained', () => {
    for (const record of records) {
      const outcome = whatBecame({ records: [record] });
      expect(outcome.every((line) => typeof line === 'string')).toBe(true);
      if (record.type !== 'hook_fire') continue;
      const facts = { agent: 'main', otherFires: { sentences: [], changes: [] }, outcome };
      expect(answerText(answerFor(record, facts))).not.toMatch(/\[native code\]|\[object/);
    }
  });

  test('is printed, in colour too', () => {
    for (const record of records) {
      expect(recordLine(record, { color: true, agent: 'main' })).not.toContain('[native code]');
      expect(formatRecord(record as HookRecord, { color: true })).not.toContain('[native code]');
    }
    for (const fire of fires) expect(formatFire(fire, { color: true })).not.toContain('[native code]');
  });

  test('is on the page', () => {
    const kept = new KeptRecords(false);
    for (const record of records) kept.add(JSON.stringify(record));
    expect(kept.foreign).toBe(0);
  });
});

test("nothing is said of an agent's scope, whoever opened it: no record shows who did, or whether it ends", async () => {
  for (const opened of ['by nobody', 'by its type', 'by its id'] as const) {
    const host = createHost({ logger: () => undefined }) as Host;
    const seen: FireRecord[] = [];
    host.events$.subscribe((record) => void (record.type === 'hook_fire' && seen.push(record)));
    const hooks = { PreToolUse: [{ hooks: [() => undefined] }] };
    host.spawnHooks(opened === 'by its type' ? 'baker' : 'gardener', hooks);
    host.registerScoped(opened === 'by its id' ? 'b1' : 'g1', hooks);
    const call = { session_id: 's', transcript_path: '', cwd: '/' };
    const of = { ...call, agent_id: 'b1', agent_type: 'baker' };
    await host.fire('SubagentStart', of as never);
    await host.fire('SubagentStop', { ...of, stop_hook_active: false, agent_transcript_path: '' } as never);
    // Rejected: without an agent, and with a type that is no text.
    for (const wrong of [
      { ...call, agent_type: 'baker' },
      { ...of, agent_type: 5 },
    ])
      await expect(host.fire('SubagentStart', wrong as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await host.close();
    expect(seen.map(about), opened).toEqual(['', '', '', '']);
    expect(seen.filter(({ error }) => error !== undefined)).toHaveLength(2);
  }
});
