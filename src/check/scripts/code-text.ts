/** A Python or JavaScript text, parsed only far enough to tell strings and comments from code. */
export interface CodeText {
  readonly source: string;
  readonly language: 'python' | 'javascript';
  /** The source with comments and the content of strings replaced by spaces, so that offsets are the same. */
  readonly code: string;
  /** The strings, by their offset. */
  readonly strings: ReadonlyMap<number, CodeString>;
}

interface CodeString {
  /** The offset after the closing quote. */
  readonly end: number;
  /** Undefined if the string is interpolated at run time. */
  readonly value: string | undefined;
}

/** A value that is known only at run time. */
export const UNKNOWN: unique symbol = Symbol('unknown');

const known = new WeakMap<object, CodeText>();

export function readCode(of: { readonly source: string; readonly language: string }): CodeText | undefined {
  if (of.language !== 'python' && of.language !== 'javascript') return undefined;
  const found = known.get(of) ?? mask(of.source, of.language);
  known.set(of, found);
  return found;
}

function mask(source: string, language: CodeText['language']): CodeText {
  const strings = new Map<number, CodeString>();
  const parts: string[] = [];
  const opening = language === 'python' ? /#[^\n]*|("""|'''|"|')/g : /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|("|'|`)/g;
  let done = 0;
  for (let match = opening.exec(source); match; match = opening.exec(source)) {
    const [whole, quote] = match;
    const start = match.index;
    const end = quote === undefined ? start + whole.length : endOf(source, start + quote.length, quote);
    parts.push(source.slice(done, start));
    if (quote === undefined) parts.push(blank(source.slice(start, end)));
    else {
      const inner = source.slice(start + quote.length, Math.max(start + quote.length, end - quote.length));
      strings.set(start, {
        end,
        value: stringValue(inner, quote, source.slice(Math.max(0, start - 2), start), language),
      });
      parts.push(quote, blank(inner), source.slice(start + quote.length + inner.length, end));
    }
    done = end;
    opening.lastIndex = end;
  }
  parts.push(source.slice(done));
  return { source, language, code: parts.join(''), strings };
}

const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** The end of a string. An unclosed one ends with its line. */
function endOf(source: string, from: number, quote: string): number {
  const multiline = quote.length === 3 || quote === '`';
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source.startsWith(quote, at)) return at + quote.length;
    else if (source[at] === '\n' && !multiline) return at;
  }
  return source.length;
}

function stringValue(inner: string, quote: string, before: string, language: string): string | undefined {
  if (language === 'python' && /[fF][rR]?$|[rR][fF]$/.test(before) && /\{/.test(inner)) return undefined;
  if (quote === '`' && inner.includes('${')) return undefined;
  const raw = language === 'python' && /[rR]$/.test(before);
  return raw ? inner : inner.replace(/\\(\n|.)/g, (_, letter: string) => ESCAPES[letter] ?? letter);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** The index of the bracket that closes the one at an offset; undefined if it is never closed. */
export function closing(text: CodeText, open: number): number | undefined {
  const closed = brackets.get(text) ?? pairs(text.code);
  brackets.set(text, closed);
  return closed.get(open);
}

/** The closing brackets of each text, cached because many of them are looked up. */
const brackets = new WeakMap<CodeText, ReadonlyMap<number, number>>();

function pairs(code: string): Map<number, number> {
  const closed = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: bracket, index } of code.matchAll(/[()[\]{}]/g)) {
    if ('([{'.includes(bracket)) open.push(index);
    else if (open.length > 0) closed.set(open.pop() as number, index);
  }
  return closed;
}

/** Literals nested more deeply than this are unknown. No real answer is. */
const DEEPEST = 100;

/** The literal at an offset, as data that may contain UNKNOWN. An object with a spread is unknown as a whole. */
export function literalAt(
  text: CodeText,
  from: number,
  depth = 0,
): { readonly value: unknown; readonly end: number } | undefined {
  const { code, strings } = text;
  const at = skip(code, from);
  const letter = code[at];
  if (letter === '{' || letter === '[') return depth < DEEPEST ? collection(text, at, depth + 1) : undefined;
  const prefixed = text.language === 'python' ? /^[a-zA-Z]{1,2}(?=["'])/.exec(code.slice(at, at + 3))?.[0].length : 0;
  const string = strings.get(at + (prefixed ?? 0));
  if (string) return { value: string.value ?? UNKNOWN, end: string.end };
  const word = /^-?[\w.]+/.exec(code.slice(at, at + 100))?.[0];
  if (word === undefined) return undefined;
  const value = Object.hasOwn(WORDS, word) ? WORDS[word] : /^-?\d+(\.\d+)?$/.test(word) ? Number(word) : UNKNOWN;
  return { value, end: at + word.length };
}

const WORDS: Readonly<Record<string, unknown>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

function collection(text: CodeText, open: number, depth: number): { value: unknown; end: number } | undefined {
  const { code } = text;
  const last = closing(text, open);
  if (last === undefined) return undefined;
  const isObject = code[open] === '{';
  const object: Record<string, unknown> = {};
  const items: unknown[] = [];
  let whole = true;
  for (let at = skip(code, open + 1); at < last; at = skip(code, at + 1)) {
    const end = endOfItem(text, at, last);
    if (/^(\.\.\.|\*\*)/.test(code.slice(at, end))) whole = false;
    else if (!isObject) items.push(valueIn(text, at, end, depth));
    else {
      const [key, from] = keyAt(text, at, end);
      if (key === undefined) whole = false;
      else object[key] = from === undefined ? UNKNOWN : valueIn(text, from, end, depth);
    }
    at = end;
  }
  return { value: whole ? (isObject ? object : items) : UNKNOWN, end: last + 1 };
}

/** A key of an object literal and the offset of its value. There is no value if the key is shorthand for a variable. */
function keyAt({ code, strings }: CodeText, at: number, end: number): [string | undefined, number | undefined] {
  const string = strings.get(at);
  const name = string ? string.value : /^[A-Za-z_$][\w$]*/.exec(code.slice(at, end))?.[0];
  if (name === undefined) return [undefined, undefined];
  const colon = skip(code, string ? string.end : at + name.length);
  if (colon >= end) return [name, undefined];
  return code[colon] === ':' ? [name, colon + 1] : [undefined, undefined];
}

function valueIn(text: CodeText, from: number, end: number, depth: number): unknown {
  const found = literalAt(text, from, depth);
  // If more code follows the literal, the value is an expression.
  return found && skip(text.code, found.end) >= end ? found.value : UNKNOWN;
}

function endOfItem(text: CodeText, from: number, last: number): number {
  for (let at = from; at < last; at++) {
    const letter = text.code[at] as string;
    if (letter === ',') return at;
    if ('([{'.includes(letter)) at = closing(text, at) ?? last;
  }
  return last;
}

function skip(code: string, from: number): number {
  let at = from;
  while (at < code.length && /\s/.test(code[at] as string)) at++;
  return at;
}
