import type { BashProgram } from './program.js';
import type { OptionUse } from './used.js';
import { isFile, type KnownWord, restOf, splitWords } from './words.js';

/** A limit for the words of lines that may begin at an option's value, because each costs several steps. */
const MOST_BEGUN = 3_000;

const LONG = new WeakMap<BashProgram, ReadonlyMap<string, string>>();

function longOptions(program: BashProgram): ReadonlyMap<string, string> {
  let known = LONG.get(program);
  if (known === undefined) {
    known = new Map(
      (program.long ?? '').split(/\s+/).map((name) => [name.replace(/\W$/, ''), /\W$/.exec(name)?.[0] ?? '']),
    );
    LONG.set(program, known);
  }
  return known;
}

/** Reads a program's options and the operands before its command. */
export class OptionReader {
  at = 0;
  /** The index of the first option. */
  from = 0;
  /** The index of the first operand, if there are any before the command. */
  first: number | undefined;
  /** The indexes of option values. */
  readonly values = new Set<number>();
  /** Whether it is unknown if an option or operand takes the next word. */
  unsure = false;
  /** Whether `unsure` is set because of an unknown option. */
  strange = false;
  /** Whether the first operand is a command line: `sh -c`. */
  lineFirst = false;
  /** The index of the first word that may be an option's value or the command. */
  either: number | undefined;
  /** The value of `docker run --entrypoint`. */
  entry: KnownWord | undefined;
  #nothing = false;
  /** How many words the lines have that may begin at an option's value. */
  #begun = 0;
  readonly #words: readonly KnownWord[];
  readonly #program: BashProgram;
  readonly #use: OptionUse;

  constructor(words: readonly KnownWord[], program: BashProgram, use: OptionUse) {
    this.#words = words;
    this.#program = program;
    this.#use = use;
  }

  read(from: number): 'nothing' | undefined {
    const { operands = 0, rest, shell, writes } = this.#program;
    let before = operands;
    this.from = from;
    /** If the program runs nothing, options may appear anywhere. */
    const all = this.#program.under === undefined && (rest === undefined || (rest === 'shown' && !writes));
    for (this.at = this.#bundle(from); ; this.at++) {
      const word = this.#words[this.at];
      if (word === undefined || this.#nothing || this.#use.instead !== undefined) break;
      const text = word.sure ?? word.text;
      if (text === '--' && word.sure === undefined && rest !== undefined) {
        this.at += 1 + before;
        while (this.#isAssignment(this.at)) this.at++;
        break;
      }
      if (text.length > 1 && (text.startsWith('-') || (shell && text.startsWith('+')))) this.#option(word);
      else if (text === '-' && word.sure === undefined && before === 0 && rest !== 'shown') continue;
      else if (before > 0) {
        before--;
        this.first ??= this.at;
        if (word.sure !== undefined && !word.whole) this.unsure = true;
        // After the image, all words belong to the command.
        if (before === 0 && this.entry !== undefined) {
          this.at++;
          break;
        }
      } else if (!all && !this.#isAssignment(this.at)) break;
    }
    return this.#nothing ? 'nothing' : undefined;
  }

  /** Reads bundled letters as in `tar cIf`. Returns the index of the next word. */
  #bundle(from: number): number {
    const { bundle, short = '' } = this.#program;
    const { text = '', sure } = this.#words[from] ?? {};
    if (!bundle || sure !== undefined || !/^[A-Za-z]+$/.test(text)) return from;
    this.at = from;
    for (const letter of text) {
      const [mark] = /\W/.exec(short[short.indexOf(letter) + 1] ?? '') ?? [];
      if (short.includes(letter) && mark !== undefined) this.#take(mark, undefined);
    }
    return this.at + 1;
  }

  /** `env A=b rm x`: any word with a `=` before the command is an assignment, also after `--`. */
  #isAssignment(at: number): boolean {
    const word = this.#words[at];
    if (word === undefined || this.#program.rest !== 'command') return false;
    return /^\w+\+?=/.test(word.sure ?? word.text) || (word.sure === undefined && word.text.includes('='));
  }

  /** Whether long options may have a single dash: `go test -exec`. */
  get #oneDash(): boolean {
    return this.#program.shell === true || this.#program.short === undefined;
  }

  #option(word: KnownWord): void {
    const [, name, value] = /^--?([^=]*)(?:=(.*))?$/s.exec(word.text) ?? [];
    const known = longOptions(this.#program);
    if (name !== undefined && (word.text.startsWith('--') || (this.#oneDash && known.has(name)))) {
      if (name === '') return;
      const mark = known.get(name) ?? [...known].find(([full]) => full.startsWith(name))?.[1];
      const given = value === undefined ? undefined : restOf(word, word.text.length - value.length);
      if (mark !== undefined) this.#take(mark, given);
      else if (given === undefined) this.#meetStranger();
      else if (this.#program.rest === 'anywhere' && given.sure === undefined) this.#begin(given);
      return;
    }
    this.#letters(word);
  }

  /** Adds a command that may begin at an option's value: `nodemon --exec=rm x`. */
  #begin(value: KnownWord): void {
    this.#begun += this.#words.length - this.at;
    if (this.#begun > MOST_BEGUN) this.#use.hidden = true;
    if (this.#use.hidden) return;
    const more = this.#words.slice(this.at + 1);
    const unknown = more.findIndex(({ sure }) => sure !== undefined);
    this.#use.lines.push([value, ...more.slice(0, unknown < 0 ? undefined : unknown)]);
  }

  #letters(word: KnownWord): void {
    const { short = '', shell } = this.#program;
    for (let i = 1; i < word.text.length; i++) {
      const found = short.indexOf(word.text[i] as string);
      if (found === -1 || /\W/.test(word.text[i] as string)) {
        if (shell) continue;
        this.#meetStranger();
        this.#behindUnknown(word, i + 1);
        return;
      }
      const mark = /[^\w]/.test(short[found + 1] ?? '') ? (short[found + 1] as string) : '';
      if (mark === '' || mark === '$' || mark === '<' || mark === '/') this.#take(mark, undefined);
      else if (shell) this.#take(mark, undefined);
      else {
        this.#take(mark, i + 1 < word.text.length ? restOf(word, i + 1) : undefined);
        return;
      }
    }
  }

  #meetStranger(): void {
    if (!this.#program.shell) this.unsure = this.strange = true;
  }

  /** `-nOrm`: if an unknown letter takes no value, a later letter may take a command. */
  #behindUnknown(word: KnownWord, from: number): void {
    const { short = '' } = this.#program;
    const markOf = (letter: string): string => (/\w/.test(letter) ? (short[short.indexOf(letter) + 1] ?? '') : '');
    const at = [...word.text].findIndex(
      (letter, i) => i >= from && short.includes(letter) && /[!*>]/.test(markOf(letter)),
    );
    if (at === -1) return;
    const value = at + 1 < word.text.length ? restOf(word, at + 1) : this.#words[this.at + 1];
    if (value !== undefined) this.#take(markOf(word.text[at] as string), value);
  }

  /** Handles an option by its mark (see `BashProgram`). `value` is the attached value, if any. */
  #take(mark: string, value: KnownWord | undefined): void {
    switch (mark) {
      case '$':
        this.lineFirst = true;
        return;
      case '<':
        this.#use.input = true;
        return;
      case '/':
        this.#nothing = true;
        return;
      case '&':
        this.#use.hole = value?.text ?? '{}';
        return;
      case ':':
        if (value === undefined) this.values.add(++this.at);
        else this.#use.plain.add(this.at);
        return;
      case ',':
        if (value === undefined) this.either ??= this.at + 1;
        if (value === undefined && !this.#words[this.at + 1]?.text.startsWith('-')) this.values.add(++this.at);
        else if (value !== undefined) this.#use.plain.add(this.at);
        return;
      case ';':
        this.values.add(this.at + 1).add(this.at + (value === undefined ? 2 : 1));
        this.at += value === undefined ? 2 : 1;
        return;
      case '@':
        this.#use.hole = (value ?? this.#words[++this.at])?.text ?? '{}';
        return;
      case '~':
        this.#use.shown.add(value === undefined ? ++this.at : this.at);
        return;
      case '.': {
        const file = value ?? this.#words[++this.at];
        if (file === undefined) return;
        if (!isFile(file)) this.#use.hidden = true;
        this.#use.file = true;
        this.#use.files ??= [];
        this.#use.files.push(file.text);
        return;
      }
      case '=': {
        const setting = value ?? this.#words[++this.at];
        const [, command] = /^\w*command\s*[= ]\s*(.+)$/is.exec(setting?.text ?? '') ?? [];
        if (setting && command) this.#use.lines.push([restOf(setting, setting.text.length - command.length)]);
        return;
      }
      case '!': {
        const line = value ?? this.#words[++this.at];
        if (line === undefined) this.#use.hidden = true;
        else this.#use.lines.push([line]);
        return;
      }
      case '>': {
        const file = value ?? this.#words[++this.at];
        this.#use.targets ??= [];
        if (file !== undefined) this.#use.targets.push(file);
        return;
      }
      case '*': {
        const line = value ?? this.#words[++this.at];
        if (line !== undefined) this.#use.maybe.push(line);
        this.#use.told ??= [];
        if (line?.sure === undefined && line !== undefined && this.#program.reads) this.#use.told.push(line.text);
        return;
      }
      case '^':
        this.entry = value ?? this.#words[++this.at];
        if (this.entry === undefined) this.#use.hidden = true;
        return;
      case '%': {
        const line = value ?? this.#words[++this.at];
        const split = line === undefined ? undefined : splitWords(line);
        if (split === undefined) this.#use.hidden = true;
        else this.#use.instead = [{ text: 'env', sure: undefined }, ...split, ...this.#words.slice(this.at + 1)];
        return;
      }
      default:
    }
  }
}
