import { type KnownWord, restOf } from '../words.js';
import { type FilterReader, isUnknown, mayVary, namedIn, ScriptReader, UnclearError, understood } from './filter.js';

/** Options that change nothing about which files are written. */
const SHORT = 'nErsuzb';
const LONG =
  /^--(?:quiet|silent|null-data|zero-terminated|posix|regexp-extended|separate|unbuffered|debug|follow-symlinks|binary|sandbox|line-length=\d+)$/;
const IN_PLACE = /^--in-place(?:=.*)?$/s;

interface SedWords {
  readonly scripts: readonly KnownWord[];
  readonly files: readonly KnownWord[];
  readonly inPlace: boolean;
}

/** The scripts among the words, and the files that are read. */
function wordsOf(words: readonly KnownWord[]): SedWords {
  const scripts: KnownWord[] = [];
  const operands: KnownWord[] = [];
  let inPlace = false;
  let ended = false;
  const addScript = (word: KnownWord | undefined): void => {
    // Elsewhere than in GNU, options end at the first operand.
    if (word === undefined || operands.length > 0) throw new UnclearError();
    scripts.push(word);
  };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as KnownWord;
    const { text } = word;
    if (ended || text === '-' || !text.startsWith('-')) {
      if (mayVary(word) && scripts.length + operands.length === 0) throw new UnclearError();
      // `-i ''` elsewhere than in GNU
      if (text !== '' || !inPlace || operands.length > 0) operands.push(word);
    } else if (text === '--') ended = true;
    else if (text === '--expression') addScript(words[++at]);
    else if (text.startsWith('--expression=')) addScript(restOf(word, '--expression='.length));
    else if (IN_PLACE.test(text)) inPlace = true;
    else if (text.startsWith('--')) {
      if (!LONG.test(text)) throw new UnclearError();
    } else {
      let end = 1;
      while (SHORT.includes(text[end] ?? ' ')) end++;
      const value = end + 1 < text.length ? restOf(word, end + 1) : undefined;
      if (text[end] === 'e') addScript(value ?? words[++at]);
      else if (text[end] === 'i') inPlace = true;
      else if (text[end] === 'l') at += value === undefined ? 1 : 0;
      else if (end < text.length) throw new UnclearError();
    }
  }
  if (scripts.length > 0) return { scripts, files: operands, inPlace };
  const [script, ...files] = operands;
  if (script === undefined) throw new UnclearError();
  return { scripts: [script], files, inPlace };
}

/** Scripts that write lines as they are. */
const COPIES = /^[\d,$!]*(?:p|w[^\S\n]+[\w.+/-]+)$/;

export const readSed: FilterReader = (words) =>
  understood(() => {
    const { scripts, files, inPlace } = wordsOf(words);
    if (scripts.some(isUnknown)) throw new UnclearError();
    const isKnown = scripts.every(({ sure }) => sure === undefined);
    const text = scripts.map((script) => script.text).join('\n');
    const written = new SedScript(text, !isKnown).read();
    const word: KnownWord = { text, sure: isKnown ? undefined : '' };
    const isPlain = isKnown && !inPlace && files.length === 0 && written.length === 1;
    return {
      files: written.flatMap((name) => [...new Set([name, name.trimEnd()])]).map((name) => namedIn(word, name)),
      copies: isPlain && scripts.every((script) => COPIES.test(script.text)),
    };
  });

const BLANKS = /[^\S\n]*/y;
const LINE = /[^\n]*/y;
const SIMPLE = '=dDgGhHnNpPxzF';

/** The grammar of GNU sed. What others read in another way is unclear. */
class SedScript extends ScriptReader {
  readonly #files: string[] = [];
  /** Whether the text has expansions. */
  readonly #isFilled: boolean;

  constructor(text: string, isFilled: boolean) {
    super(text);
    this.#isFilled = isFilled;
  }

  /** The files that the script writes. */
  read(): readonly string[] {
    for (;;) {
      this.take(/[\s;]*/y);
      if (this.next === undefined) return this.#files;
      if (this.#address(/\d+(?:~\d+)?/y)) {
        this.take(BLANKS);
        if (this.take(/,/y) !== undefined) {
          this.take(BLANKS);
          if (!this.#address(/\d+|[+~]\d+/y)) throw new UnclearError();
        }
        this.take(/[^\S\n]*(?:![^\S\n]*)*/y);
      } else this.take(/(?:![^\S\n]*)*/y);
      this.#command(this.take(/[^\s;]/y));
    }
  }

  #address(number: RegExp): boolean {
    if (this.#isFilled && this.take(/\$\{\w+\}|\$[A-Z_]{2,}/y) !== undefined) return true;
    if (this.take(number) !== undefined || this.take(/\$/y) !== undefined) return true;
    const [mark] = this.take(/\/|\\[^\n\\]/y)?.slice(-1) ?? [];
    if (mark === undefined) return false;
    this.#until(mark, true);
    this.take(/[IM]*/y);
    return true;
  }

  #command(name = ''): void {
    if (name === '{') return;
    if (name === '#') this.take(LINE);
    else if (name === 's') this.#substitute();
    else if (name === 'y') {
      this.#both(false);
      this.#end();
    } else if (name === 'w' || name === 'W') this.#file();
    else if (name === 'r' || name === 'R') this.take(LINE);
    else if (name === 'a' || name === 'i' || name === 'c') this.#text();
    else if (name === ':') {
      if (this.take(/[^\S\n]*[\w.-]+/y) === undefined) throw new UnclearError();
      this.#end();
    } else if (name !== '' && 'btT'.includes(name)) {
      this.take(/[^\S\n]*[\w.-]*/y);
      this.#end();
    } else if (name !== '' && 'lLqQ'.includes(name)) {
      this.take(/[^\S\n]*\d*/y);
      this.#end();
    } else if (name === '}' || (name !== '' && SIMPLE.includes(name))) this.#end();
    else throw new UnclearError();
  }

  #end(): void {
    this.take(BLANKS);
    if (this.next !== undefined && !'\n;}#'.includes(this.next)) throw new UnclearError();
  }

  #substitute(): void {
    this.#both(true);
    this.take(/[gpiImM\d]*/y);
    if (this.take(/w/y) !== undefined) this.#file();
    else this.#end();
  }

  /** `/a/b/`, with any mark. In `y` no brackets hide it. */
  #both(isRegex: boolean): void {
    const mark = this.take(/[^\n\\]/y);
    if (mark === undefined) throw new UnclearError();
    this.#until(mark, isRegex);
    this.#until(mark, false);
  }

  /** Reads to the mark, which may be in brackets in a regular expression. */
  #until(mark: string, isRegex: boolean): void {
    for (;;) {
      const char = this.next;
      if (char === undefined || (char === '\n' && isRegex)) throw new UnclearError();
      this.at += char === '\\' ? 2 : 1;
      if (char === mark) return;
      if (
        char === '[' &&
        isRegex &&
        this.take(/\^?\]?(?:[^\][\\\n]|\\[^\]\n]|\[[:=.]\w*[:=.]\]|\[(?![:=.]))*\]/y) === undefined
      )
        throw new UnclearError();
    }
  }

  /** A text goes up to the end of a line without a backslash. */
  #text(): void {
    if (this.take(/[^\S\n]*\\[^\S\n]/y) !== undefined) throw new UnclearError();
    this.take(/(?:[^\\\n]|\\[\s\S]?)*/y);
  }

  #file(): void {
    this.take(BLANKS);
    const name = this.take(LINE) ?? '';
    if (name === '') throw new UnclearError();
    this.#files.push(name);
  }
}
