import { cookieValue, headerValue } from './headers.js';
import { nameKind } from './names.js';
import { QUOTED, RUN, SHELL_RUN, type Span, take, valueAt } from './quoted.js';
import { isPlaceholder, isSecret, looksRandom } from './values.js';

/** No name is looked at further than this. */
const NAME = 100;

const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

/** The name before a `:`, `=` or `>`: `name=`, `"name": `, `['name'] =`, `<name>`. */
function nameBefore(text: string, separator: number): Span | undefined {
  let end = separator;
  for (let i = 0; i < 8 && (text[end - 1] === ' ' || text[end - 1] === '\t'); i++) end--;
  for (let i = 0; i < 6 && end > 0 && `"'\\]`.includes(text[end - 1] as string); i++) end--;
  let start = end;
  const least = Math.max(0, end - NAME - 1);
  while (start > least && isNameChar(text.charCodeAt(start - 1))) start--;
  // Of a line end that is written out, the letter is no part of the name.
  if (text[start - 1] === '\\' && 'nrt'.includes(text[start] as string)) start++;
  return end - start < 2 || end - start > NAME ? undefined : [start, end];
}

/** The secret behind a name and its `:`, `=` or `>`. */
export function namedSecret(text: string, separator: number): Span | undefined {
  const found = nameBefore(text, separator);
  if (found === undefined) return undefined;
  const name = text.slice(...found);
  const kind = nameKind(name);
  if (kind === undefined) return undefined;
  const before = text[found[0] - 1] ?? '';
  if (text[separator] === '>') return before === '<' ? elementText(text, separator + 1) : undefined;
  let at = separator + 1;
  while (at < separator + 3 && (text[at] === '=' || text[at] === '>' || text[at] === ':')) at++;
  const compared = at > separator + 1 && text[separator] === '=';
  const tight = found[1] === separator;
  const gap = at;
  while (at < gap + 8 && (text[at] === ' ' || text[at] === '\t')) at++;
  if (kind === 'header') return headerValue(text, at, before);
  if (kind === 'cookie') return cookieValue(text, at, before, name);
  const inQuery = tight && at === gap && '?&;'.includes(before) && before !== '';
  const isVariable = tight && at === gap && text[separator] === '=' && /^[A-Z][A-Z\d_]+$/.test(name);
  const starts = !inQuery && beginsLine(text, found[0]);
  const value = valueAt(text, at, isVariable || (starts && at === gap) ? SHELL_RUN : RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const next = text[value.quote === undefined ? end : end + 1];
  const place = {
    kind,
    name,
    quote: value.quote,
    sure: inQuery || isVariable,
    alone: starts && (next === undefined || next === '\n' || next === '\r' || next === '\\'),
    code: value.quote === undefined && (next === '(' || next === '[' || next === '{' || compared),
  };
  const length = trailing(text, start, end, place.sure || place.alone);
  return isSecret(text.slice(start, length), place) ? [start, length] : undefined;
}

/** A comma or a full stop behind it belongs to the sentence. */
function trailing(text: string, start: number, end: number, sure: boolean): number {
  return !sure && end - start > 1 && /[.,:!?]/.test(text[end - 1] as string) ? end - 1 : end;
}

const LINE_START =
  /(?:^|[\r\n]|\\n)[ \t>#*-]*(?:(?:export|set|setx|env|declare|local|readonly)[ \t]+(?:-\w+[ \t]+)?)?\\*["']?$/;

function beginsLine(text: string, at: number): boolean {
  return (
    LINE_START.test(text.slice(Math.max(0, at - 48), at)) && (at <= 48 || /[\r\n]|\\n/.test(text.slice(at - 48, at)))
  );
}

function elementText(text: string, at: number): Span | undefined {
  const reach = text.slice(at, at + QUOTED);
  const end = reach.indexOf('</');
  const value = reach.slice(0, Math.max(0, end));
  return end > 0 && !/[\n<]/.test(value) && !isPlaceholder(value) ? [at, at + end] : undefined;
}

const FLAG = /(?<=^|[\s"'`([,=])--?([A-Za-z][\w-]{0,60})/y;
const BETWEEN = /=|\\*["']?(?:[ \t]*,(?:\s|\\n)*|[ \t]*\\+(?:\r?\n|n)[ \t]*|[ \t]+)/y;
const DASH = 45;
const LOGIN_FLAGS: ReadonlySet<string> = new Set(['u', 'U', 'user', 'proxy-user']);
/** Short flags that hold a password, by program. */
const PROGRAMS =
  /\b(?:(mysql\w*|mariadb\w*|sshpass|docker|podman|nerdctl|helm|mongo\w*|7z|unzip|zip)|(redis-cli)|(ldap\w+)|(sqlcmd|osql))\b[^|;&\n]*$/;

/** The secret behind a flag: `--password X`, `"--token", "X"`, `curl -u user:X`, `mysql -pX`. */
export function flagSecret(text: string, dash: number): Span | undefined {
  const name = take(FLAG, text, dash)?.[1];
  if (name === undefined) return undefined;
  const behind = FLAG.lastIndex;
  const isShort = text.charCodeAt(dash + 1) !== DASH;
  if (isShort && name.length !== 1) return name[0] === 'p' ? glued(text, dash) : undefined;
  const isLogin = LOGIN_FLAGS.has(name);
  const kind = isShort || isLogin ? undefined : name === 'pass' || name === 'pw' ? 'password' : nameKind(name);
  if (!isLogin && kind === undefined && !((isShort && 'paw'.includes(name)) || name === 'P')) return undefined;
  const joint = take(BETWEEN, text, behind)?.[0];
  if (joint === undefined) return undefined;
  const value = valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (isPlaceholder(said, value.quote) || (joint !== '=' && said.startsWith('-'))) return undefined;
  if (isLogin) return login(text, dash, start, said);
  if (kind === undefined)
    return PROGRAM_FLAG[name]?.(PROGRAMS.exec(text.slice(Math.max(0, dash - 300), dash))) ? value.span : undefined;
  if (kind === 'header') return headerValue(text, start, '"');
  if (kind === 'weak') return looksRandom(said) ? value.span : undefined;
  return value.span;
}

const PROGRAM_FLAG: Readonly<Record<string, (found: RegExpExecArray | null) => boolean>> = {
  p: (found) =>
    (found?.[1] !== undefined && !/^(?:docker|podman|nerdctl)$/.test(found[1])) ||
    /\b(?:docker|podman|nerdctl|helm)\s.*\blogin\b/.test(found?.[0] ?? ''),
  a: (found) => found?.[2] !== undefined,
  w: (found) => found?.[3] !== undefined,
  P: (found) => found?.[4] !== undefined,
};

/** `-pX` of mysql. */
function glued(text: string, dash: number): Span | undefined {
  const found = PROGRAMS.exec(text.slice(Math.max(0, dash - 300), dash));
  if (!/^(?:mysql|mariadb|sshpass|7z)/.test(found?.[1] ?? '')) return undefined;
  const value = valueAt(text, dash + 2, SHELL_RUN);
  return value === undefined || isPlaceholder(text.slice(...value.span), value.quote) ? undefined : value.span;
}

/** The password of `user:password`, to a program that fetches. */
function login(text: string, dash: number, start: number, said: string): Span | undefined {
  const colon = said.indexOf(':');
  if (colon < 0 || colon === said.length - 1) return undefined;
  if (!/\b(?:curl|wget|https?|xh|aria2c)\b/.test(text.slice(Math.max(0, dash - 600), dash))) return undefined;
  return isPlaceholder(said.slice(colon + 1)) ? undefined : [start + colon + 1, start + said.length];
}

const AUTHORITY = /[^\s/?#"'`<>\\]{1,512}@/y;
const FETCHED = /(?:https?|git|ssh|ftp)$/i;

/** The password of `scheme://user:password@host`, or the token that stands there alone. */
export function urlSecret(text: string, colon: number): Span | undefined {
  const start = colon + 3;
  if (take(AUTHORITY, text, start) === undefined) return undefined;
  const end = AUTHORITY.lastIndex - 1;
  const between = text.indexOf(':', start);
  if (between >= 0 && between < end)
    return between + 1 < end && !isPlaceholder(text.slice(between + 1, end)) ? [between + 1, end] : undefined;
  const alone = text.slice(start, end);
  const isToken = alone.length >= 16 && /\d/.test(alone) && FETCHED.test(text.slice(Math.max(0, colon - 8), colon));
  return isToken && !isPlaceholder(alone) ? [start, end] : undefined;
}

const CREDENTIALS = /(?:bearer[ \t]+([\w~+/.=-]{16,})|basic[ \t]+([\w+/=-]{8,}))/iy;

/** `Bearer X` and `Basic X` without their header's name. */
export function bearerSecret(text: string, at: number): Span | undefined {
  if (at > 0 && /\w/.test(text[at - 1] as string)) return undefined;
  const found = take(CREDENTIALS, text, at);
  if (found === undefined) return undefined;
  const [, bearer, basic] = found;
  const value = (bearer ?? basic) as string;
  const isOne =
    bearer !== undefined
      ? /\d/.test(bearer)
      : /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(value.slice(0, 2048), 'base64').toString('latin1'));
  return isOne ? [CREDENTIALS.lastIndex - value.length, CREDENTIALS.lastIndex] : undefined;
}

const NETRC = /login\s{1,8}\S{1,128}\s{1,8}password\s{1,8}(\S{1,256})/y;

export function netrcSecret(text: string, at: number): Span | undefined {
  const value = take(NETRC, text, at)?.[1];
  return value === undefined || isPlaceholder(value) ? undefined : [NETRC.lastIndex - value.length, NETRC.lastIndex];
}

const SQL = /(?:identified[ \t]{1,8}by|password)$/i;
const STRING = /[ \t]{1,8}'([^'\n]{1,256})'/y;

/** `IDENTIFIED BY 'X'`. `at`: the last letter of the words. */
export function sqlSecret(text: string, at: number): Span | undefined {
  if (!SQL.test(text.slice(Math.max(0, at - 24), at + 1))) return undefined;
  const value = take(STRING, text, at + 1)?.[1];
  return value === undefined || isPlaceholder(value, "'")
    ? undefined
    : [STRING.lastIndex - 1 - value.length, STRING.lastIndex - 1];
}

const PEM =
  /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?=(?:\s|\\+[nr]|["'+,])*(?:[A-Za-z\d+/=]{16}|(?:Proc-Type|Version|Comment|Hash):))/y;
const PEM_END = /-----END [A-Z\d ]{0,50}-----/y;
const PEM_BODY = /(?:[A-Za-z\d+/=:,.\s-]|\\[nr])*/y;

/** A private key; of one that is cut off, all there is. `open`: it was not ended. */
export function pemBlock(text: string, at: number): { readonly span: Span; readonly open: boolean } | undefined {
  if (take(PEM, text, at) === undefined) return undefined;
  const body = PEM.lastIndex;
  const end = text.indexOf('-----END', body);
  if (end >= 0)
    return { span: [at, take(PEM_END, text, end) === undefined ? end + 8 : PEM_END.lastIndex], open: false };
  take(PEM_BODY, text, body);
  return { span: [at, PEM_BODY.lastIndex], open: PEM_BODY.lastIndex === text.length };
}

const PEM_HEADER = /-----BEGIN [A-Z\d ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\+[nr]|["'+,])*[A-Za-z\d+/=:-]{0,15}$/y;

/** Whether a text ends within a private key, or where one may just begin. */
export function isOpenKey(text: string, at: number): boolean {
  return pemBlock(text, at)?.open ?? take(PEM_HEADER, text, at) !== undefined;
}
