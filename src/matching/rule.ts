import { HookscopeError } from '../errors.js';
import { mayPatch, PATCHED } from '../events/named-files.js';
import type { Dialect } from '../events/spec.js';
import { areSure, isMeantSurely, mayMean, namesOfCall, toolName } from '../events/tool-calls.js';
import { isObject } from '../values/shape.js';
import { filesSaid } from './files-of.js';
import { shellPatch } from './shell-patch.js';
import {
  type BadSpecifier,
  compileSpecifier,
  isInSandbox,
  type RuleCall,
  type RuleOf,
  type Specifier,
} from './specifier.js';
import { toolNames } from './tool-names.js';
import { compileWildcard } from './wildcard.js';

/** A compiled `if` rule. */
export interface Rule {
  readonly text: string;
  /** Whether it applies to the tool at all: for other tools it need not be checked. */
  isAbout(tool: string): boolean;
  /** Set for one that permits: it matches only where it is about all of the call, and that is known. */
  readonly permits?: true;
  /** Never throws. True when the call is ambiguous, so that a guard is not skipped; one that permits does not match then. */
  matches(input: RuleInput): boolean;
}

/** The fields of an event that rules read; `via` is what an agent's codec keeps of a call. */
export interface RuleInput {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly cwd?: unknown;
  readonly via?: unknown;
}

export interface RuleContext {
  readonly dialect: Dialect;
  /** Its name in errors and warnings: `PreToolUse[0].hooks[1].if`. */
  readonly where: string;
  /** The root for a file pattern that begins with one slash: the directory of the settings. Default: the call's cwd. */
  readonly root?: string;
  /** It permits what it matches. */
  readonly permits?: boolean;
}

/**
 * Compiles one permission rule, once, at registration: `Bash(git *)`, `Edit(src/**)`, `mcp__github__*`. An empty one
 * gives no rule. One that cannot be read throws INVALID_HOOKS in code; in Claude Code's files it never matches, and the
 * warnings say so.
 */
export function compileRule(
  text: string | undefined,
  context: RuleContext,
): { rule: Rule | undefined; warnings: readonly string[] } {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return { rule: undefined, warnings: [] };
  const { permits = false } = context;
  const parsed = parse(trimmed, { dialect: context.dialect, root: context.root, permits });
  if (!('expected' in parsed)) {
    const warnings = parsed.warning === undefined ? [] : [`${context.where}: ${parsed.warning}`];
    const { isAbout, matches } = parsed;
    return { rule: { text: trimmed, isAbout, matches, ...(permits && { permits }) }, warnings };
  }
  if (context.dialect === 'code') {
    throw new HookscopeError('INVALID_HOOKS', { where: context.where, expected: `"${trimmed}": ${parsed.expected}` });
  }
  const never: Rule = { text: trimmed, isAbout: () => false, matches: () => false };
  return { rule: never, warnings: [`${context.where}: "${trimmed}": ${parsed.expected}; the hook never runs`] };
}

type ParsedRule = Omit<Rule, 'text'> & { readonly warning?: string | undefined };

function parse(text: string, of: RuleOf): ParsedRule | BadSpecifier {
  const [, tool, , content] = /^([\w.:/*-]+)(\((.*)\))?$/s.exec(text) ?? [];
  // Rules cannot be joined: a pattern that contains the next rule would never match.
  const joined = /\)\s*(?:&&|\|\||[,;|])\s*\w+\(/.test(content ?? '');
  if (tool === undefined || tool.includes('.*') || joined) {
    return { expected: 'expected one permission rule, Tool or Tool(specifier), as in Bash(git *)' };
  }
  const inner = content?.trim() ?? '';
  if (inner === '' || inner === '*') {
    const isMeant = meansTool(tool);
    const test = of.permits ? (name: string): boolean => isMeantSurely(name, isMeant) : namesTool(tool);
    // `Bash(*)` is a pattern, too.
    const isAny = of.permits && content !== undefined ? isInSandbox : () => true;
    const matches: Rule['matches'] = (call) =>
      typeof call.tool_name === 'string' && test(nameNow(call)) && isAny(call.tool_input);
    return { isAbout: orMay(test), matches };
  }
  const specifier = compileSpecifier(tool, inner, of);
  return 'expected' in specifier ? specifier : withSpecifier(tool, specifier, of);
}

function withSpecifier(tool: string, specifier: Specifier, { permits }: RuleOf): ParsedRule {
  const tests = (specifier.tools ?? [tool]).map(permits ? meansTool : namesTool);
  const isOne = (name: string): boolean => tests.some((test) => test(name));
  // What else a call is known by is the specifier's to look at.
  const isSurely = (name: string): boolean => areSure(name) && (namesOfCall(name, '') ?? []).some(isOne);
  const isNamed = permits ? isSurely : isOne;
  const isAbout = rememberingLast(orMay(isNamed));
  const isNow = rememberingLast(isNamed);
  const matches: Rule['matches'] = (called) => {
    const { tool_name, tool_input, cwd, via } = called;
    if (typeof tool_name !== 'string' || !isNow(nameNow(called))) return false;
    const input = typeof tool_input === 'object' && tool_input !== null ? tool_input : {};
    const call: RuleCall = {
      tool: tool_name,
      input: input as RuleCall['input'],
      cwd: typeof cwd === 'string' ? cwd : '',
      searches: searchesIn(via),
      files: filesSaid(called),
    };
    return specifier.matches(call);
  };
  return { isAbout, matches, warning: specifier.warning };
}

/** A call that a hook rewrites may become one of another tool besides. */
const orMay =
  (test: (name: string) => boolean) =>
  (name: string): boolean =>
    test(name) || mayMean(name).some(test);

/** What a call is known by as it would run now: a line of a shell is an edit if it applies a patch. */
function nameNow(call: RuleInput): string {
  const key = shellPatch(call.via);
  if (key === undefined) return toolName(call);
  const line = isObject(call.tool_input) ? call.tool_input[key] : undefined;
  return toolName({ tool_name: call.tool_name, via: { meant: mayPatch(line) ? PATCHED : [] } });
}

function searchesIn(via: unknown): readonly unknown[] {
  const searches = isObject(via) ? via['searches'] : undefined;
  return Array.isArray(searches) ? searches : [];
}

/** All rules of a fire are asked about one tool, and those of the next fire often about the same. */
function rememberingLast(test: (name: string) => boolean): (name: string) => boolean {
  let last: string | undefined;
  let answer = false;
  return (name) => {
    if (name !== last) answer = test(name);
    last = name;
    return answer;
  };
}

/**
 * Whether one name is a tool's, by any of its former ones, by a pattern of names, or by an MCP server, for all its tools; a server's name may have a `__` in it.
 */
function meansTool(tool: string): (name: string) => boolean {
  const tests = toolNames(tool).map(compileWildcard);
  const server = tool.startsWith('mcp__') ? compileWildcard(`${tool.replace(/__$/, '')}__*`) : () => false;
  return (name) => server(name) || toolNames(name).some((known) => tests.some((test) => test(known)));
}

/** Whether a call is of the tool, of all that it is known by. */
function namesTool(tool: string): (name: string) => boolean {
  const isMeant = meansTool(tool);
  return (name) => namesOfCall(name, tool)?.some(isMeant) ?? true;
}
