import { type NameKind, nameKind } from './names.js';
import { QUOTED, type TextSpan } from './quoted.js';
import { isPlaceholder, looksRandom } from './values.js';

/** How far before a value its name is searched, if it is not directly before the value. */
const NEAR = 400;
const VALUE = /^(?:[\w-]*[-_]?value|val|default|plaintext|content|string|valuestring)$/i;

/** Whether a key is just "value", so that another key has the name: `name: API_TOKEN, value: X`. */
export function isValueName(name: string): boolean {
  return VALUE.test(name);
}

const SIBLING =
  /(?<![\w])(?:name|key|id|type|header|field|parameter|variable|option|property|(?:parameter|option)[-_]?(?:key|name))\\*["']?[ \t]*[:=][ \t]*\\*["']?([\w./-]{2,100})/gi;
const PARENT = /(?:\\*["']?([\w.-]{2,100})\\*["']?\s*[:=]?\s*|\bvariable\s+"([\w.-]{2,100})"\s*)$/;

/** The name that a `value` at an index belongs to: one beside it in the same object, element or item, or else the object's own. */
export function otherName(text: string, at: number): string | undefined {
  const from = Math.max(0, at - NEAR);
  const before = text.slice(from, at);
  const open = opening(before);
  const region = before.slice(open + 1);
  const beside = [...region.matchAll(SIBLING)].map((found) => found[1] as string);
  const named = beside.findLast((name) => nameKind(name) !== undefined);
  if (named !== undefined) return named;
  if (open >= 0 && before[open] === '{') {
    const parent = PARENT.exec(before.slice(Math.max(0, open - 110), open));
    const name = parent?.[2] ?? parent?.[1];
    if (name !== undefined) return name;
  }
  return outerLine(region);
}

/** The index of the brace, bracket or list item that is still open at the end of a text; -1: none. */
function opening(before: string): number {
  let depth = 0;
  for (let i = before.length - 1; i >= 0; i--) {
    const character = before[i];
    if (character === '}' || character === ']') depth++;
    else if (character === '{' || character === '[') {
      if (depth === 0) return i;
      depth--;
    } else if (
      character === '<' ||
      (character === '-' &&
        /^\s/.test(before[i + 1] ?? '') &&
        /(?:^|[\n])[ \t]*$/.test(before.slice(Math.max(0, i - 24), i)))
    ) {
      if (depth === 0) return i;
    }
  }
  return -1;
}

/** In YAML, the key that the last line is nested in. */
function outerLine(region: string): string | undefined {
  const lines = region.split('\n');
  const indent = /^[ \t]*/.exec(lines.at(-1) as string)?.[0].length as number;
  for (const line of lines.slice(0, -1).reverse()) {
    const found = /^([ \t]*)(\S.*)/.exec(line);
    if (found !== null && (found[1] as string).length < indent)
      return /^(?:.*["'])?([\w.-]{2,100})["']?:\s*$/.exec(found[2] as string)?.[1];
  }
  return undefined;
}

const TAG = /<([\p{L}\p{N}_:.-]{1,100})((?:\s[^<>]*)?)$/u;
const ATTRIBUTE = /\s(?:name|key|id|property)\s*=\s*\\*["']([^"'<>\\]{2,100})/i;
const BEFORE = /<(?:\w+:)?(?:name|key)>\s*([\w:.-]{2,100})\s*<\/(?:\w+:)?(?:name|key)>\s*$/i;
const AROUND = /<\w{1,40}\s[^<>]{0,100}?\b(?:name|key)\s*=\s*\\*["']([\w.:-]{2,100})\\*["'][^<>/]{0,100}>\s*$/i;
const VALUE_TAG = /^(?:\w+:)?(?:value|string|val|data)$/i;
const INNER = /^\s*(?:<!\[CDATA\[)?\s*([^<\n]*[^<\s\]])\s*(?:\]\]>)?\s*<\\{0,4}\//;
/** A value on a line of its own at the end of the text. */
const UNENDED = /^[ \t]*\r?\n\s*([^<\s]{3,})\s*<?$/;

/** The two lines of OpenVPN's `<auth-user-pass>`: a name and its password. */
const LOGIN = /^[ \t]*\r?\n[ \t]*[^\s<][^\n<]{0,200}\n[ \t]*([^\s<][^\n<]{0,200}?)[ \t\r]*(?:\n|<|$)/;
const UNSAID = /^[ \t]*(?:\r?\n[^\n<]{0,200}){0,1}\n?$/;

function loginBelow(text: string, end: number): TextSpan | undefined {
  const reach = text.slice(end + 1, end + 1 + 512);
  const found = LOGIN.exec(reach);
  const value = found?.[1];
  if (found === null || value === undefined) return UNSAID.test(reach) ? [end + 1, text.length, true] : undefined;
  if (isPlaceholder(value)) return undefined;
  const start = end + 1 + found[0].lastIndexOf(value);
  return [start, start + value.length];
}

/** HTML elements without content. */
const VOID = /^(?:input|meta|link|img|source|embed|[bh]r)$/i;

/**
 * `<password>X</password>`, `<entry key="password">X</entry>`, `<key>password</key><string>X</string>`. `end`: where the tag ends. `kindOf`: what
 * a name says about its value.
 */
export function elementSecret(
  text: string,
  end: number,
  kindOf: (name: string) => NameKind | undefined = nameKind,
): TextSpan | undefined {
  const before = text.slice(Math.max(0, end - 300), end);
  const begin = before.lastIndexOf('<');
  const tag = begin < 0 ? null : TAG.exec(before.slice(begin));
  if (tag === null || (tag[2] as string).endsWith('/') || VOID.test(tag[1] as string)) return undefined;
  const name = tag[1] as string;
  if (kindOf === nameKind && /-user-pass$/.test(name)) return loginBelow(text, end);
  const attribute = ATTRIBUTE.exec(tag[2] as string)?.[1];
  const outside = VALUE_TAG.test(name) ? before.slice(0, begin) : '';
  const sibling = BEFORE.exec(outside)?.[1] ?? AROUND.exec(outside)?.[1];
  const kind = [name.replace(/^\w+:/, ''), attribute, sibling]
    .map((one) => (one === undefined ? undefined : kindOf(one)))
    .find((one) => one !== undefined);
  if (kind === undefined) return undefined;
  const reach = text.slice(end + 1, end + 1 + QUOTED);
  const inner = INNER.exec(reach) ?? (end + 1 + reach.length === text.length ? UNENDED.exec(reach) : null);
  if (inner === null) return undefined;
  const value = inner[1] as string;
  if (isPlaceholder(value) || (kind === 'weak' && !looksRandom(value))) return undefined;
  const start = end + 1 + inner[0].indexOf(value);
  return inner[0].endsWith('/') ? [start, start + value.length] : [start, start + value.length, true];
}
