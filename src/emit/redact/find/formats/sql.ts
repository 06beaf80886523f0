import { append } from '../../../../values/append.js';
import { reachOf, wasRead } from '../effort.js';
import { type NameKind, nameKind } from '../names.js';
import { type TextSpan, take } from '../quoted.js';
import { isNoWord, isPlaceholder, isWord, looksRandom } from '../values.js';

const SPACE = String.raw`(?:\s|\\+[nrt])`;
const SQL = new RegExp(
  String.raw`(?:identified${SPACE}{1,40}(?:(?:with|via)${SPACE}{1,8}\\*["']?\w{1,64}\\*["']?${SPACE}{1,8})?(?:by|as|using)|password)(?:${SPACE}{1,8}|${SPACE}{0,8}=${SPACE}{0,8}|${SPACE}{0,8}\()(?:password\()?N?\\*(["'])([^"'\n\\]{1,256})\\*\1`,
  'iy',
);
const BARE_SQL =
  /identified[ \t]{1,8}by[ \t]{1,8}(?![:?$@&%{]|values\b|password\b|random\b)([^\s"'`;,()\\]{3,128})(?=[ \t]*(?:[;"'\\\n]|$|account|default|replace|quota|using|with\b))/iy;
const STATEMENT =
  /(?:create|alter)\s{1,8}(?:user|role|login|database\s{1,8}link|public\s{1,8}database\s{1,8}link)\s[^;]*$|\bgrant\s[^;]*\sto\s[^;]*$/i;
const SET_PASSWORD =
  /set[ \t]{1,8}password(?:[ \t]{1,8}for[ \t]{1,8}[^=\n]{1,160}?)?[ \t]{0,8}(?:=|to)[ \t]{0,8}(?:(?:old_)?password\()?\\*(["'])([^"'\n\\]{1,256})\\*\1/iy;

/** `IDENTIFIED BY 'X'`, `PASSWORD 'X'`, `SET PASSWORD FOR me = 'X'`. */
export function sqlSecret(text: string, at: number): TextSpan | undefined {
  for (const pattern of [SQL, SET_PASSWORD, BARE_SQL]) {
    const found = take(pattern, text, at);
    const value = found?.[2] ?? found?.[1];
    if (found === undefined || value === undefined) continue;
    if (isPlaceholder(value, "'") || isWord(value)) return undefined;
    const isUnsure = pattern === BARE_SQL || (pattern === SQL && found[1] === '"');
    // Prose says "identified by" too, but not in capitals.
    const isCapital = found[0].startsWith('IDENTIFIED') && (pattern === SQL || isNoWord(value));
    if (isUnsure && !isCapital && !isStatement(text, at)) return undefined;
    const start = at + found[0].lastIndexOf(value);
    return [start, start + value.length];
  }
  return undefined;
}

const isStatement = (text: string, at: number): boolean => STATEMENT.test(text.slice(Math.max(0, at - 240), at));

/** The most characters of the column names. */
const COLUMNS = 4096;
const BETWEEN = new RegExp(`${SPACE}{1,16}$`);
const OPEN = new RegExp(String.raw`(?:(?:VALUES|values)${SPACE}{0,16}|,${SPACE}{0,16})\(${SPACE}{0,16}`, 'y');
const NEXT = new RegExp(`${SPACE}{0,16}([,)])${SPACE}{0,16}`, 'y');
/** `'X'`, or as a function's argument: `md5('X')`. */
const QUOTED = String.raw`N?(\\*['"])((?:[^'"\\\n]|''|\\(?!['"nr])){0,512}?)\1(?!')`;
const TEXT = new RegExp(QUOTED, 'y');
const MADE = new RegExp(String.raw`\w{1,40}\(\s{0,4}${QUOTED}[^()\n]{0,80}(?:\([^()\n]{0,80}\)[^()\n]{0,40})?\)`, 'y');
const OTHER = /[^\s(),'"]{1,200}(?:\([^()\n]{0,200}\))?/y;

/** The values of secret columns: `INSERT INTO users (name, password) VALUES ('me', 'X')`. `at`: the index of `VALUES`. */
export function insertedSecrets(text: string, at: number): readonly TextSpan[] | undefined {
  const spans = rowsOf(text, at);
  return spans.length === 0 ? undefined : spans;
}

function rowsOf(text: string, at: number): readonly TextSpan[] {
  const before = text.slice(Math.max(0, at - COLUMNS), at).replace(BETWEEN, '');
  if (!before.endsWith(')')) return [];
  const names = before.slice(before.lastIndexOf('(') + 1, -1);
  const kinds = names.split(',').map((name) => nameKind(name.replace(/\\[nrt]|[^\w-]/g, '')));
  if (!kinds.some((kind) => kind !== undefined)) return [];
  const spans: TextSpan[] = [];
  const end = reachOf(text, at);
  let next = at;
  while (next < end && (next === at || text[next] === ',') && take(OPEN, text, next) !== undefined) {
    const row = rowAt(text, OPEN.lastIndex, kinds);
    append(spans, row.spans);
    // Before a row could be read, this may be anything.
    next = row.isWhole ? row.end : nextRow(text, row.end, next === at ? COLUMNS : end);
  }
  wasRead(at, next);
  return spans;
}

/** The secrets of a row. `at`: the index behind its bracket. */
function rowAt(
  text: string,
  at: number,
  kinds: readonly (NameKind | undefined)[],
): { readonly spans: readonly TextSpan[]; readonly end: number; readonly isWhole: boolean } {
  const spans: TextSpan[] = [];
  let next = at;
  for (const [i, kind] of [...kinds, undefined].entries()) {
    const pattern = take(MADE, text, next) === undefined ? TEXT : MADE;
    const found = take(pattern, text, next);
    const value = found?.[2];
    if (found !== undefined && value !== undefined && i < kinds.length) {
      const start = next + found[0].indexOf(value, found[0].indexOf(found[1] as string));
      const isOne = kind === 'weak' ? looksRandom(value) : kind === 'short' ? isNoWord(value) : value.length >= 3;
      if (kind !== undefined && isOne && !isPlaceholder(value, "'") && !isWord(value))
        spans.push([start, start + value.length]);
    }
    if (found === undefined && take(OTHER, text, next) === undefined) break;
    const mark = take(NEXT, text, found === undefined ? OTHER.lastIndex : pattern.lastIndex)?.[1];
    if (mark === undefined) break;
    next = NEXT.lastIndex;
    if (mark === ')') return { spans, end: next, isWhole: true };
  }
  return { spans, end: next, isWhole: false };
}

const ROW_END = /\)(?=(?:\s|\\+[nrt]){0,16},(?:\s|\\+[nrt]){0,16}\()|;[ \t]*(?:\r?\n|\\+[nr]|$)/;

/** Behind a row that could not be read, within so many characters: where the next one begins, or the statement ends. */
function nextRow(text: string, from: number, most: number): number {
  const reach = text.slice(from, from + most);
  const found = ROW_END.exec(reach);
  if (found === null) return from + reach.length;
  return found[0] === ')' ? text.indexOf(',', from + found.index) : from + found.index;
}
