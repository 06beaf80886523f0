import type { HookscopeError } from '../../errors.js';
import type { Fired } from '../../testing/fired.js';
import { type MatcherResult, matchers } from '../../testing/matchers.js';
import { nearest } from '../../values/nearest.js';

/** The expected result of an example: `deny by no-force /Push by hand/`. */
export interface Expectation {
  readonly text: string;
  /** The differences, in lines; undefined: none. */
  unmet(fired: Fired): string | undefined;
}

interface ExpectationWord {
  /** Whether a pattern can test a reason, a text or a value, and whether `by` can name the hook that is responsible. */
  readonly takes: { readonly pattern?: true; readonly by?: true };
  check(fired: Fired, pattern: RegExp | undefined): MatcherResult;
}

const not = ({ pass, message }: MatcherResult): MatcherResult => ({ pass: !pass, message });

/** Tests the pattern on the value as JSON. */
const jsonMatches = (value: unknown, pattern: RegExp | undefined): boolean =>
  pattern === undefined || pattern.test(JSON.stringify(value) ?? '');

const WORDS: Readonly<Record<string, ExpectationWord>> = {
  deny: { takes: { pattern: true, by: true }, check: matchers.toDeny },
  allow: { takes: { by: true }, check: (fired) => matchers.toAllow(fired) },
  ask: { takes: { pattern: true, by: true }, check: matchers.toAsk },
  defer: { takes: { pattern: true, by: true }, check: matchers.toDefer },
  pass: {
    takes: {},
    check: (fired) => worst(...[matchers.toDeny, matchers.toAsk, matchers.toDefer].map((check) => not(check(fired)))),
  },
  silent: { takes: {}, check: (fired) => matchers.toStaySilent(fired) },
  continue: { takes: { pattern: true, by: true }, check: matchers.toContinue },
  rewrite: {
    takes: { pattern: true },
    check: (fired, pattern) => {
      const { updatedInput, updatedOutput } = fired.decision;
      const { pass, message } = matchers.toRewrite(fired);
      return { pass: pass && jsonMatches(updatedInput ?? updatedOutput, pattern), message };
    },
  },
  context: { takes: { pattern: true }, check: matchers.toAddContext },
  fail: { takes: {}, check: (fired) => matchers.toFail(fired) },
};

const worst = (...results: readonly MatcherResult[]): MatcherResult =>
  results.find(({ pass }) => !pass) ?? (results[0] as MatcherResult);

const GRAMMAR = /^(\w+)(?:\s+by\s+(\S(?:.*?\S)?))?(?:\s+\/(.*)\/([a-z]*))?$/s;

/** Throws the error that `wrong` makes. */
export function parseExpectation(text: string, wrong: (problem: string, near?: string) => HookscopeError): Expectation {
  const [, name, by, source, flags] = GRAMMAR.exec(text.trim()) ?? [];
  if (name === undefined)
    throw wrong(`expected a word, as deny by no-force /Push by hand/, got ${JSON.stringify(text)}`);
  const word = Object.hasOwn(WORDS, name) ? WORDS[name] : undefined;
  const words = Object.keys(WORDS);
  if (word === undefined) throw wrong(`"${name}" is not known; there are ${words.join(', ')}`, nearest(name, words));
  if (by !== undefined && !word.takes.by) throw wrong(`"by" does not go with ${name}: no one hook is responsible`);
  if (source !== undefined && !word.takes.pattern) throw wrong(`a /reason/ does not go with ${name}`);
  const pattern = source === undefined ? undefined : regExp(source, flags, wrong);
  return { text, unmet: (fired) => unmet(word.check(fired, pattern), fired, by, text) };
}

function regExp(source: string, flags: string | undefined, wrong: (problem: string) => HookscopeError): RegExp {
  try {
    // With `g` or `y`, a search would begin where that of the previous example ended.
    return new RegExp(source, flags?.replaceAll(/[gy]/g, ''));
  } catch (error) {
    throw wrong((error as Error).message);
  }
}

function unmet({ pass }: MatcherResult, fired: Fired, by: string | undefined, text: string): string | undefined {
  const responsible = fired.record.handlers.find(({ id }) => id === fired.decision.decidedBy)?.name;
  if (pass && (by === undefined || responsible === by)) return undefined;
  const who =
    pass && by !== undefined ? `expected ${text}; it was by ${responsible ?? 'nobody'}:` : `expected ${text}:`;
  return `${who}\n${String(fired)}`;
}
