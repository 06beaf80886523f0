import type { SyntaxNode } from 'unbash';
import { LineSettings } from './filters/settings.js';
import type { CommandText } from './words.js';

/** Thrown when it cannot be known what a line runs. */
export class UnknowableError extends Error {}
/** Thrown when a text is not shell code. */
export class UnreadableError extends UnknowableError {
  readonly #at: number;

  constructor(at: number) {
    super();
    this.#at = at;
  }

  /** The lines of the text before the one that is not. */
  before(text: string): string {
    const end = Math.min(this.#at, text.trimEnd().length);
    return text.slice(0, Math.max(0, text.lastIndexOf('\n', end - 1)));
  }
}

/** The input of a command: undefined if the line does not set it, else the texts from the line, or `unknown`. */
export type CommandInput = undefined | 'unknown' | readonly string[];

/** A text that is read as a script, and its context. */
export interface BashScript extends ScriptContext {
  readonly text: string;
}

export interface ScriptContext {
  readonly input: CommandInput;
  /** In a command line of a runner such as `parallel`: the placeholder for the words that it reads. */
  readonly hole: string | undefined;
}

export type Surety = boolean | 'expanded';

/** A command whose name is a glob, in a text for a program that is not a shell: `/bin/r? x`. */
export interface GlobbedCommand {
  readonly mayBe: (name: string) => boolean;
  /** The text after the name. */
  readonly rest: string;
}

/** The files, variables and functions of a line. File names are without folders, because the line may change folders. */
export interface BashFiles {
  /** Files that the line writes, and whether each is written only once and with known content. */
  readonly written: Map<string, boolean>;
  /** Files whose commands are run, and whether a shell itself reads them. */
  readonly ran: Map<string, boolean>;
  /** Files that are copied, moved or changed in place, and their new names. Globs stand for several files, `*` for any. */
  readonly moved: Map<string, Set<string>>;
  /** Files from which other programs may read commands. */
  readonly taken: Set<string>;
  /** `handed`: files that a program probably runs. `named`: names in the words of a program, which may write them. */
  readonly handed: Set<string>;
  readonly named: Set<string>;
  /** `called`: the names of commands. */
  readonly called: Set<string>;
  /** Files written to folders on the PATH, and marks about such folders; see moves.ts. */
  readonly onPath: Set<string>;
  readonly variables: Set<string>;
  readonly values: Set<string>;
  /** `held`: values of variables, as file names (`=`), programs on the PATH and other variables (`$`). `filled`: variables that it writes to. */
  readonly held: Map<string, Set<string>>;
  readonly filled: Set<string>;
  /** Files that a variable names as a program: `EDITOR=./e`. */
  readonly programs: Set<string>;
  /** Programs whose output is evaluated, and functions that the line defines, which may hide such programs. */
  readonly evaluated: Set<string>;
  readonly defined: Set<string>;
}

/** The results of reading a line so far. */
export interface BashReading extends BashFiles {
  readonly commands: CommandText[];
  /** What the line says about values of variables, and whether the text being read is another one. */
  readonly settings: LineSettings;
  isNested: boolean;
  /** Texts in which any word may begin a command. */
  readonly texts: Set<string>;
  /** Commands in texts whose names are globs. */
  readonly globs: Map<string, GlobbedCommand>;
  expands: boolean;
  /** The characters read so far, and the characters of searched texts. */
  readonly spent: { read: number };
  readonly searched: { length: number };
  /** Scripts still to be read. */
  readonly scripts: BashScript[];
  /** Texts that some program may run as commands: surely (`true`), perhaps (`false`), or only their substitutions (`expanded`). */
  readonly guesses: Map<string, Surety>;
  /** Texts that are only shown or stored, and whether they are completely known. They become guesses if the line runs files. */
  readonly said: Map<string, boolean>;
  /** `isGuess`: the text being read may be run by some program, and is none of `lines`, which a known program runs. */
  isGuess: boolean;
  readonly lines: Set<string>;
  /** What is unknown is passed over, and the rest of the text counts. */
  isLenient: boolean;
  /** A program runs its input, so printed words may be run. */
  runsTexts: boolean;
  /** The line expands the values of variables once more, so printed substitutions may be run. */
  expandsAgain: boolean;
  /** A file that the line itself may have written is run, or given to a program. */
  runsFiles: boolean;
  /** A shell runs such texts or files, so their commands must be known. */
  runsSurely: boolean;
  /** A shell runs the standard input of the line. */
  readsInput: boolean;
  /** The line redirects that input with `exec <`. */
  changesInput: boolean;
}

/** Nothing is known of the line yet. */
export function newReading(source: string, files: BashFiles): BashReading {
  return {
    commands: [{ text: source.trim() }],
    settings: new LineSettings(source),
    isNested: false,
    texts: new Set(),
    globs: new Map(),
    expands: false,
    spent: { read: 0 },
    searched: { length: 0 },
    scripts: [],
    guesses: new Map(),
    said: new Map(),
    isGuess: false,
    lines: new Set(),
    isLenient: false,
    runsTexts: false,
    expandsAgain: false,
    runsFiles: false,
    runsSurely: false,
    ...files,
    readsInput: false,
    changesInput: false,
  };
}

/** Longer lines are not read, because parsing nested commands is not linear. */
const MAX_LENGTH = 10_000;
/** The budget for a line, in characters read and other work. It includes the texts of `eval` and `sh -c`, which may be nested. */
const MAX_READ = 40_000;
/** Texts that may stay unknown can use half of the budget, if that much is left. */
export const SPARED = MAX_READ / 2;
/** The limit for searched texts, in characters. It allows for several spellings of a whole line. */
const MAX_SEARCHED = 100_000;

/** The cost of other work, expressed in characters. */
export const COST = { command: 80, guess: 40, name: 12, node: 4, word: 6, look: 5, redirect: 20, pipe: 20 } as const;
/** Limits for one text: here-documents, whose ends take quadratic time to find, and separators of commands. */
const MAX_DOCUMENTS = 100;
const MAX_MARKS = 2500;

/** A path without its folders. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Charges steps to the budget. Throws if it is used up. */
export function spend(steps: number, found: BashReading): void {
  found.spent.read += steps;
  if (isSpent(found)) throw new UnknowableError();
}

/** Charges the characters of a searched text. Throws at the limit, because a text that is not searched completely is unknown. */
export function spendSearch(length: number, found: BashReading): void {
  found.searched.length += length;
  if (found.searched.length > MAX_SEARCHED) throw new UnknowableError();
}

const SURETIES: readonly Surety[] = [false, 'expanded', true];
export function isSurer(one: Surety, than: Surety | undefined): boolean {
  return than === undefined || SURETIES.indexOf(one) > SURETIES.indexOf(than);
}

/** Notes a text that some program may run as commands. Keeps the surer of the old and the new certainty. */
export function noteGuess(text: string, surely: Surety, found: BashReading): void {
  if (isSurer(surely, found.guesses.get(text))) found.guesses.set(text, surely);
}

export function isSpent(found: BashReading): boolean {
  return found.spent.read > MAX_READ;
}

/** Throws the error again, unless what is unknown is passed over. */
export function passOver(error: unknown, found: BashReading): void {
  if (!found.isLenient || !(error instanceof UnknowableError || error instanceof RangeError) || isSpent(found))
    throw error;
}

const HISTORY = /\bset\s[^;&|\n]*(?:-\w*H|\bhistexpand)\b/;

/** Returns the text of a script, which may be a part of another one. */
export function readTop(script: Extract<SyntaxNode, { type: 'Script' }>, text: string): string {
  // With history expansion, words come from earlier lines.
  if (HISTORY.test(text) && text.includes('!')) throw new UnknowableError();
  const errors = script.errors ?? [];
  if (errors.length > 0) throw new UnreadableError(Math.min(...errors.map(({ pos }) => pos)));
  return script.source ?? text;
}

/** One step is charged for this many characters of a text that is searched for words. */
export const TEXT_SHARE = 4;

/** Charges a text that is searched for words. Nested expansions such as `${ a ${ b` are each as long as the rest of the line. */
export function spendText({ length }: { readonly length: number }, found: BashReading): void {
  spend(Math.floor(length / TEXT_SHARE), found);
}

/** The limit for characters that are read repeatedly to find the ends of nested arithmetic and variables: `$((a $((b`, `${a:-${b`. */
const MAX_NESTED = 150_000;
const VARIABLES = /\$\{|\}/g;
const NESTS = [/\$\(\(|\$\[|\)\)/g, VARIABLES];

/** Whether finding the ends of nested expansions takes too long, because the parser searches from each beginning. */
export function isTooNested(source: string): boolean {
  return NESTS.some((marks) => {
    if (marks === VARIABLES && !source.includes('${')) return false;
    const open: number[] = [];
    let steps = 0;
    for (const { index, 0: mark } of source.matchAll(marks)) {
      if (mark.startsWith('$')) open.push(index);
      else steps += index - (open.pop() ?? index);
    }
    return open.reduce((sum, from) => sum + source.length - from, steps) > MAX_NESTED;
  });
}

/** Whether parsing alone would take longer than a hook may wait. */
export function isTooLong(source: string): boolean {
  if (source.length > MAX_LENGTH) return true;
  if (source.length < MAX_DOCUMENTS) return false;
  const marks = source.match(/<<|[;|&()`\n]/g) ?? [];
  return (
    marks.length > MAX_MARKS || marks.filter((mark) => mark === '<<').length > MAX_DOCUMENTS || isTooNested(source)
  );
}
