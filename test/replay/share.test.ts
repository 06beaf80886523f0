import { expect, test } from 'vitest';
import { createHost, deny, type FireRecord, type Hooks } from '../../src/index.js';
import { replay } from '../../src/replay/replay.js';

const CALL = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };
const guard = () => deny('no');

test('what is enforced in a share of sessions decides in those that it would decide in', async () => {
  const fires: FireRecord[] = [];
  const made = (hooks: Hooks) => {
    const host = createHost({ logger: () => {} });
    host.register(hooks);
    return host;
  };
  const before = made({ PreToolUse: [{ hooks: [guard] }] });
  before.events$.subscribe((record) => record.type === 'hook_fire' && fires.push(record));
  const sessions = Array.from({ length: 12 }, (_, i) => `s${i}`);
  for (const session_id of sessions) await before.fire('PreToolUse', { ...CALL, session_id });
  await before.close();

  const after = made({ PreToolUse: [{ enforce: 0.4, hooks: [guard] }] });
  const replayed: string[] = [];
  for await (const { now } of replay(after, fires)) replayed.push(now.word);
  const live: string[] = [];
  for (const session_id of sessions)
    live.push((await after.fire('PreToolUse', { ...CALL, session_id })).verdict ?? 'none');
  await after.close();
  expect(replayed).toEqual(live);
  expect(new Set(live).size).toBe(2);
});
