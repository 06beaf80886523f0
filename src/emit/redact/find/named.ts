import {
  hasUser,
  isCodeOfGrant,
  isHostOfSecret,
  isKeysOfCookies,
  isOfConnection,
  isOption,
  isResponseOfDigest,
  isValueOfCookie,
} from './around.js';
import { HASHED, MADE } from './calls.js';
import { elementSecret, isValueName, otherName } from './elsewhere.js';
import { blockValue, indentOf } from './formats/blocks.js';
import { behindMarks, startOfValue, taggedSecret } from './formats/openers.js';
import { cookieValue, headerValue } from './headers.js';
import { itemsAt, listSecrets } from './lists.js';
import { listKind, type NameKind, nameBefore, nameKind } from './names.js';
import { RUN, SHELL_RUN, type TextSpan, take, valueAt } from './quoted.js';
import { setsSecrets } from './shell/commands.js';
import { inQuotes, lineValue, signedValue, wordRest } from './shell/whole.js';
import { isNoWord, isPlaceholder, isSecret } from './values.js';

/** The secret after a name and its `:` or `=`, or in an element after its `>`. */
export function namedSecret(text: string, separator: number): TextSpan | readonly TextSpan[] | undefined {
  if (text[separator] === '>') return elementSecret(text, separator);
  const found = nameBefore(text, separator);
  if (found === undefined) return undefined;
  const own = text.slice(found[0], found[1]);
  let kind = isTold(text, found) ? 'token' : nameKind(own);
  // In a connection string, `PWD` is a password, not the working directory.
  if (own === 'PWD' && ';&?'.includes(text[found[0] - 1] ?? ' ')) kind = 'password';
  if (kind === undefined && isValueOfCookie(text, found)) kind = 'short';
  const isElsewhere = kind === undefined && isValueName(own);
  const name = isElsewhere ? otherName(text, found[0]) : own;
  if (isElsewhere && name !== undefined) kind = nameKind(name);
  if ((kind ?? 'weak') === 'weak' && text[separator] === '=' && found[1] === separator && setsSecrets(text, found[0]))
    return behindName(text, separator, { kind: 'token', name: own, found, isElsewhere: false, isSet: true });
  const list = kind === undefined ? (isKeysOfCookies(text, found) ? 'token' : listKind(own)) : undefined;
  if (list !== undefined) {
    const at = startOfValue(text, valueStart(text, separator), text[separator] as string, false);
    const spans = listSecrets(text, at, {
      kind: list,
      name: own,
      indent: indentOf(text, found[0]),
      separator: text[separator] as string,
    });
    return spans.length === 0 ? undefined : spans;
  }
  if (kind === undefined || name === undefined) return undefined;
  const secret = behindName(text, separator, { kind, name, found, isElsewhere });
  const tag = taggedSecret(text, separator, kind, name);
  if (tag === undefined) return secret;
  const others =
    secret === undefined ? [] : typeof secret[0] === 'number' ? [secret as TextSpan] : (secret as TextSpan[]);
  return [tag, ...others.filter(([start]) => start >= tag[1])];
}

/** The value after a name of the caller's own, in lower case, and its `:` or `=`, also behind the dashes of an option or an object's name. Any value is a secret. */
export function ownSecret(
  text: string,
  separator: number,
  names: ReadonlySet<string>,
): TextSpan | readonly TextSpan[] | undefined {
  const found = nameBefore(text, separator);
  const name = found && text.slice(found[0], found[1]);
  if (found === undefined || name === undefined || !isOneOf(names, name.toLowerCase())) return undefined;
  return valueOfName(text, separator, found);
}

/** The value after a name at `found` and its `:` or `=`, if any value is a secret. */
export function valueOfName(
  text: string,
  separator: number,
  found: TextSpan,
): TextSpan | readonly TextSpan[] | undefined {
  const name = text.slice(found[0], found[1]);
  return behindName(text, separator, { kind: 'password', name, found, isElsewhere: false, isSet: true });
}

const isOneOf = (names: ReadonlySet<string>, name: string): boolean =>
  names.has(name) || names.has(name.slice(name.lastIndexOf('.') + 1).replace(/^-+/, ''));

/** The index after `=`, `:=`, `=>`. */
function signEnd(text: string, separator: number): number {
  let at = separator + 1;
  while (at < separator + 3 && (text[at] === '=' || text[at] === '>' || text[at] === ':')) at++;
  return at;
}

function valueStart(text: string, separator: number): number {
  const gap = signEnd(text, separator);
  let at = gap;
  while (at < gap + 8 && (text[at] === ' ' || text[at] === '\t')) at++;
  return at;
}

/** Whether the text around a name shows that its value is a secret, although the name does not. */
function isTold(text: string, name: TextSpan): boolean {
  return isHostOfSecret(text, name) || isResponseOfDigest(text, name) || isCodeOfGrant(text, name);
}

interface NamedSecret {
  readonly kind: NameKind;
  readonly name: string;
  readonly found: TextSpan;
  readonly isElsewhere: boolean;
  /** The command before the name sets secrets, so that any value is one. */
  readonly isSet?: boolean;
}

function behindName(
  text: string,
  separator: number,
  { kind, name, found, isElsewhere, isSet = false }: NamedSecret,
): TextSpan | readonly TextSpan[] | undefined {
  const before = text[found[0] - 1] ?? '';
  let at = signEnd(text, separator);
  const compared = at > separator + 1 && text[separator] === '=';
  const tight = found[1] === separator;
  const gap = at;
  while (at < gap + 8 && (text[at] === ' ' || text[at] === '\t')) at++;
  const marked = behindMarks(text, found[0], at);
  const isMarked = marked > at || /[*`]/.test(text[found[1]] ?? '');
  at = startOfValue(text, marked, text[separator] as string, /["']/.test(before) && /["']/.test(text[found[1]] ?? ''));
  if (kind === 'header') return headerValue(text, at, found);
  if (kind === 'cookie') return cookieValue(text, at, found);
  if (take(TYPE, text, at) !== undefined) at = TYPE.lastIndex;
  if (take(MADE, text, at) !== undefined) at = MADE.lastIndex;
  else if (kind === 'password' && take(HASHED, text, at) !== undefined) at = HASHED.lastIndex;
  const braced = kind === 'password' && tight && at === gap ? take(BRACED, text, at)?.[1] : undefined;
  if (braced !== undefined && !isPlaceholder(braced) && /[;?&]/.test(before)) return [at + 1, at + 1 + braced.length];
  if ((kind === 'password' || kind === 'token') && take(LIST, text, at) !== undefined) {
    const rest = itemsAt(text, at).filter(({ span: [start, end], quote }) => {
      const place = { kind, name, quote, sure: false, alone: false, code: false };
      return quote !== undefined && !/\s/.test(text.slice(start, end)) && isSecret(text.slice(start, end), place);
    });
    if (rest.length > 1) return rest.map(({ span }) => span);
    at = LIST.lastIndex;
  }
  const block = text[separator] === ':' ? blockValue(text, found[0], at, kind) : undefined;
  if (block !== undefined) return block;
  const isTight = tight && at === gap && text[separator] === '=' && !compared;
  const inQuery = tight && at === gap && '?&;'.includes(before) && before !== '';
  const isUrl = inQuery && /(?:[^\s&;][?&]|&{6})$/.test(text.slice(Math.max(0, found[0] - 6), found[0]));
  const isVariable = isTight && /^[A-Z][A-Z\d_]+$/.test(name);
  const starts = !inQuery && beginsLine(text, found[0]);
  const odd = oddValue(text, separator, found, at);
  if (odd !== undefined) return odd;
  const whole = starts && !compared ? lineValue(text, at) : undefined;
  if (kind === 'weak' && /^key$/i.test(name) && take(HEX, text, at) !== undefined && hasUser(text, found[0]))
    return [HEX.lastIndex - 33, HEX.lastIndex - 1];
  const value =
    whole ??
    (isTight ? inQuotes(text, found[0], at) : undefined) ??
    valueAt(text, at, isUrl ? QUERY_RUN : isTight ? SHELL_RUN : RUN);
  if (value === undefined) return undefined;
  const [start] = value.span;
  const end = value.quote === undefined ? wordRest(text, value.span) : value.span[1];
  const next = text[value.quote === undefined ? end : end + 1];
  const ends = next === undefined || next === '\n' || next === '\r' || next === '\\';
  // `-F password=X`, `user=a password=X`: words of a command or of a connection string.
  const isWord = isTight && (before === '' || /[\s"'`]/.test(before)) && (ends || /[\s"'`]/.test(next as string));
  const place = {
    kind,
    name,
    quote: value.quote,
    sure:
      inQuery ||
      isVariable ||
      isSet ||
      isOption(text, found[0]) ||
      (isWord && kind === 'password' && isOfConnection(text, found[0], [start, end])),
    alone: (starts && ends && !isMarked) || isWord,
    code: value.quote === undefined && (next === '(' || next === '[' || next === '{' || compared),
    elsewhere: isElsewhere,
    expands: text[separator] === '=',
  };
  if (kind === 'short' && value.quote !== undefined && hasUser(text, found[0])) place.kind = 'password';
  const length = trailing(text, start, end, place.sure || place.alone);
  const pieces = [value.span];
  for (let to = end; value.quote !== undefined && pieces.length < MOST_PIECES; ) {
    const piece = take(BECOMES, text, to) === undefined ? undefined : valueAt(text, BECOMES.lastIndex, RUN)?.span;
    if (piece === undefined) break;
    pieces.push(piece);
    to = piece[1];
  }
  const spans = pieces.filter(([from, to]) => isSecret(text.slice(from, to), place));
  if (pieces.length > 1) return spans.length === 0 ? undefined : spans;
  if (!isSecret(text.slice(start, length), place)) return undefined;
  // Within quotes, a sign at the end belongs to the value.
  const last = value.quote === undefined ? length : end;
  return value.span[2] ? [start, last, true] : [start, last];
}

/** A value that begins with a sign of code, where code has none: alone in its line, or with its name in quotes. `at`: the index behind blanks. */
export function oddValue(text: string, separator: number, [start, end]: TextSpan, at: number): TextSpan | undefined {
  const isTight = end === separator && (text[separator] === '=' || /^[A-Z][A-Z\d_]+$/.test(text.slice(start, end)));
  if (!isTight && !'([{<|>'.includes(text[at] ?? ' ')) return undefined;
  if (beginsLine(text, start))
    return (isTight ? signedValue(text, separator + 1, true) : undefined) ?? signedValue(text, at, false);
  if (!isTight || !'=:'.includes(text[separator + 1] ?? ' ')) return undefined;
  const span = inQuotes(text, start, separator + 1)?.span;
  return span !== undefined && isNoWord(text.slice(span[0] + 1, span[1])) ? span : undefined;
}

/** In a URL, also parentheses within a value. */
const QUERY_RUN = /(?!\\)(?:[^\s"'`;&|<>()\\]|[()](?=\w)|\\{1,4}[ ,;&|<>()$!*?#~=](?=\S))+/y;

/** `password: string = 'X'`. */
const TYPE =
  /(?:&(?:'static[ \t]+)?str|str|string|String|Optional\[str\]|std::string|const char *\*|string \| (?:null|undefined)|str \| None)\??[ \t]{0,4}=[ \t]{0,4}(?=\\*["'`])/y;

/** `password = "a" -> "b"`, in a Terraform plan, and `"a" + "b"`, `"a" . "b"`. */
const BECOMES = /\\*["'][ \t]{0,8}(?:->|[.+]|\|\||\.\.)\s{0,16}(?=\\*["'])/y;
const MOST_PIECES = 16;

/** `PWD={X}`, as ODBC and JDBC quote it. */
const BRACED = /\{([^{}"'\n]{3,256})\}/y;

/** `"password": ["X"]`. */
const LIST = /\[\s{0,8}(?=\\*["'][^"'\s]{3,256}\\*["'][\s]{0,8}[,\]])/y;

/** Kaggle: `{ "username": "me", "key": "X" }`. */
const HEX = /\\*["'][\da-f]{32}["'\\]/y;

/** A comma or a full stop after the value belongs to the sentence. */
function trailing(text: string, start: number, end: number, sure: boolean): number {
  return !sure && end - start > 1 && /[.,:!?]/.test(text[end - 1] as string) ? end - 1 : end;
}

const LINE_START =
  /(?:^|[\r\n]|\\n)(?:[ \t]*\d{1,6}(?:\t|\\t|→|[:|] ?)|[\w./-]{1,80}:\d{1,6}[:-])?[ \t>#*+-]*(?:(?:export|set|setx|env|declare|local|readonly)[ \t]+(?:-\w+[ \t]+)?)?\\*["']?$/;

/** Whether a name is the first in its line, behind its indentation, a list's dash or `export`. */
export function beginsLine(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 48), at);
  return LINE_START.test(before) && (at <= 48 || /[\r\n]|\\n/.test(before));
}

/** A call that assigns a value to a name: even a word may be the secret. */
const SETTER =
  /(?:\bdefine|putenv|[sS]et_?[eE]nv(?:ironmentVariable)?|[sS]et_?[pP]roperty|set_var)[ \t]{0,4}\([ \t]{0,4}\\*["'`]$/;
const DEFINED = /\bdefine[ \t]{0,4}\([ \t]{0,4}\\*["']$/;
const CALL = /(?:[([]|,)[ \t]*\\*["'`]?$/;

/** The second of two quoted texts, if the first is the name of a secret: `set("x-api-key", "X")`, `["x-api-key", "X"]`. */
export function pairedSecret(text: string, comma: number): TextSpan | undefined {
  const found = nameBefore(text, comma);
  if (found === undefined || (!/["'`]/.test(text[found[1]] ?? '') && text[found[1]] !== '\\')) return undefined;
  const name = text.slice(found[0], found[1]);
  const isDefined = DEFINED.test(text.slice(Math.max(0, found[0] - 24), found[0])) && /_(?:KEY|SALT)$/.test(name);
  const kind = isDefined ? 'password' : nameKind(name);
  if (kind === undefined || !CALL.test(text.slice(Math.max(0, found[0] - 12), found[0]))) return undefined;
  let at = comma + 1;
  while (at < comma + 25 && /\s/.test(text[at] ?? '')) at++;
  if (!/\\*["'`]/y.test(text.slice(at, at + 4))) return undefined;
  if (kind === 'header') return headerValue(text, at, found);
  const value = valueAt(text, at, RUN);
  if (value?.quote === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  const place = { kind, name, quote: value.quote, sure: false, alone: false, code: false, elsewhere: true };
  // In a list of names, the next name is not a value.
  if (!isSecret(said, place) || nameKind(said) !== undefined) return undefined;
  return /^[A-Za-z_-]+$/.test(said) && !SETTER.test(text.slice(Math.max(0, found[0] - 40), found[0]))
    ? undefined
    : value.span;
}

/** In a tuple of Erlang or Elixir that begins with an unquoted name: `{password, "X"}`, `{default_pass, <<"X">>}`. */
export function tupleSecret(text: string, comma: number): TextSpan | undefined {
  const name = /\w+$/.exec(text.slice(Math.max(0, comma - 80), comma))?.[0] ?? '';
  const kind = nameKind(name);
  if (kind === undefined || kind === 'header' || kind === 'cookie') return undefined;
  const value = valueAt(
    text,
    comma + 1 + (/^[\s<]*/.exec(text.slice(comma + 1, comma + 12))?.[0].length as number),
    RUN,
  );
  if (value?.quote === undefined) return undefined;
  const place = { kind, name, quote: value.quote, sure: false, alone: false, code: false };
  return isSecret(text.slice(value.span[0], value.span[1]), place) ? value.span : undefined;
}
