import { homedir } from 'node:os';
import { type CommandReading, OTHER } from './command-reading.js';
import type { Kind, ProgramOptions } from './program.js';
import { programOf } from './programs.js';
import { type ReadingMode, ShellLines } from './shell-lines.js';
import { UNKNOWN, type VariableLookup, wordValues } from './shell-values.js';
import { type ShellCommand, type ShellWord, shellCommands } from './shell-words.js';

/** Matches options that name the folder in which a program runs. */
const CHANGE = /^(?:-C|-D|--chdir|--directory|--cwd|--dir)/;
/** Matches scripts that a runner of projects is given in place of a program: `uv run x.py`. */
const CODE = /\.(?:[cm]?[jt]sx?|py|rb|sh)$/;

/** Matches lines that may set variables from elsewhere. */
const SOURCES = /(?:^|[\s;&|(])(?:\.|source|eval|read|export|declare|typeset|printf)\s/;

const isSure = (values: readonly string[]): boolean => !values.some((value) => value.startsWith(UNKNOWN));

/** Whether what a program does to the folder is still so after it: `cd`, and `eval` of it. */
export const isLasting = (program: ProgramOptions = OTHER): boolean =>
  (program.operands === 'folder' && program.open === undefined) ||
  (program.operands === 'lines' && program.stdin === true);

/** Finds the scripts that commands surely run, and the folders to which they go. */
export abstract class RunCommands extends ShellLines {
  /** As `paths.look`; a variable that is set neither here nor, as far as is known, by the line is empty. */
  readonly #look: VariableLookup = (name) => {
    const known = this.paths.look(name);
    if (known !== undefined || process.env[name] !== undefined) return known;
    const isSet = !/^[A-Za-z_]\w*$/.test(name) || name === 'OLDPWD' || SOURCES.test(this.text);
    return isSet || new RegExp(`${name}:?=`).test(this.text) ? undefined : [''];
  };

  /** The values of a word that names what runs; none if only the run can tell how they begin. */
  #sure(word: ShellWord): readonly string[] {
    const values = wordValues(word, this.#look);
    return isSure(values) ? values : [];
  }

  /** Notes what an option or a verb means to what comes behind it. */
  protected notes(text: string, kind: Kind | undefined, reading: CommandReading): void {
    reading.goes = kind === 'folder' && CHANGE.test(text);
    reading.reads ||= reading.program?.checks?.split(' ').includes(text) ?? false;
  }

  /** Adds the program that a command starts, and goes where it leads if it names no folder. */
  protected starts(word: ShellWord, reading: CommandReading): void {
    reading.reads = false;
    for (const value of reading.mode.shell ? this.#sure(word) : []) this.runs.program(value);
    this.#goesAlone(reading.command, word);
  }

  /** Adds the script that an interpreter is given. */
  protected runsScript(word: ShellWord, { program = OTHER, mode, reads }: CommandReading): void {
    if (program.scripts !== true || reads || !mode.shell) return;
    for (const value of this.#sure(word)) this.runs.script(value, program);
    this.printed(word);
  }

  protected runsWrapped(word: ShellWord, { program = OTHER, mode }: CommandReading): void {
    if (!program.ends || !mode.shell) return;
    for (const value of this.#sure(word)) if (CODE.test(value)) this.runs.script(value, OTHER);
  }

  /** Adds the code that an option names. */
  protected loads(kind: Kind, values: readonly string[], { program = OTHER, mode }: CommandReading): void {
    if (!mode.shell || program.scripts !== true) return;
    for (const value of values) {
      if (kind === 'code') this.runs.loaded(value, program);
      if (kind === 'module') this.runs.module(value, program);
    }
  }

  /** Reads lines that another process runs, in its own folder. */
  protected linesApart(word: ShellWord, values: readonly string[], mode: ReadingMode): void {
    const back = this.runs.here();
    this.lines(word, values, mode);
    back();
    this.printed(word);
  }

  /** Reads the folder that a command is given: to go to it, or, as `run-parts` does, to run what is in it. */
  protected operandFolder(values: readonly string[], reading: CommandReading): void {
    reading.goes = reading.program?.open === undefined;
    if (!reading.goes) for (const value of values) this.runs.script(`${value}/${UNKNOWN}`, OTHER);
  }

  /** Goes to a folder; a variable that is not set leaves the line where it is. */
  protected goesTo(word: ShellWord, values: readonly string[]): void {
    if (word.text === '-') this.runs.goesBack();
    else this.runs.goes(values.includes(UNKNOWN) ? wordValues(word, this.#look) : values);
  }

  #goesAlone({ words }: ShellCommand, { text }: ShellWord): void {
    const isAlone = words.filter(({ redirect }) => redirect === undefined).length === 1;
    if (text === 'popd' || (text === 'pushd' && isAlone)) this.runs.goesBack();
    if (text !== 'cd' || !isAlone) return;
    this.paths.folder(homedir());
    this.runs.goes([homedir()]);
  }

  /** Adds the scripts that a program gets through another one that prints them: `cat x | sh`. */
  protected prints(words: readonly (readonly string[])[]): void {
    for (const values of words.filter(isSure)) for (const value of values) this.runs.script(value, OTHER);
  }

  /** The same for `sh -c "$(cat x)"` and `. <(cat x)`. */
  protected printed({ parts }: ShellWord): void {
    for (const part of parts) {
      if (typeof part === 'string' || part.kind !== 'command') continue;
      for (const { words } of shellCommands(part.line)) {
        const [printer = [], ...printed] = words.map((word) => this.#sure(word));
        if (words[0]?.redirect === '<') this.prints([printer]);
        else if (programOf(printer)?.operands === 'data') this.prints(printed);
      }
    }
  }
}
