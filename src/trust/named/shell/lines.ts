import type { NamedPaths } from '../named-paths.js';
import type { Purpose } from '../program.js';
import { programOf } from '../programs.js';
import { RunNames } from '../run-names.js';
import { bodyOf, definesFunction, ShellFunctions } from './blocks.js';
import { CasePatterns, leadOf } from './cases.js';
import { UNKNOWN } from './values.js';
import type { ShellCommand, ShellWord, WordPart } from './word.js';
import { shellReading, shellText } from './words.js';

/** How deeply lines may nest: `bash -c 'sh -c "…"'`. */
const DEPTH = 4;
/** How many times each character of a text may be read, on average, as part of nested lines. */
const READINGS = 40;
const LEAST = 65_536;

/** How a text is read. */
export interface ReadingMode {
  readonly depth: number;
  /** The text is certainly a line of shell. Then files that it writes are not bound, and words that are known only at run time are reported. */
  readonly shell: boolean;
  /** The commands in it surely run. Otherwise they may be words for another program, and nothing that they name is bound to its place. */
  readonly sure: boolean;
  /** It is not certain that a shell reads the text so: it may be in another language, or this is how an old shell reads it. */
  readonly guessed?: true | undefined;
}

/** Whether commands may stand in a part of a word. */
const isExpanded = (part: WordPart): boolean =>
  typeof part === 'object' && (part.kind === 'command' || ('source' in part && /[`(]/.test(part.source ?? '')));

/** A command whose output another one reads. */
export interface PipedCommand {
  readonly command: ShellCommand;
  /** The command whose output this one reads in turn. */
  readonly piped: PipedCommand | undefined;
  /** The pipe gets only this command's output. False if the command is the end of a group. */
  readonly isLast: boolean;
}

/** Splits shell lines, and words that may be shell lines, into commands. */
export abstract class ShellLines {
  protected readonly paths: NamedPaths;
  protected readonly purpose: Purpose;
  /** The scripts that the text surely runs. */
  readonly runs = new RunNames();
  /** The text that is read. */
  protected text = '';
  readonly #unresolved = new Set<string>();
  readonly #functions = new ShellFunctions();
  /** What is read once more, in the way of other shells. */
  readonly #others: (() => void)[] = [];
  #left = 0;

  constructor(paths: NamedPaths, purpose: Purpose) {
    this.paths = paths;
    this.purpose = purpose;
  }

  protected abstract command(command: ShellCommand, piped: PipedCommand | undefined, mode: ReadingMode): void;

  /** Called when the whole text has been read. */
  protected abstract inherited(): void;

  unresolved(): string[] {
    return [...this.#unresolved, ...this.paths.overflow()].sort();
  }

  /** Reads the text of a handler. */
  protected begin(text: string, read: (mode: ReadingMode) => void): void {
    this.text = text;
    this.#left = LEAST + READINGS * text.length;
    const back = this.paths.here();
    this.paths.repeats = false;
    read({ depth: 0, shell: true, sure: true });
    // What runs later finds variables as they are then.
    if (this.paths.repeats && this.purpose === 'consent') {
      this.paths.repeats = false;
      back();
      read({ depth: 0, shell: true, sure: true });
    }
    for (let other = this.#others.shift(); other; other = this.#others.shift()) other();
    this.inherited();
    // A text that takes too long to read counts as unresolved.
    if (this.#left < 0) this.#unresolved.add(text);
  }

  protected report(raw: string, values: readonly string[], { shell }: ReadingMode): void {
    if (shell && values.some((value) => value.includes(UNKNOWN))) this.#unresolved.add(raw);
  }

  /** Adds folders to which the line may go. One that is not known counts if the line reads any relative name. */
  protected mayGo(text: string, folders: readonly string[], { shell }: ReadingMode): void {
    for (const folder of folders) this.paths.folder(folder, true);
    if (shell && folders.some((folder) => folder.includes(UNKNOWN))) this.paths.lose(text);
  }

  protected line(line: string, mode: ReadingMode): void {
    this.#left -= line.length + 16;
    if (this.#left < 0) return;
    const { commands, unclear, plain } = shellReading(line);
    if (mode.shell && !mode.guessed) for (const text of unclear) this.#unresolved.add(text);
    if (plain && this.purpose === 'consent') {
      this.#left -= line.length;
      this.#others.push(() => this.#commands(plain, { ...mode, sure: false, guessed: true }));
    }
    this.#commands(commands, mode);
  }

  #commands(commands: readonly ShellCommand[], mode: ReadingMode): void {
    let previous: PipedCommand | undefined;
    const outside: (readonly (() => void)[])[] = [];
    const cases = new CasePatterns();
    const groups: { readonly name: string | undefined; readonly end: () => void }[] = [];
    let caseDepth = 0;
    for (const one of commands) {
      // What a subshell does to its folder ends with it.
      for (const bracket of cases.bracketsOf(one)) {
        if (bracket === '(') outside.push([this.runs.here(), this.paths.here()]);
        else for (const back of outside.pop() ?? []) back();
      }
      const isPattern = cases.isPattern(one);
      // Consent leaves out only what is a pattern by its end, too. What may be one names files, but nothing that is known only at run time.
      const isSkipped = isPattern && (this.purpose === 'place' || (caseDepth > 0 && one.ends === ')'));
      caseDepth += Number(one.words[0]?.text === 'case') - Number(one.words[0]?.text === 'esac');
      if (isPattern) for (const word of one.words) this.within(word, mode, true);
      if (isSkipped) continue;
      const { command, name } = bodyOf(one, previous?.command);
      if (mode.shell && (command !== one || definesFunction(one, previous?.command))) this.paths.repeats = true;
      const doubt = { depth: mode.depth, shell: false, sure: false };
      if (this.purpose === 'consent' && (isPattern || command !== one)) this.command(one, undefined, doubt);
      if (isPattern) continue;
      for (const { text } of leadOf(command)) {
        if (text === '{') groups.push({ name, end: this.#group(name) });
        if (text === '}') groups.pop()?.end();
      }
      // `cat x | (sh)`: the first command of the subshell reads from the pipe.
      const after = /^\(+$/.test(command.brackets ?? '') ? previous?.command.ends : command.after;
      const piped = after?.startsWith('|') && after !== '||' ? previous : undefined;
      const back = this.runs.here();
      this.command(command, piped, mode);
      const inside = groups.findLast((group) => group.name !== undefined)?.name;
      if (this.purpose === 'place') this.#calls(command, piped, mode, inside);
      // Parts of a pipe, and what runs in the background, have a folder of their own.
      if (piped || /^(?:&|\|&?)$/.test(command.ends)) back();
      previous = { command, piped, isLast: command.ends.startsWith('|') };
    }
  }

  /** Begins a group; returns its end. What the body of a function does to the folder happens when the function is called. */
  #group(name: string | undefined): () => void {
    const back = this.runs.here();
    const from = this.runs.moves.length;
    return () => {
      const moves = name !== undefined && back() ? this.runs.moves.slice(from) : [];
      if (name !== undefined) this.#functions.defines(name, moves);
    };
  }

  /** What a command does as the call of a function, or, inside one, with what a call gives it. */
  #calls(command: ShellCommand, piped: PipedCommand | undefined, mode: ReadingMode, inside: string | undefined): void {
    const words = command.words.slice(leadOf(command).length);
    const isRun = words[0]?.raw === '"$@"' || programOf([words[0]?.text ?? ''], 'place')?.operands === 'command';
    if (inside !== undefined && isRun && words.some(({ raw }) => raw === '"$@"')) this.#functions.wraps(inside);
    // The name of a definition, `go() {`, is no call.
    if (command.ends === '(') return;
    const name = words[0]?.text;
    for (const values of this.#functions.goes(name)) this.runs.goes(values);
    if (this.#functions.get(name)?.wraps && words.length > 1)
      this.command({ ...command, words: words.slice(1) }, piped, mode);
  }

  /** Reads a line that another process runs, in its own folder. */
  protected apart(line: string, mode: ReadingMode): void {
    const back = this.runs.here();
    this.line(line, mode);
    back();
  }

  protected lines(word: ShellWord, values: readonly string[], { depth, sure, guessed }: ReadingMode): void {
    const mode = { depth: depth + 1, shell: true, sure, guessed };
    const isOpen = values.some((value) => value.includes(UNKNOWN));
    if (depth >= DEPTH || values.includes(UNKNOWN)) this.report(word.raw, [UNKNOWN], mode);
    if (depth >= DEPTH || values.every((value) => value === UNKNOWN)) return;
    for (const line of new Set(isOpen ? [word.text, ...values.filter((v) => !v.includes(UNKNOWN))] : values)) {
      this.line(line, mode);
    }
  }

  /** Reads the command substitutions in a text that is expanded, but is no word: a here-document, arithmetic. */
  protected expanded(text: string, mode: ReadingMode): void {
    this.#left -= text.length;
    if (this.#left > 0 && /[`(]/.test(text)) this.within({ raw: text, text, parts: shellText(text) }, mode, true);
  }

  /** Reads the command substitutions in a word, and parts of its text that may be commands. */
  protected within(word: ShellWord, mode: ReadingMode, isWritten: boolean): void {
    const { depth, sure, guessed } = mode;
    if (depth >= DEPTH) {
      if (word.parts.some(isExpanded)) this.report(word.raw, [UNKNOWN], mode);
      return;
    }
    let text = '';
    for (const part of word.parts) {
      if (typeof part === 'string') text += part;
      else if (part.kind === 'command') this.apart(part.line, { depth: depth + 1, shell: true, sure, guessed });
      else if (part.kind === 'unknown') this.expanded(part.source ?? '', { depth, shell: true, sure, guessed });
      else if (part.kind === 'variable') {
        if (/[`(]/.test(part.source)) {
          this.apart(part.source, { depth: depth + 1, shell: false, sure });
          this.expanded(part.source, { depth, shell: true, sure: false, guessed });
        }
        text += `\${${part.source}}`;
      }
      if (typeof part === 'object' && part.kind !== 'variable') text += ' ';
    }
    const isText = word.parts.some((part) => typeof part === 'string' && /[\s'"`;|&()<>,]/.test(part));
    if (isText && !isWritten)
      this.apart(text.replace(/[,[\]]|(?<!\$)\{|(?<=[\s,{])\}/g, ' '), { depth: depth + 1, shell: false, sure: false });
  }
}
