import { asLines } from '../cuts.js';
import { QUOTED, type TextSpan, take } from '../quoted.js';
import { isNoWord, isWord } from '../values.js';
import { isInside, tailOf } from './words.js';

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

const NO_VALUE = /^(?:["'\s]|\\+(?:[nrtux]|[^A-Za-z\d\\]|$))/;

/** In `"NAME=value"`: everything before the quote, up to another `name=`. */
export function inQuotes(
  text: string,
  name: number,
  at: number,
): { readonly span: TextSpan; readonly quote: string } | undefined {
  const quote = QUOTES.exec(text.slice(Math.max(0, name - 8), name))?.[0];
  if (quote === undefined || at === text.length || NO_VALUE.test(text.slice(at, at + 12))) return undefined;
  const reach = text.slice(at, at + QUOTED);
  const end = reach.indexOf(quote);
  const said = reach.slice(0, Math.max(0, end));
  if (end < 1 || said.endsWith('\\') || /[\n`]|\{[^{}]*\}|\$[({]/.test(said)) return undefined;
  // A bracket in several words may be one of a command.
  if (/[(){}]/.test(said) && /\s/.test(said)) return undefined;
  const next = said.search(NEXT_PAIR);
  return { span: [at, at + (next < 0 ? end : next)], quote: quote.at(-1) as string };
}

/** The most characters of a word. */
const LONGEST = 512;
/** A word with more brackets in brackets is code. */
const DEEPEST = 5;
const OPENS = '([{';
const CLOSES = ')]}';

/** A path, or what a shell expands. */
const PATH = /^(?:\/|[A-Za-z]:$)/;
/** Letters and digits mixed as in no name. */
const MIXED = /\d[A-Za-z]|[A-Za-z]\d.*[A-Za-z]/;
/** A name that may be called: `hash`, `jwt.sign`, `$request->token`. */
const CALLABLE = /^[^\d]*$|[.>?:]/;
const HUMPS = /\p{Ll}\p{Lu}/u;
const SIGNS = /\p{L}[!@#$%^*+~|]+\p{L}/u;
/** `name=`, `--name `. */
const TIGHT = /=$|(?:^|[\s"'`])--?[A-Za-z][\w-]*[ \t]$/;
/** `NAME=` of a shell or a log. */
const VARIABLE = /[A-Z\d_]{3}=$/;
/** A name and its sign, with nothing else before the value in the line. */
const ALONE = /(?:^|\n)[ \t>#*+-]*(?:export[ \t]+)?\\*["']?[\w.-]{1,80}\\*["']?[ \t]*[:=][ \t]*$/;

/**
 * Where an unquoted value ends that goes on behind a character which often ends one: `aB3x\cd`, `aB3x'cd`, `aB3x(cd`. A backslash may begin an
 * escaped line end, a quote may close a text around the value, and what is in brackets that are closed is code.
 */
export function wordRest(text: string, [start, end]: TextSpan): number {
  if (end === start || !`\\'"\`${OPENS}`.includes(text[end] ?? ' ') || /["'`]/.test(text[start - 1] ?? '')) return end;
  const head = text.slice(start, Math.min(end, start + LONGEST));
  if (/[([{]$|^\P{L}*$/u.test(head) && !/\d/.test(head)) return end;
  const isBracket = OPENS.includes(text[end] as string);
  const isVariable = VARIABLE.test(text.slice(Math.max(0, start - 4), start));
  if (isBracket ? !isVariable && isWord(head) : !isVariable && PATH.test(head)) return end;
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
  const isSure = isVariable || /\d/.test(head + rest) || SIGNS.test(head + rest);
  const isAlone = (): boolean => ALONE.test(asLines(text.slice(Math.max(0, start - 120), start)));
  if (isBracket) {
    const isValue = isSure || (/[\p{L}\p{N}]/u.test(rest) && isAlone());
    return isValue && !isCall(text, [start, end, end + at], depth) ? end + at : end;
  }
  const isTight = TIGHT.test(text.slice(Math.max(0, start - 64), start));
  // Behind an apostrophe, a sentence may go on.
  const isHumps =
    HUMPS.test(/^['`]/.test(rest) ? head + rest : head) &&
    (!/^['`]/.test(rest) || (isAlone() && endsLine(text, end + at)));
  const isOne = isSure || isTight || isHumps;
  if (!isOne || !/[\p{L}\p{N}_]/u.test(rest)) return end;
  // What is in quotes within the word has any character.
  return Math.max(end + at, tailOf(text, [start, end]).at(-1)?.[1] ?? end);
}

const goesOn = (word: string, quote: number): boolean => /[\p{L}\p{N}_!#%*~^+=@$-]/u.test(word[quote + 1] ?? ' ');
const endsLine = (text: string, at: number): boolean => /^[ \t]*(?:\r?\n|\\|["'`]|$)/.test(text.slice(at, at + 80));

/** Whether the bracket at `end` belongs to a call or an index: it is closed, there or in the lines that go on with it, or a text is in it. */
function isCall(text: string, [start, end, to]: readonly [number, number, number], depth: number): boolean {
  const rest = text.slice(end, to);
  if (depth <= 0) return !/[)\]}][\p{L}\p{N}_]/u.test(rest);
  if (/^[([{]["'`]|^\(\)/.test(rest)) return true;
  const isName = CALLABLE.test(text.slice(start, end)) || /[([{,]$|["'`]/.test(rest);
  if (!isName && MIXED.test(rest)) return false;
  // `NAME=a1b(` of a shell or a log.
  const isVariable = VARIABLE.test(text.slice(Math.max(0, start - 4), start));
  return !(isVariable && MIXED.test(text.slice(start, to))) && isClosed(text, start, to, depth);
}

const REACH = 400;

/** Whether brackets that are open behind a value are closed in its line, or in lines below it that are indented further or begin with a bracket. */
export function isClosed(text: string, start: number, from: number, open: number): boolean {
  const before = asLines(text.slice(Math.max(0, start - REACH), start));
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const indent = line.length - line.trimStart().length;
  let depth = open;
  for (const [i, one] of asLines(text.slice(from, from + REACH))
    .split('\n')
    .entries()) {
    const said = one.trimStart();
    if (i > 0 && said !== '' && one.length - said.length <= indent && !CLOSES.includes(said[0] as string)) return false;
    for (const sign of said)
      if (OPENS.includes(sign)) depth++;
      else if (CLOSES.includes(sign) && --depth <= 0) return true;
  }
  return false;
}

const SIGNED = /(?!<\S*>)[=:&|<>([{][^\s"'`=:&|>$<({][^\s"'`\\]{3,255}(?=[ \t]*\\?\r?(?:\n|\\n|$))/y;

/**
 * A value that begins with a sign of a comparison, a redirection or a bracket that is never closed, alone in its line: `PASSWORD==X`,
 * `password: (X`. `isTight`: directly behind a `=`, where code has none.
 */
export function signedValue(text: string, at: number, isTight: boolean): TextSpan | undefined {
  const sign = text[at] ?? ' ';
  if (!(isTight ? '=:&|<>([{' : '([{<|>').includes(sign) || take(SIGNED, text, at) === undefined) return undefined;
  const end = SIGNED.lastIndex;
  if (OPENS.includes(sign) && isClosed(text, at, at + 1, 1)) return undefined;
  return isNoWord(text.slice(at + 1, end)) ? [at, end] : undefined;
}
