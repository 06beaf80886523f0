import { OPENING, type TextSpan, take } from '../quoted.js';

/** A quoted text, and the index behind its closing quote. */
export interface QuotedText {
  readonly span: TextSpan;
  readonly end: number;
  readonly closed: boolean;
}

/** More backslashes before a quote are no nesting of texts. */
const DEEPEST = 32;
/** The most characters that are held without their end, unless they are lines of elements or of a list, or but a few lines. */
export const MOST_HELD = 8192;
export const FEW = 20;
const GOES_ON = /[ \t]+[\p{L}\p{N}]/uy;
const QUOTES = `"'\``;
const PAIRS: Readonly<Record<string, string>> = { ']': '[', '}': '{', ')': '(' };

/**
 * Looks ahead in a text. What was searched once is remembered, so that each part of the text is searched once for each kind of end, however
 * many values begin before it.
 */
export class Reach {
  readonly text: string;
  readonly #found = new Map<string, readonly [from: number, at: number]>();
  #pairs: ReadonlyMap<number, number> | undefined;
  readonly #tags = new Map<string, ReadonlyMap<number, number>>();
  #last: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The index of the next such text; without one, the length of the text. */
  next(part: string, from: number): number {
    return this.#once(`=${part}`, from, () => {
      const at = this.text.indexOf(part, from);
      return at < 0 ? this.text.length : at;
    });
  }

  /** The index of the next line end. */
  lineEnd(from: number): number {
    const end = this.next('\n', from);
    return end > from && this.text[end - 1] === '\r' ? end - 1 : end;
  }

  /** The quoted text at an index. Without a closing quote it ends with its line. `isShell`: within `'`, a backslash is a letter like any other. */
  quoted(at: number, isShell = false): QuotedText | undefined {
    const { text } = this;
    const quote = take(OPENING, text, at)?.[1];
    if (quote === undefined || quote.length > DEEPEST) return undefined;
    const start = OPENING.lastIndex;
    const mark = quote.at(-1) as string;
    const depth = quote.length - 1;
    // `"""` in TOML and Python.
    if (text.startsWith(quote + quote, start)) {
      const from = start + 2 * quote.length;
      const end = this.next(quote.repeat(3), from);
      const closed = end < text.length;
      return { span: [from, end, !closed], end: closed ? end + 3 * quote.length : end, closed };
    }
    let close = isShell && quote === "'" ? this.#closeOfShell(start) : this.#close(quote, start);
    // `'it''s'` in YAML, SQL and shells.
    while (depth === 0 && mark !== '`' && close > start && text[close + 1] === mark)
      close = this.#close(quote, close + 2);
    const line = this.lineEnd(start);
    if (close >= text.length || (close > line && mark !== '`' && !this.#isClosing(close, isShell)))
      return { span: [start, line, close >= text.length && line > this.#endless()], end: line, closed: false };
    let end = close;
    while (end > start && close - end < depth && text[end - 1] === '\\') end--;
    return { span: [start, end], end: close + 1, closed: true };
  }

  /** The index of the bracket that closes the one at an index, the first that is asked about being the first in the text. */
  closing(open: number): number | undefined {
    this.#pairs ??= this.#allPairs(open);
    return this.#pairs.get(open);
  }

  /** The index of the tag that closes the element whose tag is at an index. */
  closingTag(open: number, tag: string): number | undefined {
    const name = tag.toLowerCase();
    const pairs = this.#tags.get(name) ?? this.#allTags(name);
    this.#tags.set(name, pairs);
    return pairs.get(open);
  }

  #allTags(name: string): ReadonlyMap<number, number> {
    const pairs = new Map<number, number>();
    const open: number[] = [];
    const plain = name.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
    for (const { index, 0: tag, 1: closes } of this.text.matchAll(
      new RegExp(String.raw`<(\\{0,8}/)?${plain}(?=[\s>/])[^<>]{0,400}`, 'gi'),
    )) {
      if (closes === undefined) {
        if (!tag.endsWith('/')) open.push(index);
        continue;
      }
      const last = open.pop();
      if (last !== undefined) pairs.set(last, index);
    }
    return pairs;
  }

  /** The index up to which a line with a quote that is not closed is a value by itself: much text and more than a few lines are behind it. */
  #endless(): number {
    if (this.#last !== undefined) return this.#last;
    let at = this.text.length;
    for (let lines = 0; lines < FEW && at >= 0; lines++) at = at === 0 ? -1 : this.text.lastIndexOf('\n', at - 1);
    this.#last = Math.min(at, this.text.length - MOST_HELD);
    return this.#last;
  }

  #closeOfShell(from: number): number {
    const at = this.next("'", from);
    const isEnd = this.text[at - 1] !== '\\' || /[\s;&|)]/.test(this.text[at + 1] ?? ' ');
    return isEnd ? at : this.#close("'", from);
  }

  /** The index of the quote that ends a text begun with `quote`: one of the same depth, or of a text around it. */
  #close(quote: string, from: number): number {
    const { text } = this;
    const depth = quote.length - 1;
    const mark = quote.at(-1) as string;
    return this.#once(quote, from, () => {
      for (let at = text.indexOf(mark, from); at >= 0; at = text.indexOf(mark, at + 1)) {
        let slashes = 0;
        while (text[at - 1 - slashes] === '\\') slashes++;
        // Each level of JSON within JSON doubles the backslashes, also those of an escaped backslash.
        if (slashes < depth || (slashes - depth) % (2 * depth + 2) === 0) return at;
      }
      return text.length;
    });
  }

  /** Whether a quote in a later line closes a text, rather than opening another. */
  #isClosing(at: number, isShell: boolean): boolean {
    const [before, behind] = [this.text[at - 1] as string, this.text[at + 1] ?? ' '];
    // `the users' names`.
    if (!isShell && this.text[at] === "'" && take(GOES_ON, this.text, at + 1) !== undefined) return false;
    return /[^ \t:=([{,]/.test(before) && /[\s,;)\]}&|<>]/.test(behind);
  }

  #once(kind: string, from: number, search: () => number): number {
    const known = this.#found.get(kind);
    if (known !== undefined && from >= known[0] && from <= known[1]) return known[1];
    const at = search();
    this.#found.set(kind, [from, at]);
    return at;
  }

  #allPairs(from: number): ReadonlyMap<number, number> {
    const { text } = this;
    const pairs = new Map<number, number>();
    const open: number[] = [];
    const count: Record<string, number> = { '[': 0, '{': 0, '(': 0 };
    for (let at = from; at < text.length; at++) {
      const character = text[at] as string;
      if (character in count) {
        open.push(at);
        count[character] = (count[character] as number) + 1;
      } else if (character in PAIRS) {
        const wanted = PAIRS[character] as string;
        while ((count[wanted] as number) > 0) {
          const last = open.pop() as number;
          const one = text[last] as string;
          count[one] = (count[one] as number) - 1;
          if (one !== wanted) continue;
          pairs.set(last, at);
          break;
        }
      } else if (character === '\\' || QUOTES.includes(character)) {
        const mark = behindSlashes(text, at);
        const isText = QUOTES.includes(text[mark] ?? ' ') && !/[\p{L}\p{N}]/u.test(text[at - 1] ?? '');
        const quoted = isText ? this.quoted(at) : undefined;
        at = quoted?.closed && quoted.end <= this.lineEnd(at) + 1 ? quoted.end - 1 : Math.max(mark - 1, at);
      }
    }
    return pairs;
  }
}

const LONGEST_LINE = 400;
/** What stands behind a closing quote. */
const BEHIND = /[\s),;.\]}+&|<]|$/y;

/** Whether the quote at an index, behind a name and its sign, closes a text that began before the name: `'user: ' + name`. */
export function closesEarlier(text: string, at: number): boolean {
  const mark = behindSlashes(text, at);
  if (!QUOTES.includes(text[mark] ?? ' ') || take(BEHIND, text, mark + 1) === undefined) return false;
  const before = text.slice(Math.max(0, at - LONGEST_LINE), at);
  const quote = text.slice(at, mark + 1);
  let count = 0;
  for (
    let from = before.indexOf(quote, before.lastIndexOf('\n') + 1);
    from >= 0;
    from = before.indexOf(quote, from + 1)
  )
    if (before[from - 1] !== '\\' || quote.length > 1) count++;
  return count % 2 === 1;
}

/** The index behind a run of backslashes. */
export function behindSlashes(text: string, at: number): number {
  let behind = at;
  while (text[behind] === '\\') behind++;
  return behind;
}
