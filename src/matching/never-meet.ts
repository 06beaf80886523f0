import type { Dialect } from '../events/spec.js';
import { isNameList } from './claude-matcher.js';
import { EDITORS, READERS } from './files-of.js';
import { FORMER, KNOWN_TOOLS } from './known-tools.js';
import type { Matcher } from './matcher.js';
import type { Rule } from './rule.js';

/** Whether no possible tool is accepted by both a hook's matcher and its `if` rule. `matcher` is compiled from text or a RegExp; about any other nothing is known. */
export function neverMeet(matcher: Matcher, rule: Rule, dialect: Dialect): boolean {
  if (matcher.all || !matcher.static) return false;
  const both = (name: string): boolean => matcher.matches(name) && rule.isAbout(name);
  // First the names that are most likely accepted, since this is asked about every hook that is registered.
  const listed = namesOf(matcher.text, dialect);
  if (listed?.some(both)) return false;
  const names = toolsOf(rule.text, matcher.text) ?? listed;
  // If neither the rule's nor the matcher's names can be listed, some name may satisfy both.
  return names !== undefined && !names.some(both);
}

/** The tools that a rule may be about, if its name has no pattern: all known tools and the one that it names. */
function toolsOf(rule: string, matcher: string): readonly string[] | undefined {
  const name = /^[^(]*/.exec(rule.trim())?.[0] ?? '';
  if (/[*?]/.test(name) || /^mcp__(?:(?!__).)+$/.test(name)) return undefined;
  // The name may be that of a server, and the matcher may accept some of its tools.
  const isServer = name.startsWith('mcp__');
  if (isServer && matcher.includes(name)) return undefined;
  const server = isServer ? [`${name}__tool`] : [];
  return [name, ...server, ...KNOWN_TOOLS, ...Object.keys(FORMER), ...EDITORS, ...READERS];
}

/** The names that a matcher accepts, if it is a list of names. The text of a RegExp begins with a slash. */
function namesOf(matcher: string, dialect: Dialect): readonly string[] | undefined {
  const isList = dialect === 'claude' ? isNameList(matcher, false) : !/^\/|[*?[{(!]/.test(matcher);
  return isList ? matcher.split(/[|,]/).map((name) => name.trim()) : undefined;
}
