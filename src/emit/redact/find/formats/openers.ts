import type { NameKind } from '../names.js';
import { type TextSpan, take } from '../quoted.js';
import { isSecret } from '../values.js';

/** An anchor or a tag of YAML, `&x`, `!!str`, before a value; not a tag whose value names where the secret is. */
const TAGS =
  /(?:(?:&[\w.-]{1,64}|!(?!(?:Ref|GetAtt|ImportValue|Select|Join|FindInMap|If|secret|vault|include|reference)\b)!?[\w!:/.-]{0,64})(?:[ \t]+|(?=\r?\n))){1,4}(?![ \t=])/y;
/** `/* … *\/`, and in a dump of PHP the type of a value: `["password"]=>\n  string(12) "X"`. */
const BEFORE = /(?:\/\*(?:[^*]|\*(?!\/)){0,200}\*\/\s{0,8}(?=\\*["'`])|\s{0,40}string\(\d{1,6}\)[ \t]{0,4}(?="))/y;
/** In JSON that is written over lines. */
const LINES = /[ \t]*\r?\n\s{0,40}(?=")/y;

/** The second half of the signs around a name in Markdown: `**Password:** X`. */
const MARKS = /([*_]{1,3})[ \t]+/y;

/** Where the value of a name begins that is emphasised with its sign. `at`: the index behind the sign and its blanks. */
export function behindMarks(text: string, name: number, at: number): number {
  const marks = '*_'.includes(text[at] ?? ' ') ? take(MARKS, text, at)?.[1] : undefined;
  if (marks === undefined) return at;
  const before = text.slice(Math.max(0, name - 80), name);
  return before.slice(before.lastIndexOf('\n') + 1).includes(marks) ? MARKS.lastIndex : at;
}

/** Where a value begins behind what may precede it. `at`: the index behind the sign and its blanks. */
export function startOfValue(text: string, at: number, sign: string, isQuoted: boolean): number {
  if (sign === ':' && /[&!]/.test(text[at] ?? '') && take(TAGS, text, at) !== undefined) return TAGS.lastIndex;
  if (take(BEFORE, text, at) !== undefined) return BEFORE.lastIndex;
  return isQuoted && take(LINES, text, at) !== undefined ? LINES.lastIndex : at;
}

/** What may be a tag of YAML or itself the secret, with a digit; not `!form.step2`, which is code. */
const TAG = /:[ \t]{1,8}(?=!)(?=\S{0,60}\d)(?!!+[A-Za-z_$][\w$]*(?:\.[\w$]+)+(?:\s|$))\S{1,64}(?=\s|$)/y;

/** What looks like a tag is masked too if it may be a secret. */
export function taggedSecret(text: string, separator: number, kind: NameKind, name: string): TextSpan | undefined {
  const found = take(TAG, text, separator)?.[0];
  if (found === undefined) return undefined;
  const tag = found.slice(1).trimStart();
  const place = { kind, name, quote: undefined, sure: false, alone: false, code: false };
  if (!isSecret(tag, place)) return undefined;
  const end = separator + found.length;
  return [end - tag.length, end];
}
