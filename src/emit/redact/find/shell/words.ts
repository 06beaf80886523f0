import { nameBefore, nameKind } from '../names.js';
import { type TextSpan, take } from '../quoted.js';
import { isNoWord } from '../values.js';

/** A piece of a shell word. A shell joins pieces without a space between them: `'ab'\''cd'`, `"ab"'cd'`, `ab$(x)cd`. */
interface WordPiece {
  readonly span: TextSpan;
  /** The literal text; undefined: a variable or the output of a command. */
  readonly text: string | undefined;
  readonly end: number;
}

/** The most pieces of a word that are read. */
const MOST = 16;
const EXPANSION =
  /\$(?:\([^()\n]{0,200}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)|\{[^{}\n]{1,100}\}|[A-Za-z_]\w{0,80}|[\d@#?*$!-])|\\*`[^`\n]{1,200}`/y;
const SINGLE = /\$?'([^'\n]{0,512})'/y;
const DOUBLE = /\$?(\\*)"((?:(?!\1")[^\n]){0,512}?)(?<!\\)\1"/y;
/** An escaped character. Letters are excluded, since `\n` may be an escaped line end. */
const ESCAPED = /\\{1,8}['" ,;&|<>()$!*?#~=]/y;
const PLAIN = /[^\s"'`;&|<>()\\,[\]{}$]{1,512}/y;

function pieceAt(text: string, at: number): WordPiece | undefined {
  if (take(EXPANSION, text, at) !== undefined)
    return { span: [at, EXPANSION.lastIndex], text: undefined, end: EXPANSION.lastIndex };
  for (const pattern of [SINGLE, DOUBLE]) {
    const found = take(pattern, text, at);
    const said = found?.[2] ?? found?.[1];
    if (found === undefined || said === undefined) continue;
    const start = at + found[0].indexOf(pattern === SINGLE ? "'" : '"') + 1;
    const isExpanded = pattern === DOUBLE && /^\$\W?\w+\W?$/.test(said);
    return { span: [start, start + said.length], text: isExpanded ? undefined : said, end: pattern.lastIndex };
  }
  for (const pattern of [ESCAPED, PLAIN]) {
    const found = take(pattern, text, at);
    if (found !== undefined) return { span: [at, pattern.lastIndex], text: found[0], end: pattern.lastIndex };
  }
  return undefined;
}

/** The pieces of the word at an index. */
function piecesAt(text: string, at: number): readonly WordPiece[] {
  const pieces: WordPiece[] = [];
  for (let next = at; pieces.length < MOST; ) {
    const piece = pieceAt(text, next);
    if (piece === undefined) break;
    pieces.push(piece);
    next = piece.end;
  }
  return pieces;
}

const LINE = 400;
const ENDS = /(?:[\s;&|)<>`\]}]|\\*["']|\\+[nrt]|$)/y;
/** The beginning of a word's next piece. Code after a quoted value, `"X".trim()` or `'X',`, is not one. */
const GOES_ON = /\$?\\{0,8}["'](?![\s,:;)\]}]|\\)|\\{1,8}'|\\{1,8}[ ,;&|<>()$!*?#~](?=\S)|[\w@#%^~!$-]|\\*`[^\s]/y;
/** An `&` that is part of a password, not of a query: `PASSWORD=X&1`. */
const AND = /&(?=[^\s"'`;&|<>()\\=]{0,32}\d)[^\s"'`;&|<>()\\=]{1,64}(?=[\s"'`\\]|$)/y;

/** The further pieces of the shell word in which a value was found. */
export function tailOf(text: string, [start, end, open]: TextSpan): readonly TextSpan[] {
  if (open || /[([{=,+:\\]/.test(text[end - 1] ?? '')) return [];
  if (take(AND, text, end) !== undefined) return [[end, AND.lastIndex]];
  const isDollar = text[end - 1] === '$' && text[end] === '(';
  const closing = closingAt(text, start, end);
  const at = isDollar ? end - 1 : end + closing;
  if (!isDollar && take(GOES_ON, text, at) === undefined) return [];
  // A quote that looks like the next piece may close a text around the value.
  const next = /^\$?(\\*["'`])/.exec(text.slice(at, at + 12))?.[1];
  if (next !== undefined && !/^\\+'$/.test(next) && isInside(text, start - closing, next)) return [];
  if (next === undefined && closing === 0 && !isDollar && text[at] !== '\\') return [];
  const pieces = piecesAt(text, at);
  const last = pieces.at(-1);
  return last === undefined || take(ENDS, text, last.end) === undefined ? [] : joined(pieces);
}

/** The length of the closing quote after a value; 0: there is none. */
function closingAt(text: string, start: number, end: number): number {
  const quote = /^\\*["']/.exec(text.slice(end, end + 16))?.[0];
  if (quote === undefined) return 0;
  const isOpen = text.endsWith(quote, start);
  return isOpen || (!/^\\+'$/.test(quote) && isInside(text, start, quote)) ? quote.length : 0;
}

/** The spans of the pieces that are literal text. */
function joined(pieces: readonly WordPiece[]): readonly TextSpan[] {
  return pieces.filter(({ text, span }) => text !== undefined && span[0] < span[1]).map(({ span }) => span);
}

/** Whether a quote is open before an index of a line. */
export function isInside(text: string, at: number, quote: string): boolean {
  const before = text.slice(Math.max(0, at - LINE), at);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  let count = 0;
  for (let i = line.indexOf(quote); i >= 0; i = line.indexOf(quote, i + quote.length))
    if (line[i - 1] !== '\\' || (quote[0] === '\\' && line[i - 1] !== '\\')) count++;
  return count % 2 === 1;
}

/** The texts in a word that has variables or commands too: `TOKEN=$(x)X`, `PASSWORD="$a"X`, `PASSWORD=a$(b)X`. `sign`: the index of the `=`. */
export function composedSecret(text: string, sign: number): readonly TextSpan[] | undefined {
  const name = nameBefore(text, sign);
  if (name === undefined || name[1] !== sign) return undefined;
  const kind = nameKind(text.slice(name[0], name[1]));
  if (kind !== 'password' && kind !== 'token') return undefined;
  const pieces = piecesAt(text, sign + 1);
  const last = pieces.at(-1);
  if (pieces.length < 2 || last === undefined || take(ENDS, text, last.end) === undefined) return undefined;
  const first = text[sign + 1] as string;
  if (/["'`]/.test(first) && isInside(text, name[0], first)) return undefined;
  const spans = joined(pieces).filter(
    ([from, to]) => isNoWord(text.slice(from, to)) && /^[\w!@#%^*~+]/.test(text.slice(from, to)),
  );
  return spans.length === 0 ? undefined : spans;
}

/** The end of the word at a place, if it is made of several pieces. */
export function wordEnd(text: string, at: number): number | undefined {
  const pieces = piecesAt(text, at);
  return pieces.length < 2 ? undefined : pieces.at(-1)?.end;
}
