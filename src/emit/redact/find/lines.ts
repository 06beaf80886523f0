import { nameKind } from './names.js';
import { type Span, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

/** What a name may end with that has its value behind a space. */
export const SPACED = String.raw`(?<=(?:[Pp]ass(?:wor[dt]|wd|phrase)?|PASS(?:WORD|WD|PHRASE)?|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|auth|AUTH|pwd|PWD|community|psk|(?:root|bind)(?:pw|PW))\\*["']?[ \t])(?=[^\s=:|&;<>])`;
const NAME = /(?:^|[^\w.-])([A-Za-z_][\w.-]{1,80})\\*["']?$/;
/** What may stand before the name in its line; behind the first, nothing but a value can follow it. */
const SETS =
  /(?:^|[\r\n]|\\n|[:,[][ \t]*\\*["']|[ \r\n]\d{1,6}(?:\t|\\t|→|[:|])|[\w./-]:\d{1,6}[:-])[ \t>+#(-]*(?:ENV|quote|ARG|SetEnv|(?:fastcgi|uwsgi|scgi)_param|proxy_set_header|(?:CONFIG|config)[ \t]+(?:SET|set)|setenv|setq|set_option|username[ \t]+\S{1,64}(?:[ \t]+privilege[ \t]+\d+)?|enable|snmp-server|neighbor[ \t]+\S{1,64}|[\w-]+-server)[ \t]+\\*["']?$/;
const BEGINS =
  /(?:^|[\r\n{]|\\n|[:,[][ \t]*\\*["']|[ \r\n]\d{1,6}(?:\t|\\t|→|[:|])|[\w./-]:\d{1,6}[:-])[ \t>*(+-]*(?:(?:export|set|let|#define)[ \t]+)?\\*["']?$/;
const RUN = /[^\s"'`;,{}()<>\\]+/y;
const KIND_OF_HASH = /\d{1,2}[ \t]+/y;
const ENDS = /(?:\\*["'`])?[ \t]*[;,)}]{0,3}[ \t]*(?:#[^\n]*)?(?:\\?\r?\n|\\[rn]|\\*["'`]|$)/y;

/** `NAME X`, as lines of configuration have it: `ENV ADMIN_PASSWORD X`, `requirepass X`, `storePassword "X"`, `#define PASSWORD "X"`. `space`: behind the name. */
export function lineSecret(text: string, space: number): Span | undefined {
  const before = text.slice(Math.max(0, space - 120), space);
  const name = NAME.exec(before)?.[1]?.replace(/^[nrt](?=[A-Z])/, '');
  if (name === undefined) return undefined;
  const written = name.slice(name.search(/[A-Za-z_]/));
  const head = before.slice(0, before.lastIndexOf(written)).replace(/#define\s+$/, '#define ');
  const isSet = SETS.test(head) || /^(?:requirepass|masterauth)$/.test(written);
  if (!isSet && !BEGINS.test(head)) return undefined;
  const kind =
    written === 'PASS' || written === 'AUTH'
      ? 'password'
      : (nameKind(written) ?? (isSet && /^(?:community|key)$/.test(written) ? 'token' : undefined));
  if (kind === undefined || kind === 'header' || kind === 'cookie' || (kind === 'weak' && !isSet)) return undefined;
  let at = space;
  while (text[at] === ' ' || text[at] === '\t') at++;
  if (text.startsWith('. ', at)) at += 2;
  if (written === 'AUTH' && text.startsWith('default ', at)) at += 8;
  if (take(KIND_OF_HASH, text, at) !== undefined) at = KIND_OF_HASH.lastIndex;
  const value = valueAt(text, at, RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (said.length < 3 || isPlaceholder(said, value.quote) || isWord(said)) return undefined;
  if (isSet && kind !== 'weak') return value.span;
  if (take(ENDS, text, end) === undefined) return undefined;
  if (/\s/.test(said) || (value.quote === undefined && head.endsWith('#define '))) return undefined;
  return (value.quote !== undefined && kind === 'password') || isNoWord(said) ? value.span : undefined;
}
