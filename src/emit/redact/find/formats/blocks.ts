import { reachOf, wasRead } from '../effort.js';
import type { NameKind } from '../names.js';
import { QUOTED, type TextSpan, take } from '../quoted.js';
import { isPlaceholder, isWord, looksRandom } from '../values.js';

/** The longest private key that is read. */
const LONGEST = 65_536;
const HEAD = /[|>][-+\d]{0,2}[ \t]*(?:#[^\n]*)?\r?\n/y;
const NEXT = /\r?\n/y;
const ALONE = /^[ \t]+(?:"([^"\n]{3,256})"|'([^'\n]{3,256})'|([^\s"'#[{&*!|>-][^\s"']{3,255}))[ \t]*\r?(?:\n|$)/;

/** A YAML value that begins on the next line, after `password: |` or `password:`. `name`: the index where the name begins. */
export function blockValue(text: string, name: number, at: number, kind: NameKind): TextSpan | undefined {
  const isBlock = take(HEAD, text, at) !== undefined;
  if (!isBlock && take(NEXT, text, at) === undefined) return undefined;
  const start = isBlock ? HEAD.lastIndex : NEXT.lastIndex;
  const indent = indentOf(text, name);
  if (indent === undefined) return undefined;
  if (!isBlock) return nextLine(text, start, indent, kind);
  const end = blockEnd(text, start, indent);
  const value = text.slice(start, end);
  const said = value.trim();
  if (said === '' ? end < text.length : isPlaceholder(said) || (kind === 'weak' && !looksRandom(said)))
    return undefined;
  const first = start + (/^\s*/.exec(value)?.[0].length as number);
  const open = end === text.length;
  return [Math.min(first, end), open ? end : start + value.trimEnd().length, open];
}

/** The indentation of a name's line, `- ` included; undefined: the name is not first on its line. */
export function indentOf(text: string, name: number): number | undefined {
  const before = text.slice(Math.max(0, name - 120), name);
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const found = /^(?:.*["'`])?([ \t]*(?:- +)*)["']?$/.exec(line);
  return found === null ? undefined : (found[1] as string).length;
}

/** The index of the first line that is not indented further than the name. */
function blockEnd(text: string, start: number, indent: number): number {
  const most = reachOf(text, start);
  let line = start;
  while (line < most) {
    const end = text.indexOf('\n', line);
    const stop = end < 0 ? text.length : end + 1;
    let inner = line;
    while (inner < stop && (text[inner] === ' ' || text[inner] === '\t')) inner++;
    const isEmpty = inner === stop || text[inner] === '\n' || text[inner] === '\r';
    if (!isEmpty && inner - line <= indent) break;
    line = stop;
  }
  wasRead(start, line);
  return Math.min(line, text.length);
}

function nextLine(text: string, start: number, indent: number, kind: NameKind): TextSpan | undefined {
  const line = text.slice(start, start + QUOTED);
  const found = ALONE.exec(line);
  if (found === null) return undefined;
  const value = (found[1] ?? found[2] ?? found[3]) as string;
  const before = found[0].indexOf(value);
  const isKey = /:$|^[\w.-]+:/.test(value);
  if (before <= indent || isKey || isPlaceholder(value) || isWord(value) || (kind === 'weak' && !looksRandom(value)))
    return undefined;
  return [start + before, start + before + value.length];
}

const LINES = /Private-Lines:[ \t]*(\d{1,4})[ \t]*\r?\n/y;

/** The lines of a PuTTY private key. `at`: the index of `Private-Lines`. */
export function puttyKey(text: string, at: number): TextSpan | undefined {
  const count = take(LINES, text, at)?.[1];
  if (count === undefined) return undefined;
  const start = LINES.lastIndex;
  let end = start;
  for (let i = 0; i < Number(count); i++) {
    const next = text.indexOf('\n', end);
    if (next < 0) return [start, text.length, true];
    end = next + 1;
  }
  return [start, start + text.slice(start, end).trimEnd().length];
}

const PEM =
  /-{4,5} ?BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?=(?:\s|\\+[nr]|["'+,|>#*→:\d]){0,80}(?:[A-Za-z\d+/=]{16}|(?:Proc-Type|Version|Comment|Hash|Subject|x-\w+):))/y;
const PEM_END = /-{4,5} ?END [A-Z\d ]{0,50}-{4,5}/y;
const PEM_BODY = /(?:[A-Za-z\d+/=:,."'|>#*→\s-]|\\[nr])*/y;

/** A PEM private key, or the part of it before the text was cut off. */
export function pemBlock(text: string, at: number): TextSpan | undefined {
  if (take(PEM, text, at) === undefined) return undefined;
  const body = PEM.lastIndex;
  const reach = text.slice(body, body + LONGEST);
  const found = reach.indexOf(text[at + 4] === ' ' ? '---- END' : '-----END');
  const end = found < 0 ? -1 : body + found;
  if (end >= 0) return [at, take(PEM_END, text, end) === undefined ? end + 8 : PEM_END.lastIndex];
  take(PEM_BODY, text, body);
  return [at, PEM_BODY.lastIndex, PEM_BODY.lastIndex === text.length];
}

const PEM_HEADER =
  /-{4,5} ?BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:\s|\\+[nr]|["'+,|>#*→:\d]){0,80}[A-Za-z\d+/=:-]{0,15}$/y;

/** Whether a private key begins here whose rest may still come. */
export function isOpenKey(text: string, at: number): boolean {
  return take(PEM_HEADER, text, at) !== undefined;
}
