import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CATALOGUE, HOOK_EVENTS } from '../../src/events/catalogue.js';
import { helperToOutput } from '../../src/events/output/helper-words.js';
import { deny } from '../../src/events/output/helpers.js';
import { Meanings, NOTHING_SAID } from '../../src/events/output/meant.js';
import { type Outcome, readOutput } from '../../src/events/output/outcome.js';
import { RecentAnswers } from '../../src/events/output/recent-answers.js';
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
  let hook = new RecentAnswers();
  const check = (meanings: Meanings, event: keyof typeof CATALOGUE, { name, words, nameAt, beside }: Answer) => {
    const spec = CATALOGUE[event];
    const entries: [string, unknown][] = [...words];
    if (name !== 'absent') entries.splice(nameAt, 0, ['hookEventName', name === 'right' ? event : 'Other']);
    const inner = Object.fromEntries(entries);
    const value = { hookSpecificOutput: inner, ...beside };
    const text = JSON.stringify(value);
    const found = meanings.of(value, event, hook);
    if (found === undefined) return undefined;
    seen++;
    const read = readOutput(spec, value, { eventName: event, nameRequired: false });
    if ('bad' in read) throw new Error(`${text} is bad: ${read.bad}`);
    expect(read.warnings).toEqual([]);
    if (found === NOTHING_SAID) throw new Error(`${text} says something`);
    expect(parts(found)).toEqual(parts(read.outcome));
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
      hook = new RecentAnswers();
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
  const hook = new RecentAnswers();
  expect(meanings.of(answer('Stop'), 'SubagentStop', hook)).toBeUndefined();
  expect(meanings.of(answer('SubagentStop'), 'Stop', hook)).toBeUndefined();
  expect(meanings.of(answer('Stop'), 'Stop', hook)).toBeDefined();
  expect(meanings.of(answer('Stop'), 'SubagentStop', hook)).toBeUndefined();
});

const text = fc.constantFrom<unknown>('x', 'x', 'y', '', undefined, null, 5);
const verdict = fc.constantFrom<unknown>('allow', 'allow', 'allow', 'deny', 'deny', 'no verdict', undefined);
/** What a verdict may be held in: only plain objects are compared with what was said before. */
const HOLDERS: readonly ((inner: object) => unknown)[] = [
  (inner) => inner,
  (inner) => inner,
  (inner) => ({ ...inner, more: 1 }),
  (inner) => Object.assign([], inner),
  (inner) => Object.assign(Object.create(null), inner),
  (inner) => Object.assign(Object.create({ verdict: 'allow' }), inner),
  () => 'allow',
  () => null,
  () => undefined,
];
const ofHelpers = fc.tuple(
  fc.record({ verdict, reason: text }, { requiredKeys: [] }),
  fc.constantFrom(...HOLDERS),
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record(
        {
          'hookscope:context': text,
          'hookscope:stop': fc.constantFrom<unknown>(true, 'x', undefined),
          hookSpecificOutput: fc.constant({ additionalContext: 'x' }),
        },
        { requiredKeys: [] },
      ),
    },
  ),
  fc.boolean(),
);

const outcomeOf = (meant: ReturnType<Meanings['of']>): Outcome | undefined =>
  meant === NOTHING_SAID ? { output: {} } : meant;

test("what one hook's answers mean does not depend on what it said before", () => {
  let same = 0;
  fc.assert(
    fc.property(event, fc.array(ofHelpers, { minLength: 2, maxLength: 6 }), (event, answers) => {
      const spec = CATALOGUE[event];
      const meanings = new Meanings(spec);
      const hook = new RecentAnswers();
      // Each after a plain answer with the same words, and twice.
      const plainly = ([inner, , beside]: (typeof answers)[number]): (typeof answers)[number] => [
        inner,
        (words) => words,
        beside,
        true,
      ];
      for (const [inner, holder, beside, hasVerdict] of answers.flatMap((said) => [plainly(said), said, said])) {
        const value = { ...(hasVerdict && { 'hookscope:verdict': holder(inner) }), ...beside };
        const before = [hook.latest, hook.before];
        const meant = meanings.of(value, event, hook);
        if (before.some((one) => one !== undefined && one === meant)) same++;
        const found = outcomeOf(meant);
        const alone = outcomeOf(meanings.of(value, event, new RecentAnswers()));
        expect(found && parts(found)).toEqual(alone && parts(alone));
        expect(found?.output).toEqual(alone?.output);
        if (found === undefined) continue;
        const read = readOutput(spec, helperToOutput(spec, value), { eventName: event, nameRequired: false });
        expect(parts(found)).toEqual('bad' in read ? read.bad : parts(read.outcome));
      }
    }),
    { numRuns: RUNS / 2 },
  );
  expect(same).toBeGreaterThan(RUNS / 100);
});

test('a hook that always says something else, and then the same again, is read right each time', () => {
  const meanings = new Meanings(CATALOGUE.PreToolUse);
  const hook = new RecentAnswers();
  const said = (reason: string): unknown => {
    const meant = meanings.of(deny(reason), 'PreToolUse', hook);
    return meant === undefined || meant === NOTHING_SAID ? meant : meant.reason;
  };
  const reasons = [
    ...Array.from({ length: 50 }, (_, i) => `reason ${i}`),
    ...Array.from({ length: 50 }, () => 'the same'),
    ...Array.from({ length: 50 }, (_, i) => `one of ${i % 2}`),
  ];
  expect(reasons.map(said)).toEqual(reasons);
  // Both of the last two are found again.
  const found = [0, 1, 0, 1].map((i) => meanings.of(deny(`one of ${i}`), 'PreToolUse', hook));
  expect([found[0] === found[2], found[1] === found[3], found[0] === found[1]]).toEqual([true, true, false]);
});
