import { QUOTED, type TextSpan, take } from '../quoted.js';
import { isNoWord, isWord } from '../values.js';
import { isInside } from './words.js';

/** On a line that holds only a name and an unquoted value: the whole value, whatever characters it has, unless it is code. */
const WHOLE = /[^\s"'`][^\s\\]{3,255}(?=[ \t]*(?:[;#][^\n]*|\\?\r?)?(?:\n|\\n|$))/y;
const CODE = /^[\w$.?!]*(?:[([{`]|=>)|[)\]}`][;,]?$|^[&*@!<$%{[(|>~+]|^[\w$.?#]+[;,]?$|["'`]/;

export function lineValue(text: string, at: number): { readonly span: TextSpan; readonly quote?: string } | undefined {
  if (take(WHOLE, text, at) === undefined) return undefined;
  const end = WHOLE.lastIndex;
  return CODE.test(text.slice(at, end)) ? undefined : { span: [at, end] };
}

const QUOTES = /\\*["']$/;
const NEXT_PAIR = /[&;\s]\w+=/;

/** In `"NAME=value"`: everything before the quote, up to another `name=`. */
export function inQuotes(
  text: string,
  name: number,
  at: number,
): { readonly span: TextSpan; readonly quote: string } | undefined {
  const quote = QUOTES.exec(text.slice(Math.max(0, name - 8), name))?.[0];
  if (quote === undefined || at === text.length || /["'\\\s]/.test(text[at] as string)) return undefined;
  const reach = text.slice(at, at + QUOTED);
  const end = reach.indexOf(quote);
  const said = reach.slice(0, Math.max(0, end));
  if (end < 1 || said.endsWith('\\') || /[\n`(){}]|\$[({]/.test(said)) return undefined;
  const next = said.search(NEXT_PAIR);
  return { span: [at, at + (next < 0 ? end : next)], quote: quote.at(-1) as string };
}

/** The most characters of a word. */
const LONGEST = 512;
/** A word with more brackets in brackets is code. */
const DEEPEST = 4;
const OPENS = '([{';
const CLOSES = ')]}';

/** What may be the beginning of a secret rather than a word, a path or the name of a function. */
const BEGINS = /^(?!\/).*(?:\d|[a-z][A-Z])/s;
/** A name that may be called: `hash`, `jwt.sign`, `$request->token`. */
const CALLABLE = /^[^\d]*$|[.>?:]/;
/** Letters and digits mixed as in no name. */
const MIXED = /\d[A-Za-z]|[A-Za-z]\d.*[A-Za-z]/;
/** `NAME=` of a shell or a log. */
const VARIABLE = /[A-Z\d_]{3}=$/;

/**
 * Where an unquoted value ends that goes on behind a character which often ends one: `aB3x\cd`, `aB3x'cd`, `aB3x(cd`. Only what begins like a
 * secret goes on. A backslash may begin an escaped line end, a quote may close a text around the value, and what is in brackets is mostly code.
 */
export function wordRest(text: string, [start, end]: TextSpan): number {
  if (end === start || !`\\'"\`${OPENS}`.includes(text[end] ?? ' ') || /["'`]/.test(text[start - 1] ?? '')) return end;
  const head = text.slice(start, Math.min(end, start + LONGEST));
  if (/[([{]$/.test(head)) return end;
  const isBracket = OPENS.includes(text[end] as string);
  const isVariable = VARIABLE.test(text.slice(Math.max(0, start - 4), start));
  if (
    isBracket
      ? !isVariable && (CALLABLE.test(head) || isWord(head))
      : !BEGINS.test(head) && !(isVariable && head[0] !== '/')
  )
    return end;
  const word = (/^\S*/.exec(text.slice(end, end + LONGEST)) as RegExpExecArray)[0];
  let depth = 0;
  let at = 0;
  for (; at < word.length; at++) {
    const sign = word[at] as string;
    if (OPENS.includes(sign)) {
      if (++depth > DEEPEST) return end;
    } else if (CLOSES.includes(sign) && --depth < 0) break;
    else if (';&|<>,'.includes(sign) && depth === 0) break;
    else if (sign === '\\') {
      const slashes = (/^\\+/.exec(word.slice(at))?.[0] ?? '').length;
      const escaped = word[at + slashes] ?? ' ';
      if (/[\snrtux]/.test(escaped) || (/["'`]/.test(escaped) && !goesOn(word, at + slashes))) break;
      at += slashes + (/["'`]/.test(escaped) ? 0 : -1);
    } else if (/["'`]/.test(sign) && !(depth > 0 && ')]},'.includes(word[at + 1] ?? ' ')))
      if (!goesOn(word, at) || (depth === 0 && isInside(text, start, sign))) break;
  }
  const rest = word.slice(0, at);
  const isOne = isBracket ? !isCall(text, end, end + at, depth) : /\d/.test(head + rest) || !/^['`]/.test(rest);
  return isOne && /[\p{L}\p{N}_]/u.test(rest) ? end + at : end;
}

const goesOn = (word: string, quote: number): boolean => /[\p{L}\p{N}_!#%*~^+=@$-]/u.test(word[quote + 1] ?? ' ');

/** Whether the bracket at `end` belongs to a call or an index: it is closed, or what is in it may be a name or a text. */
function isCall(text: string, end: number, to: number, depth: number): boolean {
  const rest = text.slice(end, to);
  if (depth <= 0) return !/[)\]}][\p{L}\p{N}_]/u.test(rest);
  return /[([{,]$|["'`]/.test(rest) || !MIXED.test(rest);
}

const SIGNED = /[=:&|>][^\s"'`=:&|>$<({][^\s"'`\\]{3,255}(?=[ \t]*\r?(?:\n|$))/y;

/** A value that begins with a sign of a comparison, in a line of variables: `PASSWORD==X`. */
export function signedValue(text: string, separator: number): TextSpan | undefined {
  if (take(SIGNED, text, separator + 1) === undefined) return undefined;
  return isNoWord(text.slice(separator + 2, SIGNED.lastIndex)) ? [separator + 1, SIGNED.lastIndex] : undefined;
}
