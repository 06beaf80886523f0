import { isAbsolute, resolve } from 'node:path';
import type { Word } from 'unbash';
import { TABLES } from '../../agents/agents.js';
import { type HandlerNode, type SourceFile, skillFolder } from '../files/source-file.js';
import { entryOf, plainData, textAt } from '../files/tree.js';
import { askedAbout, fileName, isCertain, type Place, placesIn } from './certain.js';
import { argsOf, expand, type FoundCommand, parseShell, type Shell } from './shell.js';

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
  const place: Place = { folder: baseOf(file, bearings), relative: true };
  const words = execWords(handler);
  if (words) {
    const values = words.map((word) => word.replace(/\$\{(\w+)\}/g, (all, name: string) => variables[name] ?? all));
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

/** A text may hold a text for a shell, which may hold one. */
const MOST_TEXTS = 3;

function runsIn(shell: Shell, variables: Variables, start: Place, depth = 0): Invocation[] {
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

/** The files that a text for a shell names: `sh -c '…'`. What it is given as `$1` is not known. */
function withinText(runs: readonly Invocation[], variables: Variables, place: Place, depth = 0): Invocation[] {
  const [text] = runs.flatMap(({ inline, interpreter = '' }) => (SHELL.test(interpreter) && inline ? [inline] : []));
  const shell = text === undefined || depth >= MOST_TEXTS ? undefined : parseShell(text);
  if (!shell) return [];
  const certain = runs.every((run) => run.certain);
  return runsIn(shell, variables, place, depth + 1)
    .filter(({ path, inline }) => path !== undefined && inline === undefined)
    .map((run) => ({ ...run, certain: certain && run.certain }));
}

export function variablesOf(file: SourceFile, { home }: Bearings): Variables {
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

type Variables = Readonly<Record<string, string | undefined>>;

function wordsOf(command: FoundCommand, known: Variables): InvocationWord[] {
  const { name } = command.node;
  return [...(name ? [name] : []), ...argsOf(command)].map((word) => ({
    value: filledIn(word, known),
    written: word.text,
  }));
}

/** Between single quotes a shell fills in nothing; the paths of a plugin the client fills in before. */
function filledIn(word: Word, known: Variables): string | undefined {
  const value = expand(word, known);
  if (value === undefined || !word.text.includes("'")) return value;
  const filled = value.replace(/\$\{(CLAUDE_PLUGIN_\w+)\}/g, (whole, name: string) => known[name] ?? whole);
  return /^\$\{?CLAUDE_/.test(filled) ? undefined : filled;
}

/** `eval` is given its text in any number of words. */
const SHELL = /^(?:(?:ba|da|z|k)?sh|eval)$/;
/** Programs that fetch the program that follows them where it is not installed. */
const FETCHING = /^(?:npx|bunx|pnpx|uvx|(?:npm|pnpm|yarn|bun) (?:exec|dlx|x)|(?:uv|poetry|pipenv|pdm|rye|hatch) run)$/;
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
  { names: /^(\.|source)$/, inline: /^$/, valued: /^$/ },
  { names: /^(ruby|perl|php|Rscript|lua)$/, inline: /^-[er]$/, valued: /^-[I]$/ },
];

function runOf(words: readonly InvocationWord[], certain: boolean, place: Place): Invocation[] {
  let at = 0;
  while (at < words.length && isPassedOver(words, at)) at++;
  const first = words[at];
  if (first?.value === undefined) return [];
  const run = {
    written: first.written,
    path: undefined,
    relative: false,
    interpreter: undefined,
    inline: undefined,
    certain,
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

const readerOf = (name: string): (typeof INTERPRETERS)[number] | undefined =>
  INTERPRETERS.find(({ names }) => names.test(name));

/** Where an interpreter may stand: at `npx tsx x.ts` behind what fetches it. */
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
  place: Place,
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
        ? [{ ...run, written, ...located(value, place), certain: run.certain && !isOfUser(run, written) }]
        : [];
    }
  }
  return [];
}

/** `. ~/.nvm/nvm.sh`: what a user has at home need not be where the file is checked. */
const isOfUser = ({ interpreter = '' }: Invocation, written: string): boolean =>
  /^(?:\.|source)$/.test(interpreter) && /^["']?(?:~|\$\{?HOME\b)/.test(written);

function located(value: string, { folder, relative }: Place): Pick<Invocation, 'path' | 'relative'> {
  if (isAbsolute(value)) return { path: value, relative: false };
  // A path of another platform.
  if (/^[A-Za-z]:[/\\]|\\/.test(value)) return { path: undefined, relative: false };
  return { path: folder === undefined ? undefined : resolve(folder, value), relative };
}
