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
  /** Whether the rule applies to this tool. For other tools it need not be checked. */
  isAbout(tool: string): boolean;
  /** Set for a rule that permits. It matches only if it certainly covers the whole call. */
  readonly permits?: true;
  /** Never throws. An ambiguous call matches, so that no guard is skipped, unless the rule permits. */
  matches(input: RuleInput): boolean;
}

/** The fields of an event that rules read. `via` is what another agent's codec keeps of the original call. */
export interface RuleInput {
  readonly tool_name?: unknown;
  readonly tool_input?: unknown;
  readonly cwd?: unknown;
  readonly via?: unknown;
}

export interface RuleContext {
  readonly dialect: Dialect;
  /** The rule's place for errors and warnings, such as `PreToolUse[0].hooks[1].if`. */
  readonly where: string;
  /** The root for file patterns that begin with one slash: the directory of the settings. Default: the call's cwd. */
  readonly root?: string;
  /** Whether the rule permits what it matches. */
  readonly permits?: boolean;
}

/**
 * Compiles one permission rule once, at registration: `Bash(git *)`, `Edit(src/**)`, `mcp__github__*`. An empty text is no rule. An
 * invalid one throws INVALID_HOOKS in code; in Claude Code's files it never matches and causes a warning.
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
  // Several rules joined in one text are an error: read as one pattern, they would never match.
  const joined = /\)\s*(?:&&|\|\||[,;|])\s*\w+\(/.test(content ?? '');
  if (tool === undefined || tool.includes('.*') || joined) {
    return { expected: 'expected one permission rule, Tool or Tool(specifier), as in Bash(git *)' };
  }
  const inner = content?.trim() ?? '';
  if (inner === '' || inner === '*') {
    if (content !== undefined && !of.permits) return withAny(tool, of);
    const isMeant = meansTool(tool);
    const test = of.permits ? (name: string): boolean => isMeantSurely(name, isMeant) : namesTool(tool);
    // Like any other pattern, `Bash(*)` does not permit calls outside the sandbox.
    const isAny = content !== undefined ? isInSandbox : () => true;
    const matches: Rule['matches'] = (call) =>
      typeof call.tool_name === 'string' ? test(nameNow(call)) && isAny(call.tool_input) : isUnknown(call, of);
    return { isAbout: orMay(test), matches };
  }
  const specifier = compileSpecifier(tool, inner, of);
  return 'expected' in specifier ? specifier : withSpecifier(tool, specifier, of);
}

/** `Edit(*)` is about every call of the tools that `Edit(src/**)` is about. */
function withAny(tool: string, of: RuleOf): ParsedRule {
  const some = compileSpecifier(tool, '**', of);
  const tools = 'tools' in some ? some.tools : [tool];
  return withSpecifier(tool, { tools, matches: () => true }, of);
}

function withSpecifier(tool: string, specifier: Specifier, { permits }: RuleOf): ParsedRule {
  const tests = (specifier.tools ?? [tool]).map(permits ? meansTool : namesTool);
  const isOne = (name: string): boolean => tests.some((test) => test(name));
  // The specifier checks the other things that the call may be.
  const isSurely = (name: string): boolean => areSure(name) && (namesOfCall(name, '') ?? []).some(isOne);
  const isNamed = permits ? isSurely : isOne;
  const isAbout = rememberingLast(orMay(isNamed));
  const isNow = rememberingLast(isNamed);
  const matches: Rule['matches'] = (called) => {
    const { tool_name, tool_input, cwd, via } = called;
    if (typeof tool_name !== 'string') return isUnknown(called, { permits });
    if (!isNow(nameNow(called))) return false;
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

/** A name that is no text, as an event of the user's own may have, could be read as any. */
const isUnknown = ({ tool_name }: RuleInput, { permits }: Pick<RuleOf, 'permits'>): boolean =>
  !permits && tool_name != null;

/** A hook may rewrite a call so that it also counts as a call of another tool. */
const orMay =
  (test: (name: string) => boolean) =>
  (name: string): boolean =>
    test(name) || mayMean(name).some(test);

/** The name of a call as it would run now: a shell command that applies a patch counts as an edit. */
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

/** Caches the last answer, because all rules of a fire, and often those of the next, test the same tool. */
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
 * Tests whether a name belongs to the tool: by its name, a former name, a pattern of names, or the name of an MCP server, which
 * stands for all its tools and may contain `__`.
 */
function meansTool(tool: string): (name: string) => boolean {
  const tests = toolNames(tool).map(compileWildcard);
  const server = tool.startsWith('mcp__') ? compileWildcard(`${tool.replace(/__$/, '')}__*`) : () => false;
  return (name) => server(name) || toolNames(name).some((known) => tests.some((test) => test(known)));
}

/** Tests whether any of the names by which a call is known belongs to the tool. */
function namesTool(tool: string): (name: string) => boolean {
  const isMeant = meansTool(tool);
  return (name) => namesOfCall(name, tool)?.some(isMeant) ?? true;
}
