import { reachOf, wasRead } from './effort.js';
import { type ListKind, listKind, nameKind } from './names.js';
import { type TextSpan, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord, looksRandom } from './values.js';

const GAP = /(?:\s|\\+[nrt]|,)*/y;
const ITEM = /[^\s"'`,;|<>()[\]{}\\]+/y;
const KEY = /(?:\\*["'][^"'\n\\]{1,100}\\*["']|[\w./@-]{1,100})[ \t]*(?::|=>?)[ \t]*/y;

/** A value of a list, and the quote around it. */
export interface ListItem {
  readonly span: TextSpan;
  readonly quote?: string;
}

/** The values of `[X, Y]`, `{ a: X }`, `(X Y)`. `at`: the index of the opening bracket. */
export function itemsAt(text: string, at: number): readonly ListItem[] {
  const items: ListItem[] = [];
  const end = reachOf(text, at);
  let next = at + 1;
  while (next < end) {
    take(GAP, text, next);
    next = GAP.lastIndex;
    if (text[at] === '{') {
      if (take(KEY, text, next) === undefined) break;
      next = KEY.lastIndex;
    }
    if (!/["'`\w+/$@!#%^&*~.-]/.test(/[^\\]/.exec(text.slice(next, next + 16))?.[0] ?? '[')) break;
    const value = valueAt(text, next, ITEM);
    if (value === undefined) break;
    items.push(value);
    next = value.span[1];
    if (value.quote !== undefined) next = text.indexOf(value.quote, next) + 1 || text.length;
  }
  wasRead(at, next);
  return items;
}

/** The values of a list without brackets: `TOKENS=X,Y`, `passwords: X`. */
function wordsOf(text: string, { span: [start, end], quote }: ListItem): readonly ListItem[] {
  return [...text.slice(start, end).matchAll(/[^\s,;]+/g)].map(({ index, 0: word }) => ({
    span: [start + index, start + index + word.length] as const,
    ...(quote === undefined ? {} : { quote }),
  }));
}

const LINE =
  /([ \t]*)(- +)?(?:([\w./@"'-]{1,100})(?::[ \t]+|[ \t]*=[ \t]*))?(?:\\*"([^"\n\\]{3,256})\\*"|\\*'([^'\n\\]{3,256})\\*'|([^\s"'#[{&*!|>\\][^\s"'\\]*))[ \t]*(?:#[^\n]*)?\r?(?:\n|$|(?=\\*["']))/y;

/** Any other line. */
const OTHER_LINE = /([ \t]*)([^\n]?)[^\n]*(?:\n|$)/y;

/** The values `- X` and `name: X` in the lines below a name. `indent`: the indentation of the name's line; -1: up to the next TOML section. */
function linesBelow(text: string, start: number, indent: number): readonly ListItem[] {
  const items: ListItem[] = [];
  const end = reachOf(text, start);
  let next = start;
  for (let line = start; line < end; line = next) {
    const found = take(LINE, text, line);
    const [whole, before, dash, key, double, single, bare] = (found ?? []) as unknown as readonly (
      | string
      | undefined
    )[];
    const other = take(OTHER_LINE, text, line) as unknown as readonly string[];
    next = found === undefined ? OTHER_LINE.lastIndex : LINE.lastIndex;
    const depth = (before ?? (other[1] as string)).length;
    const isEmpty = other[2] === '' || other[2] === '#';
    if (indent < 0 && other[2] === '[') break;
    if (!isEmpty && depth <= indent && !(depth === indent && other[2] === '-')) break;
    if (whole === undefined || (dash === undefined) === (key === undefined)) continue;
    const value = (double ?? single ?? bare) as string;
    const from = line + whole.lastIndexOf(value);
    const quote = double === undefined ? (single === undefined ? undefined : "'") : '"';
    items.push({ span: [from, from + value.length], ...(quote === undefined ? {} : { quote }) });
  }
  wasRead(start, next);
  return items;
}

const NEW_LINE = /[ \t]*(?:#[^\n]*)?\r?\n/y;
const RUN = /[^\s"'`;&|<>(){}[\]\\]+/y;

/** The secrets in a list after its name: `passwords: [X, Y]`, `API_TOKENS=X,Y`, or in the lines below the name. */
export function listSecrets(
  text: string,
  at: number,
  {
    kind,
    name,
    indent,
    separator,
  }: {
    readonly kind: ListKind;
    readonly name: string;
    /** The indentation of the name's line; undefined if the line does not begin with the name. */
    readonly indent: number | undefined;
    readonly separator: string;
  },
): readonly TextSpan[] {
  const bare = separator === ':' || /^[A-Z\d_]+$/.test(name);
  const accepts = (item: ListItem): boolean =>
    (item.quote !== undefined || bare) && isOfList(text, item, kind, name, separator === '=');
  const spans = (items: readonly ListItem[]): readonly TextSpan[] => items.filter(accepts).map(({ span }) => span);
  if (take(NEW_LINE, text, at) !== undefined)
    return indent === undefined || separator !== ':' ? [] : spans(linesBelow(text, NEW_LINE.lastIndex, indent));
  if ('[{('.includes(text[at] ?? ' ')) return spans(itemsAt(text, at));
  const value = valueAt(text, at, RUN);
  return value === undefined ? [] : spans(wordsOf(text, value));
}

const SECTION = /\[([\w.-]{1,80})\]$/;

/** The values below a TOML or INI section such as `[passwords]`. `at`: the index of its `]`. */
export function sectionSecrets(text: string, at: number): readonly TextSpan[] | undefined {
  const name = SECTION.exec(text.slice(Math.max(0, at - 82), at + 1))?.[1];
  const kind = name === undefined ? undefined : listKind(name);
  if (name === undefined || kind === undefined || take(NEW_LINE, text, at + 1) === undefined) return undefined;
  const spans = linesBelow(text, NEW_LINE.lastIndex, -1)
    .filter((item) => isOfList(text, item, kind, name))
    .map(({ span }) => span);
  return spans.length === 0 ? undefined : spans;
}

/** Whether an item is a secret: not a word, the name of another secret, or the place where one is. */
function isOfList(
  text: string,
  { span: [start, end], quote }: ListItem,
  kind: ListKind,
  name: string,
  expands = false,
): boolean {
  return isListed(text.slice(start, end), kind, name, { quote, expands });
}

/** `expands`: a variable in double quotes may have other text behind it. */
export function isListed(
  value: string,
  kind: ListKind,
  name: string,
  { quote, expands }: { readonly quote: string | undefined; readonly expands: boolean },
): boolean {
  if (isPlaceholder(value, quote, expands) || isWord(value)) return false;
  if (/\s/.test(value)) return quote !== undefined && value.length <= 64 && value.split(/\s+/).some(isNoWord);
  if (nameKind(value) !== undefined || listKind(value) !== undefined) return false;
  if (/^tokens$/i.test(name)) return looksRandom(value);
  if (/^arn:|:\/\//.test(value)) return false;
  return isNoWord(value) || (kind === 'password' && quote !== undefined && value.length >= 4);
}

const USERS = /chpasswd:[ \t]*(?:#[^\n]*)?(?:\r?\n(?:[ \t][^\n]*)?)+/y;
const LOGIN = /(?<=\n[ \t]+(?:- +)?["']?[\w.-]{1,64}:)(?!(?:R|RANDOM)\s)[^\s"'\\][^\n\r"'\\]{1,254}[^\s"'\\]/g;

/** The passwords of users in cloud-init: `chpasswd:`, below it `list: |`, below that `me:X`. */
export function userSecrets(text: string, at: number): readonly TextSpan[] | undefined {
  const below = take(USERS, text, at)?.[0].slice(0, reachOf(text, at) - at) ?? '';
  wasRead(at, at + below.length);
  const spans = [...below.matchAll(LOGIN)].map(
    ({ index, 0: value }): TextSpan => [at + index, at + index + value.length],
  );
  return spans.length === 0 ? undefined : spans;
}
