import { headerValue } from './headers.js';
import { nameKind } from './names.js';
import { SHELL_RUN, type Span, take, valueAt } from './quoted.js';
import { isPlaceholder, looksRandom } from './values.js';

/** What of a program's short flags holds a secret. */
interface Program {
  readonly name: RegExp;
  /** Short flags whose value is a password. */
  readonly secret?: string;
  /** Short flags whose value is `user:password`, and what stands between. */
  readonly login?: string;
  readonly between?: string;
  /** Such a flag may have its value without a space. */
  readonly glued?: boolean;
  /** Short flags without a value, which may stand before it in one word: `-sSu`. */
  readonly plain?: string;
  /** What the command must also say. */
  readonly says?: RegExp;
}

const LOGIN = /\blogin\b/;
const PROGRAMS: readonly Program[] = [
  {
    name: /(?:curl|https?|xh|aria2c|wget)/,
    login: 'uUa',
    between: ':',
    glued: true,
    plain: '#01236BaBfgGiIjJkKlLnNOpqRsSvVZ',
  },
  { name: /(?:mysql|mariadb)\w*/, secret: 'p', glued: true },
  { name: /sshpass/, secret: 'p', glued: true, plain: 'ev' },
  { name: /(?:7z|7za|7zr|rar|unrar)/, secret: 'p', glued: true },
  { name: /(?:unzip|zip)/, secret: 'P', glued: true },
  {
    name: /(?:docker|podman|nerdctl|helm|oras|skopeo|buildah|crane|regctl|cf)/,
    secret: 'p',
    glued: true,
    says: LOGIN,
  },
  { name: /az/, secret: 'p', says: LOGIN },
  { name: /oc/, secret: 'pt', says: LOGIN },
  {
    name: /(?:mongo\w*|useradd|usermod|psexec\w*|grant|influx|cqlsh|clickhouse-client|couchbase-cli|rabbitmqadmin|snowsql|nxc|crackmapexec|evil-winrm|kafka\S*)/,
    secret: 'p',
  },
  { name: /redis-cli|redis-benchmark/, secret: 'a' },
  { name: /ldap\w+/, secret: 'w', glued: true, plain: 'xLvnZc' },
  { name: /security/, secret: 'w' },
  { name: /(?:sqlcmd|osql|bcp|isql)/, secret: 'P', glued: true },
  { name: /(?:smb\w+|rpcclient|net|winexe|samba-tool|wmic)/, login: 'U', between: '%', glued: true },
  { name: /ipmitool/, secret: 'P' },
  { name: /xfreerdp|rdesktop/, secret: 'p', glued: true },
  { name: /openssl/, secret: 'kK' },
  { name: /(?:gpg2?)$/ },
  { name: /gh/, secret: 'b', says: /\bsecret\s+set\b/ },
];
/** A name of a program, or what another command begins behind. */
const STEP = new RegExp(
  String.raw`[|;]|&&|(?<![\\\x60])\r?\n|(?<!\\)\\n|(?<![\w.-])(?:${PROGRAMS.map(({ name }) => name.source).join('|')})(?=\\*["'\x60]?[\s,])`,
  'g',
);
const SAME = PROGRAMS.map(({ name }) => new RegExp(`^(?:${name.source})$`));
const REACH = 300;

/** The program whose flag stands at a place. */
function programAt(text: string, dash: number): Program | undefined {
  const before = text.slice(Math.max(0, dash - REACH), dash);
  let program: Program | undefined;
  let start = 0;
  STEP.lastIndex = 0;
  for (let step = STEP.exec(before); step !== null; step = STEP.exec(before)) {
    const found = PROGRAMS[SAME.findIndex((name) => name.test((step as RegExpExecArray)[0]))];
    if (found === undefined) [program, start] = [undefined, step.index];
    else if (found.says === undefined || found.says.test(before.slice(start))) program = found;
  }
  return program;
}

const FLAG = /(?<=^|[\s"'`([,=])--?([A-Za-z#][\w-]{0,60})/y;
const BETWEEN = /=|\\*["']?(?:[ \t]*,(?:\s|\\n)*|[ \t]*[\\`]+(?:\r?\n|n)[ \t]*|[ \t]+)/y;
const OPENS = /\$?\\*["']/y;
const LOGIN_FLAGS: ReadonlySet<string> = new Set(['user', 'proxy-user']);
const FETCHES = /\b(?:curl|wget|https?|xh|aria2c)\b/;

/** The secret behind a flag: `--password X`, `"--token", "X"`, `curl -uuser:X`, `mysql -pX`. */
export function flagSecret(text: string, dash: number): Span | undefined {
  const name = take(FLAG, text, dash)?.[1];
  if (name === undefined) return undefined;
  const behind = FLAG.lastIndex;
  const isLong = text[dash + 1] === '-' || name.length > 1;
  if (isLong) {
    const long = longFlag(text, dash, name, behind);
    if (long !== undefined || text[dash + 1] === '-') return long;
  }
  return shortFlag(text, dash, name, behind);
}

function longFlag(text: string, dash: number, name: string, behind: number): Span | undefined {
  const isLogin = LOGIN_FLAGS.has(name);
  const isOpenssl = /^pass(?:in|out|word)?$/.test(name);
  const isPair = /^from-literal$/.test(name);
  const kind = name === 'pass' || name === 'pw' ? 'password' : nameKind(name);
  if (!isLogin && !isOpenssl && !isPair && kind === undefined) return undefined;
  const joint = take(BETWEEN, text, behind)?.[0];
  if (joint === undefined) return undefined;
  const value = valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (isPlaceholder(said, value.quote) || (joint !== '=' && said.startsWith('-'))) return undefined;
  if (isLogin)
    return FETCHES.test(text.slice(Math.max(0, dash - 600), dash)) ? behindMark(said, start, ':') : undefined;
  if (isPair) return behindMark(said, start, '=');
  if (isOpenssl && /^(?:env|file|fd|stdin)(?::|$)/.test(said)) return undefined;
  if (isOpenssl && said.startsWith('pass:')) return behindMark(said, start, ':');
  if (kind === undefined) return undefined;
  if (kind === 'header') return headerValue(text, start, '"');
  if (kind === 'weak') return looksRandom(said) ? value.span : undefined;
  return value.span;
}

function shortFlag(text: string, dash: number, name: string, behind: number): Span | undefined {
  if (!/[apPuUwkKbt]/.test(name)) return undefined;
  const program = programAt(text, dash);
  if (program === undefined) return undefined;
  const { secret = '', login = '', plain = '', glued = false, between = ':' } = program;
  let place = 0;
  while (
    place < name.length &&
    plain.includes(name[place] as string) &&
    !`${secret}${login}`.includes(name[place] as string)
  )
    place++;
  const letter = name[place];
  if (letter === undefined || !`${secret}${login}`.includes(letter)) return undefined;
  const start = dash + 2 + place;
  const value = flagValue(text, start, behind, glued);
  if (value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  if (isPlaceholder(said, value.quote)) return undefined;
  if (!login.includes(letter)) return value.span;
  // `-uuser:'X'`: one word of the shell in two pieces.
  const rest = said.endsWith(between) ? valueAt(text, value.span[1], SHELL_RUN) : undefined;
  return rest?.quote === undefined ? behindMark(said, value.span[0], between) : rest.span;
}

/** What follows a short flag: at once (`-pX`, `-p'X'`, `-p=X`), or behind a space. `start`: behind the letter. */
function flagValue(text: string, start: number, behind: number, glued: boolean): ReturnType<typeof valueAt> {
  const isQuoted =
    take(OPENS, text, start) !== undefined && !/^\\*["'](?:[\s,\]})]|$)/.test(text.slice(start, start + 6));
  if (start < behind || isQuoted || (glued && /[^\s"'`,=\\]/.test(text[start] ?? ' ')))
    return glued ? valueAt(text, start, SHELL_RUN) : undefined;
  if (take(BETWEEN, text, start) === undefined) return undefined;
  const value = valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  return value === undefined || text[value.span[0]] === '-' ? undefined : value;
}

/** The password of `user:password`. */
function behindMark(said: string, start: number, mark: string): Span | undefined {
  const at = said.indexOf(mark);
  if (at < 0 || at === said.length - 1 || isPlaceholder(said.slice(at + 1))) return undefined;
  return [start + at + 1, start + said.length];
}
