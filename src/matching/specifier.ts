import type { Dialect } from '../events/spec.js';
import { warn } from '../plain.js';
import { nearestSpelling } from '../values/nearest.js';
import { isObject } from '../values/shape.js';
import { compileCommandPattern, coversCommands, mayCoverCommands } from './command-pattern.js';
import { compileDomainPattern } from './domain-pattern.js';
import { hardlyAFile, neverAFile } from './file-mistakes.js';
import { compileFilePattern, MAX_PATH } from './file-pattern.js';
import { EDITORS, FILE_FIELDS, pathsIn, READERS, SEARCHERS } from './files-of.js';
import { MOST_STEPS } from './glob-meeting.js';
import { compilePowerShellPattern } from './powershell-pattern.js';
import { globOf, namedByGlobs } from './searched.js';
import { compileWildcard } from './wildcard.js';

/** The source of a rule. */
export interface RuleOf {
  readonly dialect: Dialect;
  readonly root: string | undefined;
  /** A rule that permits matches only if it certainly covers the whole call. One that asks or forbids matches if it may apply to any part. */
  readonly permits: boolean;
}

export interface RuleCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Further places that a search may look at, whatever its path is. */
  readonly searches: readonly unknown[];
  /** The files that another agent's payload names (undefined: an unknown one). Undefined if the input has Claude Code's fields for them. */
  readonly files: readonly unknown[] | undefined;
}

/** The compiled text in a rule's parentheses. `tools` are the tools that it applies to, if not only the one that the rule names. */
export interface Specifier {
  readonly tools?: readonly string[];
  readonly matches: (call: RuleCall) => boolean;
  readonly warning?: string;
}

/** Says what is wrong with a specifier. */
export interface BadSpecifier {
  readonly expected: string;
}

/** The input field that each tool's own rules test. */
const CONTENT = new Map([
  ...FILE_FIELDS,
  ['Bash', 'command'],
  ['Monitor', 'command'],
  ['PowerShell', 'command'],
  ['WebFetch', 'url'],
]);

/** The tools that have rules of their own. */
const WITH_RULES = new Set([...CONTENT.keys(), 'Agent', 'Task', 'Skill']);

function noRulesOf(tool: string, text: string): string {
  const near = nearestSpelling(tool, WITH_RULES);
  const meant = near === undefined ? '' : `if ${near} is meant, write ${near}(${text}); else `;
  return `${tool} has no rules of its own: ${meant}use ${tool} or ${tool}(parameter:value)`;
}

/** Compiles the text in a rule's parentheses, or says what is wrong with it. */
export function compileSpecifier(tool: string, text: string, of: RuleOf): Specifier | BadSpecifier {
  const field = CONTENT.get(tool);
  const parameter = compileParameter(text);
  if (parameter !== undefined && parameter.name === field && tool !== 'WebFetch') {
    const path = FILE_FIELDS.has(tool) ? fromRoot(parameter.value) : parameter.value;
    return { expected: `${tool}'s ${field} is matched without its name: ${tool}(${path})` };
  }
  const own = compileOwn(tool, text, of);
  if (own === undefined) {
    return parameter ?? { expected: noRulesOf(tool, text) };
  }
  if ('expected' in own) return own;
  // A match on some input field is a reason to run a guard, but not to permit a call.
  return parameter === undefined || of.permits
    ? own
    : { ...own, matches: (call) => own.matches(call) || parameter.matches(call) };
}

/** An absolute path, as the value of a field has it, in the form of file rules, where one slash is the folder of the settings. */
const fromRoot = (path: string): string => (/^\/(?!\/)/.test(path) ? `/${path}` : path);

/** `model:opus`: an input field and its exact value, with `*` for any characters. A missing field never matches. */
function compileParameter(text: string): (Specifier & { name: string; value: string }) | undefined {
  const [, name, value] = /^\s*([A-Za-z_]\w*)\s*:\s*(\S.*?)\s*$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) return undefined;
  const test = compileWildcard(value);
  const matches = ({ input }: RuleCall): boolean => {
    const given = input[name];
    return (
      (typeof given === 'string' || typeof given === 'number' || typeof given === 'boolean') && test(String(given))
    );
  };
  return { name, value, matches };
}

function compileOwn(tool: string, text: string, of: RuleOf): Specifier | BadSpecifier | undefined {
  if (tool === 'Bash' || tool === 'Monitor') {
    const tools = ['Bash', 'Monitor'];
    if (of.permits) return { tools, matches: coversAll(text), ...neverCovers(text) };
    const test = compileCommandPattern(text);
    // A PowerShell line is also tested by PowerShell's syntax. It guesses, because most such lines have variables and would all match.
    const other = compilePowerShellPattern(text, true);
    return {
      tools,
      matches: ({ tool: called, input: { command } }) => test(command) || (called === 'PowerShell' && other(command)),
    };
  }
  if (tool === 'PowerShell') {
    if (of.permits) return { matches: coversAll(text) };
    const test = compilePowerShellPattern(text);
    return { matches: ({ input }) => test(input['command']) };
  }
  if (CONTENT.has(tool) && tool !== 'WebFetch') return compileFile(tool, text, of);
  if (tool === 'WebFetch') return /^(?:domain|url|https?):|^[^:]*$/i.test(text) ? compileDomain(text, of) : undefined;
  if (tool === 'Agent' || tool === 'Task') return compileField(text, of, (input) => input['subagent_type']);
  if (tool === 'Skill') {
    const named = (words: string): string => words.replace(/^\//, '');
    const isSaid = (args: unknown): boolean => args === undefined || args === null || typeof args === 'string';
    return compileField(named(text), of, ({ skill, args }) =>
      !of.permits || (isSaid(args) && isText(skill)) ? named([skill, args].filter(isText).join(' ')) : undefined,
    );
  }
  return undefined;
}

function coversAll(pattern: string): Specifier['matches'] {
  const covers = coversCommands(pattern);
  return ({ tool, input }) => isInSandbox(input) && covers(input['command'], tool);
}

function neverCovers(pattern: string): { readonly warning?: string } {
  if (mayCoverCommands(pattern)) return {};
  const why = 'no plain command matches it both as it is written and as its words are after quoting';
  return { warning: `"${pattern}": ${why}, so it allows nothing; write words without quotes, and no assignments` };
}

/** No pattern, not even `Bash(*)`, permits a call outside the sandbox. Any value but false is taken for true, as the harness may do. */
export function isInSandbox(input: unknown): boolean {
  const out = isObject(input) ? input['dangerouslyDisableSandbox'] : undefined;
  return out === undefined || out === false;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * A path rule for Read applies to every tool that reads files, and one for Edit to every tool that changes them. In Claude Code's
 * files a rule for Edit does not apply to Write, as in Claude Code.
 */
function compileFile(tool: string, text: string, { dialect, root, permits }: RuleOf): Specifier | BadSpecifier {
  const never = neverAFile(text);
  if (never !== undefined) return { expected: never };
  const editors = dialect === 'claude' ? EDITORS.filter((name) => name !== 'Write') : EDITORS;
  const tools = tool === 'Read' ? READERS : tool === 'Edit' ? editors : [tool];
  const hardly = hardlyAFile(text);
  const warning = hardly === undefined ? {} : { warning: `"${text}": ${hardly}` };
  if (permits) return { tools, matches: coversFiles(text, root), ...warning };
  const test = compileFilePattern(text, root);
  const matches = (call: RuleCall): boolean => {
    const all = call.files ?? pathsIn(call.tool, call.input);
    if (!SEARCHERS.includes(call.tool)) return all.some((one) => test(one, call.cwd));
    const places = [...all, ...call.searches].map((one) => one ?? '.');
    const steps = { left: MOST_STEPS };
    const isNamed = namedByGlobs(call.tool, call.input, places).some((one) => test(one, call.cwd, steps));
    return isNamed || places.some((one) => test(one, call.cwd));
  };
  return { tools, matches, ...warning };
}

function coversFiles(pattern: string, root: string | undefined): Specifier['matches'] {
  let isLate = false;
  const late = (why: string): void => {
    isLate = true;
    warn(`the rule ${pattern} ${why}, so it permits nothing any more`);
  };
  const test = compileFilePattern(pattern, root, late, true);
  return (call) => {
    const all = [...(call.files ?? pathsIn(call.tool, call.input)), ...call.searches];
    const places = SEARCHERS.includes(call.tool) ? all.map((one) => one ?? '.') : all;
    const areNamed =
      places.length > 0 &&
      places.every((one) => typeof one === 'string' && one.length <= MAX_PATH && test(one, call.cwd));
    return areNamed && !isLate && !leavesFolder(call);
  };
}

/** Whether a search may leave the folder in which it begins, because its glob has more than names, stars and choices of plain words. */
function leavesFolder({ tool, input }: RuleCall): boolean {
  const glob = globOf(tool, input);
  if (!SEARCHERS.includes(tool) || glob === undefined) return false;
  if (typeof glob !== 'string' || glob.length > MAX_PATH) return true;
  const parts = glob.replace(/\{[\w,-]+\}/g, 'x').split('/');
  return !parts.every((part, i) =>
    part === '' ? i > 0 : /^(?:[\w*?@+-][\w*?.@+-]*|\.[\w-][\w*?.@+-]*|\.)$/.test(part),
  );
}

function compileDomain(text: string, { permits }: RuleOf): Specifier | BadSpecifier {
  const [, domain] = /^domain:(\S+)$/.exec(text) ?? [];
  if (domain === undefined) return { expected: 'expected WebFetch(domain:example.com)' };
  const test = compileDomainPattern(domain);
  if ('expected' in test) return test;
  return { matches: ({ input: { url } }) => (!permits || isUrl(url)) && test(url) };
}

const isUrl = (url: unknown): boolean => typeof url === 'string' && /^https?:/i.test(url) && URL.canParse(url);

/** A name with `*` for any characters, and ` *` or `:*` at the end for optional arguments. A call without the name matches, but is not permitted. */
function compileField(text: string, { permits }: RuleOf, field: (input: RuleCall['input']) => unknown): Specifier {
  const tests = [text, text.replace(/:\*$/, ' *'), text.replace(/[ :]\*$/, '')].map(compileWildcard);
  const matches = ({ input }: RuleCall): boolean => {
    const value = field(input);
    return isText(value) ? tests.some((test) => test(value)) : !permits;
  };
  return { matches };
}
