import { type Span, take } from './quoted.js';
import { isNoWord, isPlaceholder } from './values.js';

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

const LOGIN = /login\s{1,8}\S{1,128}\s{1,8}(?:account\s{1,8}\S{1,128}\s{1,8})?password\s{1,8}(\S{1,256})/y;
const MACHINE =
  /(?:machine\s{1,8}\S{1,128}|default)\s{1,8}(?:(?:login|account)\s{1,8}\S{1,128}\s{1,8}){0,2}password\s{1,8}(\S{1,256})/y;

/** `machine M login L password X`, in any order; without its machine, X must be no word of a sentence. */
export function netrcSecret(text: string, at: number): Span | undefined {
  const pattern = text[at] === 'l' ? LOGIN : MACHINE;
  const value = take(pattern, text, at)?.[1];
  if (value === undefined || isPlaceholder(value)) return undefined;
  const isWhole =
    text[at] === 'm' || /(?:machine\s{1,8}\S{1,128}|default)\s{1,8}$/.test(text.slice(Math.max(0, at - 160), at));
  return isWhole || isNoWord(value) ? [pattern.lastIndex - value.length, pattern.lastIndex] : undefined;
}

const PGPASS =
  /:(?:\d{4,5}|\*):((?:\\.|[^:\s\\]){1,128}):((?:\\.|[^:\s\\]){1,128}):((?:\\.|[^\s\\"']){1,256})[ \t]*(?=["'\r\n]|$)/y;
const HOST = /(?:^|[\n"'])([\w.*-]{1,200})$/;

/** `host:port:database:user:X`, a line of `.pgpass`. */
export function pgpassSecret(text: string, colon: number): Span | undefined {
  const found = take(PGPASS, text, colon);
  if (found === undefined || !HOST.test(text.slice(Math.max(0, colon - 201), colon))) return undefined;
  const [whole, database, user, value] = found as unknown as readonly string[];
  const isHex = /^[\da-f]{1,4}$/i.test(database as string) && /^[\da-f]{1,4}$/i.test(user as string);
  if (isHex || isPlaceholder(value as string)) return undefined;
  const start = colon + (whole as string).trimEnd().length - (value as string).length;
  return [start, start + (value as string).length];
}

const USER = /(?:^|[\s"'`=])[\w.-]{1,64}:([^\s"'`@:/]{1,128})$/;

/** `user:X@tcp(host)`, as Go writes the address of a database. */
export function addressSecret(text: string, at: number): Span | undefined {
  const value = USER.exec(text.slice(Math.max(0, at - 200), at))?.[1];
  return value === undefined || isPlaceholder(value) ? undefined : [at - value.length, at];
}

const SQL = /(?:identified[ \t]{1,8}by|password)[ \t]{1,8}'([^'\n]{1,256})'/iy;

/** `IDENTIFIED BY 'X'`, `PASSWORD 'X'`. */
export function sqlSecret(text: string, at: number): Span | undefined {
  const value = take(SQL, text, at)?.[1];
  return value === undefined || isPlaceholder(value, "'")
    ? undefined
    : [SQL.lastIndex - 1 - value.length, SQL.lastIndex - 1];
}
