import { nameKind } from './names.js';
import { RUN, type TextSpan, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

/** How many characters before and after a name are searched. */
const REACH = 400;
const HOST = /^(?:[\w-]{1,63}\.)+[a-z]{2,}$/i;
/** The text from the name of a map to a name in it, if there are only other pairs between them. */
const HOLDER =
  /([A-Za-z][\w.-]{1,80})\\*["']?[ \t]*(?:=>|[:=])(?:\s|\\+n)*\{(?:(?:\s|\\+[nr])*\\*["'][^"'\\\s]{1,100}\\*["'](?:\s|\\+[nr])*:(?:\s|\\+[nr])*\\*["'][^"'\\\n]{1,200}\\*["'](?:\s|\\+[nr])*,)*(?:\s|\\+[nr])*\\*["']$/;

/** Whether a name is that of a host in a map of secrets by host: `"github-oauth": {"github.com": "X"}`. */
export function isHostOfSecret(text: string, [start, end]: TextSpan): boolean {
  if (!HOST.test(text.slice(start, end))) return false;
  const name = HOLDER.exec(text.slice(Math.max(0, start - REACH), start))?.[1];
  const kind = name === undefined ? undefined : nameKind(name);
  return kind === 'token' || kind === 'password';
}

const DIGEST = /(?:^|[\s,"'{\\])(?:c?nonce\\*["']?[ \t]*[=:]|realm=\\*["'])|\bDigest[ \t]/;
const HEX = /^(?:[\da-f]{32}|[\da-f]{64})$/i;
const RESPONSE = /\\*["']?[ \t]*[=:][ \t]*\\*["']?([\da-fA-F]{32,64})(?![\w])/y;

/** `realm="a", nonce="b", response="X"`: the value in a Digest that proves knowledge of the password. */
export function isResponseOfDigest(text: string, [start, end]: TextSpan): boolean {
  if (text.slice(start, end) !== 'response') return false;
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  // A header may continue in indented lines.
  const line = before.replace(/^[\s\S]*\n(?![ \t])/, '') + (/^[^\n]*(?:\n[ \t][^\n]*)*/.exec(after)?.[0] ?? '');
  if (DIGEST.test(line)) return true;
  const value = take(RESPONSE, text, end)?.[1];
  return value !== undefined && HEX.test(value) && /=/.test(text.slice(end, end + 4));
}

const OF_COOKIE = /(?:httpOnly|sameSite|hostOnly)\\*["']?\s*:/;

/** Whether the name is the `value` of a cookie: `{ name: 'sid', value: X, httpOnly: true }`. */
export function isValueOfCookie(text: string, [start, end]: TextSpan): boolean {
  if (text.slice(start, end) !== 'value') return false;
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const object = before.slice(before.lastIndexOf('{') + 1) + (after.split('}', 1)[0] as string);
  return OF_COOKIE.test(object) && /name\\*["']?\s*:/.test(object);
}

const GRANT =
  /[?&#;](?:state|session_state|scope|iss|authuser|hd|prompt|redirect_uri|client_id|grant_type|code_verifier|id_token)=|authorization_code|(?:callback|oauth2?|openid|sso|login|signin|\/cb\b|\/auth\b)[\w/.-]*[?#]/i;
const CODE = /\\*["']?[ \t]*[=:][ \t]*\\*["']?([^\s"'`&#<>,;\\]{6,2048})/y;

/** Whether the name is an OAuth grant's `code`: `https://a/callback?code=X&state=b`, `{ grant_type: 'authorization_code', code: 'X' }`. */
export function isCodeOfGrant(text: string, [start, end]: TextSpan): boolean {
  if (text.slice(start, end) !== 'code') return false;
  const value = take(CODE, text, end)?.[1];
  if (value === undefined || !/\d/.test(value) || !/[A-Za-z]/.test(value) || isWord(value)) return false;
  if (/^[A-Z\d]+(?:_[A-Z\d]+)*$/.test(value) && value.length < 16) return false;
  const { lastIndex } = CODE;
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(lastIndex, lastIndex + REACH);
  if (/[?&#]$/.test(before))
    return GRANT.test(/[^\s"'`<>]*$/.exec(before)?.[0] + (/^[^\s"'`<>]*/.exec(after)?.[0] ?? ''));
  return /authorization_code/.test(before.slice(-200) + after.slice(0, 200));
}

const ENCODED = /%3[dD]([^\s"'`&%<>\\]{3,512})/y;
const NAME_BEFORE = /[\w.-]{2,80}$/;

/** `password%3DX`, in a URL within a URL. */
export function encodedSecret(text: string, at: number): TextSpan | undefined {
  const value = take(ENCODED, text, at)?.[1];
  if (value === undefined) return undefined;
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, at - 100), at))?.[0].replace(/^(?:3F|26|3f)(?=[a-z])/, '');
  const kind = name === undefined ? undefined : nameKind(name);
  if (kind !== 'token' && kind !== 'password') return undefined;
  return isPlaceholder(value) || isWord(value) ? undefined : [ENCODED.lastIndex - value.length, ENCODED.lastIndex];
}

const FALLBACK = /(?:\?\?|\|\||or(?=[ \t])|\?:|\{)[ \t]*(?=\\*["'`])/y;
const VARIABLE =
  /(?:\benv\??\.|\bENV\[\\*["']|\benv\[\\*["']|\b(?:getenv|get_env|LookupEnv|environ(?:\.get|\[)|env\.get|ENV\.fetch|env|var)[([]?\(?\\*["'])([A-Za-z_]\w{1,80})(?:\\*["'][\])]{1,2})?!?[ \t]*$/;

const PROPERTY =
  /([A-Za-z_][\w-]{1,80})\\*["']?[ \t]*(?:=>|[:=])[ \t]*(?:process\.env|import\.meta\.env|Deno\.env|ENV\b)[^\n;,]{0,80}$/;

/** The fallback for a variable that is not set: `process.env.API_KEY ?? 'X'`. */
export function fallbackSecret(text: string, at: number): TextSpan | undefined {
  if (take(FALLBACK, text, at) === undefined) return undefined;
  const { lastIndex } = FALLBACK;
  const before = text.slice(Math.max(0, at - 200), at);
  const names = [VARIABLE.exec(before)?.[1], PROPERTY.exec(before)?.[1]];
  const isNamed = names.some((name) => name !== undefined && /^(?:token|password)$/.test(nameKind(name) ?? ''));
  if (!isNamed || names[0] === undefined) return undefined;
  const value = valueAt(text, lastIndex, RUN);
  if (value?.quote === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  return said.length < 3 ||
    (/\s/.test(said) && !said.split(/\s+/).some(isNoWord)) ||
    isPlaceholder(said, value.quote) ||
    isWord(said)
    ? undefined
    : value.span;
}

/** Keys that sign cookies: `cookieSession({ keys: ['X'] })`, `app.keys = ['X']`. */
export function isKeysOfCookies(text: string, [start, end]: TextSpan): boolean {
  if (text.slice(start, end).replace('app.', '') !== 'keys') return false;
  return (
    text.startsWith('app.', start) || /\bcookieSession\(\s*\{[^{}]*$/.test(text.slice(Math.max(0, start - 200), start))
  );
}

const SETTING = '(?:host(?:addr)?|port|dbname|user|sslmode)=';
const SETTING_BEFORE = new RegExp(String.raw`(?:^|[\s"'])${SETTING}[^\s"'=]{1,100}[ \t]{1,4}$`);
const SETTING_BEHIND = new RegExp(String.raw`[ \t]{1,4}${SETTING}[^\s"'=]`, 'y');

/** What signatures and forms say of a password: `user=str password=str`. */
const OF_FORMS =
  /^(?:str|string|text|int|number|bool|boolean|hidden|input|field|label|name|required|optional|none|null|expired|invalid|incorrect|changed|bytes|float|char|SecretStr)$/i;

/** `host=h password=X user=me`, a connection of PostgreSQL. */
export function isOfConnection(text: string, name: number, [start, end]: TextSpan): boolean {
  if (!/\w/.test(text[end - 1] ?? ' ') || OF_FORMS.test(text.slice(start, end))) return false;
  return (
    take(SETTING_BEHIND, text, end) !== undefined || SETTING_BEFORE.test(text.slice(Math.max(0, name - 120), name))
  );
}

/** `{ user: 'me', pass: 'X' }`. */
export function hasUser(text: string, name: number): boolean {
  return /(?:user(?:name)?|login|email)\\*["']?\s*(?:=>|[:=])\s*[^\n{}]{0,60}$/i.test(
    text.slice(Math.max(0, name - 90), name),
  );
}

/** `/pass:X`, an option of programs on Windows. */
export function isOption(text: string, name: number): boolean {
  return text[name - 1] === '/' && /\s/.test(text[name - 2] ?? '');
}
