import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { Meanings, NOTHING_SAID } from '../../src/events/meant.js';
import { type Outcome, readOutput } from '../../src/events/outcome.js';

const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 4000);

const KEYS = [
  'verdict',
  'block',
  'continue',
  'stopReason',
  'reason',
  'systemMessage',
  'suppressOutput',
  'additionalContext',
  'rewrite',
  'value',
  'specific',
  'async',
] as const;
const parts = (outcome: Outcome): unknown => Object.fromEntries(KEYS.map((key) => [key, outcome[key]]));

const word = fc.constantFrom<unknown>(
  '',
  'x',
  'allow',
  'deny',
  'ask',
  'defer',
  'block',
  'none',
  5,
  null,
  undefined,
  ['x'],
  {},
);
const right: Readonly<Record<string, readonly unknown[]>> = {
  permissionDecision: ['allow', 'deny', 'ask', 'defer'],
  permissionDecisionReason: ['x', '', 'not here'],
  additionalContext: ['x', '', 'more'],
};
const rare = ['updatedInput', 'sessionTitle', 'toJSON', 'unknown', '__proto__'];
/** Three of four are words that fit their key. */
const entry = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(...Object.keys(right))
      .chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...(right[key] ?? [])))),
  },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...Object.keys(right), ...rare), word) },
);
const event = fc.oneof(
  { weight: 1, arbitrary: fc.constant('PreToolUse' as const) },
  { weight: 1, arbitrary: fc.constantFrom(...HOOK_EVENTS) },
);
const name = fc.constantFrom('right', 'right', 'wrong', 'absent');

/** In any order of keys. */
const answer = fc.record({
  name,
  words: fc.uniqueArray(entry, { maxLength: 3, selector: ([k]) => k }),
  nameAt: fc.nat(3),
  beside: fc.constantFrom<object>({}, {}, {}, {}, { systemMessage: 'x' }, { continue: false }, { async: true }),
});

test("what is seen at once of an answer in the wire's words is what reading it gives, as it was said", () => {
  let seen = 0;
  fc.assert(
    fc.property(event, answer, (event, { name, words, nameAt, beside }) => {
      const spec = CATALOGUE[event];
      const entries: [string, unknown][] = [...words];
      if (name !== 'absent') entries.splice(nameAt, 0, ['hookEventName', name === 'right' ? event : 'Other']);
      const inner = Object.fromEntries(entries);
      const value = { hookSpecificOutput: inner, ...beside };
      const text = JSON.stringify(value);
      const found = new Meanings(spec).of(value, event);
      if (found === undefined) return;
      seen++;
      const read = readOutput(spec, value, { eventName: event, nameRequired: false });
      if ('bad' in read) throw new Error(`${text} is bad: ${read.bad}`);
      expect(read.warnings).toEqual([]);
      expect(parts(found)).toEqual(parts(read.outcome));
      expect(found).not.toBe(NOTHING_SAID);
      expect([JSON.stringify(found.output), found.printed]).toEqual([text, text]);
      // Its own copy: what the hook does to its answer later changes nothing.
      inner['permissionDecision'] = 'allow';
      inner['additionalContext'] = 'changed';
      expect(JSON.stringify(found.output)).toBe(text);
      expect(Object.isFrozen(found.output)).toBe(true);
    }),
    { numRuns: RUNS },
  );
  expect(seen).toBeGreaterThan(RUNS / 20);
});

test('an answer under the name of another event of the same hook is none of them', () => {
  const answer = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: 'x' } });
  const meanings = new Meanings(CATALOGUE.SubagentStop);
  expect(meanings.of(answer('Stop'), 'SubagentStop')).toBeUndefined();
  expect(meanings.of(answer('SubagentStop'), 'Stop')).toBeUndefined();
});
