import { greatest } from '../../../values/append.js';
import { compiledOnce } from '../compile.js';
import { type TextSpan, take } from './quoted.js';
import { isNoWord, isPlaceholder, isWord } from './values.js';

const GAP = String.raw`(?:\s|\\n){0,8}`;
const TEXT = String.raw`(?:\\*"(?:[^"\\\n]|\\.){0,200}?\\*"|\\*'(?:[^'\\\n]|\\.){0,200}?\\*'|\\*\x60[^\x60\n]{0,200}?\x60)`;
const ARGUMENT = String.raw`(?:${TEXT}|\{[^{}\n]{0,200}\}|[\w.$:>[\]-]{1,80}(?:\([^()\n]{0,80}\))?)`;
const VALUE = String.raw`(?:Some\(|N|b)?\\*(["'\x60])((?:[^"'\x60\\\n]|\\(?!["'\x60rn])){3,200})(?:\\+[rn])*\\*\4`;

const call = (names: string, before: number): string =>
  String.raw`(?:${names})\w{0,12}${GAP}\(${GAP}(?:${ARGUMENT}${GAP},${GAP}){${before}}`;
/** Calls whose second or third argument is a password, whatever it looks like. */
const SURE = [
  call(
    String.raw`(?:HTTP|Http|http|SetBasic|setBasic|Set)?_?[Bb]asic_?[Aa]uth(?:entication|orization)?|PSCredential|[Pp]assword[Aa]uthentication|UsernamePassword\w{0,24}|NetworkCredential|PlainTextAuthProvider|WiFi\.begin`,
    1,
  ),
  call('mysqli?_connect|mysqli|PDO|getConnection|pg_connect|oci_connect|ldap_bind', 2),
  call(String.raw`(?:[pP]y[mM]y[sS][qQ][lL]|MySQLdb|mariadb|pymssql|mysql\.connector)\.connect`, 2),
  String.raw`auth\\*["']?${GAP}(?:=|:|=>)${GAP}[([]${GAP}${TEXT}${GAP},${GAP}`,
];
/** Calls with an argument that is a password, unless it could be a word. */
const LIKELY = [
  call(`(?:log|sign)_?[iI]n|auth(?:enticate)?|bind|(?:set_?)?[cC]ookie`, 1),
  call(
    String.raw`(?:bcrypt|argon2)\.(?:hash|compare|verify)|hashpw|checkpw|Fernet|hmac\.new|password_(?:hash|verify)|make_password|(?:generate|check)_password_hash|(?:set|with|check)_?[pP]assword|cookieParser|Hash::make|password|api_?[kK]ey`,
    0,
  ),
  call(String.raw`jwt\.(?:sign|verify|encode|decode)|createHmac`, 1),
  call('create_?(?:super)?_?[uU]ser', 2),
  call('Credentials', 3),
  String.raw`(?:auth|AUTH)\(${GAP}(?=${TEXT}${GAP}\))|Keygrip\(${GAP}\[${GAP}`,
];
const compile = (sources: readonly string[]): RegExp =>
  new RegExp(`(?:(${SURE.join('|')})|(${sources.join('|')}))(?:)${VALUE.replace('\\4', '\\3')}`, 'y');
let calls: RegExp | undefined;
const ADMIN = /\(\s*\\*["'`](?:admin|root|administrator|me|user|postgres|sa|[\w.+-]+@[\w-]+\.[\w.-]+)\\*["'`]/;

/** The names of these calls without their first letter. */
export const CALL_NAMES = String.raw`(?:TTP|ttp)?_?[Bb]?asic_?[Aa]uth|et_?[Bb]asic_?[Aa]uth|SCredential|assword[Aa]uthentication|sernamePassword|etworkCredential|lainTextAuth|iFi\.begin|ysqli|y[mM]y[sS][qQ][lL]\.connect|ySQLdb\.connect|ariadb\.connect|ymssql\.connect|ysql\.connector|redentials\(|eygrip\(|UTH\(|DO\(|etConnection\(|g_connect|ci_connect|dap_bind|uth\\*["']?\s{0,8}(?:=|:)>?\s{0,8}[(\[]|og_?[iI]n\(|ign_?[iI]n\(|uth(?:enticate)?\(|ind\(|(?:et_?)?[cC]?ookie\(|(?:crypt|rgon2)\.(?:hash|compare|verify)|ashpw\(|ernet\(|heckpw\(|mac\.new\(|assword_(?:hash|verify)\(|ake_password\(|(?:enerate|heck)_password|(?:et|ith|heck)_?[pP]assword\(|ookieParser\(|ash::make\(|assword\(|pi_?[kK]ey\(|wt\.(?:sign|verify|encode|decode)\(|reateHmac\(|reate_?(?:super)?_?[uU]ser\(`;

/** The secret among the arguments of a call: `HTTPBasicAuth("me", "X")`, `auth=("me", "X")`, `login(user, "X")`. */
export function callSecret(text: string, at: number): TextSpan | undefined {
  calls ??= compiledOnce(compile(LIKELY));
  const found = take(calls, text, at);
  if (found === undefined) return undefined;
  const [whole, sure, , quote, value] = found as unknown as readonly string[];
  const said = (value as string).replace(/\\+$/, '');
  if (isPlaceholder(said, quote) || isWord(said) || /\s/.test(said)) return undefined;
  if (sure === undefined && !isNoWord(said) && !ADMIN.test(whole as string)) return undefined;
  const start = at + (whole as string).lastIndexOf(said);
  return [start, start + said.length];
}

const TYPED = new RegExp(
  String.raw`(?:exp_)?(?:send(?:_?[lL]ine|_keys|Keys)?|fill(?:_in|In)?|type(?:_text|Text)?|press_?[sS]equentially|set_?[vV]alue|input_?[tT]ext)(?:[ \t]+--)?[ \t]*\(?${GAP}(?:(${TEXT})${GAP},${GAP}(?:with:${GAP})?)?\\*(["'\x60])((?:[^"'\x60\\\r\n]|\\(?!["'\x60rn \\])){3,200}?)((?:\\+[rn]|[\r\n]|[ ]{2,}\n?|[ ]+\n)*)\\*\2`,
  'y',
);
/** Prompts that precede typing a password. */
const ASKED = /(?:p?ass(?:word|phrase|code|wd)|(?:^|[^A-Za-z])(?:pw|pin|otp|secret|token)(?![A-Za-z]))/i;
const NEAR = 160;

/** `send X\r` without quotes, after an `expect` for a password. */
const SENT = /send(?:_user)?[ \t]+(?:--[ \t]+)?([^\s"'`;{}[\]$\\]{3,200})((?:\\+[rn])*)(?=[\s;}]|\\*["']|$)/y;
const EXPECTED = /\bexpect(?=[\s{])(?:(?!\bsend\b)[\s\S])*$/;

function sentSecret(text: string, at: number): TextSpan | undefined {
  const found = take(SENT, text, at);
  if (found === undefined) return undefined;
  const [, said, enter] = found as unknown as readonly string[];
  const asked = EXPECTED.exec(text.slice(Math.max(0, at - NEAR), at))?.[0];
  const value = said as string;
  if (asked === undefined || !ASKED.test(asked) || isPlaceholder(value) || isWord(value)) return undefined;
  if (enter === '' && !isNoWord(value)) return undefined;
  const start = at + found[0].indexOf(value, 5);
  return [start, start + value.length];
}

/** Text typed at a password prompt: `expect "password:"; send "X\r"`, `page.fill('#password', 'X')`. */
export function typedSecret(text: string, at: number): TextSpan | undefined {
  if (/\w/.test(text[at - 1] ?? '') && !/\\[nrt]$/.test(text.slice(Math.max(0, at - 1), at + 1))) return undefined;
  const found = take(TYPED, text, at);
  if (found === undefined) return sentSecret(text, at);
  const [whole, field, quote, value, enter] = found as unknown as readonly string[];
  const said = value as string;
  if (isPlaceholder(said, quote) || isWord(said)) return undefined;
  const before = text.slice(Math.max(0, at - NEAR), at);
  const since = before.slice(
    greatest(
      0,
      [...before.matchAll(/\bsend|\bfill\(|\btype\(/g)].map(({ index }) => index),
    ),
  );
  const lines = since
    .split(/\n|\\n/)
    .slice(-2)
    .join('\n');
  const isAsked = ASKED.test(field ?? lines);
  const isLine = (enter !== '' || /^s?end_?[lL]ine/.test(whole as string)) && !/\s/.test(said) && isNoWord(said);
  if (!isLine && !(isAsked && (!/\s/.test(said) || enter !== ''))) return undefined;
  const start = at + (whole as string).lastIndexOf(said);
  return [start, start + said.length];
}

/** `[]byte("X")`, `String::from("X")`, `@"X"`, `env('NAME', 'X')`. */
export const MADE =
  /(?:(?:\[\]byte|String::from|bytes|str|String|new String|Buffer\.from|SecretString::from|Some|encodeURIComponent|btoa)\([ \t]{0,4}|(?:[\w.]{0,24}(?:env|ENV|environ)(?:\.get|\.fetch)?|config|Env::get)\([ \t]{0,4}\\*["'][^"'\n]{1,80}\\*["'][ \t]{0,4},[ \t]{0,4}|@)(?=\\*["'`])/y;

/** `crypt('X', gen_salt('bf'))`, `SHA2('X', 256)`, `hashSync("X", 10)`. */
export const HASHED =
  /(?:(?:[\w$]{1,24}\.)?(?:b?crypt|md5|sha\d{0,3}|hash_?sync|hash_?password|(?:aes_|pgp_sym_)?encrypt)|digest)\([ \t]{0,4}(?=N?(\\*["'`])[^"'`\n]{1,256}\1\s{0,4}(?:,|\)(?!\w)))/iy;
