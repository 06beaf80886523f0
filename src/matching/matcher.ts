import { createRequire } from 'node:module';
import { types } from 'node:util';
import { HookscopeError } from '../errors.js';
import type { Dialect, EventSpec, Subject } from '../events/spec.js';
import { isMeantSurely, isOneName, namesOfCall } from '../events/tool-calls.js';
import { clip, warn } from '../plain.js';
import { ignoreRejections, isThenable, messageOf, tell } from '../values/waiting/promises.js';
import { claudeTest } from './claude-matcher.js';
import type { KnownAgent } from './known-agent.js';
import { isOddName, namesOrRegex, regexMeant, SLASHED, toolOfRule } from './known-tools.js';
import { timedTest, whyExponential } from './regex-cost.js';
import { toolNames } from './tool-names.js';
import { alternatives, compileWildcard } from './wildcard.js';

/** A compiled matcher. `static`: the answer depends only on the subject, so it may be cached per subject. */
export interface Matcher {
  readonly all: boolean;
  readonly static: boolean;
  /** The matcher's text for messages and records; `*` if it matches everything. */
  readonly text: string;
  /** The source of the user's function, if one decides. */
  readonly code?: string;
  /** Never throws. Only a match-all accepts an empty or undefined subject; an unknown one (null) matches unless the hook permits. `input`: read-only; static ones need none. */
  matches(subject: Subject, input?: unknown, agent?: KnownAgent): boolean;
}

export interface MatcherContext {
  readonly dialect: Dialect;
  readonly event: EventSpec;
  /** The matcher's place for errors and warnings, such as `PreToolUse[0].matcher`. */
  readonly where: string;
  /** Called when a predicate threw or returned a promise; the hook then runs. Default: a process warning. */
  readonly onError?: (error: unknown) => void;
  /** The hook permits calls, so an uncertain match is no match. Otherwise an uncertain match counts, so that no guard is skipped. */
  readonly permits?: boolean;
}

/** Whether one name of the subject matches. `every`: all names of an aliased tool must match (for a negated glob), else one is enough. */
interface NameTest {
  readonly test: (name: string) => boolean;
  readonly every?: boolean;
}

/**
 * Compiles a matcher once, at registration. Throws INVALID_HOOKS for one that its dialect does not accept. One that the dialect
 * accepts but that has no effect causes a warning.
 */
export function compileMatcher(
  matcher: unknown,
  context: MatcherContext,
): { matcher: Matcher; warnings: readonly string[] } {
  if (matcher === undefined || matcher === '' || matcher === '*') return { matcher: MATCH_ALL, warnings: [] };
  if (matcher instanceof ReadyMatcher) return { matcher, warnings: [] };
  const warnings: string[] = [];
  const compiled = compile(matcher, context, warnings);
  if (context.event.subject !== undefined) return { matcher: compiled, warnings };
  const ignored = `${context.where}: ${context.event.name} has nothing to match; the matcher "${compiled.text}" is ignored and the hook runs`;
  return { matcher: MATCH_ALL, warnings: [ignored] };
}

const MATCH_ALL: Matcher = Object.freeze({ all: true, static: true, text: '*', matches: () => true });

function compile(matcher: unknown, context: MatcherContext, warnings: string[]): Matcher {
  if (context.dialect === 'claude') {
    if (typeof matcher !== 'string') return refuse(context, 'must be a string');
    const late = (why: string): void => reporterOf(context)(new Error(`the matcher ${why}`));
    const { test, warning } = claudeTest(matcher, context.event.narrowNames === true, late);
    if (warning !== undefined) warnings.push(`${context.where}: "${matcher}" ${warning}`);
    return new NameMatcher(matcher, [{ test }], context);
  }
  if (typeof matcher === 'string') return new NameMatcher(matcher, codeTests(matcher, context, warnings), context);
  if (types.isRegExp(matcher)) {
    // The flags g and y would make a test depend on the previous one.
    const pattern = new RegExp(matcher.source, matcher.flags.replace(/[gy]/g, ''));
    const why = whyExponential(pattern.source, pattern.flags);
    if (why !== undefined) warnings.push(`${context.where}: ${String(matcher)} can take exponential time (${why})`);
    return new NameMatcher(String(pattern), [{ test: (name) => pattern.test(name) }], context);
  }
  if (typeof matcher === 'function') return new PredicateMatcher(matcher as Predicate, context);
  return refuse(context, 'must be a string ("Bash|Edit"), a RegExp or a function (subject, input) => boolean');
}

/** A class, because hosts keep many matchers and closures would take more memory than the matcher itself. */
class NameMatcher implements Matcher {
  readonly all = false;
  readonly static = true;
  readonly text: string;
  readonly #tests: readonly NameTest[];
  readonly #event: EventSpec;
  readonly #unsure: boolean;

  constructor(text: string, tests: readonly NameTest[], { event, permits }: MatcherContext) {
    this.text = text;
    this.#tests = tests;
    this.#event = event;
    this.#unsure = permits !== true;
  }

  matches(subject: Subject): boolean {
    if (!subject) return subject === null && this.#unsure;
    if (!this.#event.tool) return this.#accepts([subject]);
    const isMeant = (name: string): boolean => this.#accepts(toolNames(name));
    if (!this.#unsure) return isMeantSurely(subject, isMeant);
    return namesOfCall(subject, this.text)?.some(isMeant) ?? true;
  }

  #accepts(names: readonly string[]): boolean {
    return this.#tests.some(({ test, every }) => (every === true ? names.every(test) : names.some(test)));
  }
}

/** A matcher that tests the whole input by another program's rules. */
class ReadyMatcher implements Matcher {
  readonly all = false;
  readonly static = false;
  readonly text: string;
  readonly #test: ReadyTest;

  constructor(text: string, test: ReadyTest) {
    this.text = text;
    this.#test = test;
  }

  matches(_subject: Subject, input?: unknown, agent: KnownAgent = NOBODY): boolean {
    return this.#test(input, agent);
  }
}

type ReadyTest = (input: unknown, agent: KnownAgent) => boolean;
const NOBODY: KnownAgent = Object.freeze({});

/** A matcher for hooks that come from another program. `test` must not throw. */
export const readyMatcher = (text: string, test: ReadyTest): Matcher => new ReadyMatcher(text, test);

function reporterOf({ onError, where }: MatcherContext): (error: unknown) => void {
  return onError ?? ((error) => warn(`${where}: ${String(error)}; the hook runs`));
}

type Predicate = (subject: string, input: unknown) => unknown;

/** A matcher in which the user's function decides. A class because of the getter, which would put an object literal into slow mode. */
class PredicateMatcher implements Matcher {
  readonly all = false;
  readonly static = false;
  readonly text: string;
  readonly #predicate: Predicate;
  readonly #report: (error: unknown) => void;
  readonly #tool: boolean;
  readonly #unsure: boolean;

  constructor(predicate: Predicate, context: MatcherContext) {
    this.text = `predicate ${predicate.name || '(anonymous)'}`;
    this.#predicate = predicate;
    this.#report = reporterOf(context);
    this.#tool = context.event.tool;
    this.#unsure = context.permits !== true;
  }

  get code(): string {
    return Function.prototype.toString.call(this.#predicate);
  }

  matches(subject: Subject, input?: unknown): boolean {
    if (!subject) return subject === null && this.#unsure;
    if (!this.#tool || isOneName(subject)) return this.#accepts(subject, input);
    const isMeant = (name: string): boolean => this.#accepts(name, input);
    if (!this.#unsure) return isMeantSurely(subject, isMeant);
    return (namesOfCall(subject, '') ?? [subject]).some(isMeant);
  }

  #accepts(subject: string, input: unknown): boolean {
    const predicate = this.#predicate;
    try {
      const answer = predicate(subject, input);
      // By far the most frequent case.
      if (typeof answer === 'boolean') return answer;
      ignoreRejections(answer);
      if (!isThenable(answer)) return Boolean(answer);
      tell(() => answer, this.#report);
      this.#report(new TypeError('a matcher must answer at once, and returned a promise'));
    } catch (error) {
      ignoreRejections(error);
      this.#report(error);
    }
    return this.#unsure;
  }
}

/** The alternatives of a string in code, each an exact name or a glob. */
function codeTests(text: string, context: MatcherContext, warnings: string[]): NameTest[] {
  const names = alternatives(text);
  const { tool } = context.event;
  const rule = tool && names.find(toolOfRule);
  if (rule) {
    const instead = `write "matcher": "${toolOfRule(rule)}", "if": ${JSON.stringify(rule)}`;
    return refuse(context, `"${rule}" is a permission rule: ${instead}${names.length > 1 ? ', in its own group' : ''}`);
  }
  const whole = namesOrRegex(text, names);
  const syntax =
    /\.[*+]|[\^$\\]|(?<![?*+@!])\(/.exec(text)?.[0] ?? (tool && whole.some((name) => SLASHED.test(name)) ? '/' : '');
  if (syntax) {
    const regex = regexMeant(whole);
    const instead = `${regex && `pass a RegExp, ${regex}, or in JSON `}write a glob ("mcp__*") or a list ("Edit|Write")`;
    return refuse(context, `"${text}" looks like a regular expression (${syntax}): ${instead}`);
  }
  if (names.length === 0) return refuse(context, `"${text}" names nothing`);
  const odd = tool && names.find((name) => !isGlob(name) && isOddName(name));
  if (odd)
    warnings.push(`${context.where}: "${odd}" is compared as one whole name of a tool; a list is written "Edit|Write"`);
  return names.map((name) => (isGlob(name) ? glob(name, context, warnings) : exact(name)));
}

/** A separate function, so that its closure holds only the name. */
function exact(name: string): NameTest {
  return { test: (subject) => subject === name };
}

function isGlob(name: string): boolean {
  return /[*?[{]|^!|[+@!]\(/.test(name);
}

/** A pattern with no special characters but `*`, for which `compileWildcard` is enough. */
const PLAIN_GLOB = /^[^?[\]{}()!+@#]*$/;

function glob(pattern: string, context: MatcherContext, warnings: string[]): NameTest {
  if (pattern.length > LONGEST_GLOB)
    return refuse(context, `a glob of ${pattern.length} characters is longer than ${LONGEST_GLOB}`);
  if (PLAIN_GLOB.test(pattern)) return { test: compileWildcard(pattern) };
  let compiled: import('minimatch').Minimatch;
  let names: number;
  const negated = pattern.startsWith('!');
  try {
    // `!(a|b)` is an extended glob; by default minimatch would negate the literal `(a|b)`.
    const nonegate = pattern.startsWith('!(');
    // Loaded on demand, because few hosts have such a glob, and synchronously, because registering is. A second copy does no harm.
    const { Minimatch, braceExpand } = createRequire(import.meta.url)('minimatch') as typeof import('minimatch');
    const more = { platform: 'linux', braceExpandMax: MOST_NAMES + 1 } as const;
    const options = { dot: true, nocomment: true, nonegate, ...more };
    names = braceExpand(flat(pattern), options).length;
    compiled = new Minimatch(flat(pattern), options);
  } catch (error) {
    return refuse(context, `"${pattern}" is not a glob (${messageOf(error)})`);
  }
  // minimatch cuts the list of names off, and the rest would silently match nothing.
  if (names > MOST_NAMES)
    return refuse(context, `the braces in "${clip(pattern, 80)}" stand for more than ${MOST_NAMES} names`);
  const isCostly = COSTLY_GLOB.test(pattern);
  const regex = isCostly && compiled.makeRe();
  const why = regex ? whyExponential(regex.source, regex.flags) : undefined;
  if (why !== undefined) {
    const instead = context.permits ? 'never runs' : 'runs for every name';
    warnings.push(
      `${context.where}: "${pattern}" can take exponential time (${why}); it is not run, and the hook ${instead}`,
    );
    return { test: () => context.permits !== true };
  }
  const test = (name: string): boolean => compiled.match(flat(name));
  const bounded = timedTest(test, { unsure: context.permits !== true });
  const late = (reason: string): void => reporterOf(context)(new Error(`the matcher ${reason}`));
  return { test: isCostly ? (name) => bounded(name, late) : test, every: negated };
}

/** Patterns with repetitions, or that can match in many ways, such as `+(a|aa)` and `*a*a*a*`. */
const COSTLY_GLOB = /[?*+@!]\(|(?:\*[^*]*){3}/;
/** No person writes longer globs. */
const LONGEST_GLOB = 4096;
const MOST_NAMES = 1000;

/** Hides slashes from minimatch: a subject is a name and not a path, so `*` must match them too. */
function flat(name: string): string {
  return name.replaceAll('/', '\u2044');
}

function refuse(context: MatcherContext, expected: string): never {
  throw new HookscopeError('INVALID_HOOKS', { where: context.where, expected });
}
