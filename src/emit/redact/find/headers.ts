import { OPENING, RUN, type TextSpan, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, looksRandom } from './values.js';

/** Schemes that begin no sentence and no code: what follows is a secret, even if it could be a word. */
const KNOWN =
  /^(?:bearer|basic|token|api-?key|digest|negotiate|ntlm|hawk|aws4-hmac-sha256|key|sso-key|oauth|splunk|genie-?key|shared-?key(?:lite)?)$/i;
const SCHEME = /([A-Za-z][A-Za-z\d-]{0,63})(?:((?:\\{0,4}[ \t])+)|(?=$|["'`\r\n\\]))/y;
const WORD = /(?:[^\s"'`,;<>\\]|\\{1,4}[ \t])+/y;

/** What may end a header's value: a quote, a tag, or an end of line, also a written one. */
const STOP = /\\+["'`nr]?|["'`<\r\n]/g;
/** The end of a line that the next one continues, and its indentation. */
const FOLD = /(?:\r?\n|(?:\\+r)?\\+n)((?:[ \t]|\\+t)+)(?=[^\s\\])/y;
/** `="X"`, a parameter or a cookie. */
const PARAMETER = /\\*(["'])(?![\s,;:)}\]|&<>])[^"'`\r\n\\]*\\*\1(?=[\s,;"'`\\)}\]]|$)/y;
/** The next header in the same line, or the end of an object. */
const NEXT = /,[ \t]{1,8}[\w-]{1,64}:[ \t]|[ \t][)}\]]/;
const QUOTE = /\\*["'`]$/;
const LINE_START = /(?:^|[\r\n]|\\n)([ \t]*)(?:[<>*+-][ \t])?$/;
/** How much of a value is read to tell it from a sentence. */
const SENTENCE = 256;

interface HeaderPlace {
  /** Where the value begins, behind its quote. */
  readonly start: number;
  /** The quote before the value. */
  readonly own: string | undefined;
  /** The quote that opens the text which ends with the value, before the value or before the name. */
  readonly sign: string | undefined;
  /** How far the name's line is indented; Infinity: the name is not first in it. */
  readonly indent: number;
  /** The value is not in quotes, though its name is, or stands behind `=`. */
  readonly isCode: boolean;
}

function placeOf(text: string, at: number, [name, end]: TextSpan): HeaderPlace {
  const own = take(OPENING, text, at)?.[1];
  const start = own === undefined ? at : OPENING.lastIndex;
  const around = QUOTE.exec(text.slice(Math.max(0, name - 8), name))?.[0];
  const isClosed = around !== undefined && /["'`]/.test(text.slice(end, at));
  const sign = own ?? (isClosed ? undefined : around);
  const before = LINE_START.exec(text.slice(Math.max(0, name - 64), name))?.[1]?.length ?? Number.POSITIVE_INFINITY;
  return {
    start,
    own,
    sign,
    indent: sign === undefined ? before : 0,
    isCode: own === undefined && (isClosed || /=>?[ \t]*$/.test(text.slice(end, at))),
  };
}

/** How far the line behind a line end is indented; -1: it does not continue this one. */
const foldAt = (text: string, at: number): number => take(FOLD, text, at)?.[1]?.length ?? -1;

/** The end of a header's value: that of the text in quotes or of the line, with the lines that continue it. */
function valueEnd(text: string, from: number, { sign, indent }: HeaderPlace): number {
  STOP.lastIndex = from;
  for (let found = STOP.exec(text); found !== null; found = STOP.exec(text)) {
    const { index, 0: stop } = found;
    const last = stop.at(-1) as string;
    if (last === '\\') continue;
    if ('\r\nrn'.includes(last)) {
      const goesOn = /[\r,;]$/.test(text.slice(index - 1, index + 1)) || last === 'r';
      if (!goesOn || foldAt(text, index) <= indent) return index;
      STOP.lastIndex = FOLD.lastIndex;
    } else if (sign !== undefined) {
      if (last === sign.at(-1) && stop.length <= sign.length) return index;
    } else {
      if (text[index - 1] !== '=' || take(PARAMETER, text, index) === undefined) return index;
      STOP.lastIndex = PARAMETER.lastIndex;
    }
  }
  return text.length;
}

/** Without blanks and the sign of a line that goes on. */
function trimmed(text: string, start: number, end: number): TextSpan {
  let last = end;
  while (last > start && /[\s\\]/.test(text[last - 1] as string)) last--;
  return [start, last];
}

/** All of `Authorization: Bearer X` behind the scheme, in a header, a command line, JSON or code. `isSure`: only a value can be there. */
export function headerValue(text: string, at: number, name: TextSpan, isSure = false): TextSpan | undefined {
  const place = placeOf(text, at, name);
  const { own, indent } = place;
  const [, first = '', gap = ''] = take(SCHEME, text, place.start) ?? [];
  const isKnown = KNOWN.test(first);
  const isFolded = first !== '' && gap === '' && foldAt(text, SCHEME.lastIndex) > indent;
  const hasScheme = isKnown || isFolded || (!place.isCode && /^[A-Za-z-]+$/.test(first) && gap !== '');
  const start = !hasScheme ? place.start : isFolded ? FOLD.lastIndex : place.start + first.length + gap.length;
  if (take(WORD, text, start) === undefined) return undefined;
  const { lastIndex: behind } = WORD;
  const word = text.slice(start, behind);
  const closing = own === undefined || !text.startsWith(own, behind) ? undefined : own === '`' ? own : '"';
  const isQuoted = /["'`]/.test(text[name[0] - 1] ?? '') || isSure;
  // A text in a template is no variable. Programs expand a variable in a header that no shell would.
  const isText = word.endsWith('${') && /["']/.test(text[behind] ?? '');
  if (!isText && isPlaceholder(word, closing, !isQuoted && text[behind] !== "'")) return undefined;
  if (!isKnown && own === undefined) {
    if (!hasScheme && CALL.test(word)) return undefined;
    if (!isQuoted && (hasScheme ? isSentence(text, start, place) : isCode(word, text[behind]))) return undefined;
  }
  const isTight = own === undefined && indent === Number.POSITIVE_INFINITY && /\S/.test(text[at - 1] ?? ' ');
  if (place.isCode || (isTight && (!hasScheme || gap.includes('\\')))) return [start, behind];
  const [, end] = trimmed(text, start, valueEnd(text, start, place));
  const next = place.sign === undefined ? text.slice(start, end + 1).search(NEXT) : -1;
  // The next line, which may continue it, may still come.
  const isOpen = indent < Number.POSITIVE_INFINITY && text.length - end < 64 && /^\r?\n[ \t]*$/.test(text.slice(end));
  return next < 0 ? [start, end, isOpen] : [start, start + next];
}

const isCode = (word: string, next = ' '): boolean => /^[A-Za-z_$.?!]*$/.test(word) || '([{'.includes(next);

/** Whether what is behind a word, without quotes, may be a sentence or code. */
function isSentence(text: string, start: number, place: HeaderPlace): boolean {
  const rest = text.slice(start, Math.min(start + SENTENCE, valueEnd(text.slice(0, start + SENTENCE), start, place)));
  const words = rest.trim().split(/[\s,;]+/);
  if (/^[\w-]+=\\*["'\w]/.test(words[0] as string)) return false;
  return !words.some(
    (word) =>
      /^[^()[\]{}<>|`"']+$/.test(word) &&
      (isNoWord(word) || (words.length === 1 && /\d/.test(word) && word.length > 5)),
  );
}

/** A call: `authorization.split()`, or `req.headers.authorization?.split(` before its quote. */
const CALL = /^(?:[A-Za-z_$]+\??\.)*[A-Za-z_$]+\((?:\)|$)/;

const PAIR = /[^\s=;,"'`]{1,256}=(?=[^\r\n`])/y;

/** The opening of a list, whose first element is the value. */
const LIST = /\[\s{0,8}(?=\\*["'])/y;

/** `{ session: 'X' }`. */
const OBJECT = /\{(?=[^{}\n]*[:=>][ \t]*\\*["'][^"'\s{}]*\d)[^{}\n$]{5,400}(?=\})/y;

/** All pairs of a Cookie header, or the first pair of a Set-Cookie. */
export function cookieValue(text: string, at: number, name: TextSpan): TextSpan | undefined {
  const place = placeOf(text, take(LIST, text, at) === undefined ? at : LIST.lastIndex, name);
  const { own, start } = place;
  if (take(PAIR, text, start) !== undefined) {
    const end = valueEnd(text, start, place);
    const first = /set/i.test(text.slice(name[0], name[1])) ? text.slice(start, end).indexOf(';') : -1;
    return trimmed(text, start, first < 0 ? end : start + first);
  }
  if (take(OBJECT, text, at) !== undefined) return [at + 1, OBJECT.lastIndex];
  const value = valueAt(text, at, RUN);
  const said = value === undefined ? '' : text.slice(value.span[0], value.span[1]);
  if (value === undefined || !looksRandom(said)) return undefined;
  // Without quotes, it may be code.
  const isBare = own === undefined && !/["'`]/.test(text[name[0] - 1] ?? '');
  return isBare && !(MIXED.test(said) && take(END, text, value.span[1]) !== undefined) ? undefined : value.span;
}

const MIXED = /(?:\d[A-Za-z]\D*){3}/;
const END = /[ \t]*(?:$|\r?\n|\\|["'`])/y;
