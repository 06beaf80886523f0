import { isAbsolute, resolve } from 'node:path';
import type { Word } from 'unbash';
import { TABLES } from '../../agents/agents.js';
import { type HandlerNode, type SourceFile, skillFolder } from '../files/source-file.js';
import { entryOf, plainData, textAt } from '../files/tree.js';
import { argsOf, expand, type FoundCommand, isCertain, parseShell, type Shell } from './shell.js';

/** A program that a command hook starts, as far as its text shows. */
export interface Invocation {
  /** As it is written. */
  readonly written: string;
  /** The path of the program or script; undefined: it is found on PATH, or known only at run time. */
  readonly path: string | undefined;
  /** Depends on the directory the hook happens to run in. */
  readonly relative: boolean;
  /** The interpreter of the script; undefined if it is executed directly. */
  readonly interpreter: string | undefined;
  /** Given to an interpreter as its argument, `python3 -c '…'`. */
  readonly inline: string | undefined;
  /** It runs unconditionally. */
  readonly certain: boolean;
}

/** The text that a shell will read; undefined if this is not a command, or runs without a shell. */
export function shellOf(handler: HandlerNode): Shell | undefined {
  const line = commandLine(handler);
  return line === undefined || textAt(handler.node, 'shell') === 'powershell' ? undefined : parseShell(line);
}

export function commandLine({ node, type }: HandlerNode): string | undefined {
  if (type !== 'command' || entryOf(node, 'args') || isFalse(node)) return undefined;
  return textAt(node, 'command');
}

function isFalse(node: HandlerNode['node']): boolean {
  const shell = entryOf(node, 'shell')?.value;
  return shell?.kind === 'scalar' && shell.value === false;
}

/** The words of an exec form, `command` and `args`; undefined if it uses a shell or has wrong values. */
export function execWords({ node, type }: HandlerNode): string[] | undefined {
  const command = textAt(node, 'command');
  if (type !== 'command' || command === undefined) return undefined;
  const args = entryOf(node, 'args');
  if (!args) return isFalse(node) ? [command] : undefined;
  const words = plainData(args.value);
  return Array.isArray(words) && words.every((word) => typeof word === 'string') ? [command, ...words] : undefined;
}

/** What variables and relative paths are resolved against. */
export interface Bearings {
  readonly home: string | undefined;
  readonly cwd: string;
}

export function runsOf(handler: HandlerNode, file: SourceFile, bearings: Bearings): Invocation[] {
  const variables = variablesOf(file, bearings);
  const base = baseOf(file, bearings);
  const words = execWords(handler);
  if (words) {
    const values = words.map((word) => word.replace(/\$\{(\w+)\}/g, (all, name: string) => variables[name] ?? all));
    return runOf(
      values.map((value, i) => ({ value: /\$/.test(value) ? undefined : value, written: words[i] as string })),
      true,
      base,
    );
  }
  const shell = shellOf(handler);
  if (!shell || shell.errors.length > 0) return [];
  return shell.commands.flatMap((command) => runOf(wordsOf(command, shell, variables), isCertain(command), base));
}

export function variablesOf(file: SourceFile, { home }: Bearings): Readonly<Record<string, string | undefined>> {
  return {
    CLAUDE_PROJECT_DIR: file.project,
    CLAUDE_PLUGIN_ROOT: file.plugin,
    CLAUDE_SKILL_DIR: skillFolder(file),
    HOME: home,
    ...ofAgent(file),
  };
}

/** The variables in which another agent passes the project. */
function ofAgent({ agent, project }: SourceFile): Readonly<Record<string, string | undefined>> {
  const { variables = {} } = TABLES.find(({ name }) => name === agent)?.runs ?? {};
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, from]) => (from === 'project' ? [[name, project]] : [])),
  );
}

/** Hooks run in the session's current directory: the project's folder, unless the agent has changed it. */
function baseOf(file: SourceFile, { cwd }: Bearings): string | undefined {
  return file.dialect === 'code' ? (file.project ?? cwd) : file.project;
}

interface InvocationWord {
  readonly value: string | undefined;
  readonly written: string;
}

function wordsOf(
  command: FoundCommand,
  shell: Shell,
  variables: Readonly<Record<string, string | undefined>>,
): InvocationWord[] {
  const { name } = command.node;
  const known = Object.fromEntries(Object.entries(variables).filter(([key]) => !shell.assigned.has(key)));
  return [...(name ? [name] : []), ...argsOf(command)].map((word) => ({
    value: filledIn(word, known),
    written: word.text,
  }));
}

/** Between single quotes a shell fills in nothing; the paths of a plugin the client fills in before. */
function filledIn(word: Word, known: Readonly<Record<string, string | undefined>>): string | undefined {
  const value = expand(word, known);
  if (value === undefined || !word.text.includes("'")) return value;
  const filled = value.replace(/\$\{(CLAUDE_PLUGIN_\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  return /^\$\{?CLAUDE_/.test(filled) ? undefined : filled;
}

/** Programs that run the command that follows them. */
const WRAPPERS = /^(exec|command|env|nohup|nice|time|timeout|sudo|builtin|stdbuf|setsid)$/;
/** Which options take code (`inline`), and which take another value. Only what is surely a script counts here; what may be one, `trust/named` finds. */
const INTERPRETERS: readonly { names: RegExp; inline: RegExp; valued: RegExp; verbs?: RegExp }[] = [
  { names: /^(ba|da|z|k)?sh$/, inline: /^-[a-z]*c$/, valued: /^(-o|-O|--rcfile|--init-file)$/ },
  { names: /^python[\d.]*$|^pypy3?$/, inline: /^-c$/, valued: /^(-W|-X)$/ },
  {
    names: /^(node|tsx|ts-node)$/,
    inline: /^(-e|-p|-pe|--eval|--print)$/,
    valued: /^(-r|--require|--import|--loader|-C)$/,
  },
  {
    names: /^(bun|deno|uv)$/,
    inline: /^(-e|eval)$/,
    valued: /^(--with|--python|-p|--directory|--project|--extra|--group|--config|-c)$/,
    verbs: /^run$/,
  },
  { names: /^(ruby|perl|php|Rscript|lua)$/, inline: /^-[er]$/, valued: /^-[I]$/ },
];

function runOf(words: readonly InvocationWord[], certain: boolean, base: string | undefined): Invocation[] {
  let at = 0;
  while (at < words.length && isPassedOver(words, at)) at++;
  const first = words[at];
  if (first === undefined) return [];
  const run = {
    written: first.written,
    path: undefined,
    relative: false,
    interpreter: undefined,
    inline: undefined,
    certain,
  };
  if (first.value === undefined) return [];
  if (/[/\\]/.test(first.value)) return [{ ...run, ...located(first.value, base) }];
  const reader = INTERPRETERS.find(({ names }) => names.test(first.value as string));
  return [run, ...(reader ? scriptOf(words.slice(at + 1), reader, { ...run, interpreter: first.value }, base) : [])];
}

function isPassedOver(words: readonly InvocationWord[], at: number): boolean {
  const value = words[at]?.value;
  if (value === undefined) return false;
  if (WRAPPERS.test(value)) return words.length > at + 1;
  // Arguments of the wrapper: `timeout -k 1 5s`, `env A=b`.
  return at > 0 && (/^-|^\w+=|^[\d.]+[smhd]?$/.test(value) || /^-[kusng]$/.test(words[at - 1]?.value ?? ''));
}

function scriptOf(
  words: readonly InvocationWord[],
  reader: (typeof INTERPRETERS)[number],
  run: Invocation,
  base: string | undefined,
): Invocation[] {
  for (let at = 0; at < words.length; at++) {
    const { value, written } = words[at] as InvocationWord;
    if (value === undefined || value === '-m' || value === '-') return [];
    if (reader.inline.test(value)) {
      const inline = words[at + 1]?.value;
      return inline === undefined ? [] : [{ ...run, written: 'its argument', inline }];
    }
    if (reader.valued.test(value)) at++;
    else if (!value.startsWith('-') && !(at === 0 && reader.verbs?.test(value))) {
      // `bun run build` and `uv run pytest` do not name a file.
      return /[/\\]|\.(c|m)?[jt]sx?$|\.(py|sh|bash|zsh|rb|pl|php)$/.test(value)
        ? [{ ...run, written, ...located(value, base) }]
        : [];
    }
  }
  return [];
}

function located(value: string, base: string | undefined): Pick<Invocation, 'path' | 'relative'> {
  if (isAbsolute(value)) return { path: value, relative: false };
  // A path of another platform.
  if (/^[A-Za-z]:[/\\]|\\/.test(value)) return { path: undefined, relative: false };
  return { path: base === undefined ? undefined : resolve(base, value), relative: true };
}
