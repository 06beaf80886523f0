import { expect, test } from 'vitest';
import { ask, type Hooks, rule } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { all } from './all.js';
import { bash, hostOf, lived } from './kit.js';

const AGENT = { agent_id: 'a1', agent_type: 'w', session_id: 's1' };
const LET_IN: Hooks = {
  PermissionRequest: [{ if: 'Bash(git *)', hooks: [rule('allow', undefined, { name: 'let-in' })] }],
};
const pre = { ...bash('git push'), ...AGENT };
const { tool_use_id: _, ...question } = pre;
const CALLS = [
  ['SubagentStart', AGENT],
  ['PreToolUse', pre],
  ['PermissionRequest', question],
] as const;

const make = (hooks: Hooks) => {
  const host = hostOf(hooks);
  host.spawnHooks('w', LET_IN);
  return host;
};
const asking = (handler: () => unknown): Hooks => ({ PreToolUse: [{ hooks: [{ name: 'asks', handler }] as never }] });

test("what hooks had asked is known in a replay: under the same hooks an agent's rule does not answer it", async () => {
  const hooks = asking(() => ask('sure?'));
  const { fires } = await lived(make(hooks), ...CALLS);
  expect(fires.map(({ decision }) => decision.verdict)).toEqual([undefined, 'ask', 'none']);
  const found = await all(replay(make(hooks), fires));
  expect(found.map(({ changed }) => changed)).toEqual([undefined, undefined, undefined]);
});

test('what is asked in the live host is not known in a replay', async () => {
  const { fires } = await lived(make({}), ...CALLS);
  expect(fires.at(-1)?.decision.verdict).toBe('allow');
  const host = make(asking(() => ask('sure?')));
  await host.fire('PreToolUse', pre as never);
  const found = await all(replay(host, fires.slice(2)));
  expect(found.map(({ changed }) => changed)).toEqual([undefined]);
});
