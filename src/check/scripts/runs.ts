import { isAbsolute, resolve } from 'node:path';
import type { Word } from 'unbash';
import { TABLES } from '../../agents/agents.js';
import { type HandlerNode, type SourceFile, skillFolder } from '../files/source-file.js';
import { entryOf, plainData, textAt } from '../files/tree.js';
import { askedAbout, fileName, isCertain, placesIn, type RunFolder } from './certain.js';
import { type Interpreter, operandOf, readerOf } from './interpreters.js';
import { argsOf, expand, type FoundCommand, parseShell, type Shell } from './shell.js';

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
    const values = words.map((word) =>
      word.replace(
        /\$\{(\w+)\}/g,
        (all, name: string) => (isFilledIn(name, file) ? variables[name] : undefined) ?? all,
      ),
    );
    const run = runOf(
      values.map((value, i) => ({ value: /\$/.test(value) ? undefined : value, written: words[i] as string })),
      true,
      place,
    );
    return [...run, ...withinText(run, variables, place)];
  }
  const shell = shellOf(handler);
  return shell ? runsIn(shell, variables, place) : [];
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

function runsIn(shell: Shell, variables: ShellVariables, start: RunFolder, depth = 0): Invocation[] {
  if (shell.errors.length > 0) return [];
  const known = Object.fromEntries(Object.entries(variables).filter(([key]) => !shell.assigned.has(key)));
  const placeOf = placesIn(shell, known, start);
  const asked = askedAbout(shell);
  return shell.commands.flatMap((command) => {
    const words = wordsOf(command, known);
    const place = placeOf(command);
    const certain = isCertain(command) && !words.some(({ written }) => asked.has(fileName(written)));
    const runs = runOf(words, certain, place);
    return [...runs, ...withinText(runs, known, place, depth)];
  });
}

/** The files that an inline shell text names: `sh -c '…'`. The values of `$1` and the like are not known. */
function withinText(runs: readonly Invocation[], variables: ShellVariables, place: RunFolder, depth = 0): Invocation[] {
  const [text] = runs.flatMap(({ inline, interpreter = '' }) => (SHELL.test(interpreter) && inline ? [inline] : []));
  const shell = text === undefined || depth >= MOST_TEXTS ? undefined : parseShell(text);
  if (!shell) return [];
  const certain = runs.every((run) => run.certain);
  return runsIn(shell, variables, place, depth + 1)
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
/** Programs that run the program named after them and download it if it is not installed. */
const FETCHING = /^(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|pdm|rye|hatch) run)$/;
/** Programs that run the command given as their arguments. */
const WRAPPERS = /^(exec|command|env|nohup|nice|time|timeout|sudo|builtin|stdbuf|setsid)$/;
function runOf(words: readonly InvocationWord[], certain: boolean, place: RunFolder): Invocation[] {
  const values = words.map(({ value }) => value);
  const at = programAt(values);
  const first = words[at];
  if (first?.value === undefined || values.slice(0, at).some((value = '') => FOLDER.test(value))) return [];
  const run = {
    written: first.written,
    path: undefined,
    relative: false,
    interpreter: undefined,
    inline: undefined,
    certain,
    within: false,
  };
  if (/[/\\]/.test(first.value)) return [{ ...run, ...located(first.value, place) }];
  if (first.value === 'eval') {
    const rest = words.slice(at + 1).map(({ value }) => value);
    const text = rest.includes(undefined) ? undefined : rest.join(' ');
    return [run, ...(text ? [{ ...run, interpreter: 'eval', written: 'its argument', inline: text }] : [])];
  }
  const reading = readerAt(words, at);
  const interpreter = words[reading]?.value as string;
  const reader = readerOf(interpreter);
  const rest = words.slice(reading + 1);
  return [run, ...(reader ? scriptOf(rest, reader, { ...run, interpreter }, place) : [])];
}

/** The index of the word that may be an interpreter: in `npx tsx x.ts`, the one after the program that fetches it. */
function readerAt(words: readonly InvocationWord[], first: number): number {
  const [program, verb] = words.slice(first).map(({ value }) => value);
  let at = first;
  if (FETCHING.test(`${program}`)) at += 1;
  else if (FETCHING.test(`${program} ${verb}`)) at += 2;
  else return first;
  while (/^-/.test(words[at]?.value ?? ''))
    at += /^(?:-p|--package|--with|--python|--from)$/.test(words[at]?.value ?? '') ? 2 : 1;
  const { value = '' } = words[at] ?? {};
  return readerOf(value) ? at : first;
}

/** Options of wrappers that change the folder: `env -C`, `sudo -D`. What a path then leads to is not known here. */
const FOLDER = /^(?:-[CD]|--chdir)/;

/** The index of the program that the words start, behind `env` and the like. */
export function programAt(words: readonly (string | undefined)[]): number {
  const at = words.findIndex((_, i) => !isPassedOver(words, i));
  return at === -1 ? words.length : at;
}

function isPassedOver(words: readonly (string | undefined)[], at: number): boolean {
  const value = words[at];
  if (value === undefined) return false;
  if (WRAPPERS.test(value)) return words.length > at + 1;
  // Arguments of the wrapper: `timeout -k 1 5s`, `env A=b`.
  return at > 0 && (/^-|^\w+=|^[\d.]+[smhd]?$/.test(value) || /^(?:-[kusngCD]|--chdir)$/.test(words[at - 1] ?? ''));
}

function scriptOf(
  words: readonly InvocationWord[],
  reader: Interpreter,
  run: Invocation,
  place: RunFolder,
): Invocation[] {
  const operand = operandOf(
    words.map(({ value }) => value),
    reader,
  );
  const { value, written = '' } = words[operand?.at ?? -1] ?? {};
  if (value === undefined) return [];
  if (operand?.isCode) return [{ ...run, written: 'its argument', inline: value }];
  // `bun run build` and `uv run pytest` do not name a file.
  return /[/\\]|\.(c|m)?[jt]sx?$|\.(py|sh|bash|zsh|rb|pl|php)$/.test(value)
    ? [{ ...run, written, ...located(value, place), certain: run.certain && !isOfUser(run, written) }]
    : [];
}

/** Whether a sourced file is in the user's home (`. ~/.nvm/nvm.sh`). It need not exist on the machine where the file is checked. */
const isOfUser = ({ interpreter = '' }: Invocation, written: string): boolean =>
  /^(?:\.|source)$/.test(interpreter) && /^["']?(?:~|\$\{?HOME\b)/.test(written);

function located(value: string, { folder, relative }: RunFolder): Pick<Invocation, 'path' | 'relative'> {
  if (isAbsolute(value)) return { path: value, relative: false };
  // A Windows path cannot be resolved here.
  if (/^[A-Za-z]:[/\\]|\\/.test(value)) return { path: undefined, relative: false };
  return { path: folder === undefined ? undefined : resolve(folder, value), relative };
}
