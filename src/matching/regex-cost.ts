import { createRequire } from 'node:module';
import type { analyse } from 'scslre';
import { callBounded } from '../values/bounded.js';
import { NotLoaded } from '../values/not-loaded.js';
import { messageOf } from '../values/waiting/promises.js';
import { LOOKED_AT, type RegexCost, waysOf } from './regex-ways.js';

/** An engine tries this many ways in a fraction of a second. */
const FEW = 1e8;
/** Milliseconds that one test of a pattern may take. */
const DEADLINE = 200;
/** Milliseconds that analyses may take at once, and the share of time in the long run. Real hooks do not reach these limits. */
const BUDGET = 10_000;
const SHARE = 0.1;
/** The length of the subjects for trials, about that of the longest tool names. */
const PUMPED = 64;
const MOST_WORDS = 12;
/** How many patterns are cached. */
const MOST_KNOWN = 10_000;

let left = BUDGET;
let asked = performance.now();
const known = new Map<string, string | undefined>();

/** Tests a subject. `late` is called when the test did not end in time; it is then never run again. */
export type RegexTest = (subject: string, late: (why: string) => void) => boolean;

/** A warning about an expression that is not run, because of `why`. */
export const notRun = (why: string): string =>
  `can take exponential time (${why}); it is not run, and the hook runs for every name`;

/** Whether a warning is one of `notRun`. */
export const isExponential = (warning: string): boolean => /can take exponential time .* it is not run/s.test(warning);

/** Why a regular expression can take exponential time; undefined if no reason was found. The pattern must be valid. */
export function whyExponential(source: string, flags = ''): string | undefined {
  if (waysOf(source).count * LOOKED_AT <= FEW) return undefined;
  const key = `${flags}/${source}`;
  if (!known.has(key)) {
    if (known.size >= MOST_KNOWN) known.clear();
    known.set(key, analysed(new RegExp(source, flags)));
  }
  return known.get(key);
}

/** Makes a test of a pattern that passed `whyExponential`. A test that may be slow, such as that of a loop on a long subject, is only run for a bounded time. */
export function boundedTest(pattern: RegExp): RegexTest {
  const ways = waysOf(pattern.source);
  const isCheap = ways.count * LOOKED_AT <= FEW;
  const test = (subject: string): boolean => pattern.test(subject);
  const timed = timedTest(test);
  return (subject, late) =>
    (isCheap && subject.length <= LOOKED_AT) || mayRunOn(ways, subject) ? test(subject) : timed(subject, late);
}

/** Wraps a test so that it is no longer run once it took too long; from then on the answer is `unsure`. */
export function timedTest(test: (subject: string) => boolean, { unsure = true } = {}): RegexTest {
  let isOut = false;
  return (subject, late) => {
    if (isOut) return unsure;
    const answer = callBounded(() => test(subject), DEADLINE);
    if (answer) return answer.value;
    isOut = true;
    late(`takes more than ${DEADLINE} ms on a name of ${subject.length} characters`);
    return unsure;
  };
}

/** Without a loop, the time grows at most linearly with the subject, so a longer subject may be tested. */
function mayRunOn({ count, loops }: RegexCost, subject: string): boolean {
  return !loops && count * subject.length <= FEW;
}

function analysed(pattern: RegExp): string | undefined {
  left = Math.min(BUDGET, left + (performance.now() - asked) * SHARE);
  asked = performance.now();
  if (left <= 0) return 'nobody had the time to look at it, after so many others';
  try {
    return repeatedTwice(pattern) ?? slowOn(pattern);
  } finally {
    left -= performance.now() - asked;
    asked = performance.now();
  }
}

function repeatedTwice(pattern: RegExp): string | undefined {
  const run = analyser();
  let found: { readonly value: ReturnType<typeof analyse>['reports'][number] | undefined } | undefined;
  try {
    found = callBounded(() => run(pattern).reports.find(({ exponential }) => exponential), 2 * DEADLINE);
  } catch (error) {
    // It does not know all that the engine knows: a script of a later Unicode, for instance.
    return `what it costs cannot be told: ${messageOf(error)}`;
  }
  if (!found) return 'it takes too long to tell what it costs';
  const report = found.value;
  return report && `${report.type === 'Self' ? `${report.quant.raw} is repeated` : 'it repeats'} in more than one way`;
}

/** Throws NotLoaded. */
function analyser(): typeof analyse {
  try {
    const { analyse: run } = createRequire(import.meta.url)('scslre') as { analyse?: typeof analyse };
    if (run === undefined) throw new Error('it has no analyse()');
    return run;
  } catch (error) {
    throw new NotLoaded('dist/vendor/scslre.cjs', error);
  }
}

/** Finds overlapping alternatives such as `(a|aa)+` by testing the pattern on repetitions of its own words. */
function slowOn({ source, flags }: RegExp): string | undefined {
  const pattern = new RegExp(source, flags.replace(/[gy]/g, ''));
  const words = new Set([
    ...(source.match(/\w+/g) ?? []).slice(0, MOST_WORDS),
    ...source.replace(/\W/g, ''),
    'a',
    '0',
    '_',
  ]);
  const start = /^\^?(\w*)/.exec(source)?.[1] ?? '';
  for (const word of [...words].slice(0, 2 * MOST_WORDS)) {
    for (const begin of new Set(['', start])) {
      const text = `${begin}${word.repeat(PUMPED).slice(0, PUMPED)}\n!`;
      const ends = (milliseconds: number): boolean => callBounded(() => pattern.test(text), milliseconds) !== undefined;
      // Tried twice, because the machine may have been busy.
      if (!ends(DEADLINE / 2) && !ends(2 * DEADLINE)) return `"${word}" repeated, for one`;
    }
  }
  return undefined;
}
