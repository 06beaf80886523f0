import type { Dialect } from '../events/spec.js';
import { warn } from '../plain.js';
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
  /** For what permits: it matches where it is about all of the call, and that is known. Else for what asks or forbids: it matches where it may be about some of it. */
  readonly permits: boolean;
}

export interface RuleCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  /** Places that a search may look at too, wherever its path says. */
  readonly searches: readonly unknown[];
  /** The files that another agent's tool is said to be about, undefined for one that is not known; absent: its input says it as ours do. */
  readonly files: readonly unknown[] | undefined;
}

/** The compiled text in a rule's parentheses: the tools it applies to, if not the one that the rule names, and the test. */
export interface Specifier {
  readonly tools?: readonly string[];
  readonly matches: (call: RuleCall) => boolean;
  readonly warning?: string;
}

/** What is wrong with a specifier, in words. */
export interface BadSpecifier {
  readonly expected: string;
}

/** The field that each tool's own rules are about. */
const CONTENT = new Map([
  ...FILE_FIELDS,
  ['Bash', 'command'],
  ['Monitor', 'command'],
  ['PowerShell', 'command'],
  ['WebFetch', 'url'],
]);

/** The source of a rule; `root`: the folder for a file pattern that begins with one slash; default: the call's current directory. */
export function compileSpecifier(tool: string, text: string, of: RuleOf): Specifier | BadSpecifier {
  const field = CONTENT.get(tool);
  const parameter = compileParameter(text);
  if (parameter !== undefined && parameter.name === field && tool !== 'WebFetch') {
    return { expected: `${tool}'s ${field} is matched without its name: ${tool}(${parameter.value})` };
  }
  const own = compileOwn(tool, text, of);
  if (own === undefined) {
    return parameter ?? { expected: `${tool} has no rules of its own: use ${tool} or ${tool}(parameter:value)` };
  }
  if ('expected' in own) return own;
  // A field of that name may be anybody's: it is a reason to ask, and none to permit.
  return parameter === undefined || of.permits
    ? own
    : { ...own, matches: (call) => own.matches(call) || parameter.matches(call) };
}

/** `model:opus`: an input field and its exact value, `*` for any characters. A field left out never matches. */
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
    // PowerShell reads a line in another way: it may be either. Most of its lines have variables, so that asking about all of them would help nobody.
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

/** What no pattern permits, `Bash(*)` neither, is a call outside the sandbox. Any value may count as true where the call is made. */
export function isInSandbox(input: unknown): boolean {
  const out = isObject(input) ? input['dangerouslyDisableSandbox'] : undefined;
  return out === undefined || out === false;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/**
 * A path rule for Read is about every tool that reads files, one for Edit about every tool that changes them; in Claude
 * Code's files not about Write, as there.
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

/** Whether a search may leave the folder that it begins in: its glob is more than names, stars, and choices of plain words. */
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

/** A name, `*` for any characters; ` *` or `:*` at the end for any arguments or none. A call that does not tell it matches, but is not permitted. */
function compileField(text: string, { permits }: RuleOf, field: (input: RuleCall['input']) => unknown): Specifier {
  const tests = [text, text.replace(/:\*$/, ' *'), text.replace(/[ :]\*$/, '')].map(compileWildcard);
  const matches = ({ input }: RuleCall): boolean => {
    const value = field(input);
    return isText(value) ? tests.some((test) => test(value)) : !permits;
  };
  return { matches };
}
