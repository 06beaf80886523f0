import { expect, test } from 'vitest';
import { ON_FAILURE } from '../../src/events/failure.js';
import * as helpers from '../../src/events/output/helpers.js';
import type { FireRecord, Hooks } from '../../src/index.js';
import { replay } from '../../src/replay.js';
import { INPUTS } from '../host/inputs.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { all } from './all.js';
import { hostOf, lived } from './kit.js';

// What counted of an answer that is wrong in part counts in a replay, and nothing else of it.

type Json = Record<string, unknown>;
const EVENTS = [
  'PreToolUse',
  'PermissionRequest',
  'PreModelSwitch',
  'PostToolUse',
  'Stop',
  'UserPromptSubmit',
] as const;
const { allow, ask, deny, addContext, stop, rewrite } = helpers;

const hooksOf = (event: string, onFailure: string, answers: readonly (() => unknown)[]): Hooks => ({
  [event]: [{ onFailure, hooks: answers.map((handler, i) => ({ name: `h${i}`, handler })) }],
});

const ALLOWS: Readonly<Record<string, readonly [event: string, answer: Json, counted: Json | undefined]>> = {
  'of a helper': [
    'PreToolUse',
    { ...allow('y'), ...addContext('c'), systemMessage: null },
    { hookSpecificOutput: { additionalContext: 'c' } },
  ],
  alone: ['PreToolUse', { ...allow('y'), systemMessage: null }, undefined],
  'in words': [
    'PreToolUse',
    { hookSpecificOutput: { permissionDecision: 'allow', updatedInput: { command: 'z' }, additionalContext: 5 } },
    { hookSpecificOutput: { updatedInput: { command: 'z' } } },
  ],
  'in former words': [
    'PreToolUse',
    { decision: 'approve', reason: 'y', continue: true, systemMessage: 5 },
    { continue: true },
  ],
  "in the user's place": [
    'PermissionRequest',
    {
      continue: true,
      systemMessage: 5,
      hookSpecificOutput: { decision: { behavior: 'allow', updatedInput: { a: 1 } } },
    },
    { continue: true },
  ],
};

test.each(Object.entries(ALLOWS))(
  'an allow %s that does not count is not in the record',
  async (_, [event, said, counted]) => {
    for (const onFailure of ON_FAILURE) {
      const hooks = hooksOf(event, onFailure, [() => said]);
      const { fires, verdicts } = await lived(hostOf(hooks), [event, INPUTS[event as 'PreToolUse']]);
      // In the user's place, asking is no decision.
      const asks = event === 'PermissionRequest' ? 'none' : 'ask';
      expect(verdicts).toEqual([{ continue: 'none', ask: asks, block: 'deny' }[onFailure]]);
      expect(fires[0]?.handlers[0]?.output).toEqual(counted);
      const [found] = await all(replay(hostOf(hooks), JSON.parse(JSON.stringify(fires))));
      expect([found?.changed, found?.now.decision['verdict'] ?? 'none']).toEqual([undefined, verdicts[0]]);
    }
  },
);

test('a replay tells of the failure that was recorded, whatever else was wrong with the answer', async () => {
  const said = { ...addContext('c'), continue: 'no', hookSpecificOutput: { decision: { behavior: 'deny' } } };
  const hooks = hooksOf('PreToolUse', 'continue', [() => said]);
  const { fires } = await lived(hostOf(hooks), ['PreToolUse', INPUTS.PreToolUse]);
  const [found] = await all(replay(hostOf(hooks), fires));
  expect(found?.changed).toBeUndefined();
  expect(found?.now.decision['failures']).toMatchObject([{ message: 'continue: expected boolean, got string' }]);
});

const random = randomFrom(SEED);
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

const WORDS = ['allow', 'deny', 'ask', 'defer', 'block', 'approve', 'DENY', 5, null, undefined, true, 'text', {}, []];
const VALUES = [...WORDS, { command: 'y' }, ...['allow', 'deny', 'ask', 5].map((behavior) => ({ behavior }))];
const TOP = ['permission', 'verdict', 'behavior', 'permissionDecision', 'decision', 'systemMessage', 'reason', 'zzz'];
const MORE = ['suppressOutput', 'stopReason', 'preventContinuation', 'async', 'hookSpecificOutput'];
const INNER = ['permission', 'behavior', 'decision', 'permissionDecision', 'permissionDecisionReason', 'updatedInput'];
const OWN = ['additionalContext', 'updatedToolOutput', 'hookEventName', 'zzz'];
const DECISIONS = [{ message: 5 }, { updatedInput: { command: 'z' } }, { interrupt: true }, { updatedInput: 5 }, {}];

function part(event: string): Json {
  const kind = random();
  if (kind < 0.2)
    return pick([deny('no'), ask('q'), allow('y'), addContext('c'), stop('s'), rewrite({ command: 'x' })]) as Json;
  if (kind < 0.5) return { [pick([...TOP, ...MORE])]: pick(VALUES) };
  if (kind < 0.6) return { continue: pick([false, true, 'no', undefined]) };
  const own = kind < 0.8 ? { [pick([...INNER, ...OWN])]: pick(VALUES) } : {};
  const decision = { behavior: pick(['allow', 'deny', 'ask']), ...pick(DECISIONS) };
  const named = random() < 0.5 ? { hookEventName: random() < 0.8 ? event : 'Setup' } : {};
  return { hookSpecificOutput: { ...named, ...own, ...(kind < 0.8 ? {} : { decision }) } };
}

/** An answer made of up to four parts, whose inner objects are merged. */
function anyAnswer(event: string): Json {
  const parts = Array.from({ length: Math.ceil(random() * 4) }, () => part(event));
  const inner = parts.map(({ hookSpecificOutput }) => hookSpecificOutput);
  const merged = inner.some((one) => one !== undefined) ? { hookSpecificOutput: Object.assign({}, ...inner) } : {};
  return Object.assign({}, ...parts, random() < 0.9 ? merged : {});
}

test.each(EVENTS)('answers of any kind on %s count as much in a replay as when they were given', async (event) => {
  const found: unknown[] = [];
  for (const onFailure of ON_FAILURE)
    for (const count of [1, 2]) {
      const given = Array.from({ length: generated(40) }, () => Array.from({ length: count }, () => anyAnswer(event)));
      let at = 0;
      const answers = Array.from({ length: count }, (_, i) => () => given[at]?.[i]);
      const host = hostOf(hooksOf(event, onFailure, answers));
      const fires: FireRecord[] = [];
      host.events$.subscribe((one) => one.type === 'hook_fire' && fires.push(one));
      for (at = 0; at < given.length; at++) await host.fireAny(event, INPUTS[event] as never);
      await host.close();
      const again = hostOf(hooksOf(event, onFailure, answers));
      for (const [i, { changed, then, now }] of (await all(replay(again, JSON.parse(JSON.stringify(fires))))).entries())
        if (changed !== undefined) found.push([onFailure, given[i], changed, then?.decision, now]);
      await again.close();
    }
  expect(found.slice(0, 3)).toEqual([]);
});
