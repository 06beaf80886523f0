import { accountHome } from '../../values/user-folders.js';
import { added, setBy, usesItself } from './assigned.js';
import { type CommandReading, isApart, OTHER } from './command-reading.js';
import { hidesName } from './hidden-words.js';
import { LineFolders } from './line-folders.js';
import { PATH_VARIABLE } from './named-paths.js';
import type { Kind, ProgramOptions } from './program.js';
import { type KnownOption, readOption } from './program-options.js';
import { programOf, toolOf } from './programs.js';
import { CODE } from './run-names.js';
import type { ReadingMode } from './shell/lines.js';
import { UNKNOWN, type VariableLookup, wordValues } from './shell/values.js';
import type { ShellWord } from './shell/word.js';
import { shellCommands } from './shell/words.js';

/** Matches options that name the folder in which a program runs. */
const CHANGE = /^(?:-C|-D|--c(?:h|$|=)|--directory|--cwd|--dir)/;
/** Matches lines that may set variables from elsewhere. */
const SOURCES = /(?:^|[\s;&|(])(?:\.|source|eval|read|export|declare|typeset|printf)\s/;

/** Matches lines that may define functions. */
const FUNCTION = /\(\s*\)|(?<!\w)function\s/;

/** Whether it is known how values begin, if only with a glob. */
const isSure = (values: readonly string[]): boolean => !values.some((value) => /^\0(?![*?[])/.test(value));

/** From here on, the words of a command may be arguments of a program that runs nothing. */
export function doubts(reading: CommandReading): void {
  reading.mode = { ...reading.mode, sure: false };
}

/** From here on, the words of a command are arguments of this program. */
export function beginsWith(program: ProgramOptions, values: readonly string[], reading: CommandReading): void {
  // Scripts, which have a path or a suffix, are rather given data: `./guard.sh words.json`.
  const isUnknown = program === OTHER && !values.some((value) => /[/.]/.test(value));
  const isTest = values.some((value) => /^(?:test|\[\[?)$/.test(value));
  const runs = isUnknown || (isTest && reading.command.words.some(({ text }) => text === '-x'));
  reading.apart ||= isApart(reading, values);
  Object.assign(reading, { program, skips: program.skips ?? 0, settled: false, inline: false, unsure: false, runs });
}

/** Matches variables that the agent of a call, or the run of its hooks, may set. */
const OF_AGENTS = /^(?:CODEX|COPILOT|CURSOR|GEMINI)_/;

const PRINTED: ProgramOptions = { operands: 'none', environments: true };

/** What HOME and `~` are in a shell that has no HOME: for `~`, `bash` takes the account's, and others keep the sign. */
const WITHOUT_HOME = (): string[] => ['', accountHome(), '~'];

/** Finds the scripts that commands surely run. */
export abstract class RunCommands extends LineFolders {
  /** What commands print into variables. */
  readonly #texts = new Map<string, ShellWord>();
  /** As `paths.look`; a variable that is set neither here nor, as far as is known, by the line is empty. */
  protected readonly place: VariableLookup = (name) => {
    const known = this.paths.look(name);
    if (known !== undefined || process.env[name] !== undefined) return known;
    const isSet = !/^[A-Za-z_]\w*$/.test(name) || name === 'OLDPWD' || OF_AGENTS.test(name) || SOURCES.test(this.text);
    // `X=${X:-own}` sets it to its own value.
    return isSet || new RegExp(`${name}:?=(?!"?\\$\\{${name}:?-)`).test(this.text) ? undefined : [''];
  };

  /** The values of variables, as far as they are known before the line runs. */
  protected override get look(): VariableLookup {
    return this.purpose === 'place' ? this.place : this.paths.look;
  }

  /** Whether a variable has no value before the line runs: `[ -n "$x" ] || x=…`. */
  protected isUnset(name: string): boolean {
    return this.purpose === 'place' && process.env[name] === undefined && !OF_AGENTS.test(name);
  }

  /** What a word assigns to a variable. What is added to it, also by its own value, is added again in a loop, and with each call of a function. */
  protected assigned(name: string, word: ShellWord, values: readonly string[], isLoop: boolean): readonly string[] {
    const own = values.map((value) => value.slice(value.indexOf('=') + 1));
    if (this.purpose === 'place' || !usesItself(name, word)) return own;
    const before = word.text.startsWith(`${name}+=`) ? (this.look(name) ?? ['', UNKNOWN]) : [''];
    return added(before, own, !PATH_VARIABLE.test(name) && (isLoop || FUNCTION.test(this.text)));
  }

  /** Remembers what variables are set to. What is not known before counts as unknown in any case. */
  sets(variables: Iterable<readonly [string, string]>): void {
    for (const [name, value] of variables) {
      const isUnset = name === 'HOME' && value === '';
      if (value === UNKNOWN || (this.purpose === 'consent' && this.look(name)))
        this.paths.set(name, isUnset ? WITHOUT_HOME() : [value]);
    }
  }

  /** Remembers what a command does to variables, except by assignments. */
  protected setsBy(values: readonly string[], { program = OTHER, command }: CommandReading): void {
    this.sets(setBy(values, command));
    if (command.words.some(({ text }) => program.cleans?.test(text))) this.sets([['HOME', '']]);
    if (hidesName(values, command, this.paths.look)) this.paths.blur();
  }

  /** The values of a word that names what runs; none if only the run can tell how they begin. */
  #sure(word: ShellWord): readonly string[] {
    const values = wordValues(word, this.place);
    return isSure(values) ? values : [];
  }

  /** Notes what an option or a verb means to what comes behind it. */
  protected notes(text: string, { kind, checks }: Partial<KnownOption>, reading: CommandReading): void {
    reading.goes = kind === 'folder' && CHANGE.test(text);
    reading.reads ||= checks ?? reading.program?.checks?.split(' ').includes(text) ?? false;
  }

  /** Adds the program that a command starts. */
  protected starts(word: ShellWord, values: readonly string[], reading: CommandReading): void {
    for (const value of values) {
      this.paths.path(value, true);
      this.paths.program(value);
    }
    reading.reads = false;
    for (const value of reading.mode.sure ? this.#sure(word) : []) this.runs.program(value);
    if (word.text === 'popd') this.runs.goesBack();
  }

  /** Adds the script that an interpreter is given. */
  protected runsScript(word: ShellWord, { program = OTHER, mode, reads, unsure }: CommandReading): void {
    if (program.scripts !== true || reads || !mode.sure) return;
    // The value of an unknown option is code too if it is named like code.
    for (const value of this.#sure(word)) if (!unsure || CODE.test(value)) this.runs.script(value, program);
    this.printed(word, mode);
  }

  /** Adds the script that a program gets on standard input, also by `<<< "$(cat x)"`. */
  protected runsInput(word: ShellWord, mode: ReadingMode): void {
    if (!mode.sure) return;
    if (word.redirect === '<') for (const value of this.#sure(word)) this.runs.script(value, PRINTED);
    this.printed(word, mode, this.#texts);
  }

  /** The same as seen from the folder in which the line is now, for when the program is known. */
  protected runsLater(word: ShellWord, mode: ReadingMode): () => void {
    const here = this.runs.here();
    return () => {
      const back = this.runs.here();
      here();
      this.runsInput(word, mode);
      back();
    };
  }

  /** Remembers what a command prints into a variable. */
  protected keeps(name: string, word: ShellWord): void {
    const parts = word.parts.map((part, i) => (i === 0 && part === `${name}=` ? '' : part));
    this.#texts.set(name, { ...word, parts });
  }

  /** Adds the script that a runner of projects is given in place of a program: `uv run x.py`. */
  protected runsWrapped(word: ShellWord, reading: CommandReading): void {
    const { program = OTHER } = reading;
    if (reading.unsure) doubts(reading);
    if (!program.ends || !reading.mode.sure) return;
    for (const value of this.#sure(word)) if (CODE.test(value)) this.runs.script(value, OTHER);
  }

  /** Whether a word leads to the program that a package manager runs: `npm exec -- tsx x`, `yarn node x`. */
  protected isTool({ text }: ShellWord, values: readonly string[], reading: CommandReading): boolean {
    const { operands, verbs } = reading.program ?? OTHER;
    if (operands !== 'none' || verbs === undefined || reading.settled) return false;
    if (verbs.split(' ').includes(text)) return true;
    const program = toolOf(values, this.purpose);
    reading.settled = true;
    const runs = program?.packages !== undefined || (this.purpose === 'place' && program?.scripts === true);
    if (reading.unsure || !runs || this.#hasOptions(reading)) return false;
    Object.assign(reading, { program, settled: false });
    return true;
  }

  /** Whether an option of a package manager may stand behind the program that it runs. Consent counts it as its own. */
  #hasOptions({ command, program = OTHER }: CommandReading): boolean {
    const isOption = ({ text }: ShellWord): boolean => readOption(program, text, this.purpose).kind !== undefined;
    return this.purpose === 'consent' && command.words.some((word) => word.text.startsWith('-') && isOption(word));
  }

  /** Adds the code that an option names. */
  protected loads(kind: Kind, values: readonly string[], { program = OTHER, mode, goes }: CommandReading): void {
    if (!mode.sure || (program.scripts !== true && program.modules === undefined)) return;
    for (const value of values) {
      if (kind === 'code' && program.scripts) this.runs.loaded(value, program);
      if (kind === 'module' && program.operands !== 'none') this.runs.module(value, program);
      if (kind === 'folder' && program.modules && !goes) this.runs.searches('-I', value);
    }
  }

  /** Reads lines that another process runs, in its own folder. */
  protected linesApart(word: ShellWord, values: readonly string[], mode: ReadingMode): void {
    const back = this.runs.here();
    this.lines(word, values, mode);
    back();
    this.runsText(word, mode);
  }

  /** Reads the words that `eval` and others join to one line. */
  protected runsLines(word: ShellWord, reading: CommandReading): void {
    const { program = OTHER, command, mode } = reading;
    if (reading.settled) return;
    reading.settled = program.takes !== 'each';
    const words = command.words.slice(command.words.indexOf(word)).filter(({ redirect }) => redirect === undefined);
    const joined = program.takes === undefined ? words : [word];
    if (program.takes === 'first' && word.text === '-') return;
    const line: ShellWord = {
      raw: joined.map(({ raw }) => raw).join(' '),
      text: joined.map(({ text }) => text).join(' '),
      parts: joined.flatMap(({ parts }, i) => (i === 0 ? parts : [' ', ...parts])),
    };
    const values = wordValues(line, this.look);
    if (program.stdin) this.report(line.raw, values, { ...mode, shell: true });
    this.lines(line, values, mode);
    this.runsText(line, mode);
  }

  /** Adds the script that is printed into code in the line: `sh -c "$(cat x)"`. */
  protected runsText(word: ShellWord, mode: ReadingMode): void {
    this.printed(word, mode, this.#texts);
  }

  /** Adds the scripts that a program gets through another one that prints them: `cat x | sh`. */
  protected prints(words: readonly (readonly string[])[]): void {
    for (const values of words.filter(isSure)) for (const value of values) this.runs.script(value, PRINTED);
  }

  /** The same for a word that begins with what is printed: `sh -c "$(cat x)"`, `. <(cat x)`. */
  protected printed({ parts }: ShellWord, mode: ReadingMode, texts?: ReadonlyMap<string, ShellWord>): void {
    if (!mode.sure) return;
    for (const [i, part] of parts.entries()) {
      const before = parts.slice(0, i);
      const [last = ''] = before.slice(-1);
      const begins = before.every((one) => typeof one === 'string' && one.trim() === '');
      // `set -e; $(cat x)`
      const isCommand = typeof last === 'string' && /[;&|\n{(]\s*$/.test(last);
      if (typeof part === 'string' || !(begins || isCommand)) continue;
      const kept = part.kind === 'variable' ? texts?.get(part.source) : undefined;
      if (kept) this.printed(kept, mode);
      else if (part.kind === 'command') this.#output(part.line);
    }
  }

  /** Adds the scripts that a line prints. What another program makes of them is no script: `cat x | yq .y`. */
  #output(line: string): void {
    let passes = true;
    for (const { words, ends } of shellCommands(line).reverse()) {
      if (!/^\|&?$/.test(ends)) passes = true;
      const [printer = [], ...printed] = words.map((word) => this.#sure(word));
      const isFile = words[0]?.redirect === '<';
      const prints = isFile || programOf(printer, this.purpose)?.operands === 'data';
      if (passes && prints) this.prints(isFile ? [printer] : printed);
      passes &&= prints;
    }
  }
}
