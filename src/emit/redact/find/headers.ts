import { OPENING, RUN, type TextSpan, take, valueAt } from './quoted.js';
import { isPlaceholder, looksRandom } from './values.js';

const SCHEME =
  /(bearer|basic|token|api-?key|digest|negotiate|ntlm|hawk|aws4-hmac-sha256|key|sso-key|oauth|splunk|genie-?key|shared-?key(?:lite)?)(?:[ \t]+|(?=$|["'`\r\n]))/iy;
const PARAMETER = /(?:token|api-?key|signature|secret)=\\*["']/iy;
const LINE = /[^\r\n"'`]+/y;
const WORD = /[^\s"'`,;<>\\]+/y;

/** `Authorization: Bearer X`, in a header, a command line, JSON or code. */
export function headerValue(text: string, at: number, before: string): TextSpan | undefined {
  const quote = take(OPENING, text, at);
  let start = quote === undefined ? at : OPENING.lastIndex;
  const scheme = take(SCHEME, text, start)?.[1]?.toLowerCase();
  if (scheme !== undefined) start = SCHEME.lastIndex;
  // `Token token="X"`: the parameters' names are found separately.
  if (scheme !== undefined && take(PARAMETER, text, start) !== undefined) return undefined;
  const run =
    scheme === 'digest' || scheme === 'hawk' || scheme === 'aws4-hmac-sha256' || scheme === 'oauth' ? LINE : WORD;
  if (take(run, text, start) === undefined) return undefined;
  const end = run.lastIndex;
  const value = text.slice(start, end);
  const sign = quote?.[1];
  const closing = sign === undefined || !text.startsWith(sign, end) ? undefined : sign === '`' ? sign : '"';
  // Programs expand a variable in a header that no shell would.
  if (isPlaceholder(value, closing, !/["']/.test(before) && text[end] !== "'")) return undefined;
  if (scheme === undefined && quote === undefined && CALL.test(value)) return undefined;
  const isCode = scheme === undefined && quote === undefined && !/["'`]/.test(before);
  if (isCode && (/^[A-Za-z_$.?!]*$/.test(value) || '([{'.includes(text[end] ?? ' '))) return undefined;
  return [start, end];
}

/** A call: `authorization.split()`, or `req.headers.authorization?.split(` before its quote. */
const CALL = /^(?:[A-Za-z_$]+\??\.)*[A-Za-z_$]+\((?:\)|$)/;

const PAIRS = /[^\s=;,"'`]{1,256}=[^\r\n"'`]+/y;
const PAIR = /[^\s=;,"'`]{1,256}=[^\s;"'`]+/y;

/** The opening of a list, whose first element is the value. */
const LIST = /\[\s{0,8}(?=\\*["'])/y;

/** `{ session: 'X' }`. */
const OBJECT = /\{(?=[^{}\n]*[:=>][ \t]*\\*["'][^"'\s{}]*\d)[^{}\n$]{5,400}(?=\})/y;

/** All pairs of a Cookie header, or the first pair of a Set-Cookie. */
export function cookieValue(text: string, at: number, before: string, name: string): TextSpan | undefined {
  const list = take(LIST, text, at) === undefined ? at : LIST.lastIndex;
  const quote = take(OPENING, text, list);
  const start = quote === undefined ? at : OPENING.lastIndex;
  const run = /set/i.test(name) ? PAIR : PAIRS;
  if (take(run, text, start) !== undefined) return [start, run.lastIndex];
  if (take(OBJECT, text, at) !== undefined) return [at + 1, OBJECT.lastIndex];
  const value = valueAt(text, at, RUN);
  const said = value === undefined ? '' : text.slice(value.span[0], value.span[1]);
  if (value === undefined || !looksRandom(said)) return undefined;
  // Without quotes, it may be code.
  const isBare = quote === undefined && !/["'`]/.test(before);
  return isBare && !(MIXED.test(said) && take(END, text, value.span[1]) !== undefined) ? undefined : value.span;
}

const MIXED = /(?:\d[A-Za-z]\D*){3}/;
const END = /[ \t]*(?:$|\r?\n|\\|["'`])/y;
