import { nameKind } from './names.js';
import { type TextSpan, take, valueAt } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

/** Endings of names whose value follows after a space. */
export const SPACED = String.raw`(?<=(?:[Pp]ass(?:wor[dt]|wd|phrase)?|PASS(?:WORD|WD|PHRASE)?|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[Kk]ey|KEY|auth|AUTH|pwd|PWD|community|psk|PSK|EAP|XAUTH|password-value|(?:root|bind)(?:pw|PW))\\*["']?[ \t])(?=[^\s=:|&;<>])`;
const NAME = /(?:^|[^\w.-])([A-Za-z_][\w.-]{1,80})\\*["']?$/;
/** A command that writes a line given as an argument. */
const SAYS = String.raw`\b(?:echo|printf|print|puts|say)(?:[ \t]+-[neE]{1,3})*[ \t]*\(?[ \t]*\\*["']|\bsed[ \t][^\n]{0,60}['"][\d$]{0,6}[aic]\\*[ \t]?`;
/** Text that may precede a name in its line. After `SETS` only a value can follow the name; after `BEGINS` it may be prose. */
const SETS = new RegExp(
  String.raw`(?:^|[\r\n]|\\n|[:,[][ \t]*\\*["']|${SAYS}|[ \r\n]\d{1,6}(?:\t|\\t|→|[:|])|[\w./-]:\d{1,6}[:-])[ \t>+#(-]*(?:ENV|quote|ARG|SetEnv|(?:fastcgi|uwsgi|scgi)_param|proxy_set_header|(?:CONFIG|config)[ \t]+(?:SET|set)|setenv|setq|set_option|username[ \t]+(?!(?:and|or)[ \t])\S{1,64}(?:[ \t]+privilege[ \t]+\d+)?|enable|snmp-server|stats|neighbor[ \t]+\S{1,64}|[\w-]+-server(?:[ \t]+host[ \t]+\S{1,64}(?:[ \t]+[a-z-]+[ \t]+\d+){0,3})?)[ \t]+\\*["']?$`,
);
/** In Junos a name follows the words of a path; in `ipsec.secrets` it follows a colon (`SHARED`). */
const PATH = /(?:^|[\s"'`])set(?:[ \t]+[\w./:@-]{1,64}){1,8}[ \t]+$/;
/** DuckDB: `CREATE SECRET s (TYPE s3, SECRET 'X')`. */
const STATEMENT = /\bcreate\s[\w\s]{0,40}\bsecret\b[^;]*[(,]\s*$/i;
const SHARED = /:[ \t]+$/;
const BEGINS = new RegExp(
  String.raw`(?:^|[\r\n{]|\\n|[:,[][ \t]*\\*["']|${SAYS}|["' \t](?=#define )|[ \r\n]\d{1,6}(?:\t|\\t|→|[:|])|[\w./-]:\d{1,6}[:-])[ \t>*(+-]*(?:(?:export|set|let|#define)[ \t]+)?\\*["']?$`,
);
const RUN = /[^\s"'`;,{}()<>\\]+/y;
const KIND_OF_HASH = /\d{1,2}[ \t]+/y;
/** Words before the value: `rootpw --plaintext X`, `pre-shared-key ascii-text "X"`. */
const OPTION = /(?:--[a-z]+|ascii-text)[ \t]+/y;
const LOGIN = /[\w.@-]{1,64}:(?!\/)/y;
const ENDS = /(?:\\*["'`])?[ \t]*[;,)}]{0,3}[ \t]*(?:#[^\n]*)?(?:\\?\r?\n|\\[rn]|\\*["'`]|$)/y;

/** `NAME X`, as in configuration files: `ENV ADMIN_PASSWORD X`, `requirepass X`, `storePassword "X"`, `#define PASSWORD "X"`. `space`: the index after the name. */
export function lineSecret(text: string, space: number): TextSpan | undefined {
  const before = text.slice(Math.max(0, space - 120), space);
  const name = NAME.exec(before)?.[1]?.replace(/^[nrt](?=[A-Z])/, '');
  if (name === undefined) return undefined;
  const written = name.slice(name.search(/[A-Za-z_]/));
  const head = before.slice(0, before.lastIndexOf(written)).replace(/#define\s+$/, '#define ');
  const isShared = /^(?:PSK|EAP|XAUTH)$/.test(written);
  const isSet = SETS.test(head) || /^(?:requirepass|masterauth|(?:ro|rw|trap)community6?)$/.test(written);
  const isPath =
    !isSet &&
    (PATH.test(head) ||
      (/^[ \t]*'/.test(text.slice(space, space + 8)) &&
        STATEMENT.test(text.slice(Math.max(0, space - 400), space - written.length))));
  if (isShared ? !SHARED.test(head) : !isSet && !isPath && !BEGINS.test(head)) return undefined;
  const numbered = written === 'key' && /[ \t]+[0-9][ \t]/y.test(text.slice(space, space + 8));
  const kind =
    written === 'PASS' || written === 'AUTH' || isShared
      ? 'password'
      : (nameKind(written) ?? (isSet && /^(?:(?:\w*community6?)|key)$/.test(written) ? 'token' : undefined));
  const isLogin = kind === 'weak' && /auth$/.test(written) && (written !== 'auth' || head.trimEnd().endsWith('stats'));
  if (kind === undefined || kind === 'header' || kind === 'cookie') return undefined;
  if (kind === 'weak' && !isSet && !numbered && !isLogin) return undefined;
  let at = space;
  while (text[at] === ' ' || text[at] === '\t') at++;
  if (text.startsWith('. ', at)) at += 2;
  if (written === 'AUTH' && text.startsWith('default ', at)) at += 8;
  if (take(OPTION, text, at) !== undefined) at = OPTION.lastIndex;
  if (isLogin && take(LOGIN, text, at) !== undefined) at = LOGIN.lastIndex;
  else if (isLogin) return undefined;
  if (take(KIND_OF_HASH, text, at) !== undefined) at = KIND_OF_HASH.lastIndex;
  const value = valueAt(text, at, RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (said.length < 3 || isPlaceholder(said, value.quote) || isWord(said)) return undefined;
  if (isSet && kind !== 'weak') return value.span;
  if (isShared || isPath) return value.quote !== undefined || isNoWord(said) ? value.span : undefined;
  if (take(ENDS, text, end) === undefined) return undefined;
  if (/\s/.test(said) || (value.quote === undefined && head.endsWith('#define '))) return undefined;
  return (value.quote !== undefined && kind === 'password') || isNoWord(said) ? value.span : undefined;
}
