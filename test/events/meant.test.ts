import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { Meanings, NOTHING_SAID } from '../../src/events/output/meant.js';
import { type Outcome, readOutput } from '../../src/events/output/outcome.js';
import { generated } from '../seed.js';

const RUNS = generated(4000);

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

const OTHER: Readonly<Record<string, string>> = {
  permissionDecisionReason: 'additionalContext',
  additionalContext: 'permissionDecisionReason',
};

type Answer = typeof answer extends fc.Arbitrary<infer T> ? T : never;

test("what is seen at once of answers in the wire's words, one after the other, is what reading each gives, as it was said", () => {
  let seen = 0;
  let again = 0;
  const check = (meanings: Meanings, event: keyof typeof CATALOGUE, { name, words, nameAt, beside }: Answer) => {
    const spec = CATALOGUE[event];
    const entries: [string, unknown][] = [...words];
    if (name !== 'absent') entries.splice(nameAt, 0, ['hookEventName', name === 'right' ? event : 'Other']);
    const inner = Object.fromEntries(entries);
    const value = { hookSpecificOutput: inner, ...beside };
    const text = JSON.stringify(value);
    const found = meanings.of(value, event);
    if (found === undefined) return undefined;
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
    return found;
  };
  fc.assert(
    fc.property(event, fc.array(answer, { minLength: 1, maxLength: 4 }), (event, answers) => {
      const meanings = new Meanings(CATALOGUE[event]);
      // Each with one word less first, then under other keys, then twice.
      for (const said of answers) {
        check(meanings, event, { ...said, words: said.words.slice(0, -1) });
        check(meanings, event, { ...said, words: said.words.map(([key, value]) => [OTHER[key] ?? key, value]) });
        const found = check(meanings, event, said);
        if (check(meanings, event, said) === found && found !== undefined) again++;
      }
    }),
    { numRuns: RUNS / 4 },
  );
  expect(seen).toBeGreaterThan(RUNS / 20);
  expect(again).toBeGreaterThan(RUNS / 80);
});

test('an answer under the name of another event of the same hook is none of them', () => {
  const answer = (hookEventName: string) => ({ hookSpecificOutput: { hookEventName, additionalContext: 'x' } });
  const meanings = new Meanings(CATALOGUE.SubagentStop);
  expect(meanings.of(answer('Stop'), 'SubagentStop')).toBeUndefined();
  expect(meanings.of(answer('SubagentStop'), 'Stop')).toBeUndefined();
  expect(meanings.of(answer('Stop'), 'Stop')).toBeDefined();
  expect(meanings.of(answer('Stop'), 'SubagentStop')).toBeUndefined();
});
