import { expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { createBus } from '../../src/emit/bus.js';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { HookRecord } from '../../src/emit/record.js';
import { deny } from '../../src/events/output/helpers.js';

const call = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'ls' } };
const kindOf = (record: HookRecord) => (record.type === 'system' ? record.subtype : record.type);

/** One record of every kind that a host makes. */
async function everyKind(): Promise<HookRecord[]> {
  const host = createHost({ logger: () => undefined });
  const records: HookRecord[] = [];
  host.events$.subscribe((record) => records.push(record));
  host.on('PreToolUse', (_, __, { progress }) => {
    progress('half way');
    return deny('no');
  });
  await host.fire('PreToolUse', call);
  await host.fire('PostToolUse', { ...call, tool_response: {} });
  const session = await host.openSession();
  await session.tool({ id: 't2', name: 'Bash', input: {}, execute: () => 'done' });
  await session.close();
  await host.close();
  return records;
}

test("every record has its host's id, the same for all of them, and another host has another", async () => {
  const [one, other] = [await everyKind(), await everyKind()];
  const kinds = ['hook_started', 'hook_progress', 'hook_response', 'hook_fire', 'tool_call', 'hook_alarm'];
  expect([...new Set(one.map(kindOf))].sort()).toEqual(kinds.sort());
  for (const records of [one, other]) {
    const ids = new Set(records.map((record) => hookRecord.parse(record).host_id));
    expect([...ids]).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
    expect(new Set(records.map(({ seq }) => seq)).size).toBe(records.length);
  }
  expect(one[0]?.host_id).not.toBe(other[0]?.host_id);
});

test('so has a problem of a control connection; a record of an older version lacks it', () => {
  const bus = createBus({ logger: () => undefined });
  const records: HookRecord[] = [];
  bus.events$.subscribe((record) => records.push(record));
  const problem = {
    type: 'system',
    subtype: 'control_problem',
    peer: 'claude',
    problem: 'bad_json',
    message: 'm',
  } as const;
  bus.emit(() => problem);
  expect(records[0]?.host_id).toMatch(/^[0-9a-f]{12}$/);
  const { host_id: _, ...older } = records[0] as HookRecord;
  expect(hookRecord.parse(older)).toEqual(older);
});
