import { nameKind } from './names.js';
import { RUN, type Span, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

/** How far what stands around a name is looked at. */
const REACH = 400;
const HOST = /^(?:[\w-]{1,63}\.)+[a-z]{2,}$/i;
/** From the name of a map on, up to a name in it: other pairs of texts alone. */
const HOLDER =
  /([A-Za-z][\w.-]{1,80})\\*["']?[ \t]*(?:=>|[:=])(?:\s|\\+n)*\{(?:(?:\s|\\+[nr])*\\*["'][^"'\\\s]{1,100}\\*["'](?:\s|\\+[nr])*:(?:\s|\\+[nr])*\\*["'][^"'\\\n]{1,200}\\*["'](?:\s|\\+[nr])*,)*(?:\s|\\+[nr])*\\*["']$/;

/** Whether a name is that of a host in a map of secrets by host: `"github-oauth": {"github.com": "X"}`. */
export function isHostOfSecret(text: string, [start, end]: Span): boolean {
  if (!HOST.test(text.slice(start, end))) return false;
  const name = HOLDER.exec(text.slice(Math.max(0, start - REACH), start))?.[1];
  const kind = name === undefined ? undefined : nameKind(name);
  return kind === 'token' || kind === 'password';
}

const DIGEST = /(?:^|[\s,"'\\])(?:nonce|realm)=\\*"/;

/** What proves in a Digest that one knows the password, wherever the line of it begins: `realm="a", nonce="b", response="X"`. */
export function isResponseOfDigest(text: string, [start, end]: Span): boolean {
  if (text.slice(start, end) !== 'response' || text[end] !== '=') return false;
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const line = before.slice(before.lastIndexOf('\n') + 1) + (after.split('\n', 1)[0] as string);
  return DIGEST.test(line);
}

const ENCODED = /%3[dD]([^\s"'`&%<>\\]{3,512})/y;
const NAME_BEFORE = /[\w.-]{2,80}$/;

/** `password%3DX`, as an address holds another. */
export function encodedSecret(text: string, at: number): Span | undefined {
  const value = take(ENCODED, text, at)?.[1];
  if (value === undefined) return undefined;
  const name = NAME_BEFORE.exec(text.slice(Math.max(0, at - 100), at))?.[0].replace(/^(?:3F|26|3f)(?=[a-z])/, '');
  const kind = name === undefined ? undefined : nameKind(name);
  if (kind !== 'token' && kind !== 'password') return undefined;
  return isPlaceholder(value) || isWord(value) ? undefined : [ENCODED.lastIndex - value.length, ENCODED.lastIndex];
}

const FALLBACK = /(?:\?\?|\|\|)[ \t]*(?=\\*["'`])/y;
const VARIABLE = /(?:\benv\??\.|\bENV\[\\*["']|\benv\[\\*["'])([A-Za-z_]\w{1,80})(?:\\*["']\])?!?[ \t]*$/;

/** What stands in for a variable that is not set: `process.env.API_KEY ?? 'X'`. */
export function fallbackSecret(text: string, at: number): Span | undefined {
  if (take(FALLBACK, text, at) === undefined) return undefined;
  const { lastIndex } = FALLBACK;
  const name = VARIABLE.exec(text.slice(Math.max(0, at - 120), at))?.[1];
  const kind = name === undefined ? undefined : nameKind(name);
  if (kind !== 'token' && kind !== 'password') return undefined;
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
