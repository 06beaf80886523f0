import { describe, expect, test } from 'vitest';
import type { HookAlarm } from '../../../src/host/alarms/alarms.js';
import { fire } from '../../../src/host/fire/fire.js';
import { servicesOf } from '../../../src/host/internals.js';
import { readRecording } from '../../session/recorded-session.js';
import { anyHooks, testHost } from '../kit.js';

const SESSIONS = ['compaction', 'interactive-permission', 'permissions', 'simple', 'two-parallel-subagents'];

/** Fires what the real client told its hooks, as if it asked us about every tool. */
async function alarmsOf(
  name: string,
  change: (event: string, input: Record<string, unknown>) => Record<string, unknown> | undefined,
): Promise<string[]> {
  const alarms: HookAlarm[] = [];
  const { host } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  host.register(anyHooks({ PreToolUse: [{ hooks: [() => undefined] }] }));
  for (const { event, input } of readRecording(name)) {
    const changed = change(event, { ...input });
    if (changed) await fire(servicesOf(host), event, changed, { everyTool: true });
  }
  await host.close();
  return alarms.map(({ alarm }) => alarm);
}

describe('a recorded session of the real client', () => {
  test.each(SESSIONS)('%s has no alarm', async (name) => {
    expect(await alarmsOf(name, (_, input) => input)).toEqual([]);
  });

  test('would have, had the client not asked or had it run something else', async () => {
    const ran = readRecording('simple').filter(({ event }) => event === 'PostToolUse').length;
    expect(ran).toBeGreaterThan(1);
    const all = (alarm: string) => Array.from({ length: ran }, () => alarm);
    const unasked = await alarmsOf('simple', (event, input) => (event === 'PreToolUse' ? undefined : input));
    expect(unasked).toEqual(all('unasked'));
    const other = await alarmsOf('simple', (event, input) =>
      event === 'PostToolUse' ? { ...input, tool_input: { ...(input['tool_input'] as object), more: 1 } } : input,
    );
    expect(other).toEqual(all('other_input'));
  });
});
