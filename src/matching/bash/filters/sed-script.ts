import { assumed, assumedText } from './assumed.js';
import { InvalidError, isSeveral, LONG, ScriptReader, UnclearError, unitsIn } from './filter.js';

const BLANKS = /[^\S\n]*/y;
const LINE = /[^\n]*/y;
const SIMPLE = '=dDgGhHnNpPxzF';
/** Numbers of lines. An expansion may be one, or nothing behind a `+` or `~`. */
const FIRST = /(?:\d|\0[^\0]*\0)+(?:~(?:\d|\0[^\0]*\0)*)?/y;
const SECOND = /[+~](?:\d|\0[^\0]*\0)*|(?:\d|\0[^\0]*\0)+/y;

/** How brackets in a regular expression are read: as other characters, with backslashes as characters, or with escapes. */
type Brackets = 'none' | 'plain' | 'escaped';
const BRACKETS: readonly Brackets[] = ['none', 'plain', 'escaped'];
const BRACKET = {
  plain: /\^?\]?(?:\0[^\0]*\0|\[[:=.]\w*[:=.]\]|[^\]\n\0])*\]/y,
  escaped: /\^?\]?(?:\0[^\0]*\0|\\[^\n\0]|\[[:=.]\w*[:=.]\]|[^\]\\\n\0])*\]/y,
};

/** The grammar of GNU sed. What others read in another way is read in both ways, or unclear. */
export class SedScript extends ScriptReader {
  readonly #files: string[] = [];

  /** The files that the script writes. */
  read(): readonly string[] {
    for (;;) {
      this.take(/[\s;]*/y);
      if (this.next === undefined) return this.#files;
      if (this.#address(FIRST)) {
        this.take(BLANKS);
        if (this.take(/,/y) !== undefined) {
          this.take(BLANKS);
          if (!this.#address(SECOND))
            throw this.next === undefined || /[A-Za-z{]/.test(this.next) ? new InvalidError() : new UnclearError();
        }
        this.take(/[^\S\n]*(?:![^\S\n]*)*/y);
      } else this.take(/(?:![^\S\n]*)*/y);
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
    const [mark] = this.take(/\/|\\[^\n\\\0]/y)?.slice(-1) ?? [];
    if (mark === undefined) return false;
    this.#until(mark, true);
    this.take(/[IM]*/y);
    return true;
  }

  #command(name = ''): void {
    if (name === '{') return;
    if (name === '#') this.#line();
    else if (name === 's') this.#substitute();
    else if (name === 'y') {
      this.#both(false);
      this.#end();
    } else if (name === 'w' || name === 'W') this.#file();
    else if (name === 'r' || name === 'R') this.#line();
    else if (name === 'a' || name === 'i' || name === 'c') this.#text();
    else if (name === ':') {
      if (!this.#label(/[^\S\n]*[\w.-]+/y)) throw new UnclearError();
    } else if (name !== '' && 'btT'.includes(name)) {
      this.#label(/[^\S\n]*[\w.-]*/y);
    } else if (name !== '' && 'lLqQ'.includes(name)) {
      this.take(/[^\S\n]*\d*/y);
      this.#end();
    } else if (name === '}' || (name !== '' && SIMPLE.includes(name))) this.#end();
    else if (name === '' || 'ev\0'.includes(name)) throw new UnclearError();
    else throw new InvalidError();
  }

  /** For some programs a label goes to the end of the line. That is another script only if the line is not the last. */
  #label(name: RegExp): boolean {
    const isLast = !this.text.includes('\n', this.at);
    const isLine = !isLast && /;|\}/.test(this.text.slice(this.at, this.text.indexOf('\n', this.at)));
    if (isLine && this.choose([false, true])) return this.take(LINE) !== undefined;
    const isNamed = this.take(name) !== undefined;
    if (isNamed) this.#end();
    return isNamed;
  }

  #end(): void {
    this.take(BLANKS);
    if (this.next === undefined || '\n;}#'.includes(this.next)) return;
    if ('e\0\r'.includes(this.next)) throw new UnclearError();
    throw new InvalidError();
  }

  #substitute(): void {
    this.#both(true);
    this.take(/[gpiImM\d]*/y);
    if (this.take(/w/y) !== undefined) this.#file();
    else this.#end();
  }

  /** `/a/b/`, with any mark. In `y` no brackets hide it. */
  #both(isRegex: boolean): void {
    const mark = this.take(/[^\n\\\0]/y);
    if (mark === undefined) throw new UnclearError();
    this.#until(mark, isRegex);
    this.#until(mark, false);
  }

  /** Reads to the mark, which may be in brackets in a regular expression. */
  #until(mark: string, isRegex: boolean): void {
    const from = this.at;
    const ends = BRACKETS.slice(0, isRegex ? undefined : 1).map((brackets) => this.#endOf(mark, isRegex, brackets));
    this.at = this.choose([...new Set(ends)].filter((end) => end !== undefined));
    this.#assume(mark, this.text.slice(from, this.at));
  }

  /** The index behind the mark. */
  #endOf(mark: string, isRegex: boolean, brackets: Brackets): number | undefined {
    const from = this.at;
    try {
      for (;;) {
        const char = this.next;
        if (char === undefined) return undefined;
        if (char === '\n' && isRegex) throw new UnclearError();
        if (char === '\0') this.take(/\0[^\0]*\0/y);
        else this.at += char === '\\' && this.text[this.at + 1] !== '\0' ? 2 : 1;
        if (char === mark) return this.at;
        if (char !== '[' || brackets === 'none') continue;
        if (this.text.indexOf(']', this.at) < 0) return undefined;
        const rest = this.take(BRACKET[brackets]);
        if (rest === undefined) return undefined;
        if (rest.length > LONG) throw new UnclearError();
      }
    } finally {
      this.at = from;
    }
  }

  #assume(mark: string, text: string): void {
    for (const unit of unitsIn(text)) {
      if (isSeveral(unit)) throw new UnclearError();
      this.assumes.add(assumedText(mark, unit));
    }
  }

  #line(): string {
    const line = this.take(LINE) ?? '';
    this.#assume('\n', line);
    return line;
  }

  /** A text goes up to the end of a line without a backslash. */
  #text(): void {
    if (this.take(/[^\S\n]*\\[^\S\n]+(?=\n|$)/y) !== undefined) throw new UnclearError();
    this.#assume('\n', this.take(/(?:\0[^\0]*\0|[^\\\n\0]|\\(?=\0)|\\[^\0]?)*/y) ?? '');
  }

  #file(): void {
    this.take(BLANKS);
    const name = this.#line();
    if (name === '') throw new UnclearError();
    this.#files.push(name);
  }
}
