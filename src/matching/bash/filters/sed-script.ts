import { assumed, assumedText } from './assumed.js';
import { isSeveral, ScriptReader, UnclearError, unitsIn } from './filter.js';

const BLANKS = /[ \t]*/y;
const LINE = /[^\n]*/y;
/** Stands for a command line that is not known. */
const UNKNOWN_LINE = 'sh';
const SIMPLE = '=dDgGhHnNpPxzF';
/** Numbers of lines. An expansion may be one, or nothing behind a `+` or `~`. */
const FIRST = /(?:\d|\0[^\0]*\0)+(?:~(?:\d|\0[^\0]*\0)*)?/y;
const SECOND = /[+~](?:\d|\0[^\0]*\0)*|(?:\d|\0[^\0]*\0)+/y;

/** A sign that divides the parts of `s` and `y`. Others are read as several characters, or differ in brackets. */
const MARK = /[!-Z^-~]/y;

/**
 * The grammar that GNU sed shares with others: what any of them reads in another way, or only some of them take, is unclear. No script is
 * taken for one that they refuse, because it may only be one that this does not know.
 */
export class SedScript extends ScriptReader {
  readonly #files: string[] = [];
  /** The command lines that a shell runs. */
  readonly runs: string[] = [];
  /** The end of a line with a label, which for some programs goes on up to there. */
  #labelled = Infinity;

  /** The files that the script writes. */
  read(): readonly string[] {
    for (;;) {
      this.take(/[ \t;]*/y);
      if (this.at > this.#labelled) throw new UnclearError();
      if (this.at === this.#labelled) this.#labelled = Infinity;
      this.take(/[ \t;\n]*/y);
      if (this.next === undefined) return this.#files;
      // The number before a comma may be an expansion of nothing, and so may the one behind it.
      this.#address(FIRST);
      this.take(BLANKS);
      if (this.take(/,/y) !== undefined) {
        this.take(BLANKS);
        if (!this.#address(SECOND) && !/[A-Za-z{]/.test(this.next ?? '')) throw new UnclearError();
      }
      this.take(/[ \t]*(?:![ \t]*)*/y);
      this.#command(this.take(/[^\s;]/y));
    }
  }

  #address(number: RegExp): boolean {
    const line = this.take(number);
    if (line !== undefined) {
      for (const unit of unitsIn(line)) {
        if (!/^(?:"|[$`])/.test(unit) || isSeveral(unit)) throw new UnclearError();
        this.assumes.add(assumed('address', unit));
      }
      return true;
    }
    if (this.take(/\$/y) !== undefined) return true;
    if (this.take(/\\/y) !== undefined) this.#regex(this.#mark());
    else if (this.take(/\//y) !== undefined) this.#regex('/');
    else return false;
    this.take(/[IM]*/y);
    return true;
  }

  #command(name = ''): void {
    if (name === '{') return;
    if (name === '#') this.#line();
    else if (name === 's') this.#substitute();
    else if (name === 'y') {
      const mark = this.#mark();
      const from = this.#text(mark);
      // For some programs brackets hide the mark.
      if (from.includes('[') && this.text.includes(']', this.at)) throw new UnclearError();
      this.#text(mark);
      this.#end();
    } else if (name === 'w' || name === 'W') this.#file();
    else if (name === 'r' || name === 'R') this.#line();
    else if (name === 'a' || name === 'i' || name === 'c') this.#lines();
    else if (name === 'e') this.#execute();
    else if (name === ':') this.#label(/[ \t]*[\w.-]+(?=[ \t]*(?:[;\n]|$))/y);
    else if (name !== '' && 'btT'.includes(name)) this.#label(/[ \t]*[\w.-]*(?=[ \t]*(?:[;}\n]|$))/y);
    else if (name !== '' && 'lLqQ'.includes(name)) {
      this.take(/[ \t]*\d*/y);
      this.#end();
    } else if (name === '}' || (name !== '' && SIMPLE.includes(name))) this.#end();
    else throw new UnclearError();
  }

  /** For some programs any other sign belongs to a label, and for some the rest of the line. */
  #label(name: RegExp): void {
    if (this.take(name) === undefined) throw new UnclearError();
    if (this.#labelled !== Infinity) return;
    const end = this.text.indexOf('\n', this.at);
    this.#labelled = end < 0 ? this.text.length : end;
  }

  #end(): void {
    this.take(BLANKS);
    if (this.next !== undefined && !'\n;}#'.includes(this.next)) throw new UnclearError();
  }

  #substitute(): void {
    const mark = this.#mark();
    this.#regex(mark);
    this.#text(mark);
    if (this.take(/[gpiImMe\d]*/y)?.includes('e')) this.runs.push(UNKNOWN_LINE);
    if (this.take(/w/y) !== undefined) this.#file();
    else this.#end();
  }

  #mark(): string {
    const mark = this.take(MARK);
    if (mark === undefined) throw new UnclearError();
    return mark;
  }

  #regex(mark: string): void {
    this.#assume(mark, this.takeRegex(mark));
  }

  /** A text with its mark, which brackets do not hide. */
  #text(mark: string): string {
    const from = this.at;
    for (;;) {
      const char = this.next;
      if (char === mark) break;
      if (char === undefined || char === '\n') throw new UnclearError();
      if (char === '\0') this.take(/\0[^\0]*\0/y);
      else this.at += char === '\\' && this.text[this.at + 1] !== '\0' ? 2 : 1;
    }
    const text = this.text.slice(from, this.at++);
    this.#assume(mark, text);
    return text;
  }

  #assume(mark: string, text: string): void {
    for (const unit of unitsIn(text)) {
      if (isSeveral(unit)) throw new UnclearError();
      this.assumes.add(assumedText(mark, unit));
    }
  }

  #line(): string {
    const line = this.take(LINE) ?? '';
    // For some programs it goes on in the next line.
    if (line.endsWith('\\')) throw new UnclearError();
    this.#assume('\n', line);
    return line;
  }

  /** The lines of `a`, `i` and `c`: up to the end of one without a backslash. */
  #lines(): void {
    if (this.take(/[ \t]*(?:\\(?:\\|[ \t]+(?:\n|$))|\n)/y) !== undefined) throw new UnclearError();
    this.#assume('\n', this.take(/(?:\0[^\0]*\0|[^\\\n\0]|\\(?=\0)|\\[^\0]?)*/y) ?? '');
  }

  /** GNU sed runs the command behind `e`, or what it has read if there is none. Others refuse `e`. */
  #execute(): void {
    this.take(BLANKS);
    const from = this.at;
    if (this.next !== '\n') this.#lines();
    const line = this.text.slice(from, this.at);
    this.runs.push(line === '' || /[\\\0]/.test(line) ? UNKNOWN_LINE : line);
  }

  #file(): void {
    this.take(BLANKS);
    const name = this.#line();
    if (name === '') throw new UnclearError();
    this.#files.push(name);
  }
}
