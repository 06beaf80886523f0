import { claudeTest, isNameList } from '../matching/claude-matcher.js';
import { FORMER, isOddName, KNOWN_TOOLS, namesOrRegex, SLASHED, TOOLS, toolOfRule } from '../matching/known-tools.js';
import { whyExponential } from '../matching/regex-cost.js';
import { alternatives } from '../matching/wildcard.js';
import type { CheckFinding } from './checking.js';
import { SAMPLE_MCP } from './names.js';

export type MatcherFinding = Pick<CheckFinding, 'rule' | 'message' | 'fix'>;

export const LIST = 'A list is written "Edit|Write".';
export const OUT = 'Take the matcher out.';
const NO_PATH = 'Write the names of tools; a path is matched in "if", or by the hook.';
export const NAMES = 'Write the whole names in their own letter case, without slashes and flags.';
const ALL =
  'Take the matcher out if every tool is meant, as the pattern matches each; otherwise write the names of tools.';
/** The names on which a pattern is tried. */
const TRIED = [...KNOWN_TOOLS, ...Object.keys(FORMER), SAMPLE_MCP];

/**
 * Reports a name with a slash in a regular expression, which no tool's name matches: one in slashes, as in code, or several names.
 * `problemOf` says what is wrong with a name.
 */
export function withSlash(
  text: string,
  parts: readonly string[],
  problemOf: (name: string) => MatcherFinding | undefined,
): MatcherFinding | undefined {
  const names = namesOrRegex(text, parts);
  const one = names.find((name) => SLASHED.test(name));
  if (one !== undefined) {
    const sources = names.map((name) => SLASHED.exec(name)?.[1] ?? name);
    const rule = sources.find(isRule);
    const tool = toolOfRule(rule ?? '') ?? '';
    if (rule !== undefined) return ruleProblem(properTool(tool) + rule.slice(tool.length), sources.length > 1);
    const isBlind = names.some((name) => /i/i.test(SLASHED.exec(name)?.[2] ?? ''));
    const fix = unslashed(sources.join('|').replaceAll('\\|', '|'), isBlind, problemOf);
    return { rule: 'matcher-never', message: `"${one}" matches no tool: its slashes are part of the pattern.`, fix };
  }
  const other = parts.find((part) => /^[\w-]*\/[\w/-]*$/.test(part) && !part.startsWith('mcp'));
  if (other === undefined) return undefined;
  const message = `"${other}" matches no tool: no name has a slash.`;
  return {
    rule: 'matcher-never',
    message,
    fix: isOddName(other) ? LIST : parts.length > 1 ? 'Take that name out.' : /\w/.test(other) ? NO_PATH : OUT,
  };
}

export function ruleProblem(rule: string, isOneOfSeveral: boolean): MatcherFinding {
  const apart = isOneOfSeveral ? ', in its own group' : '';
  return {
    rule: 'matcher-permission-rule',
    message: `"${rule}" is a permission rule; as a matcher it never matches.`,
    fix: `Write "matcher": "${toolOfRule(rule)}", and into the handler "if": ${JSON.stringify(rule)}${apart}.`,
  };
}

/** What to write in place of a pattern in slashes. A pattern is only given if it matches the same tools as the one in slashes was meant to. */
function unslashed(source: string, isBlind: boolean, problemOf: (name: string) => MatcherFinding | undefined): string {
  const pattern = compile(source);
  if ('bad' in pattern)
    return `Write the names of tools: without the slashes it is no regular expression either (${pattern.bad}).`;
  if (whyExponential(source, 'i') !== undefined) return NAMES;
  if (hits(source, isBlind ? 'i' : '').length === TRIED.length) return ALL;
  const parts = alternatives(source);
  const none = parts.find((part) => !/mcp__/i.test(part) && hits(part, 'i').length === 0);
  if (none !== undefined) {
    const problem = /^[\w-]+$/.test(none) ? problemOf(none) : undefined;
    const what = problem?.message ?? `"${none}" matches no tool that is known here.`;
    // Without its matcher, a guard of one tool would judge them all.
    const isOne = parts.length === 1 && /^[\w-]+$/.test(none);
    const own = isOne ? 'Write the name as the agent has it' : 'Write the names as the agent has them';
    if (problem?.fix === undefined) return `${what} ${own}, without slashes and flags.`;
    return `${what} ${problem.fix}${isOne ? '' : ' Write all of them without slashes and flags.'}`;
  }
  const isList = isNameList(source, false);
  const whole = isList ? `^(?:${source})$` : source;
  // Without the flag, a name in another letter case may still be meant as that tool's.
  const readings = (isBlind || isList ? ['i'] : ['', 'i']).map((flags) => hits(whole, flags));
  const isMcp = /mcp/i.test(source);
  const advice = spelled(source, isMcp);
  const { test } = claudeTest(advice, false, () => undefined);
  const isSame = readings.some((meant) => TRIED.every((name) => test(name) === meant.includes(name)));
  // Servers name their tools, and nobody else knows the letter case.
  if (!isSame || !alternatives(advice).every(isLive) || (isMcp && isBlind && /[A-Z]/.test(source))) return NAMES;
  const more = isList ? hits(source, 'i').filter((name) => TOOLS.includes(name) && !test(name)) : [];
  const also = more.length > 0 ? `; add ${list(more, 'and')} if also meant` : '';
  return `Write ${JSON.stringify(advice)}, without slashes and flags${also}.`;
}

/** The names that a pattern matches; none if it does not compile. */
function hits(pattern: string, flags = ''): string[] {
  const compiled = compile(pattern, flags);
  return 'bad' in compiled ? [] : TRIED.filter((name) => compiled.regex.test(name));
}

/** Whether a text in slashes is a permission rule, and not a pattern that matches tools. */
const isRule = (text: string): boolean =>
  KNOWN_TOOLS.has(properTool(toolOfRule(text) ?? '')) && hits(text).length === 0;

/** Whether an alternative matches a tool that is known, or may match one of an MCP server. */
function isLive(part: string): boolean {
  const { test, warning } = claudeTest(part, false, () => undefined);
  return warning === undefined && (/^\W*mcp__/.test(part) || TRIED.some(test));
}

/** A tool's name in its own letter case. */
const properTool = (word: string): string =>
  [...KNOWN_TOOLS].find((tool) => tool.toLowerCase() === word.toLowerCase()) ?? word;

/** A pattern with the whole names of tools in their own letter case. What is only part of a name is left, and so are the names of MCP tools. */
function spelled(text: string, isMcp: boolean): string {
  if (isMcp || !/^\^?(?:\((?:\?:)?)?[^()[\]{}]*\)?\$?$/.test(text)) return text;
  return text.replace(/(?<=^|[|^(]|\(\?:)\w+(?=$|[|$)])/g, properTool);
}

export function compile(text: string, flags = ''): { regex: RegExp } | { bad: string } {
  try {
    return { regex: new RegExp(text, flags) };
  } catch (error) {
    return { bad: (error as Error).message.replace(/^Invalid regular expression: \/.*\/\w*: /s, '') };
  }
}

export function list(names: readonly string[], word: string): string {
  const last = names.at(-1) ?? '';
  return names.length < 2 ? last : `${names.slice(0, -1).join(', ')} ${word} ${last}`;
}
