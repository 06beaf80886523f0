import { HookscopeError } from '../errors.js';
import type { Dialect } from '../events/spec.js';
import { isNameList } from '../matching/claude-matcher.js';
import { compileMatcher } from '../matching/matcher.js';
import { compileRule } from '../matching/rule.js';
import type { HandlerNode } from './files/source-file.js';
import { FORMER, KNOWN_TOOLS } from './names.js';

/** Whether no possible tool is accepted by both a hook's matcher and its `if` rule. */
export function neverMeet({ matcher = '', spec }: HandlerNode, text: string, dialect: Dialect): boolean {
  if (matcher === '' || matcher === '*' || !spec) return false;
  try {
    const compiled = compileMatcher(matcher, {
      dialect,
      event: spec,
      where: 'matcher',
      onError: () => undefined,
    }).matcher;
    const { rule } = compileRule(text, { dialect, where: 'if' });
    const names = rule && (toolsOf(text, matcher) ?? namesOf(matcher, dialect));
    // Neither the rule's nor the matcher's names can be listed, so some name may satisfy both.
    if (!rule || names === undefined) return false;
    return !names.some((name) => rule.isAbout(name) && compiled.matches(name));
  } catch (error) {
    // Patterns that cannot be compiled are reported by other checks.
    if (error instanceof HookscopeError) return false;
    throw error;
  }
}

/** The tools that a rule may be about, if its name has no pattern: all known tools and the one that it names. */
function toolsOf(rule: string, matcher: string): readonly string[] | undefined {
  const name = /^[^(]*/.exec(rule.trim())?.[0] ?? '';
  if (/[*?]/.test(name) || /^mcp__(?:(?!__).)+$/.test(name)) return undefined;
  // The name may be that of a server, and the matcher may accept some of its tools.
  const isServer = name.startsWith('mcp__');
  if (isServer && matcher.includes(name)) return undefined;
  return [name, ...(isServer ? [`${name}__tool`] : []), ...KNOWN_TOOLS, ...Object.keys(FORMER)];
}

/** The names that a matcher accepts, if it is a list of names. */
function namesOf(matcher: string, dialect: Dialect): readonly string[] | undefined {
  const isList = dialect === 'claude' ? isNameList(matcher, false) : !/[*?[{(!]/.test(matcher);
  return isList ? matcher.split(/[|,]/).map((name) => name.trim()) : undefined;
}
