import { type Assumption, assumed } from './assumed.js';
import { isSeveral, ScriptReader, UnclearError, unitsIn } from './filter.js';

const BLANK = /(?:[ \t]|\\\n|#[^\n]*)+/y;
const STRING = /"(?:\0[^\0]*\0|[^"\\\n\0]|\\[^\n\0])*"/y;
const WORD = /[A-Za-z_]\w*/y;
const UNIT = /\0[^\0]*\0/y;
const NUMBER = /(?:0[xX][\da-fA-F]+|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN = /\|\||\|&|>>|[<>=!*/^%+-]=|\+\+|--|&&|\*\*=?|[-<>=!*/^%+~?:,;$|&(){}[\]\n]/y;
/** Words that an operand may follow. */
const BEFORE_OPERAND: ReadonlySet<string> = new Set('print printf return in case else do exit'.split(' '));
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'while', 'for', 'switch']);
/** Signs behind which a string is a whole operand of `|`. */
const BEGINS: ReadonlySet<string> = new Set(['(', '{', '}', ';', '\n', '&&', '||', '!', '=', '']);

/** `operand`: a `/` that follows divides. `unclear`: for some programs it does. */
type Before = 'operand' | 'other' | 'unclear';

/**
 * Finds the files that a program writes, and the commands that it runs. A `>` in `print` or `printf`, and in no brackets, redirects; any
 * other one compares.
 */
export class AwkProgram extends ScriptReader {
  readonly files: string[] = [];
  readonly runs: (readonly [line: string, readsInput: boolean])[] = [];
  /** The brackets that are open, and whether a condition is in them. */
  readonly #open: (readonly [close: string, isCondition: boolean])[] = [];
  #braces = 0;
  #before: Before = 'other';
  #isCondition = false;
  #isPrint = false;
  /** The token before this one, and the string that is this one with the token before that. */
  #last = '';
  #string: string | undefined;

  read(): void {
    while (this.at < this.text.length) this.#token();
    if (this.#braces > 0 || this.#open.length > 0) throw new UnclearError();
  }

  #token(): void {
    const blank = this.take(BLANK);
    // A comment with a backslash at its end.
    if (blank?.endsWith('\\')) throw new UnclearError();
    if (blank !== undefined) return;
    const word = this.take(WORD);
    const isCondition = this.#isCondition;
    this.#isCondition = word !== undefined && CONDITIONS.has(word);
    if (word !== undefined) this.#word(word);
    else if (this.next === '"') {
      const string = this.#takeString();
      this.#string = BEGINS.has(this.#last) ? string : undefined;
      this.#before = 'operand';
      this.#last = '"';
    } else if (this.take(NUMBER) !== undefined) {
      if (/[\w.]/.test(this.next ?? '')) throw new UnclearError();
      this.#operand('operand');
    } else if (this.next === '\0') {
      this.#assume('code', this.take(UNIT) ?? '');
      this.#operand('unclear');
    } else {
      const sign = this.take(SIGN);
      this.#sign(sign, isCondition);
      this.#last = sign ?? '';
    }
  }

  #operand(before: Before): void {
    this.#before = before;
    this.#last = 'a';
  }

  #word(word: string): void {
    if (word === 'system') this.#system();
    if (word === 'print' || word === 'printf') this.#isPrint = true;
    if (word === 'getline' || word === 'length') this.#before = 'unclear';
    else this.#before = BEFORE_OPERAND.has(word) ? 'other' : 'operand';
    this.#last = word;
  }

  #sign(sign: string | undefined, isCondition: boolean): void {
    let before: Before = 'other';
    switch (sign) {
      case '/':
      case '/=':
        // For gawk a `/=` behind an operand that is no variable begins a regular expression.
        if (this.#before === 'unclear' || (this.#before === 'operand' && sign === '/=')) this.#assumeDivision();
        if (this.#before !== 'other') break;
        this.at -= sign.length - 1;
        this.#assume('regex', this.takeRegex('/'));
        before = 'operand';
        break;
      case '++':
      case '--':
        before = 'unclear';
        break;
      case '(':
      case '[':
        this.#open.push([sign === '(' ? ')' : ']', isCondition]);
        break;
      case ')':
      case ']': {
        const [close, wasCondition] = this.#open.pop() ?? [];
        if (close !== sign) throw new UnclearError();
        if (!wasCondition) before = 'operand';
        break;
      }
      case '{':
        this.#braces++;
        break;
      case '}':
        if (--this.#braces < 0 || this.#open.length > 0) throw new UnclearError();
        this.#isPrint = false;
        break;
      case ';':
        this.#isPrint = false;
        break;
      case '\n':
        // Behind anything else a program may go on in the next line.
        if (this.#before === 'operand' && this.#open.length === 0) this.#isPrint = false;
        break;
      case '>':
      case '>>':
        if (this.#isPrint && this.#open.length === 0) this.files.push(this.#target());
        else if (sign === '>>') throw new UnclearError();
        break;
      case '|':
        this.#pipe();
        break;
      case '|&':
      case undefined:
        throw new UnclearError();
      default:
    }
    this.#before = before;
  }

  /** A regular expression would end in the same line. */
  #assumeDivision(): void {
    const end = this.text.indexOf('\n', this.at);
    const rest = this.text.slice(this.at, end < 0 ? undefined : end);
    if (rest.includes('/') || rest.endsWith('\\')) throw new UnclearError();
  }

  /** A string without its quotes. */
  #takeString(): string {
    const string = this.take(STRING);
    if (string === undefined) throw new UnclearError();
    this.#assume('string', string);
    return string.slice(1, -1);
  }

  #assume(what: Assumption, text: string): void {
    for (const unit of unitsIn(text)) {
      if (isSeveral(unit) || (what === 'code' && !/^"?[$`]|^"/.test(unit))) throw new UnclearError();
      this.assumes.add(assumed(what, unit));
    }
  }

  /** The text of the string to whose end the statement goes. */
  #target(): string {
    this.take(BLANK);
    if (this.next !== '"') throw new UnclearError();
    const string = this.#takeString();
    this.take(BLANK);
    if (string.includes('\\') || (this.next !== undefined && !'\n;}'.includes(this.next))) throw new UnclearError();
    return string;
  }

  /** `print | "command"` or `"command" | getline`. */
  #pipe(): void {
    if (this.#isPrint && this.#open.length === 0) {
      this.take(BLANK);
      if (this.next !== '"') throw new UnclearError();
      const string = this.#takeString();
      this.take(BLANK);
      if (this.next !== undefined && !'\n;}'.includes(this.next)) throw new UnclearError();
      this.#run(string, false);
      return;
    }
    this.take(BLANK);
    if (this.#last !== '"' || this.#string === undefined || this.take(/getline\b/y) === undefined)
      throw new UnclearError();
    this.#run(this.#string, true);
    // What follows may be a variable.
    this.at -= 'getline'.length;
  }

  #system(): void {
    const from = this.at;
    this.take(BLANK);
    if (this.take(/\(/y) === undefined) throw new UnclearError();
    this.take(BLANK);
    if (this.next !== '"') throw new UnclearError();
    const string = this.#takeString();
    this.take(BLANK);
    if (this.take(/\)/y) === undefined) throw new UnclearError();
    this.#run(string, true);
    this.at = from;
  }

  #run(string: string, readsInput: boolean): void {
    if (string.includes('\0') || /\\(?!["\\/tn])/.test(string)) throw new UnclearError();
    const line = string.replace(/\\(.)/g, (_, char: string) => ({ t: '\t', n: '\n' })[char] ?? char);
    if (line.trim() !== '') this.runs.push([line, readsInput]);
  }
}
