import { isFieldOfSecret } from './find/fields.js';
import { type NameKind, nameKind } from './find/names.js';
import type { TextSpan } from './find/quoted.js';
import { merged } from './find/scan.js';
import { isCommand } from './find/shell/arguments.js';
import { isNoWord, isStandIn, isWord, looksRandom } from './find/values.js';

const NAME =
  /^(?:name|key|id|header|field|parameter|param|variable|option|property|env|label|k|n|(?:parameter|option|header|field|env)[-_]?(?:key|name))$/;
const VALUE =
  /^(?:value|val|default|default[-_]?value|content|text|data|secret|plaintext|v|raw|(?:string|parameter|option|header|field|env)[-_]?value|value[-_]?string)$/;

/** Bits, because a key may have several roles, and because they are computed for every object. */
const IS = { name: 1, value: 2, told: 4, typed: 8, place: 16, program: 32, arguments: 64 } as const;
/** No name with a role is longer. */
const LONGEST = 20;
const REMEMBERED = 4000;
const roles = new Map<string, number>();

/** The roles of a key, as bits of `IS`. Cached, because records repeat the same few keys. */
function roleOf(key: string): number {
  if (key.length > LONGEST) return 0;
  const known = roles.get(key);
  if (known !== undefined) return known;
  if (roles.size >= REMEMBERED) roles.clear();
  const small = key.toLowerCase();
  const role =
    (NAME.test(small) ? IS.name : VALUE.test(small) ? IS.value : 0) |
    (key === 'code' || key === 'response' ? IS.told : 0) |
    (TYPED.has(key) ? IS.typed : 0) |
    (PLACES.has(key) ? IS.place : 0) |
    (PROGRAM.test(small) ? IS.program : 0) |
    (ARGUMENTS.test(small) ? IS.arguments : 0);
  roles.set(key, role);
  return role;
}

/** The roles of all keys together. */
export function rolesOf(keys: readonly string[]): number {
  let all = 0;
  for (let i = 0; i < keys.length; i++) all |= roleOf(keys[i] as string);
  return all;
}

/** In `{ name: 'API_TOKEN', value: 'X' }`: the key of the value, if the name is that of a secret. `all`: the roles of the keys. */
export function namedBeside(
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  all: number,
): string | undefined {
  if (keys.length < 2 || keys.length > 40) return undefined;
  const told = (all & (IS.value | IS.told)) === 0 ? undefined : toldBy(object);
  if (told !== undefined) return told;
  let kind: NameKind | undefined;
  for (let i = 0; (all & IS.name) !== 0 && i < keys.length && kind === undefined; i++)
    if ((roleOf(keys[i] as string) & IS.name) !== 0) kind = kindOf(object[keys[i] as string]);
  const isTyped = (all & IS.typed) !== 0 && (all & IS.place) !== 0;
  if (kind === undefined) return isTyped ? typedInto(object, keys) : undefined;
  const found = kind;
  return keys.find((key) => (roleOf(key) & IS.value) !== 0 && mayBe(object[key], found));
}

/** The key whose neighbours show that it holds a secret: the value of a cookie, the code of an OAuth grant, the response of HTTP Digest. */
function toldBy(object: Readonly<Record<string, unknown>>): string | undefined {
  const { value, code, response } = object;
  const has = (...names: readonly string[]): boolean => names.some((name) => name in object);
  if (typeof value === 'string' && 'name' in object && has('httpOnly', 'sameSite', 'hostOnly') && isNoWord(value))
    return 'value';
  if (
    typeof code === 'string' &&
    (object['grant_type'] === 'authorization_code' || (has('state', 'redirect_uri') && looksRandom(code)))
  )
    return 'code';
  return typeof response === 'string' && 'nonce' in object && has('realm', 'qop', 'uri') ? 'response' : undefined;
}

/** Sets rather than expressions, for speed: every object is checked. */
const PLACES = new Set(
  'selector element elementDescription element_description locator target xpath css cssSelector css_selector field label placeholder description role'.split(
    ' ',
  ),
);
const TYPED = new Set('text value keys input content string chars characters'.split(' '));

/** In `{ selector: '#password', text: 'X' }`, an input of browser tools: the key of the typed text. */
function typedInto(object: Readonly<Record<string, unknown>>, keys: readonly string[]): string | undefined {
  const typed = keys.find((key) => TYPED.has(key) && typeof object[key] === 'string');
  if (typed === undefined || isStandIn(object[typed] as string)) return undefined;
  const isPlace = (key: string): boolean => {
    const place = object[key];
    return key !== typed && PLACES.has(key) && typeof place === 'string' && isFieldOfSecret(place);
  };
  return keys.some(isPlace) ? typed : undefined;
}

function kindOf(name: unknown): NameKind | undefined {
  return typeof name === 'string' ? nameKind(name) : undefined;
}

function mayBe(value: unknown, kind: NameKind): boolean {
  if (typeof value !== 'string') return kind !== 'weak' && kind !== 'short' && typeof value === 'object';
  if (kind === 'short') return isNoWord(value);
  return kind === 'weak' ? looksRandom(value) : !isStandIn(value);
}

/** In a list such as `['host', 'a', 'x-api-key', 'X']`: the indexes of the values that follow the name of a secret. */
function pairsOf(list: readonly unknown[]): number[] {
  const places: number[] = [];
  for (let i = 1; i < list.length; i++) {
    const [name, value] = [list[i - 1], list[i]];
    if (typeof value !== 'string' || typeof name !== 'string' || name.length > 100 || isStandIn(value)) continue;
    const kind = nameKind(name);
    if (kind === undefined) continue;
    // In a list of names, the next element is not a value.
    const isValue = kind === 'weak' ? looksRandom(value) : isNoWord(value) || /[\s=!@#$%^&*]/.test(value);
    if (isValue && !isWord(value) && nameKind(value) === undefined) places.push(i);
  }
  return places;
}

/** In `[['x-api-key', 'X'], ['host', 'a']]`: the pairs that hold a secret, with their indexes. */
function entriesOf(list: readonly unknown[]): [at: number, pair: readonly [name: string, value: string]][] {
  if (list.length < 2 || !list.every(isPair)) return [];
  return [...list.entries()].filter(([, [name, value]]) => {
    const kind = nameKind(name);
    return kind !== undefined && mayBe(value, kind) && value !== '';
  });
}

function isPair(one: unknown): one is readonly [string, string] {
  return Array.isArray(one) && one.length === 2 && typeof one[0] === 'string' && typeof one[1] === 'string';
}

/** The elements of a list that others, or the words before them, mark as secret: by index, the spans of a text. undefined: it all, or the value of a pair. */
export function toldIn(
  list: readonly unknown[],
  words: readonly string[],
  { find, named }: { readonly find: (text: string) => readonly TextSpan[]; readonly named: boolean },
): ReadonlyMap<number, readonly TextSpan[] | undefined> {
  const told = new Map<number, readonly TextSpan[] | undefined>();
  for (const all of words.length === 0 ? [list] : [[...words, ...list], list]) {
    const first = all.length - list.length;
    for (const [at, spans] of argumentSpans(all, find))
      if (at >= first) told.set(at - first, [...(told.get(at - first) ?? []), ...spans]);
  }
  if (!named) return told;
  for (const at of [...pairsOf([...words, ...list]).map((one) => one - words.length), ...pairsOf(list)])
    if (at >= 0) told.set(at, undefined);
  for (const [at] of entriesOf(list)) told.set(at, undefined);
  return told;
}

const MOST = 16_384;

const PROGRAM = /^(?:command|cmd|program|executable|exec|file|bin|binary|path|tool)$/;
const ARGUMENTS = /^(?:args|argv|arguments|params|parameters|argument_?list|cmd_?args)$/;

/** In `{ command: 'mysql', args: ['-pX'] }`: the key of the arguments, and the words before them. */
export function programOf(
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[],
  all: number,
): { readonly key: string; readonly words: readonly string[] } | undefined {
  if ((all & IS.arguments) === 0 || (all & IS.program) === 0) return undefined;
  const key = keys.find((one) => Array.isArray(object[one]) && ARGUMENTS.test(one.toLowerCase()));
  const program = key === undefined ? undefined : keys.find((one) => PROGRAM.test(one.toLowerCase()) && one !== key);
  if (key === undefined || program === undefined) return undefined;
  const said = object[program];
  const words = (Array.isArray(said) ? said : [said]).flatMap((one) =>
    typeof one === 'string' && one.length <= 256 ? one.split(/\s+/) : [],
  );
  // A path's last part is the program's name.
  return words.length === 0 ? undefined : { key, words: words.map((word) => word.replace(/^.*[/\\]/, '')) };
}

/** An argument that begins with a flag, whose value may be glued to it: `-pX`. */
const GLUED = /^--?[A-Za-z][^\s]*$/;

/** A long flag, or its beginning: no value is glued to its name. */
const LONG_NAME = /^--[\w-]*$/;

/** The secrets in a list that may be the arguments of a command: by index, the spans within the element. */
function argumentSpans(
  list: readonly unknown[],
  find: (text: string) => readonly TextSpan[],
): ReadonlyMap<number, readonly TextSpan[]> {
  const found = new Map<number, readonly TextSpan[]>();
  for (const command of [
    argumentsText(list),
    list.some(isLoose) ? argumentsText(list, true) : undefined,
    commandText(list),
  ]) {
    if (command === undefined) continue;
    const spans = find(command.text);
    if (spans.length === 0) continue;
    for (const [i, [from, to]] of command.places) {
      const one = list[i] as string;
      const isInName = (start: number): boolean => start > from && LONG_NAME.test(one.slice(0, start - from));
      const inside = spans.filter(([start, end]) => start < to && end > from && !isInName(start));
      if (inside.length === 0) continue;
      const own = inside.map(([start, end]): TextSpan => {
        const [begins, ends] = [Math.max(0, start - from), Math.min(to, end) - from];
        return [begins, GLUED.test(one) && begins > 0 ? one.length : ends];
      });
      found.set(i, merged([...(found.get(i) ?? []), ...own]));
    }
  }
  return found;
}

/** An argument with quotes of its own, or so long that others may not fit beside it. */
const isLoose = (one: unknown): boolean => typeof one === 'string' && (one.length > LONG || /["']/.test(one));
const LONG = 1024;

/** If a list may be the arguments of a command: its strings as one text, and the span of each in it. `isShort`: in place of loose ones is a letter. */
function argumentsText(
  list: readonly unknown[],
  isShort = false,
): { readonly text: string; readonly places: ReadonlyMap<number, TextSpan> } | undefined {
  if (list.length < 2 || !list.some((one) => typeof one === 'string' && /^--?[A-Za-z]/.test(one))) return undefined;
  let text = '';
  const places = new Map<number, TextSpan>();
  for (const [i, one] of list.entries()) {
    const said = isShort && isLoose(one) ? 'x' : one;
    if (typeof said !== 'string' || text.length + said.length > MOST) continue;
    text += text === '' ? '"' : ', "';
    if (said === one) places.set(i, [text.length, text.length + said.length]);
    text += `${said}"`;
  }
  return { text, places };
}

/** Like `argumentsText`, but written as a shell command; undefined: no element is a command with positional secrets. */
function commandText(list: readonly unknown[]): ReturnType<typeof argumentsText> {
  const name = list.find((one) => typeof one === 'string' && isCommand(one.replace(/^.*[/\\]/, '')));
  if (name === undefined) return undefined;
  let text = '';
  const places = new Map<number, TextSpan>();
  for (const [i, one] of list.entries()) {
    if (typeof one !== 'string' || text.length + one.length > MOST) continue;
    const quote = /^[\w./:=@%+-]*$/.test(one) ? '' : one.includes("'") ? '"' : "'";
    const shown = one === name ? one.replace(/^.*[/\\]/, '') : one;
    text += text === '' ? quote : ` ${quote}`;
    if (shown === one) places.set(i, [text.length, text.length + one.length]);
    text += shown + quote;
  }
  return { text, places };
}
