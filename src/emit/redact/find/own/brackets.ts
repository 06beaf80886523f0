import { type TextSpan, take } from '../quoted.js';
import { behindSlashes, type Reach } from './reach.js';

/** What was read in brackets. */
export interface BracketValues {
  readonly spans: readonly TextSpan[];
  /** The index behind what was read. */
  readonly end: number;
  /** If the text ends within the brackets: those that are open, and the item that is not finished. */
  readonly rest?: string;
}

const QUOTE = /["'`]/;
const ENDS_ITEM = /[ \t]*,?[ \t]*(?:\r?(?:\n|$)|\])/y;
const SIGN = /\s*(?:=>|:(?!\/\/)|=(?!=))/y;
const KEY = /(?:<<|[\p{L}\p{N}_$@./-]{1,200})\??\s*(?:=>|:(?!\/\/)|=(?!=))/uy;
/** `{ user }`, `{ ...user }`. */
const SHORTHAND = /(?:\.\.\.)?[\p{L}_$][\p{L}_$.-]*(?=\s*(?:[,}]|$))/uy;
const WORD = /(?:[^\s,;"'`()[\]{}\\]|(?<=\p{L})'(?=\p{L}))+/uy;
const BLANKS = /[ \t]*/y;
const NUMBER = /-?\d[\w.+-]*/y;
/** Values that are left: a field of data that holds one is not masked either. */
const LITERAL = /^(?:true|false|null|undefined|none|nil|nan|~)$/i;
const MOST_OPEN = 1000;
const IN_COMMENT = /(?:^|\n)[ \t]*(#|\/\/)[^\n]*$/;
const LONGEST_NAME = 300;

/** Quoted values that are left as they are: none at all, an earlier mask, and a variable of a shell. */
export const isLeft = (value: string, isShell: boolean): boolean =>
  value === '' || value.startsWith('[redacted ') || (isShell && /^\$(?:\{\w*\}?|[A-Za-z_]\w*|[\d@*#?]?$)$/.test(value));

export const isLiteral = (value: string): boolean => LITERAL.test(value);

/** The texts, numbers and words in a list or an object of JSON, YAML or code, without its keys. */
export function valuesWithin(reach: Reach, open: number): BracketValues {
  return new Brackets(reach, open).read();
}

/** The most characters of it that are read again with what follows: its beginning, which may be a key or a quote, and its end. */
const LONGEST_ITEM = 2048;

/** An item or a line that is not finished, in the middle of which nothing is needed to read what follows. */
export function shortened(item: string): string {
  if (item.length <= LONGEST_ITEM) return item;
  const end = item.slice(-LONGEST_ITEM / 2);
  return item.slice(0, LONGEST_ITEM / 2) + end.slice(Math.max(0, end.search(/\s/)));
}

class Brackets {
  readonly #reach: Reach;
  readonly #text: string;
  readonly #open: number;
  readonly #spans: TextSpan[] = [];
  readonly #stack: string[] = [];
  /** Where the item began that is being read. */
  #item = 0;
  /** Nothing of the item was read yet; a line has ended since. */
  #fresh = true;
  #broken = false;
  readonly #mark: string | undefined;

  constructor(reach: Reach, open: number) {
    this.#reach = reach;
    this.#text = reach.text;
    this.#open = open;
    this.#mark = IN_COMMENT.exec(reach.text.slice(Math.max(0, open - LONGEST_NAME), open))?.[1];
  }

  read(): BracketValues {
    const text = this.#text;
    let at = this.#open;
    while (at < text.length) {
      const character = text[at] as string;
      const blank = /\s/.test(character) ? at + 1 : this.#writtenBlank(at);
      if (blank > at) {
        this.#broken ||= /[\nn]/.test(text[blank - 1] as string);
        at = blank;
      } else if (',;'.includes(character)) at = this.#next(at + 1);
      else if ('[{('.includes(character)) {
        this.#stack.push(character);
        at = this.#next(at + 1);
      } else if (']})'.includes(character)) {
        if ('[{('[']})'.indexOf(character)] !== this.#stack.at(-1)) return { spans: this.#spans, end: at };
        this.#stack.pop();
        at = this.#next(at + 1);
        if (this.#stack.length === 0) return { spans: this.#spans, end: at };
        this.#fresh = false;
      } else {
        const next = this.#comment(at) ?? this.#piece(at);
        if (next === undefined) return this.#loosely(at);
        at = next;
      }
    }
    return {
      spans: this.#spans,
      end: at,
      rest: this.#stack.slice(0, MOST_OPEN).join(' ') + shortened(text.slice(this.#item)),
    };
  }

  #in(bracket: string): boolean {
    return this.#stack.at(-1) === bracket;
  }

  #next(at: number): number {
    this.#item = at;
    this.#fresh = true;
    this.#broken = false;
    return at;
  }

  /** The index behind an escaped line end or tab. */
  #writtenBlank(at: number): number {
    if (this.#text[at] !== '\\') return at;
    const letter = behindSlashes(this.#text, at);
    return 'nrt\n'.includes(this.#text[letter] ?? ' ') ? letter + 1 : at;
  }

  #comment(at: number): number | undefined {
    const text = this.#text;
    // Where the list itself is in a comment, each of its lines begins with that sign.
    if (this.#mark !== undefined && text.startsWith(this.#mark, at)) return at + this.#mark.length;
    if (text.startsWith('//', at) || /^#[ \t!]/.test(text.slice(at, at + 2))) return this.#reach.next('\n', at);
    if (!text.startsWith('/*', at)) return undefined;
    const end = this.#reach.next('*/', at + 2);
    return end < text.length ? end + 2 : undefined;
  }

  /** The index behind a key or a value; undefined: here is neither. */
  #piece(at: number): number | undefined {
    const text = this.#text;
    const inList = this.#in('[');
    const begins = this.#fresh || this.#broken;
    const mark = behindSlashes(text, at);
    const quoted = QUOTE.test(text[mark] ?? '') ? this.#reach.quoted(at) : undefined;
    // In the next line without a comma before it, only what is a whole item belongs to a list.
    const isWhole = quoted?.closed === true && take(ENDS_ITEM, text, quoted.end) !== undefined;
    if (inList && this.#broken && !this.#fresh && !isWhole) return undefined;
    if (quoted !== undefined) {
      const isKey = quoted.closed && take(SIGN, text, quoted.end) !== undefined;
      if (isKey && begins) this.#item = at;
      else if (!isKey) this.#put(quoted.span);
      return this.#behind(isKey ? SIGN.lastIndex : quoted.end);
    }
    if (mark > at) return this.#behind(mark);
    if (begins && !inList && take(KEY, text, at) !== undefined) {
      this.#item = at;
      return this.#behind(KEY.lastIndex);
    }
    if (begins && this.#in('{')) {
      if (take(SHORTHAND, text, at) !== undefined) return this.#behind(SHORTHAND.lastIndex);
      if (!/[-\d]/.test(text[at] as string)) return undefined;
    }
    return this.#behind(this.#words(at));
  }

  #behind(at: number): number {
    this.#fresh = false;
    this.#broken = false;
    return at;
  }

  /** Words in one line are one value. */
  #words(start: number): number {
    const text = this.#text;
    let end = start;
    for (let at = start; take(WORD, text, at) !== undefined; ) {
      end = WORD.lastIndex;
      take(BLANKS, text, end);
      at = BLANKS.lastIndex;
      if (at === end || text.startsWith('//', at) || text.startsWith('# ', at)) break;
      if (!this.#in('[') && take(KEY, text, at) !== undefined) break;
    }
    if (end === start) return start + 1;
    const said = text.slice(start, end);
    if (/[\p{L}\p{N}]/u.test(said) && !LITERAL.test(said)) this.#spans.push([start, end]);
    return end;
  }

  #put(span: TextSpan): void {
    if (!isLeft(this.#text.slice(span[0], span[1]), false)) this.#spans.push(span);
  }

  /** The texts and numbers in what is not written as expected: up to the end of the brackets, or else of the line. */
  #loosely(from: number): BracketValues {
    const text = this.#text;
    const closing = this.#reach.closing(this.#open);
    if (closing === undefined && this.#broken) return { spans: this.#spans, end: from };
    const end = closing ?? this.#reach.lineEnd(from);
    for (let at = from; at < end; at++) {
      const character = text[at] as string;
      if (character === '\\' || QUOTE.test(character)) {
        const mark = behindSlashes(text, at);
        const isText = QUOTE.test(text[mark] ?? '') && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
        const quoted = isText ? this.#reach.quoted(at) : undefined;
        const to = Math.min(end, quoted?.span[1] ?? 0);
        if (quoted !== undefined && take(SIGN, text, quoted.end) === undefined) this.#put([quoted.span[0], to]);
        at = Math.max(at, quoted === undefined ? mark - 1 : quoted.end - 1);
      } else if (/[-\d]/.test(character) && !/[\w$.]/.test(text[at - 1] ?? '') && take(NUMBER, text, at)) {
        this.#spans.push([at, Math.min(end, NUMBER.lastIndex)]);
        at = NUMBER.lastIndex - 1;
      }
    }
    return { spans: this.#spans, end: closing === undefined ? end : end + 1 };
  }
}
