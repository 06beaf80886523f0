import { isAbsolute, resolve } from 'node:path';
import type { Word } from 'unbash';
import { TABLES } from '../../agents/agents.js';
import { type HandlerNode, type SourceFile, skillFolder } from '../files/source-file.js';
import { entryOf, plainData, textAt } from '../files/tree.js';
import { askedAbout, fileName, isCertain, placesIn, type RunFolder, UNKNOWN_FOLDER } from './certain.js';
import { operandsOf, readerOf } from './interpreters.js';
import { argsOf, expand, type FoundCommand, parseShell, type Shell } from './shell.js';
import { isAny, nameOf, type Start, startedBy } from './start.js';

/** A program that a command hook starts, as far as its text shows. */
export interface Invocation {
  /** The word that names it, as written. */
  readonly written: string;
  /** The path of the program or script; undefined if it is found on PATH or known only at run time. */
  readonly path: string | undefined;
  /** Whether the path depends on the directory in which the hook happens to run. */
  readonly relative: boolean;
  /** The interpreter of the script; undefined if it is executed directly. */
  readonly interpreter: string | undefined;
  /** Code that an interpreter gets as an argument: `python3 -c '…'`. */
  readonly inline: string | undefined;
  /** Whether it always runs. */
  readonly certain: boolean;
  /** Whether it stands in a text that another shell reads: `sh -c '…'`. */
  readonly within: boolean;
}

/** The parsed command line of a handler; undefined if it is not a command or runs without a shell. */
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

/** The words of the exec form, `command` and `args`; undefined if the handler uses a shell or has wrong values. */
export function execWords({ node, type }: HandlerNode): string[] | undefined {
  const command = textAt(node, 'command');
  if (type !== 'command' || command === undefined) return undefined;
  const args = entryOf(node, 'args');
  if (!args) return isFalse(node) ? [command] : undefined;
  const words = plainData(args.value);
  return Array.isArray(words) && words.every((word) => typeof word === 'string') ? [command, ...words] : undefined;
}

/** The base for resolving variables and relative paths. */
export interface PathBases {
  readonly home: string | undefined;
  readonly cwd: string;
}

export function runsOf(handler: HandlerNode, file: SourceFile, bearings: PathBases): Invocation[] {
  const variables = variablesOf(file, bearings);
  const place: RunFolder = { folder: baseOf(file, bearings), relative: true };
  const words = execWords(handler);
  if (words) {
    const filled = filledWords(words, file, bearings);
    const values = filled.map((value, i) => ({
      value: /\$/.test(value) ? undefined : value,
      written: words[i] as string,
    }));
    return runOf(values, true, { variables, place });
  }
  const shell = shellOf(handler);
  return shell ? runsIn(shell, { variables, place }) : [];
}

/** The words of the exec form with the placeholders that are filled in where no shell reads them. */
export function filledWords(words: readonly string[], file: SourceFile, bearings: PathBases): string[] {
  const variables = variablesOf(file, bearings);
  return words.map((word) =>
    word.replace(/\$\{(\w+)\}/g, (all, name: string) => (isFilledIn(name, file) ? variables[name] : undefined) ?? all),
  );
}

/** Whether `${name}` is filled in where no shell reads it. In our own files nothing is. */
export function isFilledIn(name: string, { dialect, kind, plugin }: SourceFile): boolean {
  if (dialect === 'code') return false;
  if (/^CLAUDE_PLUGIN_(?:ROOT|DATA)$/.test(name)) return plugin !== undefined || kind === 'settings';
  if (name === 'CLAUDE_SKILL_DIR') return kind === 'skill';
  return name === 'CLAUDE_PROJECT_DIR' || name.startsWith('user_config.');
}

/** How deeply shell texts may nest in shell texts. */
const MOST_TEXTS = 3;

/** Where words or a shell text are read. */
interface Bearings {
  readonly variables: ShellVariables;
  readonly place: RunFolder;
  /** How many texts are around it. */
  readonly depth?: number;
}

function runsIn(shell: Shell, { variables, place, depth = 0 }: Bearings): Invocation[] {
  if (shell.errors.length > 0) return [];
  const known = Object.fromEntries(Object.entries(variables).filter(([key]) => !shell.assigned.has(key)));
  const placeOf = placesIn(shell, known, place);
  const asked = askedAbout(shell);
  return shell.commands.flatMap((command) => {
    const words = wordsOf(command, known);
    const certain = isCertain(command) && !words.some(({ written }) => asked.has(fileName(written)));
    return runOf(words, certain, { variables: known, place: placeOf(command), depth });
  });
}

/** The files that an inline shell text names: `sh -c '…'`. The values of `$1` and the like are not known. */
function withinText(runs: readonly Invocation[], { depth = 0, ...bearings }: Bearings): Invocation[] {
  const [text] = runs.flatMap(({ inline, interpreter = '' }) => (SHELL.test(interpreter) && inline ? [inline] : []));
  const shell = text === undefined || depth >= MOST_TEXTS ? undefined : parseShell(text);
  if (!shell) return [];
  const certain = runs.every((run) => run.certain);
  return runsIn(shell, { ...bearings, depth: depth + 1 })
    .filter(({ path, inline }) => path !== undefined && inline === undefined)
    .map((run) => ({ ...run, certain: certain && run.certain, within: true }));
}

export function variablesOf(file: SourceFile, { home }: PathBases): ShellVariables {
  return {
    CLAUDE_PROJECT_DIR: file.project,
    CLAUDE_PLUGIN_ROOT: file.plugin,
    CLAUDE_SKILL_DIR: skillFolder(file),
    HOME: home,
    ...ofAgent(file),
  };
}

/** The variables in which another agent passes the project folder. */
function ofAgent({ agent, project }: SourceFile): Readonly<Record<string, string | undefined>> {
  const { variables = {} } = TABLES.find(({ name }) => name === agent)?.runs ?? {};
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, from]) => (from === 'project' ? [[name, project]] : [])),
  );
}

/** The directory in which hooks run: that of the session, which is the project's folder unless the agent has changed it. */
function baseOf(file: SourceFile, { cwd }: PathBases): string | undefined {
  return file.dialect === 'code' ? (file.project ?? cwd) : file.project;
}

interface InvocationWord {
  readonly value: string | undefined;
  readonly written: string;
}

type ShellVariables = Readonly<Record<string, string | undefined>>;

function wordsOf(command: FoundCommand, known: ShellVariables): InvocationWord[] {
  const { name } = command.node;
  return [...(name ? [name] : []), ...argsOf(command)].map((word) => ({
    value: filledIn(word, known),
    written: word.text,
  }));
}

/** The value of a word. A shell expands nothing in single quotes, but Claude Code fills in a plugin's paths before the shell runs. */
function filledIn(word: Word, known: ShellVariables): string | undefined {
  const value = expand(word, known);
  if (value === undefined || !word.text.includes("'")) return value;
  const filled = value.replace(/\$\{(CLAUDE_PLUGIN_\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  return /^\$\{?CLAUDE_/.test(filled) ? undefined : filled;
}

/** Commands that run shell text. `eval` takes the text in any number of words. */
const SHELL = /^(?:(?:ba|da|z|k)?sh|eval)$/;

function runOf(words: readonly InvocationWord[], certain: boolean, bearings: Bearings): Invocation[] {
  const values = words.map(({ value }) => value);
  const start = startedBy(values);
  const { value: program, written = '' } = words[start?.program ?? -1] ?? {};
  if (start === undefined || program === undefined) return [];
  const place = start.moves ? UNKNOWN_FOLDER : bearings.place;
  const plain = { path: undefined, relative: false, interpreter: undefined, inline: undefined, within: false };
  const run: Invocation = { ...plain, written, certain };
  const runs = [
    /[/\\]/.test(program) ? { ...run, ...located(program, place) } : { ...run, certain: certain && !start.elsewhere },
    ...(program === 'eval' ? evaluated(values.slice(start.program + 1), run) : scriptOf(words, start, run, place)),
  ];
  return [...runs, ...withinText(runs, { ...bearings, place })];
}

function evaluated(words: readonly (string | undefined)[], run: Invocation): Invocation[] {
  const text = words.includes(undefined) ? '' : words.join(' ');
  return text === '' ? [] : [{ ...run, interpreter: 'eval', written: 'its argument', inline: text }];
}

/** What an interpreter runs that the words start. */
function scriptOf(words: readonly InvocationWord[], start: Start, run: Invocation, place: RunFolder): Invocation[] {
  const { reader: at, elsewhere } = start;
  const values = words.map(({ value }) => value);
  const interpreter = nameOf(values[at] ?? '');
  const reader = readerOf(interpreter);
  const [operand] = reader ? operandsOf(values, at + 1, reader) : [];
  const { value, written = '' } = words[operand?.at ?? -1] ?? {};
  if (reader === undefined || operand === undefined || operand.kind === 'unknown' || value === undefined) return [];
  if (operand.kind === 'code') return [{ ...run, interpreter, written: 'its argument', inline: value }];
  // `bun run build` and `uv run pytest` do not name a file, nor does `deno run npm:x`.
  if (!/[/\\]|\.(c|m)?[jt]sx?$|\.(py|sh|bash|zsh|rb|pl|php)$/.test(value) || /^[a-z][\w+.-]+:/i.test(value)) return [];
  const folder = isAny(values.slice(at + 1, operand.at), reader.folder) ? UNKNOWN_FOLDER : place;
  const isSure = !isOfUser(interpreter, written) && !(elsewhere && !value.includes('/'));
  const certain = run.certain && isSure && (reader.exact?.test(value) ?? true);
  return [{ ...run, interpreter, written, ...located(value, folder), certain }];
}

/** Whether a sourced file is in the user's home (`. ~/.nvm/nvm.sh`). It need not exist on the machine where the file is checked. */
const isOfUser = (interpreter: string, written: string): boolean =>
  /^(?:\.|source)$/.test(interpreter) && /^["']?(?:~|\$\{?HOME\b)/.test(written);

function located(value: string, { folder, relative }: RunFolder): Pick<Invocation, 'path' | 'relative'> {
  if (isAbsolute(value)) return { path: value, relative: false };
  // A Windows path cannot be resolved here.
  if (/^[A-Za-z]:[/\\]|\\/.test(value)) return { path: undefined, relative: false };
  return { path: folder === undefined ? undefined : resolve(folder, value), relative };
}
