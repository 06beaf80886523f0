import { nameKind } from '../names.js';
import { type TextSpan, take } from '../quoted.js';
import { isNoWord, isPlaceholder } from '../values.js';

const STORED = /\{(?:PLAIN|CLEAR|CLEARTEXT|PLAIN-TRUNC)\}(?:\.(?:HEX|B64))?/iy;
const SAID = /[^\s"'`:\\]{3,256}/y;

/** Dovecot: `me:{PLAIN}X`. `brace`: the index of the `{`. */
export function plainSecret(text: string, brace: number): TextSpan | undefined {
  if (take(STORED, text, brace) === undefined || take(SAID, text, STORED.lastIndex) === undefined) return undefined;
  const span: TextSpan = [STORED.lastIndex, SAID.lastIndex];
  return isPlaceholder(text.slice(span[0], span[1])) ? undefined : span;
}

const UNSEAL = /Unseal Key(?: \d{1,3})?(?: \([^()\n]{1,40}\))?:[ \t]{1,8}([\w.+/=-]{16,256})/y;

/** Vault's output when it is initialised: `Unseal Key 1: X`. */
export function unsealSecret(text: string, at: number): TextSpan | undefined {
  const value = take(UNSEAL, text, at)?.[1];
  return value === undefined ? undefined : [UNSEAL.lastIndex - value.length, UNSEAL.lastIndex];
}

const CHAP =
  /\*[ \t]{1,16}(\\{0,8}["']?)([^\s"'\\*]{3,128})\1[ \t]{1,16}(?:\*|\d{1,3}(?:\.\d{1,3}){3})(?=[ \t]*(?:["'\\\r\n]|$))/y;

/** `me * X *`, a line of PPP's chap-secrets. `star`: the index of the first `*`, the server. */
export function chapSecret(text: string, star: number): TextSpan | undefined {
  const [whole, quote = '', value] = (take(CHAP, text, star) ?? []) as unknown as readonly (string | undefined)[];
  if (whole === undefined || value === undefined || (quote === '' && !isNoWord(value))) return undefined;
  const start = star + whole.indexOf(value);
  return [start, start + value.length];
}

const POOL = /"[ \t]{1,8}\\{0,8}"(md5[\da-f]{32}|SCRAM-SHA-256\$[^\s"\\]{20,256}|[^\s"\\]{3,128})\\{0,8}"/y;
const LIST = /userlist|auth_file|pgbouncer/i;

/** `"me" "X"`, a line of pgbouncer's list of users. `quote`: the index of the quote after the name. */
export function poolSecret(text: string, quote: number): TextSpan | undefined {
  const found = take(POOL, text, quote);
  const value = found?.[1];
  if (found === undefined || value === undefined) return undefined;
  const isHash = /^(?:md5[\da-f]{32}|SCRAM-)/.test(value);
  const around = text.slice(Math.max(0, quote - 300), quote + 300);
  if (!isHash && !(LIST.test(around) && isNoWord(value))) return undefined;
  const start = quote + found[0].indexOf(value);
  return [start, start + value.length];
}

const REPLACES = /s([|/,#@!~])([^\n]{1,120}?)\1(?:[\w.-]{1,80}(?:=|: ?)\\*["']?)?([^\s"'\\|/,#@!~&]{4,256})\\*["']?\1/y;

/** The replacement of a name: `sed 's/__TOKEN__/X/'`. `at`: the index of the `s`. */
export function replacedSecret(text: string, at: number): TextSpan | undefined {
  const found = take(REPLACES, text, at);
  if (found === undefined || !/\b(?:sed|perl)[ \t][^\n]*$/.test(text.slice(Math.max(0, at - 120), at)))
    return undefined;
  const [whole, , pattern, value] = found as unknown as readonly [string, string, string, string];
  const names = pattern.match(/[A-Za-z][\w-]{2,60}/g) ?? [];
  const isNamed = names.some((name) => {
    const isOther = !value.toLowerCase().includes(name.toLowerCase());
    return isOther && /^(?:password|token)$/.test(nameKind(name.replace(/_+$/, '')) ?? '');
  });
  if (!isNamed || isPlaceholder(value) || !isNoWord(value)) return undefined;
  const start = at + whole.lastIndexOf(value);
  return [start, start + value.length];
}
