import type { CommandText } from './words.js';

/** Thrown to stop reading at something that cannot be known. */
export class Unknowable extends Error {}
/** The same, for a text that is not shell code. */
export class Unreadable extends Unknowable {}

/** The input of a command: nothing from the line, texts in the line, or something unknown. */
export type CommandInput = undefined | 'unknown' | readonly string[];

/** A text that is read as a script, and what is around it. */
export interface Script extends ScriptContext {
  readonly text: string;
}

export interface ScriptContext {
  readonly input: CommandInput;
  /** In a line of `parallel`: the placeholder for the words it reads. */
  readonly hole: string | undefined;
}

export type Surety = boolean | 'expanded';

/** A command whose name is a pattern of files, in a text for a program that is no shell: `/bin/r? x`. */
export interface GlobbedCommand {
  readonly mayBe: (name: string) => boolean;
  /** What follows the name. */
  readonly rest: string;
}

/** What it does with files and names. */
export interface BashFiles {
  /** Files that the line writes, by their names without folders; whether each is written once, with a text that is sure. */
  readonly written: Map<string, boolean>;
  /** Files whose commands are run, the same way; whether a shell reads them, and not a program that starts one. */
  readonly ran: Map<string, boolean>;
  /** Files that are copied, moved or changed in place, and what they become, the same way; patterns stand for several, `*` for any. */
  readonly moved: Map<string, Set<string>>;
  /** Files from which other programs may take their commands, the same way. */
  readonly taken: Set<string>;
  /** Those that such a program is likely to run, and those that some program may write: names that stand in its words. */
  readonly handed: Set<string>;
  readonly named: Set<string>;
  /** The names of its commands, of the variables that it sets, and what these end in. */
  readonly called: Set<string>;
  /** Those that it writes where programs are looked up by their names. */
  readonly onPath: Set<string>;
  readonly variables: Set<string>;
  readonly values: Set<string>;
  /** What variables hold: names of files (`=`), those of programs in folders of these, and `$` with other variables; and which it writes to. */
  readonly held: Map<string, Set<string>>;
  readonly filled: Set<string>;
  /** Files that variables say are programs: `EDITOR=./e`. */
  readonly programs: Set<string>;
  /** Programs whose output is evaluated, and functions that the line defines, which hide programs of the same name. */
  readonly evaluated: Set<string>;
  readonly defined: Set<string>;
}

/** What has been found in a line so far. */
export interface BashReading extends BashFiles {
  readonly commands: CommandText[];
  /** Texts in which any word may begin a command. */
  readonly texts: Set<string>;
  /** Those in texts whose names are patterns. */
  readonly globs: Map<string, GlobbedCommand>;
  expands: boolean;
  /** Characters read, and characters of these texts. */
  readonly spent: { read: number };
  readonly searched: { length: number };
  /** Scripts still to be read. */
  readonly scripts: Script[];
  /** Texts that some program may take for commands; whether they are a shell's, if they are any, or are `expanded` by this one. */
  readonly guesses: Map<string, Surety>;
  /** Texts that are only shown or stored; the same, once a file is run. */
  readonly said: Map<string, boolean>;
  /** What is read is a text that another program may run, and none of these lines, which a known one runs. */
  isGuess: boolean;
  readonly lines: Set<string>;
  /** Something runs its input, so printed words may be run. */
  runsTexts: boolean;
  /** A file is run, or given to a program, that the line itself may have written. */
  runsFiles: boolean;
  /** A shell runs it, so that it must be known what is run. */
  runsSurely: boolean;
  /** A shell reads what the whole line is given to read … */
  readsInput: boolean;
  /** … and the line itself says what that is. */
  changesInput: boolean;
}

/** Longer commands are not read: parsing nested ones is not linear. */
const MAX_LENGTH = 10_000;
/** Characters read in all, with what `eval` and `sh -c` are given, each of which may hold the next; and what is counted as such. */
const MAX_READ = 40_000;
/** Texts that need not be known may cost half of it, and no more than is left. */
export const SPARED = MAX_READ / 2;
/** Characters of texts in which any word may begin a command: several spellings of all that one line may hold. */
const MAX_SEARCHED = 100_000;

/** The cost of other work, in characters. */
export const COST = { command: 80, guess: 40, name: 12, node: 4, word: 6, look: 5, redirect: 20, pipe: 20 } as const;
/** Here-documents in one text, of which finding the ends is not linear, and all that may end or begin a command. */
const MAX_DOCUMENTS = 100;
const MAX_MARKS = 2500;

/** A path without its folders: the line may go to them. */
export function lastName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Counts what is read; throws where it is too much. */
export function spend(steps: number, found: BashReading): void {
  found.spent.read += steps;
  if (isSpent(found)) throw new Unknowable();
}

/** Counts characters of a text that is searched for commands: it is searched to its end, or nobody can tell. */
export function spendSearch(length: number, found: BashReading): void {
  found.searched.length += length;
  if (found.searched.length > MAX_SEARCHED) throw new Unknowable();
}

const SURETIES: readonly Surety[] = [false, 'expanded', true];
export function isSurer(one: Surety, than: Surety | undefined): boolean {
  return than === undefined || SURETIES.indexOf(one) > SURETIES.indexOf(than);
}

/** Notes a text that some program may take for commands. What is known of it already may be surer. */
export function noteGuess(text: string, surely: Surety, found: BashReading): void {
  if (isSurer(surely, found.guesses.get(text))) found.guesses.set(text, surely);
}

export function isSpent(found: BashReading): boolean {
  return found.spent.read > MAX_READ;
}

/** Characters of a text in which words are looked for that cost a step. */
const TEXT_SHARE = 4;

/** Counts a text in which words are looked for: those in one another, `${ a ${ b`, are as long as the line again and again. */
export function spendText({ length }: string, found: BashReading): void {
  spend(Math.floor(length / TEXT_SHARE), found);
}

/** Characters that are read again for the ends of arithmetic in arithmetic: `$((a $((b`. */
const MAX_NESTED = 150_000;

/** Whether finding these ends is too much: those of each are looked for from its beginning on. */
function isTooNested(source: string): boolean {
  const open: number[] = [];
  let steps = 0;
  for (const { index, 0: mark } of source.matchAll(/\$\(\(|\$\[|\)\)/g)) {
    if (mark !== '))') open.push(index);
    else steps += index - (open.pop() ?? index);
  }
  return open.reduce((sum, from) => sum + source.length - from, steps) > MAX_NESTED;
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
