import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CATALOGUE } from '../../src/events/catalogue.js';
import type { EventSpec } from '../../src/events/spec.js';
import { compileFilePattern } from '../../src/matching/file-pattern.js';
import { compileMatcher } from '../../src/matching/matcher.js';
import { whyExponential } from '../../src/matching/regex-cost.js';
import { LOOKED_AT, waysOf } from '../../src/matching/regex-ways.js';
import { SEED } from '../seed.js';

const RUNS = Number(process.env['HOOKSCOPE_GENERATED'] ?? 150);
const event = CATALOGUE.PreToolUse as unknown as EventSpec;
const compile = (matcher: unknown, dialect: 'claude' | 'code' = 'claude', onError?: (error: unknown) => void) =>
  compileMatcher(matcher, { dialect, event, where: 'here', ...(onError && { onError }) });

/** Patterns with everything that may be repeated in them: groups, classes, alternatives, looks around, what was captured. */
const anyPattern = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('a', 'b', '_', '\\w', '\\d', '.', '[ab]', '[^b]', '\\b', 'mcp__', 'a\\w'),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map((parts) => `(?:${parts.join('|')})`),
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!', '(?<=', '(?<!'), tie('pattern'))
      .map(([open, inner]) => `${open}${inner})`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '*?', '+?', '{2,}', '{0,9}', '{3}', '{1,50}'))
      .map(([inner, many]) => `(${inner})${many}`),
    fc.tuple(fc.constantFrom('a', '\\w', '.', '[ab]'), fc.constantFrom('*', '+', '+?', '{0,9}')).map((p) => p.join('')),
    tie('pattern').map((inner) => `(${inner})\\1*`),
  ),
})).pattern;
const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern).source !== '';
  } catch {
    return false;
  }
};
const patterns = (): string[] =>
  fc
    .sample(fc.tuple(fc.constantFrom('', '^', '^mcp__'), anyPattern, fc.constantFrom('', '$', 'x$')), {
      numRuns: RUNS,
      seed: SEED,
    })
    .map((parts) => parts.join(''))
    .filter(compiles);

/** What such patterns are slowest on. */
const SUBJECTS = ['a', 'ab', '_', 'a_', 'mcp__', 'a1', 'b', 'aab'].flatMap((word) =>
  ['', 'mcp__'].map((begin) => `${`${begin}${word.repeat(LOOKED_AT)}`.slice(0, LOOKED_AT - 2)}\n!`),
);

/** Runs the patterns as they are in another process; how many were through when its time was up. */
function triedRaw(list: readonly string[]): number {
  const code = `
    const { patterns, subjects } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
    for (const pattern of patterns) {
      const regex = new RegExp(pattern);
      for (const subject of subjects) regex.test(subject);
      process.stdout.write('.');
    }`;
  const input = JSON.stringify({ patterns: list, subjects: SUBJECTS });
  return spawnSync(process.execPath, ['-e', code], { input, encoding: 'utf8', timeout: 60_000 }).stdout.length;
}

describe('a pattern that can take exponential time', () => {
  test.each([
    '^(\\w+_?)+$',
    '(a+)+$',
    '(a|aa)+$',
    '^(\\d|\\d\\d)+$',
    '(.*)*x',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a*)*b',
    '(?:a|b|ab)*c',
    '(?=(a+)+b)a',
    '^(a?){50}a{50}$',
    '(\\w|_)+!',
    '((a{0,9}){0,9}){0,9}b',
    '(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b',
  ])('%s is not run, matches everything and is a warning', (pattern) => {
    const { matcher, warnings } = compile(pattern);
    const subject = `${'a'.repeat(60)}!`;
    expect(matcher.matches(subject, {})).toBe(true);
    expect(matcher.matches('Bash', {})).toBe(true);
    expect(warnings).toEqual([expect.stringContaining('can take exponential time')]);
  });

  test('of code is a warning, and runs', () => {
    const { matcher, warnings } = compile(/^(\w+_?)+$/, 'code');
    expect(warnings).toEqual([expect.stringMatching(/^here: .* can take exponential time/)]);
    expect(matcher.matches('Bash', {})).toBe(true);
    expect(matcher.matches('!', {})).toBe(false);
  });

  test('of a script that is newer than what looks for it is a warning, and runs in code', () => {
    const { matcher, warnings } = compile(/^([A-Za-z]+|\p{Script=Kawi}+)+$/u, 'code');
    expect(warnings).toEqual([expect.stringMatching(/what it costs cannot be told: .*Kawi/)]);
    expect([matcher.matches('Bash', {}), matcher.matches('!', {})]).toEqual([true, false]);
  });

  test('as a glob too', () => {
    const { matcher, warnings } = compile('+(a|aa)b', 'code');
    expect(warnings).toEqual([expect.stringContaining('exponential')]);
    expect(matcher.matches('a'.repeat(60), {})).toBe(true);
  });
});

test.each(['{a,b}'.repeat(20), '{1..10000000}', '{1..100}{1..100}', '{'.repeat(5000), `${'[a-z]'.repeat(1000)}?`])(
  'a glob that stands for more names than anybody has is refused: %s',
  (pattern) => {
    expect(() => compile(pattern, 'code')).toThrow(/more than 1000 names|longer than 4096/);
  },
);

test.each(['[[:alpha:]]*[[:alpha:]]*[[:alpha:]]*[[:alpha:]]*[[:alpha:]]*!', '[a]*[a]*[a]*[a]*[a]*[a]*?b'])(
  'a glob that takes too long on a name is given up, matches, and is reported: %s',
  (pattern) => {
    const errors: unknown[] = [];
    const { matcher, warnings } = compile(pattern, 'code', (error) => errors.push(error));
    const began = process.cpuUsage();
    expect(matcher.matches('a'.repeat(2000), {})).toBe(true);
    const { user } = process.cpuUsage(began);
    expect(user / 1000).toBeLessThan(5000);
    expect(warnings.length + errors.length).toBe(1);
  },
);

test.each(['[a]/**/[a]/**/b', '**/[a]/**/[a]/**/[a]/**/b', '**/?/**/?/**/?/**/b', 'a/**/[a]/**/a/**/c'])(
  'so is a rule about files: %s',
  (pattern) => {
    const late: string[] = [];
    const test = compileFilePattern(pattern, undefined, (why) => late.push(why));
    const path = `/x/${'a/'.repeat(2000)}z`;
    const began = process.cpuUsage();
    const answers = [test(path, '/x'), test(path, '/x')];
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000);
    // Given up, the first or the second time, it matches from then on.
    expect(answers[1]).toBe(late.length > 0);
    expect(late.length).toBeLessThanOrEqual(1);
    expect(compileFilePattern(pattern, undefined)('/x/a/z', '/x')).toBe(false);
  },
);

test.each([
  'Bash',
  'Edit|Write',
  'mcp__.*',
  'mcp__.*__delete.*',
  '^(Read|Write|Edit)$',
  'Notebook.*',
  'mcp__(github|gitlab)__.*',
  '^mcp__[a-z]+__\\w+$',
  '.*',
  '^(?!Bash).*$',
  '(Read|Write)+',
  'mcp__memory__.*|mcp__fs__(read|write)_.*',
])('a plain matcher has no warning: %s', (pattern) => {
  expect(compile(pattern).warnings).toEqual([]);
  expect(compile(new RegExp(pattern), 'code').warnings).toEqual([]);
  expect(whyExponential(pattern)).toBeUndefined();
});

test('all of a long name is looked at, and one that takes too long matches', () => {
  for (const length of [255, 257, 400, 4_000]) {
    const long = 'x'.repeat(length);
    expect(compile('a.*b$').matcher.matches(`a${long}b`, {})).toBe(true);
    expect(compile('a.*b$').matcher.matches(`a${long}c`, {})).toBe(false);
    expect(compile('.*__delete$').matcher.matches(`mcp__${long}__delete`, {})).toBe(true);
    expect(compile('^(?!mcp__safe__).*$').matcher.matches(`mcp__safe__${long}`, {})).toBe(false);
    expect(compile('x.*y').matcher.matches(`xy${long}`, {})).toBe(true);
  }
  expect(compile('^(?:a|b)x{400}$').matcher.matches(`a${'x'.repeat(400)}`, {})).toBe(true);
  const said: unknown[] = [];
  const { matcher } = compile('a.*b.*d$', 'claude', (error) => said.push(error));
  expect(matcher.matches('ab'.repeat(100_000), {})).toBe(true);
  expect(said).toEqual([expect.objectContaining({ message: expect.stringContaining('on a name of 200000') })]);
  expect(matcher.matches('Bash', {})).toBe(false);
});

// Last: what analysis may take is bounded, and these use much of it.
test('every pattern that runs as it is ends soon, on whatever is bad for it', () => {
  const cheap = patterns().filter((pattern) => waysOf(pattern).count * LOOKED_AT <= 1e8);
  expect(cheap.length).toBeGreaterThan(RUNS / 10);
  expect({ seed: SEED, stuck: cheap[triedRaw(cheap)] }).toEqual({ seed: SEED, stuck: undefined });
});

test('no pattern of a file hangs a fire: it is refused, answers, or is given up and matches', () => {
  let refused = 0;
  for (const pattern of patterns()) {
    const given: unknown[] = [];
    const { matcher, warnings } = compile(pattern, 'claude', (error) => given.push(error));
    refused += warnings.length;
    for (const subject of SUBJECTS) {
      const before = given.length;
      const answer = matcher.matches(subject, {});
      if (warnings.some((warning) => warning.includes('exponential')) || given.length > before)
        expect([pattern, answer]).toEqual([pattern, true]);
    }
    expect(given.length).toBeLessThanOrEqual(1);
  }
  expect(refused).toBeGreaterThan(0);
});
