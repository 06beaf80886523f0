import { HookscopeError } from '../errors.js';
import type { Dialect } from '../events/spec.js';
import { isNameList } from '../matching/claude-matcher.js';
import { compileMatcher } from '../matching/matcher.js';
import { compileRule } from '../matching/rule.js';
import type { HandlerNode } from './files/source-file.js';
import { FORMER, KNOWN_TOOLS } from './names.js';

/** Whether no tool there can be is let through by the matcher and is one that the rule is about. */
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
    // Neither can be listed: some name may meet both.
    if (!rule || names === undefined) return false;
    return !names.some((name) => rule.isAbout(name) && compiled.matches(name));
  } catch (error) {
    // Patterns that cannot be compiled are reported by other checks.
    if (error instanceof HookscopeError) return false;
    throw error;
  }
}

/** Every tool that a rule without a pattern in its name may be about: all that are known, and the one it names. */
function toolsOf(rule: string, matcher: string): readonly string[] | undefined {
  const name = /^[^(]*/.exec(rule.trim())?.[0] ?? '';
  if (/[*?]/.test(name) || /^mcp__(?:(?!__).)+$/.test(name)) return undefined;
  // It may be the name of a server, and the matcher may be about some of its tools.
  const isServer = name.startsWith('mcp__');
  if (isServer && matcher.includes(name)) return undefined;
  return [name, ...(isServer ? [`${name}__tool`] : []), ...KNOWN_TOOLS, ...Object.keys(FORMER)];
}

/** Every name that a matcher without a pattern lets through. */
function namesOf(matcher: string, dialect: Dialect): readonly string[] | undefined {
  const isList = dialect === 'claude' ? isNameList(matcher, false) : !/[*?[{(!]/.test(matcher);
  return isList ? matcher.split(/[|,]/).map((name) => name.trim()) : undefined;
}
