import { CATALOGUE, HOOK_EVENTS } from '../events/catalogue.js';
import type { Path } from '../files/json-file.js';
import { isNameList } from '../matching/claude-matcher.js';
import { FORMER, isOddName, KNOWN_TOOLS, TOOLS, toolOfRule } from '../matching/known-tools.js';
import { compileMatcher } from '../matching/matcher.js';
import { whyExponential } from '../matching/regex-cost.js';
import { alternatives, compileWildcard } from '../matching/wildcard.js';
import { nearest, nearestSpelling } from '../values/nearest.js';
import { formatPath } from '../values/problem.js';
import type { FileCheck } from './checking.js';
import type { GroupNode, SourceFile } from './files/source-file.js';
import { textOf } from './files/tree.js';
import { ELSEWHERE, SAMPLE_MCP, subjectValues } from './names.js';
import { compile, LIST, list, type MatcherFinding, NAMES, OUT, ruleProblem, withSlash } from './slashed-matcher.js';

/** In characters. Longer matchers are not checked, because each name is compared with all known names. */
const LONGEST = 5000;

/** Checks what the matcher of each group can match. */
export const checkMatchers: FileCheck = function* (file) {
  for (const group of file.groups) {
    const text = textOf(group.matcher?.value);
    if (text === undefined || text === '' || text === '*' || text.length > LONGEST) continue;
    if (!group.spec || !group.matcher || isRefused(text, group, file)) continue;
    const at = { at: group.matcher.value, where: [...group.path, 'matcher'] };
    for (const found of judge(text, group, file)) yield { ...at, ...(file.dialect === 'code' ? inOurs(found) : found) };
  }
};

/** Whether a file of ours with this matcher is refused, which is a finding of its own. */
function isRefused(text: string, { spec: event }: GroupNode, { dialect }: SourceFile): boolean {
  if (dialect !== 'code' || !event) return false;
  try {
    compileMatcher(text, { dialect, event, where: 'matcher' });
    return false;
  } catch {
    return true;
  }
}

/** What to write in place of a matcher in slashes for which a file of ours is refused. */
export function refusedFix(file: SourceFile, path: Path): string | undefined {
  const place = formatPath(path);
  const group = file.groups.find((one) => formatPath([...one.path, 'matcher']) === place);
  const text = textOf(group?.matcher?.value) ?? '';
  if (!group?.spec?.tool || text.length > LONGEST) return undefined;
  const parts = alternatives(text);
  const fix = withSlash(text, parts, (name) => toolProblem(name, parts, 'code'))?.fix;
  // Our files have no regular expressions.
  const advised = /^Write ("(?:[^"\\]|\\.)*"), without/.exec(fix ?? '')?.[1];
  return advised !== undefined && isRefused(JSON.parse(advised) as string, group, file) ? NAMES : fix;
}

/** Weakens findings for hookscope's own files: a program that embeds the host may have its own tools and values, so similarity to Claude Code's names is only a remark. */
function inOurs({ rule, message, fix }: MatcherFinding): MatcherFinding {
  if (rule !== 'matcher-old-name' && (rule !== 'matcher-never' || message.includes('MCP')))
    return { rule, message, fix };
  const name = /^"[^"]*"/.exec(message)?.[0] ?? 'It';
  const hint =
    fix === undefined
      ? undefined
      : `Leave it if your agent has it; if Claude Code's is meant: ${fix.charAt(0).toLowerCase()}${fix.slice(1)}`;
  return { rule: 'matcher-unknown-name', message: `${name} is nothing that Claude Code has.`, fix: hint };
}

function* judge(text: string, { event, spec }: GroupNode, { dialect }: SourceFile): Generator<MatcherFinding> {
  if (!spec) return;
  if (!spec.subject) {
    yield {
      rule: 'matcher-ignored',
      message: `${event} has nothing to match, so "${text}" is ignored and the hooks run every time.`,
    };
    return;
  }
  const known = spec.tool ? undefined : subjectValues(spec);
  const isList = dialect === 'code' ? !/[*?[{(!]/.test(text) : isNameList(text, spec.narrowNames === true);
  if (isList) {
    const names = text
      .split(/[|,]/)
      .map((name) => name.trim())
      .filter((name) => name !== '');
    if (names.length === 0) yield { rule: 'matcher-never', message: `"${text}" names nothing.`, fix: OUT };
    else if (spec.tool) yield* judgeTools(names, dialect);
    else if (known) yield* judgeValues(names, known, event);
  } else if (dialect === 'claude') yield* judgePattern(text, spec.tool ? TOOLS : known, spec.tool);
}

/** Checks one name in a list of tools. */
export function toolProblem(
  name: string,
  beside: readonly string[],
  dialect: SourceFile['dialect'],
): MatcherFinding | undefined {
  if (KNOWN_TOOLS.has(name)) return undefined;
  const [, server, tool] = /^mcp__(.+?)(?:__(.*))?$/.exec(name) ?? [];
  if (server !== undefined) {
    if (tool) return undefined;
    const all = `mcp__${server.replace(/_+$/, '')}__${dialect === 'claude' ? '.*' : '*'}`;
    return {
      rule: 'matcher-never',
      message: `"${name}" is no MCP tool: their names are mcp__server__tool.`,
      fix: `For all tools of that server write "${all}".`,
    };
  }
  const former = FORMER[name];
  if (former !== undefined) {
    const message = `"${name}" is the name of a tool that no longer exists.`;
    const fix = beside.includes(former) ? 'Take it out, or keep it for old clients.' : `Write "${former}".`;
    return { rule: 'matcher-old-name', message, fix };
  }
  const theirs = ELSEWHERE[name.toLowerCase()];
  if (theirs !== undefined) {
    const message = `"${name}" is what other agents call a tool.`;
    return { rule: 'matcher-unknown-name', message, fix: `Claude Code has "${theirs}".` };
  }
  if (isOddName(name)) {
    const message = `"${name}" is compared as one whole name of a tool.`;
    return { rule: 'matcher-unknown-name', message, fix: LIST };
  }
  const near = nearTool(name);
  if (near === undefined) return undefined;
  return {
    rule: 'matcher-never',
    message: `"${name}" is no tool; names are compared whole and by case.`,
    fix: `Write "${near}".`,
  };
}

/** The tool that a name with a typo or different letter case most likely means. */
function nearTool(name: string): string | undefined {
  const swapped = [...KNOWN_TOOLS].find((tool) => letters(tool) === letters(name));
  const near = swapped ?? nearestSpelling(name, KNOWN_TOOLS);
  if (near === undefined || swapped !== undefined) return near;
  return name.length > 4 && near.charAt(0).toLowerCase() === name.charAt(0).toLowerCase() ? near : undefined;
}

/** The sorted lower-case letters of a name, which are equal for `Write`, `write` and `Wirte`. */
const letters = (name: string): string => [...name.toLowerCase()].sort().join('');

function* judgeTools(names: readonly string[], dialect: SourceFile['dialect']): Generator<MatcherFinding> {
  const problems = names.map((name) => toolProblem(name, names, dialect));
  const someLive = names.some((name, i) => problems[i] === undefined && KNOWN_TOOLS.has(name));
  for (const problem of problems) {
    if (!problem) continue;
    const dead = problem.rule === 'matcher-old-name' && problems.every((p) => p !== undefined);
    yield dead ? { ...problem, rule: 'matcher-never' } : problem;
  }
  const unknown = names.filter(
    (name, i) => problems[i] === undefined && !KNOWN_TOOLS.has(name) && !name.startsWith('mcp__'),
  );
  // A name with a slash may be a path, whatever stands beside it.
  const paths = unknown.filter((name) => name.includes('/'));
  if (paths.length > 0 && someLive)
    yield { rule: 'matcher-unknown-name', message: `No tool that is known here is called ${list(paths, 'or')}.` };
  if (someLive || unknown.length < names.length) return;
  yield { rule: 'matcher-unknown-name', message: `No tool that is known here is called ${list(unknown, 'or')}.` };
}

function* judgeValues(names: readonly string[], known: readonly string[], event: string): Generator<MatcherFinding> {
  for (const name of names) {
    if (known.includes(name)) continue;
    const near = nearest(name, known);
    const isTool = KNOWN_TOOLS.has(name);
    const other = HOOK_EVENTS.find(
      (one) => one !== event && !CATALOGUE[one].tool && subjectValues(CATALOGUE[one])?.includes(name),
    );
    const hint = other === undefined ? '' : ` ${other} has it.`;
    const message = `"${name}" is not a known value for ${event}; known are ${list(known, 'or')}.${hint}`;
    if (near === undefined && !isTool) yield { rule: 'matcher-unknown-name', message };
    else yield { rule: 'matcher-never', message, fix: near === undefined ? OUT : `Write "${near}".` };
  }
}

/** Checks a regular expression. `known`: the values that it is compared with. */
function* judgePattern(text: string, known: readonly string[] | undefined, tool: boolean): Generator<MatcherFinding> {
  const pattern = compile(text);
  const why = 'bad' in pattern ? undefined : whyExponential(text);
  if (why !== undefined) {
    // Running it on the known values could take too long.
    yield { rule: 'regex-catastrophic', message: `It can take exponential time: ${why}.` };
    return;
  }
  const parts = tool ? alternatives(text) : [];
  const rules = parts.filter(toolOfRule);
  for (const rule of rules) yield ruleProblem(rule, parts.length > 1);
  if (rules.length > 0) return;
  const slashed = tool ? withSlash(text, parts, (name) => toolProblem(name, parts, 'claude')) : undefined;
  if (slashed !== undefined) {
    yield slashed;
    return;
  }
  const query = tool && /\w:.*\b(AND|OR)\b|^(tools?|file_paths?|command):/.test(text);
  if (query) {
    const fix = 'Match the tool by its name, and say the rest in "if" or in the hook.';
    yield {
      rule: 'matcher-never',
      message: `"${text}" is a query, and a matcher is tried on the name of the tool alone.`,
      fix,
    };
    return;
  }
  if ('bad' in pattern) {
    const message = `It is read as a regular expression and is none (${pattern.bad}), so the hooks never run.`;
    yield { rule: 'matcher-invalid', message, fix: asRegex(text) };
    return;
  }
  if (known === undefined) return;
  const glob = globProblem(text, pattern.regex, tool ? [...known, SAMPLE_MCP] : known, tool);
  if (glob !== undefined) yield glob;
  else yield* unmatched(text, pattern.regex, known, tool);
}

/** Converts a glob to a regular expression. */
function asRegex(text: string): string | undefined {
  if (!/^[\w.*?|, -]+$/.test(text)) return undefined;
  const parts = text.split(/[|,]/).map((part) => part.trim().replaceAll('.', '\\.').replaceAll('*', '.*'));
  return `Write ${JSON.stringify(`^(${parts.join('|')})$`)}, if it was meant as a pattern for whole names.`;
}

function* unmatched(text: string, regex: RegExp, known: readonly string[], tool: boolean): Generator<MatcherFinding> {
  const all = tool ? [...KNOWN_TOOLS, ...Object.keys(FORMER)] : known;
  if (all.some((name) => regex.test(name)) || (tool && /mcp/i.test(text))) return;
  if (text.startsWith('!') && tool) {
    const fix = `For all tools but these write "^(?!(${text.slice(1)})$)".`;
    yield { rule: 'matcher-never', message: `"!" does not mean "not": "${text}" matches nothing.`, fix };
  } else
    yield {
      rule: 'matcher-unknown-name',
      message: `The regular expression matches nothing that is known here (${tool ? 'the tools of Claude Code' : list(known, 'or')}).`,
      ...(tool && isOddName(text) && { fix: LIST }),
    };
}

/** Reports a pattern such as `Edit*` that would match different names as a glob and as a regular expression. */
function globProblem(text: string, regex: RegExp, known: readonly string[], tool: boolean): MatcherFinding | undefined {
  if (!/\*/.test(text) || /\.[*+]|[\^$\\([+]/.test(text)) return undefined;
  const globs = text.split(/[|,]/).map((part) => compileWildcard(part.trim()));
  const meant = known.filter((name) => globs.some((test) => test(name)));
  const extra = known.filter((name) => regex.test(name) && !meant.includes(name));
  const lost = meant.filter((name) => !regex.test(name));
  if (extra.length + lost.length === 0) return undefined;
  const what = extra.length > 8 ? `${extra.slice(0, 5).join(', ')} and ${extra.length - 5} others` : extra.join(', ');
  const also = extra.length > 0 ? `it also matches ${what}` : `it does not match ${lost.join(', ')}`;
  const regexText = text
    .split(/[|,]/)
    .map((part) => `${part.trim().replaceAll('*', '.*')}`)
    .join('|');
  const fix = `Write "^(${regexText})$"${tool ? ', or the names themselves' : ''}.`;
  return { rule: 'matcher-glob', message: `"${text}" is read as a regular expression: ${also}.`, fix };
}
