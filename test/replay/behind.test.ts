import { expect, test } from 'vitest';
import { addContext, allow, ask, block, deny, type Hooks, rewrite, stop } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { all } from './all.js';
import { bash, hostOf, lived } from './kit.js';

const HOOKS: Readonly<Record<string, () => unknown>> = {
  context: () => addContext('c'),
  more: () => addContext('c2'),
  denies: () => deny('no'),
  allows: () => allow('fine'),
  asks: () => ask('sure?'),
  rewrites: () => rewrite({ command: 'z' }),
  tells: () => ({ systemMessage: 's' }),
  lints: () => block('lint'),
  masks: () => rewrite('masked'),
  stops: () => stop('enough'),
  fails: () => Promise.reject(new Error('broken')),
};
const CALL = { ...bash('ls'), tool_name: 'mcp__a__b' };
const INPUTS: Readonly<Record<string, object>> = {
  PreToolUse: CALL,
  PostToolUse: { ...CALL, tool_response: 'o' },
  PostToolUseFailure: { ...CALL, error: 'e' },
  Stop: { stop_hook_active: false },
};

const on = (event: string, names: string): Hooks =>
  ({
    [event]: names
      .split(' ')
      .filter(Boolean)
      .map((name) => ({ name, hooks: [HOOKS[name]] })),
  }) as Hooks;

test.each<[event: string, then: string, now: string, changed: string, by: string]>([
  // What is gone.
  ['PreToolUse', 'rewrites context', 'context', 'rewritten', 'rewrites'],
  ['PreToolUse', 'rewrites context', 'rewrites', 'said', 'context'],
  ['PreToolUse', 'allows rewrites', 'allows', 'rewritten', 'rewrites'],
  ['PreToolUse', 'asks rewrites', 'asks', 'rewritten', 'rewrites'],
  ['PreToolUse', 'allows context', 'allows', 'said', 'context'],
  ['PreToolUse', 'allows tells', 'allows', 'said', 'tells'],
  ['PreToolUse', 'denies context', 'denies', 'said', 'context'],
  ['PreToolUse', 'asks allows', 'allows', 'allowed', 'asks'],
  ['PreToolUse', 'denies asks', 'asks', 'asked', 'denies'],
  ['PreToolUse', 'denies allows', 'allows', 'allowed', 'denies'],
  ['PreToolUse', 'context more', 'context', 'said', 'more'],
  ['PreToolUse', 'context fails', 'context', 'said', 'fails'],
  ['PostToolUse', 'lints context', 'lints', 'said', 'context'],
  ['PostToolUse', 'lints masks', 'lints', 'rewritten', 'masks'],
  ['PostToolUse', 'masks lints', 'masks', 'allowed', 'lints'],
  ['PostToolUse', 'stops context', 'context', 'allowed', 'stops'],
  ['PostToolUseFailure', 'masks', '', 'rewritten', 'masks'],
  // What has come.
  ['PreToolUse', 'allows', 'allows context', 'said', 'context'],
  ['PreToolUse', 'allows', 'context allows', 'said', 'context'],
  ['PreToolUse', 'context', 'rewrites context', 'rewritten', 'rewrites'],
  ['PreToolUse', 'context', 'denies context', 'denied', 'denies'],
  ['PreToolUse', 'allows', 'allows asks', 'asked', 'asks'],
  ['PostToolUse', 'lints', 'masks lints', 'rewritten', 'masks'],
  ['PostToolUse', 'lints', 'context lints', 'said', 'context'],
  ['Stop', '', 'stops', 'denied', 'stops'],
  // Both.
  ['PostToolUseFailure', 'masks', 'context', 'rewritten', 'masks'],
  ['Stop', 'stops', 'lints', 'allowed', 'lints'],
])('%s, %s, then %s: %s by %s', async (event, then, now, changed, by) => {
  const { fires } = await lived(hostOf(on(event, then)), [event, INPUTS[event] as object]);
  const host = hostOf(on(event, now));
  const [since] = await all(replay(host, fires, { runCallbacks: true }));
  const [between] = await all(replay(host, fires, { runCallbacks: true, against: hostOf(on(event, then)) }));
  expect([since, between].map((found) => [found?.changed, found?.by?.name])).toEqual([
    [changed, by],
    [changed, by],
  ]);
});

test('a hook that only watched is behind nothing', async () => {
  const group = { name: 'notes', phase: 'observe', hooks: [() => addContext('seen')] };
  const { fires } = await lived(
    hostOf({ PreToolUse: [...(on('PreToolUse', 'context').PreToolUse ?? []), group] } as Hooks),
    ['PreToolUse', CALL],
  );
  const [found] = await all(replay(hostOf({}), fires));
  expect([found?.changed, found?.by?.name]).toEqual(['said', 'context']);
});
