import { type CommandReading, OTHER } from './command-reading.js';
import { isHidden, isSplit } from './hidden-words.js';
import { programOf } from './programs.js';
import { type ReadingMode, ShellLines } from './shell/lines.js';
import { UNKNOWN, type VariableLookup, wordValues } from './shell/values.js';
import type { ShellWord } from './shell/word.js';

/** Programs in one command; nobody would read more. */
const MOST_STARTS = 32;
/** Commands that run what they are given more than once, or later, perhaps in another folder. */
const REPEATING = /^(?:while|until|for|select|repeat|function|trap|alias|mapfile|readarray)$/;
/** A line whose way back is known: it comes to `cd -` only after it has gone somewhere. */
const WENT = /^\s*cd\s+[\w"$./][^;&|(){}`\n]*(?:&&[^;&|(){}`\n]*)*&&\s*cd\s+-/;

/** Whether what a program does to the folder is still so after it: `cd`, and `eval` of it. */
const isLasting = ({ program = OTHER, mode }: CommandReading): boolean =>
  mode.sure &&
  ((program.operands === 'folder' && program.open === undefined) ||
    (program.operands === 'lines' && program.stdin === true));

/** Finds the folders to which commands go. */
export abstract class LineFolders extends ShellLines {
  protected abstract get look(): VariableLookup;
  /** The values of a word that are known when hooks are loaded. */
  protected abstract readonly place: VariableLookup;

  /** Notes a command behind which, or in which, a relative folder is not known. */
  protected mayRepeat(values: readonly string[], { shell }: ReadingMode): void {
    if (shell && values.some((value) => REPEATING.test(value))) this.paths.repeats = true;
  }

  /** Reads a word of `env`, `exec` or `cd` that may be an option, several words or none: the folder and what HOME is are not known. */
  protected mayHide(word: ShellWord, values: readonly string[], { program = OTHER, mode }: CommandReading): void {
    const isOption = program.cleans !== undefined || (program.operands === 'folder' && program.open === undefined);
    // `cd` without any word goes home.
    const given = program.cleans ? values : values.filter((value) => value !== '');
    if (!isOption || !isHidden(word, given)) return;
    if (program.cleans) this.paths.blur();
    this.mayGo(word.raw, [UNKNOWN], mode);
  }

  /** Adds the folders that an operand or an option names. */
  protected folders(value: string, { goes, program = OTHER }: CommandReading): void {
    if (program.operands === 'folder' && value === '-') return;
    for (const folder of goes ? [value] : value.split(':')) this.paths.folder(folder === '' ? '.' : folder, goes);
  }

  /** Counts the programs that one command names: `env nice node`. */
  protected isTooMany(reading: CommandReading): boolean {
    const isTooMany = ++reading.starts > MOST_STARTS;
    if (isTooMany) this.report(reading.command.raw, [UNKNOWN], reading.mode);
    return isTooMany;
  }

  /** Reads a program's name that may be one of several programs, or is more than one word. */
  protected splits(word: ShellWord, values: readonly string[], { command, mode, starts }: CommandReading): void {
    if (this.purpose === 'place') return;
    const programs = values.map((value) => programOf([value.trim().replace(/\s.*/s, '')], this.purpose));
    const lines = isSplit(word) ? values.filter((value) => /\S\s+\S/.test(value)) : [];
    if (new Set(programs).size > 1 || (lines.length > 0 && starts > 1)) this.report(word.raw, [UNKNOWN], mode);
    if (starts > 1) return;
    const words = command.words.slice(command.words.indexOf(word) + 1).filter(({ redirect }) => redirect === undefined);
    for (const line of lines) this.lines(word, [[line, ...words.map(({ raw }) => raw)].join(' ')], mode);
  }

  /** Reads the folder that a command is given: to go to it, or, as `run-parts` does, to run what is in it. */
  protected operandFolder(values: readonly string[], reading: CommandReading): void {
    const isOpen = reading.program?.open !== undefined;
    // A word without any text is none: `cd $x`.
    reading.goes = !isOpen && !(this.purpose === 'consent' && values.includes(''));
    if (isOpen) for (const value of values) this.runs.script(`${value}/${UNKNOWN}*`, OTHER);
  }

  /** Goes to a folder; a variable that is not set leaves the line where it is. */
  protected goesTo(word: ShellWord, values: readonly string[], mode: ReadingMode): void {
    if (values.includes('-') || /^\$\{?OLDPWD\}?$/.test(word.text)) this.#goesBack(mode);
    else this.runs.goes(values.includes(UNKNOWN) ? wordValues(word, this.place) : values);
  }

  /** Goes back. A line that may have gone nowhere yet goes to where its shell was started from. */
  #goesBack(mode: ReadingMode): void {
    this.mayGo('cd -', [...(this.look('OLDPWD') ?? []), ...(WENT.test(this.text) ? [] : [UNKNOWN])], mode);
    this.runs.goesBack();
  }

  /** Ends a command: what it does to the folder ends with it, except for `cd` and the like. */
  protected ends(reading: CommandReading, back: () => void): void {
    this.#goesAlone(reading);
    if (!isLasting(reading)) back();
  }

  /** Goes home with a `cd` that names no folder, and back with such a `pushd`. */
  #goesAlone({ program = OTHER, goes, apart, command, mode }: CommandReading): void {
    if (program.operands !== 'folder' || program.open !== undefined || goes || apart) return;
    if (command.words.some(({ text }) => text === 'pushd')) return void this.runs.goesBack();
    const homes = this.look('HOME') ?? [UNKNOWN];
    this.mayGo(command.raw, homes, mode);
    this.runs.goes(homes);
  }
}
