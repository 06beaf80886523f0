import type { KnownWord } from '../words.js';
import { type FilterReader, isUnknown, mayVary, namedIn, ScriptReader, UnclearError, understood } from './filter.js';

/** Options that change nothing about which files are written. */
const LONG =
  /^--(?:posix|traditional|re-interval|csv|characters-as-bytes|non-decimal-data|optimize|(?:field-separator|assign)=.*)$/s;

interface AwkWords {
  readonly program: KnownWord;
  /** Whether there are no options and files. */
  readonly isAlone: boolean;
}

/** The program among the words. Options end at the first other word. */
function wordsOf(words: readonly KnownWord[]): AwkWords {
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    if (mayVary(word)) break;
    if (text === '--') at++;
    if (text === '--' || !text.startsWith('-')) {
      const program = words[at];
      if (program === undefined || isUnknown(program)) break;
      return { program, isAlone: words.length === 1 };
    }
    if (text === '-F' || text === '-v') {
      const value = words[++at];
      if (value === undefined || mayVary(value)) break;
    } else if (!/^-[Fv]/.test(text) && !LONG.test(text)) break;
  }
  throw new UnclearError();
}

/** A program that writes lines as they are. */
const COPIES = /^\s*\{\s*print\s*>\s*"[^"\\]*"\s*\}\s*$/;

export const readAwk: FilterReader = (words) =>
  understood(() => {
    const { program, isAlone } = wordsOf(words);
    return {
      files: new AwkProgram(program.text).read().map((name) => namedIn(program, name)),
      copies: isAlone && program.sure === undefined && COPIES.test(program.text),
    };
  });

/** Commands that write only their output, as the target of a pipe. */
const HARMLESS = /^(?:sort|wc|cat|uniq|head|tail)(?: -(?:[kn] )?[a-np-zA-Z\d,.]+)*(?: 1?>&2)?$/;

const BLANK = /(?:[^\S\n]|\\\r?\n|#[^\n]*)+/y;
const STRING = /"(?:[^"\\\n]|\\[\s\S])*"/y;
const WORD = /[A-Za-z_]\w*/y;
const NUMBER = /(?:0[xX][\da-fA-F]+|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const SIGN = /\|\||\|&|>>|[<>=!*/^%+-]=|\+\+|--|&&|\*\*=?|[-<>=!*/^%+~?:,;$|&(){}[\]\n]/y;
const REGEX = /(?:[^/\\\n]|\\[^\n])*\//y;
/** Regular expressions with a slash in brackets end elsewhere for some. */
const OPEN = /\[\^?\]?[^\]]*$/;

/** Words that an operand may follow. */
const BEFORE_OPERAND: ReadonlySet<string> = new Set('print printf return in case else do exit'.split(' '));
const CONDITIONS: ReadonlySet<string> = new Set(['if', 'while', 'for', 'switch']);

/** `operand`: a `/` that follows divides. */
type Before = 'operand' | 'other' | 'unclear';

/**
 * Finds the files that a program writes. A `>` in the braces of an action, and in no other brackets, is taken for a redirection, and any
 * other one compares.
 */
class AwkProgram extends ScriptReader {
  readonly #files: string[] = [];
  /** The brackets that are open, and whether a condition is in them. */
  readonly #open: (readonly [close: string, isCondition: boolean])[] = [];
  #braces = 0;
  #before: Before = 'other';
  #isCondition = false;

  read(): readonly string[] {
    while (this.at < this.text.length) this.#token();
    if (this.#braces > 0 || this.#open.length > 0) throw new UnclearError();
    return this.#files;
  }

  #token(): void {
    if (this.take(BLANK) !== undefined) return;
    const word = this.take(WORD);
    const isCondition = this.#isCondition;
    this.#isCondition = word !== undefined && CONDITIONS.has(word);
    if (word !== undefined) this.#before = wordBefore(word);
    else if (this.take(STRING) !== undefined || this.take(NUMBER) !== undefined) this.#before = 'operand';
    else this.#sign(this.take(SIGN), isCondition);
  }

  #sign(sign: string | undefined, isCondition: boolean): void {
    let before: Before = 'other';
    switch (sign) {
      case '/':
      case '/=':
        if (this.#before === 'unclear') throw new UnclearError();
        if (this.#before === 'operand') break;
        this.at -= sign.length - 1;
        this.#regex();
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
        break;
      case '>':
      case '>>':
        if (this.#open.length === 0 && this.#braces > 0) this.#files.push(this.#target());
        else if (sign === '>>') throw new UnclearError();
        break;
      case '|':
        if (!HARMLESS.test(this.#target())) throw new UnclearError();
        break;
      case '|&':
      case undefined:
        throw new UnclearError();
      default:
    }
    this.#before = before;
  }

  #regex(): void {
    const regex = this.take(REGEX);
    if (regex === undefined || OPEN.test(regex.slice(0, -1).replace(/\\./g, ''))) throw new UnclearError();
  }

  /** The text of the string to whose end the statement goes. */
  #target(): string {
    this.take(BLANK);
    const string = this.take(STRING);
    this.take(BLANK);
    if (string === undefined || string.includes('\\') || (this.next !== undefined && !'\n;}'.includes(this.next)))
      throw new UnclearError();
    return string.slice(1, -1);
  }
}

function wordBefore(word: string): Before {
  if (word === 'system') throw new UnclearError();
  if (word === 'getline' || word === 'length') return 'unclear';
  return BEFORE_OPERAND.has(word) ? 'other' : 'operand';
}
