import { type TextSpan, take } from './quoted.js';
import { isNoWord, isPlaceholder } from './values.js';

const AUTHORITY = /[^\s/?#"'`<>\\]{1,512}@/y;
/** A password with characters that a URL should escape. Text after a port is a path, not a password. */
const ODD = /[^\s/?#"'`<>\\:@]{0,128}:(?!\d{1,5}[/?#])[^\s"'`<>\\@]{1,256}@(?=[\w.[-])/y;
/** A password with an apostrophe, which is never escaped. */
const APOSTROPHE =
  /[^\s/?#"'`<>\\:@]{0,128}:(?!\d{1,5}[/?#'])(?:[^\s/?#"'`<>\\@]|'(?=[\w.!~*()%-]*@|[\w!~*(%-])){1,256}@(?=[\w.[-])/y;
const FETCHED = /(?:https?|git|ssh|ftp|trojan|vless|ss|hysteria2|tuic)$/i;
/** `https://TOKEN:x-oauth-basic@…`, `https://TOKEN:@…`: placeholder passwords of URLs whose user name is the token. */
const NO_PASSWORD = /^(?:x-oauth-basic|x|api_token|)$/i;

/** A URL that is cut off within its password: `scheme://USER:xxx…`. Text after a port is a path, not a password. */
const CUT = /[^\s/?#"'`<>\\:@]{0,128}:(?!\d{1,5}[/?#…])([^\s"'`<>\\@…]{1,256})(?:…|\.\.\.$)/y;

/** The password in `scheme://USER:…@HOST`, or the token in its place. */
export function urlSecret(text: string, colon: number): TextSpan | undefined {
  const start = colon + 3;
  const half = take(CUT, text, start)?.[1];
  if (half !== undefined && !isPlaceholder(half)) {
    const from = text.indexOf(':', start) + 1;
    return [from, from + half.length];
  }
  const isInApostrophes = /'[a-z][\w+.-]*$/i.test(text.slice(Math.max(0, colon - 24), colon));
  const patterns = isInApostrophes ? [AUTHORITY, ODD] : [AUTHORITY, ODD, APOSTROPHE];
  const pattern = patterns.find((one) => take(one, text, start) !== undefined);
  if (pattern === undefined) return undefined;
  const end = pattern.lastIndex - 1;
  if (text.startsWith('sha256:', end + 1)) return undefined;
  const between = text.indexOf(':', start);
  if (between >= 0 && between < end && NO_PASSWORD.test(text.slice(between + 1, end))) {
    const name = text.slice(start, between);
    return name.length >= 16 && /\d/.test(name) && !isPlaceholder(name) ? [start, between] : undefined;
  }
  if (between >= 0 && between < end)
    return between + 1 < end && !isPlaceholder(text.slice(between + 1, end)) ? [between + 1, end] : undefined;
  const alone = text.slice(start, end);
  const scheme = text.slice(Math.max(0, colon - 10), colon);
  const isToken = /nats$/.test(scheme)
    ? isNoWord(alone)
    : alone.length >= 16 && /\d/.test(alone) && FETCHED.test(scheme);
  return isToken && !isPlaceholder(alone) ? [start, end] : undefined;
}

const CREDENTIALS = /(?:bearer[ \t]+([\w~+/.=-]{4,})|basic[ \t]+([\w+/=-]{8,}))/iy;

/** `Bearer X` and `Basic X` without their header's name. */
export function bearerSecret(text: string, at: number): TextSpan | undefined {
  if (at > 0 && /\w/.test(text[at - 1] as string)) return undefined;
  const found = take(CREDENTIALS, text, at);
  if (found === undefined) return undefined;
  const [, bearer, basic] = found;
  const value = (bearer ?? basic) as string;
  const isOne =
    bearer !== undefined
      ? bearer.length >= 16
        ? /\d/.test(bearer)
        : isNoWord(bearer) || text[CREDENTIALS.lastIndex] === '…'
      : /^[\x20-\x7e]+:[\x20-\x7e]*$/.test(Buffer.from(value.slice(0, 2048), 'base64').toString('latin1'));
  return isOne ? [CREDENTIALS.lastIndex - value.length, CREDENTIALS.lastIndex] : undefined;
}

/** A value of `.netrc`; a quoted one may have spaces. */
const QUOTED = String.raw`(?:\\{0,8}"[^"\n]{1,128}"|\S{1,128})`;
const NETRC_VALUE = String.raw`(?:(\\{0,8}["'])((?:(?!\1)[^\n]){1,256}?)\1(?=[\s),;:\]}"'\\]|$)|\\{0,8}["']?((?:(?!\\{0,8}["'](?:[\s),;:\]}]|$)|\\{1,8}[nrt])\S){1,256}))`;
const LOGIN = new RegExp(
  String.raw`login\s{1,8}${QUOTED}\s{1,8}(?:account\s{1,8}${QUOTED}\s{1,8})?password\s{1,8}${NETRC_VALUE}`,
  'dy',
);
const MACHINE = new RegExp(
  String.raw`(?:machine\s{1,8}\S{1,128}|default)\s{1,8}(?:(?:login|account|user|port)\s{1,8}${QUOTED}\s{1,8}){0,3}password\s{1,8}${NETRC_VALUE}`,
  'dy',
);

/** `machine M login L password …`, in any order; without its machine, the password must not be a word of a sentence. */
export function netrcSecret(text: string, at: number): TextSpan | undefined {
  const pattern = text[at] === 'l' ? LOGIN : MACHINE;
  const found = take(pattern, text, at);
  const span = found?.indices?.[2] ?? found?.indices?.[3];
  if (span === undefined) return undefined;
  const value = text.slice(...span);
  if (isPlaceholder(value)) return undefined;
  const isWhole =
    text[at] === 'm' || /(?:machine\s{1,8}\S{1,128}|default)\s{1,8}$/.test(text.slice(Math.max(0, at - 160), at));
  return isWhole || isNoWord(value.replace(/ /g, '')) ? span : undefined;
}

const PGPASS =
  /:(?:\d{4,5}|\*):((?:\\.|[^:\s\\]){1,128}):((?:\\.|[^:\s\\]){1,128}):((?:\\.|[^\s\\"']){1,256})[ \t]*(?=["'\r\n>|;&]|$)/y;
/** `jdbc:oracle:thin:me/X@host`, and `[host]:587 me:X` of a mail server. */
const ORACLE = /:(?:thin|oci8?):[\w$#]{1,64}\/([^\s"'@]{1,128})@/y;
const SASL = /:\d{2,5}[ \t]{1,8}[\w.+@-]{1,100}:([^\s"'\\]{3,128})[ \t]*(?=["'\r\n\\]|$)/y;
const HOST = /(?:^|[\s"'=(])([\w.*-]{1,200})$/;

/** `host:port:database:user:X`, a line of `.pgpass`. */
export function pgpassSecret(text: string, colon: number): TextSpan | undefined {
  const other = take(ORACLE, text, colon)?.[1];
  if (other !== undefined)
    return isPlaceholder(other) ? undefined : [ORACLE.lastIndex - 1 - other.length, ORACLE.lastIndex - 1];
  const mail = take(SASL, text, colon);
  const before = text.slice(Math.max(0, colon - 120), colon);
  if (mail !== undefined && /(?:^|[\s"'])\[?[\w.-]{1,100}\]?$/.test(before) && !isPlaceholder(mail[1] as string)) {
    const end = colon + mail[0].trimEnd().length;
    return [end - (mail[1] as string).length, end];
  }
  const found = take(PGPASS, text, colon);
  if (found === undefined || !HOST.test(text.slice(Math.max(0, colon - 201), colon))) return undefined;
  const [whole, database, user, value] = found as unknown as readonly string[];
  const isHex = /^[\da-f]{1,4}$/i.test(database as string) && /^[\da-f]{1,4}$/i.test(user as string);
  if (isHex || isPlaceholder(value as string)) return undefined;
  const start = colon + (whole as string).trimEnd().length - (value as string).length;
  return [start, start + (value as string).length];
}

const USER = /(?:^|[\s"'`=])[\w.-]{1,64}:([^\s"'`@:]{1,128})$/;

/** `user:X@tcp(host)`, as Go writes the address of a database. */
export function addressSecret(text: string, at: number): TextSpan | undefined {
  const value = USER.exec(text.slice(Math.max(0, at - 200), at))?.[1];
  return value === undefined || isPlaceholder(value) ? undefined : [at - value.length, at];
}
