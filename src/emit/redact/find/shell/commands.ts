import { listKind, nameKind } from '../names.js';
import { QUOTED, SHELL_RUN, type TextSpan, take, valueAt } from '../quoted.js';
import { isNoWord, isPlaceholder, looksRandom } from '../values.js';
import { wordEnd } from './words.js';

const SET =
  /(?:set(?:env|x)?|config(?:ure)?|secret|secrets)(?:[ \t]+(?:set|add|put|--?[A-Za-z][\w-]*)){0,5}[ \t]+\\*(["']?)([\w.:/@-]{2,200})\1[ \t]+/iy;

/** `set -x TOKEN X`, `setenv TOKEN X`, `npm config set //registry/:_authToken X`, `git config user.token X`. */
export function settingSecret(text: string, at: number): TextSpan | undefined {
  if (at > 0 && /\w/.test(text[at - 1] as string)) return undefined;
  const written = take(SET, text, at)?.[2];
  if (written === undefined || /^(?:set|add|put)$/.test(written)) return undefined;
  const start = SET.lastIndex;
  if (/[=:]/.test(text[start] ?? '')) return undefined;
  const name = written.slice(Math.max(written.lastIndexOf(':'), written.lastIndexOf('/')) + 1);
  const kind = nameKind(name);
  const value = kind === undefined ? undefined : valueAt(text, start, SHELL_RUN);
  if (kind === undefined || kind === 'cookie' || value === undefined) return undefined;
  const said = text.slice(value.span[0], value.span[1]);
  if (isPlaceholder(said, value.quote) || said.startsWith('-') || /^(?:for|to|of|in)$/i.test(said)) return undefined;
  if (kind === 'weak') return looksRandom(said) ? value.span : undefined;
  // In a sentence (`set the password to`) the name is an ordinary word.
  const isSentence = /^(?:[A-Za-z]?[a-z]+|[A-Z]{2,4})$/.test(name) && name === written && value.quote === undefined;
  return isSentence && !isNoWord(said) ? undefined : [value.span[0], value.span[1]];
}

const PAIRS =
  /(?:\bsecrets?[ \t]+(?:set|import|create|put|update)|\bsecrets:set|\bkv[ \t]+(?:put|patch)|\bvault[ \t]+write(?=[ \t]+\S*secret)|\btravis[ \t]+encrypt)[ \t][^|;&\n]*$/;

/** Whether the command sets secrets, so that the value of any name is one: `vault kv put app db=X`. */
export function setsSecrets(text: string, name: number): boolean {
  if (!/[\s"']/.test(text[name - 1] ?? '') || text[name] === '-') return false;
  const before = text.slice(Math.max(0, name - 200), name);
  return /secret| kv |travis/.test(before) && PAIRS.test(before);
}

/** Commands that read a secret from their standard input. */
const READS =
  /\bsudo\b(?:[ \t]+-\S+(?:[ \t]+[\w-]+)?)*?[ \t]+-\w*S\b|[ \t]--(?:[\w-]*-)?(?:stdin|with-token)\b|\b(?:ch|smb|ldap|vnc)?passwd\b|[ \t]-pass(?:in|out|word)?[ \t]+stdin|--passphrase-fd[= \t]+0|\b(?:cryptsetup|kinit|secret-tool|kubeseal|kwallet-query)\b|\bsecrets:(?:set|create)\b|\bcontext[ \t]+create\b|\bsu[ \t]+(?:-|\w)|\bvault[ \t]+login\b[^|]*-|\bsecrets?[ \t]+(?:versions?[ \t]+)?(?:set|put|create|add)\b|\bvault[ \t]+(?:add|kv[ \t]+put)\b|\bhtpasswd\b[^|]*-\w*i|\b(?:pass[ \t]+insert|keyring[ \t]+set|env[ \t]+add|g?o?pass(?:age)?[ \t]+insert|lpass[ \t]+(?:add|edit|login)|hdiutil\b[^|]*-stdinpass|databricks\b[^|]*--token|runas|mysql_config_editor|sshpass\b[^|]*-d)/;
const FEEDS = /(?:^|[\s;&|("'`$+:]|\\[nrt])(?:echo|printf|print|yes|Write-Output)((?:[ \t]+-[neEr]+)*)[ \t]+/g;
const REACH = 400;

/** `echo X | sudo -S`, `printf '%s' X | docker login --password-stdin`. */
export function pipedSecret(text: string, pipe: number): TextSpan | undefined {
  const reader = commandBehind(text, pipe + 1);
  if (!READS.test(reader)) return undefined;
  const from = Math.max(0, pipe - REACH);
  const before = text.slice(from, pipe);
  const feeds = [...before.matchAll(FEEDS)].at(-1);
  if (feeds === undefined) return undefined;
  let start = from + feeds.index + feeds[0].length;
  const format = /^\\*(["']?)[^"'\s]{0,12}%[^"'\s]{0,12}\1[ \t]+/.exec(text.slice(start, start + 40))?.[0];
  start += format?.length ?? 0;
  const end = from + before.trimEnd().length;
  const said = text.slice(start, end);
  const group = text.slice(from, end).lastIndexOf('(');
  const first = text[end - 1] === ')' && group >= 0 ? [...before.slice(group).matchAll(FEEDS)][0] : undefined;
  if (first !== undefined) {
    // `(echo X; echo X) |`: everything that the group outputs.
    const begins = from + group + first.index + first[0].length;
    return isPlaceholder(text.slice(begins, end - 1)) ? undefined : [begins, end - 1];
  }
  if (said === '' || (!/^\\*["']/.test(said) && /[|;\n]/.test(said))) return undefined;
  return spoken(text, start, end, reader);
}

function spoken(text: string, start: number, end: number, reader: string): TextSpan | undefined {
  const quoted = valueAt(text, start, SHELL_RUN);
  const isQuoted = quoted?.quote !== undefined;
  const isJoined = isQuoted && wordEnd(text, start) === end;
  const [from, to] = isJoined ? [quoted.span[0], end] : isQuoted ? quoted.span : [start, end];
  // Another command began after the quote.
  if (
    from >= to ||
    (isQuoted && /[^\\"'\s]/.test(text.slice(to, end))) ||
    isPlaceholder(text.slice(from, to), quoted?.quote)
  )
    return undefined;
  const colon = /\bchpasswd\b/.test(reader) ? text.slice(from, to).indexOf(':') + 1 : 0;
  return isPlaceholder(text.slice(from + colon, to), quoted?.quote) ? undefined : [from + colon, to];
}

function commandBehind(text: string, at: number): string {
  const reach = text.slice(at, at + REACH).replace(/^(?:[ \t]|\\?\r?\n)+/, '');
  const end = reach.search(/[|;&\n]/);
  return ` ${end < 0 ? reach : reach.slice(0, end)}`;
}

const INTO = /\b(?:read|mapfile|readarray)\b[^|;&\n]*?((?:[ \t]+[A-Za-z_]\w*)+)[ \t]*$/;
const ASSIGNS = /([A-Za-z_]\w*)=\\*["']?\$\([^()\n]*$/;

/** Whether a command reads into a variable for a secret: `read -r PASSWORD`, `PASSWORD=$(cat`. */
function readsSecret(reader: string): boolean {
  const names = (INTO.exec(reader) ?? ASSIGNS.exec(reader))?.[1]?.trim().split(/\s+/) ?? [];
  return names.some((name) => {
    const kind = nameKind(name) ?? listKind(name);
    return kind !== undefined && kind !== 'weak' && kind !== 'header' && (kind !== 'short' || names.length > 1);
  });
}

/** Options that name a file with a secret, before `<(echo X)`. */
const FILES =
  /(?:[ \t]--?(?:[\w-]*-)?(?:pass(?:word|phrase)?|token|secret|key|credentials?)-?(?:file|from-file)?|\bsshpass\b[^|]*[ \t]-f|\bcurl\b[^|]*[ \t](?:-K|--config|--netrc-file)|[ \t]-pass(?:in|out)?[ \t]+file:|[ \t]-(?:d|w|y|T)|\bwg[ \t]+set[^|]*[ \t](?:private|preshared)-key|\bsecrets?[ \t][^|]*[ \t]--?(?:data-|from-)?file|\bsecret[ \t]+create(?:[ \t]+-\S+)*[ \t]+[\w.-]+|file:)[ \t=]*\\*["']?$/;

/** A name and, on the next line, its password: `<(printf '%s\\n%s' me X)`. */
const TWO_LINES =
  /<\([ \t]*(?:printf|echo)[ \t][^()\n]{0,200}?(?:\\+n|[ \t]\\*["']?)([^\s"'\\()%]{3,128})(?=(?:\\+n)?\\*["']?[ \t]*\))/y;
/** Commands that read a single value. */
const ONE = /\bsshpass\b|\bwg[ \t]|stdin|pass(?:word|phrase)?-?file[ \t=]*\\*["']?$/;

/** `sshpass -f <(echo X)`, `docker login --password-stdin < <(echo X)`. `at`: the index of the `<` before the parenthesis. */
export function processSecret(text: string, at: number): TextSpan | undefined {
  if (text[at + 1] !== '(') return undefined;
  const reader = commandBefore(text, at);
  const isRead = /<[ \t]*$/.test(reader) && (READS.test(reader) || readsSecret(reader.replace(/<[ \t]*$/, '')));
  if (!isRead && !FILES.test(reader)) return undefined;
  const login = /auth-user-pass[ \t=]*$/.test(reader) ? take(TWO_LINES, text, at)?.[1] : undefined;
  if (login !== undefined && !isPlaceholder(login))
    return [at + text.slice(at, TWO_LINES.lastIndex).lastIndexOf(login), TWO_LINES.lastIndex];
  const value = valueAt(text, at, SHELL_RUN);
  if (value === undefined) return undefined;
  const [start, end] = value.span;
  const said = text.slice(start, end);
  if (said.length < 3 || isPlaceholder(said, value.quote)) return undefined;
  // The output has names of its own or a login, unless the command reads a single value. An `=` at the end is base64 padding.
  if (!ONE.test(reader) && /=(?!=*$)|login|:[ \t]/.test(said)) {
    const login = /^user[ \t]*=[ \t]*\\*"?[^\s:"\\]+:/.exec(said)?.[0];
    return login === undefined ? undefined : [start + login.length, end];
  }
  return value.span;
}

function commandBefore(text: string, at: number): string {
  const before = text.slice(Math.max(0, at - REACH), at);
  const start = Math.max(...['\n', ';', '|', '&'].map((mark) => before.lastIndexOf(mark)));
  return ` ${before.slice(start + 1)}`;
}

const DOCUMENT = /<<[-~]?[ \t]*\\?["']?(\w{1,40})["']?[^\n]*\n/y;

/** `gh auth login --with-token <<< X`, or a here-document. `at`: the index of the first `<`. */
export function hereSecret(text: string, at: number): TextSpan | undefined {
  if (text[at - 1] === '<' || text[at + 1] !== '<') return undefined;
  const reader = commandBefore(text, at);
  if (!READS.test(reader) && !readsSecret(reader)) return undefined;
  if (text[at + 2] === '<') {
    const start = at + 3 + (/^[ \t]*/.exec(text.slice(at + 3, at + 11))?.[0].length as number);
    const value = valueAt(text, start, SHELL_RUN);
    return value === undefined ? undefined : spoken(text, start, value.span[1], reader);
  }
  const mark = take(DOCUMENT, text, at)?.[1];
  if (mark === undefined) return undefined;
  const start = DOCUMENT.lastIndex;
  const reach = text.slice(start, start + 4096);
  const end = new RegExp(`^[ \\t]*${mark}[ \\t]*$`, 'm').exec(reach)?.index;
  if (end === undefined) return start + reach.length === text.length ? [start, text.length, true] : undefined;
  const body = reach.slice(0, end).trimEnd();
  return body === '' || isPlaceholder(body) ? undefined : [start, start + body.length];
}

const ASKS = /(?:pass(?:word|phrase|wd)?[_-]?(?:cmd|command|eval)|askpass)\\*["']?[ \t]*[=: \t][ \t]*\\*["']?$/i;
const ECHO = /(?:echo|printf)(?:[ \t]+-[neEr]+)*[ \t]+(?:\\*(["']?)[^"'\s]{0,12}%[^"'\s]{0,12}\1[ \t]+)?/y;

/** A command that a program runs to get its password: `PassCmd "echo X"`. `at`: the index of `echo`. */
export function askedSecret(text: string, at: number): TextSpan | undefined {
  const before = text.slice(Math.max(0, at - 60), at);
  if (!ASKS.test(before) || take(ECHO, text, at) === undefined) return undefined;
  const start = ECHO.lastIndex;
  const around = /\\*["']$/.exec(before)?.[0];
  const end = around === undefined ? -1 : text.slice(start, start + QUOTED).search(/["'\\\n]/);
  const span = end > 0 ? ([start, start + end] as const) : valueAt(text, start, SHELL_RUN)?.span;
  return span === undefined || isPlaceholder(text.slice(span[0], span[1])) ? undefined : span;
}
