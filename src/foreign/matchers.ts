import type { HookRuntime } from '../agents/running.js';
import { isAbout, subjectsFor } from '../agents/subjects.js';
import type { AgentTable, EventRow } from '../agents/table.js';
import { readyMatcher } from '../matching/matcher.js';
import { boundedTest, notRun, whyExponential } from '../matching/regex-cost.js';
import type { Json } from '../values/shape.js';

/** A matcher in an agent's file, as that agent interprets it. */
export interface ForeignMatcher {
  accepts(name: string): boolean;
  /** Why it never matches. */
  readonly never?: string;
  readonly warning?: string;
  /** It is a literal name. */
  readonly name?: true;
}

const ALL: ForeignMatcher = { accepts: () => true };
const named = (name: string): ForeignMatcher => ({ accepts: (one) => one === name, name: true });
const exact = (names: readonly string[]): ForeignMatcher => ({ accepts: (name) => names.includes(name) });

/** Reads a matcher by an agent's rules. `tool`: it is on an event about a tool. */
export function readMatcher({ title, runs }: AgentTable, given: string | undefined, tool: boolean): ForeignMatcher {
  const { lists, anchored, invalid, literal } = (runs as HookRuntime).matching;
  const matcher = literal ? given?.trim() : given;
  if (matcher === undefined || matcher === '' || matcher === '*') return ALL;
  if (lists && /^[\w|]+$/.test(matcher)) return exact(matcher.split('|'));
  if (literal && !tool) return named(matcher);
  return pattern(matcher, anchored ? `^(?:${matcher})$` : matcher, () =>
    invalid === 'literal' ? named(matcher) : never(`is no regular expression, so ${title} never matches it`),
  );
}

function never(why: string): ForeignMatcher {
  return { accepts: () => false, never: why };
}

function pattern(matcher: string, source: string, invalid: () => ForeignMatcher): ForeignMatcher {
  let regex: RegExp;
  try {
    regex = new RegExp(source);
  } catch {
    return invalid();
  }
  const why = whyExponential(source);
  if (why !== undefined)
    return {
      accepts: () => true,
      warning: `"${matcher}" ${notRun(why)}`,
    };
  const test = boundedTest(regex);
  return { accepts: (name) => test(name, () => undefined) };
}

/** The matcher for registration: a predicate that compares the agent's own names for the input. */
export function matcherOf(table: AgentTable, row: EventRow, text: string | undefined, read: ForeignMatcher): object {
  return readyMatcher(shown(table, row, text), (input) => {
    const given = (input ?? {}) as Json;
    if (!isAbout(table, row, given)) return false;
    const names = subjectsFor(table, row, given, text);
    return names === undefined || names.some((name) => read.accepts(name)) || isAll(text);
  });
}

/** The matcher as reports show it, with the tools that its event is limited to. */
function shown({ runs }: AgentTable, { name, own }: EventRow, text: string | undefined): string {
  const tools = own ? undefined : runs?.tools?.[name];
  const about = tools === undefined ? [] : [`${name} is only about ${tools.join(', ')}`];
  if (isAll(text)) return about[0] ?? '*';
  return [text, ...about].join('; ');
}

const isAll = (text: string | undefined): boolean => text === undefined || text === '' || text.trim() === '*';
