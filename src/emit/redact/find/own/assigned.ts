import { append } from '../../../../values/append.js';
import { behindMarks } from '../formats/openers.js';
import { beginsLine, oddValue, valueOfName } from '../named.js';
import { SHELL_RUN, type TextSpan, take, valueAt } from '../quoted.js';
import { wordRest } from '../shell/whole.js';
import { tailOf } from '../shell/words.js';
import { isLeft, isLiteral, valuesWithin } from './brackets.js';
import { bare, blockBelow, linesBelow, type OwnValues, plainValue } from './lines.js';
import { typePattern } from './patterns.js';
import { closesEarlier, type Reach } from './reach.js';

const SIGN = /::|:\/\/|===?|=>|:=|[:=]/y;
const BLANKS = /[ \t]*/y;
/** In JSON a value may be in the next line. */
const GAP = /(?:\s|\\+[nrt]|\/\*[^*]{0,80}\*\/|\/\/[^\n]{0,200}\n)*/y;
const CALLED = /(?:&|new )?(?:[A-Z][\w.]*|(?:\[\]|map\[\w{1,20}\])[\w.*]{1,40}|[\w.]{1,40}\[\]) ?(?=\{)/y;
const NEXT_SUM = /[ \t]*\+\s*(?=\\*["'`])/y;
/** Texts that are joined by a sign, or by nothing. */
const NEXT_TEXT = /[ \t]*(?:[+.]\s*|(?<=[ \t]))(?=\\*["'`])/y;
/** `+=`, `[0]=`. */
const JOINED = /^(?:\[[^\]\n]{1,40}\]\+?|\+)$/;
/** An anchor and a tag of YAML. */
const PROPERTIES = /(?:(?:&[\w.-]{1,80}|!{1,2}[\w./:-]{0,80})(?:[ \t]+|(?=\r?(?:\n|$))))+/y;
const TEXT_IN_PARENTHESES = /\(\s*\\*["'`]/y;
const LIST_OF_TEXTS = /\[\s*\\*["'`]/y;
/** `iban: string = "X"`, `iban: Optional[str] = "X"`, `iban: &'static str = "X"`: what is between the colon and the value. */
const TYPE = typePattern();
/** `iban: Iban<Bank> = "X"`: behind what may be a type or a value. */
const ASSIGNED = /(?:<[^<>\n"'=]{0,60}>{1,2}|\[[^[\]\n"'=]{0,60}\])?[?!]?[ \t]*=(?![=>])[ \t]*(?=\\*["'`]|-?\d)/y;
/** `{{ "X" }}`. */
const TEMPLATE = /\{\{-?[ \t]*(?=\\*["'`])/y;
/** In JSON, a value without quotes. */
const NUMBER = /-?\d[\w.+-]*/y;

/** The value after a name and its sign, without the signs of Markdown that end the emphasis of the name. */
export function assignedValue(reach: Reach, name: TextSpan, separator: number): OwnValues | undefined {
  const found = valueBehind(reach, name, separator);
  const [first, ...others] = found?.spans ?? [];
  if (found === undefined || first === undefined) return found;
  const begin = behindMarks(reach.text, name[0], first[0]);
  return begin < first[1] ? { ...found, spans: [[begin, first[1], first[2] === true], ...others] } : found;
}

function valueBehind(reach: Reach, name: TextSpan, separator: number): OwnValues | undefined {
  const { text } = reach;
  const sign = take(SIGN, text, separator)?.[0] ?? '';
  if (sign === '://') return undefined;
  if (sign === '::') return asRead(valueOfName(text, separator, name));
  const behind = separator + sign.length;
  take(BLANKS, text, behind);
  let at = BLANKS.lastIndex;
  const isTight = at === behind && (name[1] === separator || JOINED.test(text.slice(name[1], separator)));
  const isQuoted = /["'`]/.test(text.slice(name[1], separator)) && /["'`]/.test(text[name[0] - 1] ?? ' ');
  const begin = isQuoted ? startOfQuote(text, name[0]) : startOfPath(text, name[0]);
  const isComparison = sign === '==' || sign === '===';
  // `name[0] === "a"`, `char name[4] = {` and `a ? name[0] : b` are no values of the name.
  const isIndexed = text[name[1]] === '[' && text[name[1] + 1] !== ']';
  if (isIndexed && !(isTight && sign === '=') && (isComparison || !(isQuoted || beginsLine(text, begin))))
    return undefined;
  if (sign === ':' && take(TYPE, text, at) === undefined && take(PROPERTIES, text, at) !== undefined)
    at = PROPERTIES.lastIndex;
  if (!isQuoted && !isComparison && closesEarlier(text, at)) return undefined;
  if (sign === ':') {
    const below = blockBelow(reach, isQuoted ? name[0] : begin, at);
    if (below !== undefined && (below.spans.length > 0 || !isQuoted)) return below;
  }
  if (isQuoted && !isComparison) {
    take(GAP, text, at);
    at = GAP.lastIndex;
  }
  if (at >= text.length) return isQuoted ? { spans: [], end: at, rest: text.slice(begin) } : undefined;
  // `user => { … }` is a function.
  const isArrow = sign === '=>' && !isQuoted;
  if (!isComparison && (!isArrow || take(LIST_OF_TEXTS, text, at) !== undefined)) {
    const called = take(CALLED, text, at) === undefined ? at : CALLED.lastIndex;
    if (isBracket(text, called, isQuoted || isTight || take(TEXT_IN_PARENTHESES, text, at) !== undefined)) {
      // Words in parentheses are a list only if it ends.
      if (text[called] === '(' && reach.closing(called) === undefined)
        return { spans: [], end: called, hold: { at: begin, until: ')' } };
      const { spans, end, rest } = valuesWithin(reach, called);
      return { spans, end, ...(rest === undefined ? {} : { rest: text.slice(begin, at) + rest }) };
    }
  }
  const isShell = sign === '=' && isTight;
  if (sign === ':' && take(TYPE, text, at) !== undefined) {
    const typed = typedValue(reach, TYPE.lastIndex);
    if (typed !== undefined) return typed;
  }
  const quoted = quotedValue(reach, take(TEMPLATE, text, at) === undefined ? at : TEMPLATE.lastIndex, isShell);
  if (quoted !== undefined) return isQuoted || isTight ? quoted : toLineEnd(reach, name, sign, quoted);
  if (isArrow || isComparison) {
    // `name==X`, alone in its line.
    const odd = isQuoted ? undefined : oddValue(text, separator, name, at);
    if (odd === undefined && isArrow && take(NUMBER, text, at) !== undefined)
      return { spans: [[at, NUMBER.lastIndex]], end: NUMBER.lastIndex };
    return odd && { spans: [odd], end: odd[1] };
  }
  return unquoted(reach, { name, separator, at, sign, isTight, isQuoted });
}

/** The index where the quote before a name begins. */
function startOfQuote(text: string, name: number): number {
  let at = name - 1;
  while (at > 0 && text[at - 1] === '\\') at--;
  return at;
}

function asRead(found: TextSpan | readonly TextSpan[] | undefined): OwnValues | undefined {
  if (found === undefined) return undefined;
  const spans = typeof found[0] === 'number' ? [found as TextSpan] : (found as readonly TextSpan[]);
  return { spans, end: spans.at(-1)?.[1] ?? 0 };
}

function typedValue(reach: Reach, at: number): OwnValues | undefined {
  const number = take(NUMBER, reach.text, at) === undefined ? undefined : NUMBER.lastIndex;
  if (number !== undefined) return { spans: [[at, number]], end: number };
  return quotedValue(reach, at, false);
}

/** Where `user.iban` begins. */
function startOfPath(text: string, name: number): number {
  let at = name;
  if (text[at - 1] === '.') while (name - at < 100 && /[\p{L}\p{N}_.$@-]/u.test(text[at - 1] ?? ' ')) at--;
  return at;
}

function isBracket(text: string, at: number, isSure: boolean): boolean {
  if (text.startsWith('{{', at) || text.startsWith('{%', at) || text.startsWith('[redacted ', at)) return false;
  return '[{'.includes(text[at] ?? ' ') || (isSure && text[at] === '(');
}

function quotedValue(reach: Reach, at: number, isShell: boolean): OwnValues | undefined {
  const { text } = reach;
  const said = isShell && /["$`\\<(]/.test(text[at] as string) ? valueAt(text, at, SHELL_RUN) : undefined;
  // The text that a command outputs: `$(echo X)`.
  if (said !== undefined && said.span[0] > at + 3 && /^\S*[(`]/.test(text.slice(at, at + 4)))
    return { spans: [said.span], end: said.span[1] };
  const spans: TextSpan[] = [];
  let end = -1;
  for (let from = at; ; from = (isShell ? NEXT_SUM : NEXT_TEXT).lastIndex) {
    const quoted = reach.quoted(from, isShell);
    if (quoted === undefined) break;
    const value = text.slice(quoted.span[0], quoted.span[1]);
    const expands = isShell && text[quoted.span[0] - 1] !== "'";
    if (!isLeft(value, expands) && !(expands && /^\$\([^()]*\)$/.test(value))) spans.push(quoted.span);
    end = quoted.end;
    if (quoted.closed && isShell) append(spans, tailOf(text, quoted.span));
    if (!quoted.closed || take(isShell ? NEXT_SUM : NEXT_TEXT, text, end) === undefined) break;
  }
  return end < 0 ? undefined : { spans, end: Math.max(end, spans.at(-1)?.[1] ?? 0) };
}

/** What precedes a name in a line that is no part of a quoted text. */
const LINE = /(?:^|[\r\n])[^"'`\\\r\n]*$/;

interface UnquotedValue {
  readonly name: TextSpan;
  readonly separator: number;
  readonly at: number;
  readonly sign: string;
  readonly isTight: boolean;
  readonly isQuoted: boolean;
}

function unquoted(
  reach: Reach,
  { name, separator, at, sign, isTight, isQuoted }: UnquotedValue,
): OwnValues | undefined {
  const { text } = reach;
  const before = text.slice(Math.max(0, name[0] - 2), name[0]);
  const isWithinQuotes = !isQuoted && /["'`]$/.test(before);
  const starts = beginsLine(text, name[0]);
  if (sign === ':' && (!isTight || isWithinQuotes || starts)) {
    const written = isWithinQuotes || !LINE.test(text.slice(Math.max(0, name[0] - 48), name[0]));
    const header = starts && !written && !isQuoted ? headerValue(reach, name, at) : undefined;
    const span = header ?? plainValue(reach, at, { whole: starts && !isWithinQuotes && !isQuoted, written });
    if (span === undefined) return asRead(valueOfName(text, separator, name));
    const typed = take(ASSIGNED, text, span[1]) === undefined ? undefined : typedValue(reach, ASSIGNED.lastIndex);
    if (typed !== undefined) return { spans: [span, ...typed.spans], end: typed.end };
    return starts && !written ? linesBelow(reach, name[0], span) : { spans: [span], end: span[1] };
  }
  const spans = asRead(valueOfName(text, separator, name))?.spans ?? [];
  const isWord = isTight && sign === '=';
  const first = spans[0] ?? (isWord && take(ODD_WORD, text, at) !== undefined ? [at, ODD_WORD.lastIndex] : undefined);
  if (first === undefined) return undefined;
  const line = wholeOf(reach, first, !isTight && starts && sign === '=');
  const whole = isWord && spans.length < 2 ? wholeWord(text, line, name[0]) : line;
  const last = spans.length > 1 ? (spans.at(-1) as TextSpan) : whole;
  const all = spans.length > 1 ? spans : [whole, ...tailOf(text, whole)];
  return { spans: all, end: Math.max(last[1], all.at(-1)?.[1] ?? 0) };
}

/** Further groups with digits belong to a value: `DE12 3456 7890`. */
const GROUPS = /(?: (?=[^\W\d]{0,8}\d)\w{1,40}(?![\w.:=/-])){1,12}/y;
/** `name = Smith, Bob (admin)`, alone in its line. */
const WORDS =
  /(?:\\[^\s"'`]+|(?<=\p{L})'\p{L}[\p{L}\p{N}_.@'-]*)?(?:,?[ \t]+\(?(?!(?<=[ \t](?:or|and|if|else|in|is|not)[ \t]+)')[\p{L}\p{N}_.,@'-]+\)?)*[ \t]*(?=\r?(?:\n|$))/uy;
/** `O'Brien`. */
const APOSTROPHE = /(?<=\p{L})'\p{L}[^\s"'`;&|<>()[\]{},\\]*/uy;
/** `name = "Bob" Smith`. */
const NAMES = /(?:[ \t]+\p{Lu}\p{Ll}[\p{L}.'-]*)+[ \t]*(?=\r?(?:\n|$))/uy;
/** `CORP\me`, `O'Brien`: what is part of a word that begins before it; where backslashes are escaped, there are two. */
const REST = /(?=[\\'])(?:\\+[^\s"'`;&|<>()\\]|(?<=\p{L})'(?=\p{L})|[^\s"'`;&|<>()[\]{},\\])+/uy;
const REST_WRITTEN = /(?=[\\'])(?:(?:\\\\)+[^\s"'`;&|<>()\\]|(?<=\p{L})'(?=\p{L})|[^\s"'`;&|<>()[\]{},\\])+/uy;
/** `aB3x(cret9`: no call, as the parenthesis is never closed. */
const ODD_WORD = /(?=[^\s\d]{0,80}\d)[^\s"'`;&|<>()[\]{},\\$]{1,80}[([{][^\s"'`;&|<>()[\]{},\\]{1,200}(?=[\s;&|]|$)/y;
const HEADER = /^(?:[A-Za-z\d]+(?:-[A-Za-z\d]+)+|From|To|Cc|Bcc|Sender|Subject|Cookie)$/;

/** In a line of its own, a header is its value whatever signs are in it. */
function headerValue(reach: Reach, name: TextSpan, at: number): TextSpan | undefined {
  const { text } = reach;
  if (!HEADER.test(text.slice(...(name as [number, number])))) return undefined;
  const said = text.slice(at, reach.lineEnd(at)).trimEnd();
  return /[,;]|<[^<>\s]*@/.test(said) && !/^(?:[[{(|]|\$[({])/.test(said) ? [at, at + said.length] : undefined;
}

/** A value that begins with a text in quotes, in a line of its own. */
function toLineEnd(reach: Reach, name: TextSpan, sign: string, quoted: OwnValues): OwnValues {
  const { text } = reach;
  const first = quoted.spans[0];
  if (first === undefined || quoted.end > reach.lineEnd(first[0]) || !beginsLine(text, name[0])) return quoted;
  if (/["'`]/.test(text[name[0] - 1] ?? ' ')) return quoted;
  if (sign === '=' && take(NAMES, text, quoted.end) !== undefined) {
    const said = text.slice(quoted.end, NAMES.lastIndex);
    const from = quoted.end + said.length - said.trimStart().length;
    return { spans: [...quoted.spans, [from, from + said.trim().length]], end: NAMES.lastIndex };
  }
  const end = reach.lineEnd(quoted.end);
  const isHeader = sign === ':' && HEADER.test(text.slice(...(name as [number, number])));
  if (!isHeader || !/^[ \t]*[,;<]/.test(text.slice(quoted.end, end))) return quoted;
  return { spans: [[first[0], end]], end };
}

function wholeWord(text: string, [start, end]: TextSpan, name: number): TextSpan {
  const rest = LINE.test(text.slice(Math.max(0, name - 48), name)) ? REST : REST_WRITTEN;
  return take(rest, text, end) === undefined ? [start, end] : [start, rest.lastIndex];
}

function wholeOf(reach: Reach, [start, end, open]: TextSpan, isLine: boolean): TextSpan {
  const { text } = reach;
  const said = bare(text.slice(start, end));
  const to = said === '' ? end : start + said.length;
  if (isLine && take(WORDS, text, to) !== undefined && !isLiteral(said))
    return [start, start + text.slice(start, WORDS.lastIndex).trimEnd().length];
  if (to === end && take(APOSTROPHE, text, end) !== undefined) return [start, APOSTROPHE.lastIndex];
  if (to === end && /\d$/.test(said) && take(GROUPS, text, end) !== undefined) return [start, GROUPS.lastIndex];
  return open === true ? [start, to, open] : [start, to];
}

export function optionValue(reach: Reach, at: number, name: string): OwnValues | undefined {
  const { text } = reach;
  if (/[$<]\(/.test(text.slice(at, at + 2)) || text[at] === '$') {
    const said = valueAt(text, at, SHELL_RUN);
    const isSaid = said !== undefined && said.span[0] > at;
    const isText =
      said !== undefined &&
      !isSaid &&
      !/^\$(?:\(|\{|[A-Za-z_\d@*#?]|$)/.test(text.slice(at, at + 2)) &&
      text[at + 1] !== '(';
    return isSaid || isText ? { spans: [said.span], end: said.span[1] } : undefined;
  }
  const quoted = quotedValue(reach, at, true);
  if (quoted !== undefined) return quoted;
  const value = valueAt(text, at, SHELL_RUN);
  if (value === undefined) return undefined;
  const [start] = value.span;
  const said = bare(text.slice(...(value.span as [number, number])));
  // `--iban IBAN` in a help text.
  const isMeta = said === said.toUpperCase() && said.toLowerCase() === name.toLowerCase();
  if (said === '' || (said.startsWith('-') && !/^-\d/.test(said)) || isLeft(said, true) || isMeta) return undefined;
  const span = wholeWord(text, [start, wordRest(text, [start, start + said.length])], at);
  const all = [span, ...tailOf(text, span)];
  return { spans: all, end: all.at(-1)?.[1] ?? span[1] };
}
