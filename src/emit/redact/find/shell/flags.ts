import { headerValue } from '../headers.js';
import { nameKind } from '../names.js';
import { SHELL_RUN, type TextSpan, take, valueAt } from '../quoted.js';
import { isNoWord, isPlaceholder, looksRandom } from '../values.js';
import { isBesideUser } from './beside-user.js';
import { commandsOfFlag } from './command-of-flag.js';
import { isShortFlag, isWordFlag, type SecretFlags } from './programs.js';

const FLAG = /(?<=^|[\s"'`([,=])--?([A-Za-z#][\w-]{0,60})/y;
/**
 * Between a flag and its value; a backslash may continue the line. In JSON the continuation is three backslashes and `n`, and twice as many for each
 * further level of JSON in JSON; one, two or four backslashes and `n` are a plain line end.
 */
const BETWEEN =
  /=|\\*["']?(?:[ \t]*,(?:\s|\\n)*|[ \t]*(?:[\\`]+\r?\n|`\\{1,4}n|(?<!\\)(?:\\{3}|\\{6}|\\{12})(?:r\\{1,4})?n)[ \t]*|[ \t]+)/y;
const OPENS = /\$?\\*["']/y;
/** Flags whose value is `user:password`. */
const LOGIN_FLAGS = /^(?:user|proxy-user|auth|basic-auth|login|(?:[\w-]+-)?creds|credentials?|cert|E)$/;
const PASS_SOURCES = /^(?:pass(?:in|out|word)?|(?:ks|key)-pass)$/;
/** No value but the text after an option in a help text (`--auth-token to …`), or the `=` of a diff's line (`-token = X`). */
const NO_VALUE = /^(?:or|and|is|to|for|flag|option|value|[=:!]=?)$|^(?:id|type|source|src|env|file)=/;
const FETCHES = /\b(?:curl|wget|https?|xh|aria2c|etcdctl)\b/;

/** Whether a shell reads what is behind a flag and expands variables in it: not in a list of arguments. */
const isOfShell = (joint: string): boolean => !joint.includes(',');

/** The secret after a flag: `--password X`, `"--token", "X"`, `curl -uuser:X`, `mysql -pX`. */
export function flagSecret(text: string, dash: number): TextSpan | undefined {
  const name = take(FLAG, text, dash)?.[1];
  if (name === undefined) return undefined;
  const behind = FLAG.lastIndex;
  const isLong = text[dash + 1] === '-' || name.length > 1;
  if (isLong) {
    const long = longFlag(text, dash, name, behind) ?? wordFlag(text, dash, name, behind);
    if (long !== undefined || text[dash + 1] === '-') return long;
  }
  return shortFlag(text, dash, name, behind);
}

function longFlag(text: string, dash: number, name: string, behind: number): TextSpan | undefined {
  // Pulumi's `--secret` takes no value.
  if (name === 'secret' && /\bpulumi[ \t][^\n]*$/.test(text.slice(Math.max(0, dash - 200), dash))) return undefined;
  if (COMMAND_FLAG.test(name)) return saidBy(text, behind);
  if (name === 'arg' || name === 'argjson') return variableOf(text, behind);
  const isLogin = LOGIN_FLAGS.test(name);
  const isOpenssl = PASS_SOURCES.test(name);
  const isPair = name === 'from-literal';
  const kind = name === 'pass' || name === 'pw' ? 'password' : nameKind(name);
  if (!isLogin && !isOpenssl && !isPair && kind === undefined) return undefined;
  const joint = take(BETWEEN, text, behind)?.[0];
  if (joint === undefined) return undefined;
  const value = valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (isPlaceholder(said, value.quote, isOfShell(joint)) || (joint !== '=' && said.startsWith('-'))) return undefined;
  if (isLogin && said.includes(':')) return loginSecret(text, dash, name, value);
  if (isPair) return behindMark(said, start, '=', value.quote);
  if (isOpenssl && /^(?:env|file|fd|stdin)(?::|$)/.test(said)) return undefined;
  if (isOpenssl && said.startsWith('pass:')) return behindMark(said, start, ':', value.quote);
  if (kind === undefined || NO_VALUE.test(said)) return undefined;
  if (kind === 'header') {
    const header = headerValue(text, start, [dash, behind], true);
    return header && [header[0], Math.min(header[1], end)];
  }
  // Only hexadecimal digits usually means a checksum, but not here.
  const isHexKey = name.endsWith('-key') && /^[\da-f]{32,}$/i.test(said);
  if (kind === 'weak')
    return isHexKey || looksRandom(said) || (name.endsWith('auth') && isNoWord(said)) ? value.span : undefined;
  return value.span;
}

const VARIABLE = /[ \t]+([\w-]{1,80})[ \t]+(?:\\*'(?=\\*"))?/y;

/** `jq --arg token X`. */
function variableOf(text: string, behind: number): TextSpan | undefined {
  const kind = nameKind(take(VARIABLE, text, behind)?.[1] ?? '');
  const value = kind === undefined ? undefined : valueAt(text, VARIABLE.lastIndex, SHELL_RUN);
  if (value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  const isOne = kind === 'weak' ? looksRandom(said) : kind === 'short' ? isNoWord(said) : said.length >= 3;
  return isOne && !isPlaceholder(said, value.quote) ? value.span : undefined;
}

const COMMAND_FLAG = /(?:pass(?:word|phrase|code)?|token|key)-?(?:command|cmd)$/i;
const ECHO = /^(?:echo|printf)[ \t]+(?:-n[ \t]+)?(?:%s[ \t]+)?\\*["']?/;

/** `--password-command "echo X"`. */
function saidBy(text: string, behind: number): TextSpan | undefined {
  const value = take(BETWEEN, text, behind) === undefined ? undefined : valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  if (value?.quote === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end).replace(/\\*["']$/, '');
  const echo = ECHO.exec(said)?.[0];
  return echo === undefined || isPlaceholder(said.slice(echo.length))
    ? undefined
    : [start + echo.length, start + said.length];
}

/** The password in `--user me:X`, if the program is known to take a password there, or X cannot be a word. */
function loginSecret(
  text: string,
  dash: number,
  name: string,
  { span: [start, end], quote }: NonNullable<ReturnType<typeof valueAt>>,
): TextSpan | undefined {
  const said = text.slice(start, end);
  const span = nextPiece(text, [start, end], ':') ?? behindMark(said, start, ':', quote);
  if (span === undefined || FETCHES.test(text.slice(Math.max(0, dash - 600), dash))) return span;
  if ([...commandsOfFlag(text, dash)].some(({ programs }) => programs.some(({ login }) => login?.includes('u'))))
    return span;
  const secret = text.slice(span[0], span[1]);
  return isNoWord(secret) || (/creds|basic/.test(name) && /^[^/].{4}/.test(secret)) ? span : undefined;
}

/** A word flag that means a secret only with its program: `aws ssm put-parameter --value X`. */
function wordFlag(text: string, dash: number, name: string, behind: number): TextSpan | undefined {
  if (!isWordFlag(name)) return undefined;
  const commands = [...commandsOfFlag(text, dash)];
  if (!commands.some(({ programs }) => programs.some(({ words }) => words?.includes(name)))) return undefined;
  const value = flagValue(text, behind, behind, false);
  if (value === undefined) return undefined;
  const expands = isOfShell(text.slice(behind, value.span[0]));
  return isPlaceholder(text.slice(value.span[0], value.span[1]), value.quote, expands) ? undefined : value.span;
}

function shortFlag(text: string, dash: number, name: string, behind: number): TextSpan | undefined {
  if (!isShortFlag(name) || (nameKind(name) !== undefined && text.startsWith('[redacted ', behind + 1)))
    return undefined;
  for (const { programs, before } of commandsOfFlag(text, dash)) {
    for (const program of programs) {
      const span = programSecret(text, dash, name, behind, program);
      if (span !== undefined) return span;
    }
    const isUnknown = name === 'p' && !programs.some(({ secret }) => secret?.includes('p'));
    const span = isUnknown ? besideUser(text, behind, before) : undefined;
    if (span !== undefined) return span;
  }
  return undefined;
}

function programSecret(
  text: string,
  dash: number,
  name: string,
  behind: number,
  program: SecretFlags,
): TextSpan | undefined {
  const { secret = '', login = '', cookie = '', plain = '', glued = false, between = ':' } = program;
  const letters = `${secret}${login}${cookie}`;
  let place = 0;
  while (place < name.length && plain.includes(name[place] as string) && !letters.includes(name[place] as string))
    place++;
  const letter = name[place];
  if (letter === undefined || !letters.includes(letter)) return undefined;
  const start = dash + 2 + place;
  const value = flagValue(text, start, behind, glued);
  if (value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  if (isPlaceholder(said, value.quote, isOfShell(text.slice(behind, value.span[0])))) return undefined;
  // Without a `=`, the argument is a file name.
  if (cookie.includes(letter)) return behindMark(said, value.span[0], '=') && value.span;
  if (!login.includes(letter)) return value.span;
  return nextPiece(text, value.span, between) ?? behindMark(said, value.span[0], between, value.quote);
}

/** `-uuser:'X'`, `-u user:$'X'`: one word of the shell in two pieces. */
function nextPiece(text: string, [start, end]: TextSpan, mark: string): TextSpan | undefined {
  const said = text.slice(start, end);
  if (!said.endsWith(mark) && !said.endsWith(`${mark}$`)) return undefined;
  const rest = valueAt(text, end, SHELL_RUN);
  return rest?.quote === undefined || isPlaceholder(text.slice(rest.span[0], rest.span[1]), rest.quote)
    ? undefined
    : rest.span;
}

function besideUser(text: string, behind: number, before: string): TextSpan | undefined {
  const value = flagValue(text, behind, behind, false);
  if (value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  if (!isNoWord(said) || isPlaceholder(said, value.quote)) return undefined;
  const line = before.slice(Math.max(before.lastIndexOf('\n'), before.search(/\\n[^\n]*$/)) + 1);
  return isBesideUser(line) ? value.span : undefined;
}

/** The value of a short flag, attached (`-pX`, `-p'X'`, `-p=X`) or after a space. `start`: the index after the letter. */
function flagValue(text: string, start: number, behind: number, glued: boolean): ReturnType<typeof valueAt> {
  const isQuoted =
    take(OPENS, text, start) !== undefined && !/^\\*["'](?:[\s,\]})]|$)/.test(text.slice(start, start + 6));
  if (start < behind || isQuoted || (glued && /[^\s"'`,=\\]/.test(text[start] ?? ' ')))
    return glued ? valueAt(text, start, SHELL_RUN) : undefined;
  if (take(BETWEEN, text, start) === undefined) return undefined;
  const value = valueAt(text, BETWEEN.lastIndex, SHELL_RUN);
  return value === undefined || text[value.span[0]] === '-' || value.span[0] === value.span[1] ? undefined : value;
}

/** The text after `mark`, such as the password of `user:password`. */
function behindMark(said: string, start: number, mark: string, quote?: string): TextSpan | undefined {
  const at = said.indexOf(mark);
  if (at < 0 || at === said.length - 1 || isPlaceholder(said.slice(at + 1), quote)) return undefined;
  return [start + at + 1, start + said.length];
}
