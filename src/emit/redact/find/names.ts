import { type TextSpan, take } from './quoted.js';

/**
 * What a name says about its value. `password`, `token`: the value is a secret. `header`, `cookie`: an Authorization or Cookie header. `weak`
 * (`key`, `auth`): a secret if it looks random. `short` (`pass`, `pw`): a secret if it cannot be a word.
 */
export type NameKind = 'password' | 'token' | 'header' | 'cookie' | 'weak' | 'short';

const PASSWORD =
  /(?:password|passwordconfirm(?:ation)?|passwordrepeat|passwordagain|passwd|passphrase|passcode|pwd|passwort|kennwort|(?:store|key|require|become|ssh|sudo|bind)pass|senha|contrasena|motdepasse|wachtwoord|parola|losenord)$/;
const TOKEN =
  /(?:token|secret|bearer|credentials?|connectionstring|accesssignature|amzsignature|googsignature|clientassertion|codeverifier|devicecode|samlresponse|dockerconfigjson|dockercfg|phpsessid|jsessionid|aspnetsessionid|connectsid|laravelsession|xjfrogartapi|sonarlogin|jwt|totp|mnemonic|seedphrase|recoverycode|secretstring|secretkeybase|masterauth|(?:client|private)keydata|(?:api|access|secret|private|signing|encryption|master|account|auth|service|shared|sharedaccess|subscription|license|licence|deploy|session|storage|webhook|admin|root|consumer|app|application|fernet|crypt|hmac|jwt|aes|preshared|rapidapi)key)$/;
const WEAK: ReadonlySet<string> = new Set([
  'key',
  'auth',
  'sig',
  'signature',
  'pat',
  'dsn',
  'webhook',
  'cred',
  'creds',
]);
const SHORT: ReadonlySet<string> = new Set(['pass', 'pw']);
/** An owner before the name: `DB_PASS`, `smtppass`. */
const OWNED =
  /(?:^|[\s_-])(?:db|database|user|root|admin|smtp|mail|email|imap|ftp|sftp|ssh|ldap|sudo|mysql|mariadb|pg|postgres|postgresql|redis|mongo|mongodb|rabbitmq|amqp|mqtt|kafka|http|https|proxy|basic|registry|docker|key|store|keystore|truststore|require|master|cert|client|server|login|account|service|api|app|my|vault|vpn|wifi|wpa|sql|es|elastic|backup|bind|jdbc|nexus|sonar|jenkins|git|svn|npm|aws|s3|ssl|tls|remote|peer|local|target|source|src|dst|dest|node|host|ipmi|bmc|snmp|socks|relay|sasl|auth|encryption|private|default|initial|temp|temporary|gateway)\s?(?:pass|pw)$/;
/** How these end: the only names for which `OWNED`, which takes long to compile, is asked. */
const OWNED_END = /(?:pass|pw)$/;
/** Words that may follow the significant one: `API_KEY_PROD`. */
const QUALIFIERS: ReadonlySet<string> = new Set(
  'prod production dev development test testing staging stage old new live value raw plain plaintext current default primary secondary override'.split(
    ' ',
  ),
);
/** The working directory. */
const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);

/** Bundler's credentials for a host: `BUNDLE_GEMS__EXAMPLE__COM`. */
const BUNDLER = /^BUNDLE_(?!BUILD__|LOCAL__|MIRROR__)\w+__[A-Z]{2,6}$/;

/** What a name implies about each element of its list: `passwords: [X, Y]`, `API_TOKENS`. `token`: a secret unless it could be a word. */
export type ListKind = 'password' | 'token';
const LISTS: readonly (readonly [names: RegExp, kind: ListKind])[] = [
  [/(?:passwords|passwds|passphrases|passcodes|pwds)$/, 'password'],
  [
    /(?:tokens|secrets|credentials|(?:api|access|secret|private|signing|encryption|deploy|auth|service|license|webhook|admin)keys|(?:recovery|backup|scratch)codes)$/,
    'token',
  ],
];

const LONGEST = 100;
const REMEMBERED = 4000;
const known = new Map<string, NameKind | null>();

/** The kind of the last significant word: `DB_PASSWORD`, `x-api-key`, `clientSecret`; not `password_file`. */
export function nameKind(name: string): NameKind | undefined {
  if (name.length > LONGEST || name.length < 2) return undefined;
  let kind = known.get(name);
  if (kind === undefined) {
    kind = kindOfName(name) ?? null;
    if (known.size >= REMEMBERED) known.clear();
    known.set(name, kind);
  }
  return kind ?? undefined;
}

const knownLists = new Map<string, ListKind | null>();

/** The kind of a plural name. */
export function listKind(name: string): ListKind | undefined {
  if (name.length > LONGEST || !/[sS]\d*$/.test(name)) return undefined;
  let kind = knownLists.get(name);
  if (kind === undefined) {
    const letters = name.replace(/[^A-Za-z]/g, '').toLowerCase();
    kind = LISTS.find(([names]) => names.test(letters))?.[1] ?? null;
    if (knownLists.size >= REMEMBERED) knownLists.clear();
    knownLists.set(name, kind);
  }
  return kind ?? undefined;
}

function kindOfName(name: string): NameKind | undefined {
  if (FOLDERS.has(name)) return undefined;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  while (words.length > 1 && (QUALIFIERS.has(words.at(-1) as string) || /^\d+$/.test(words.at(-1) as string)))
    words.pop();
  const last = words.at(-1)?.replace(/\d+$/, '') ?? '';
  const all = words.slice(0, -1).join('') + last;
  if (PASSWORD.test(all) || last === 'psk') return 'password';
  if (SHORT.has(last) || (OWNED_END.test(last) && OWNED.test(last)))
    return OWNED.test(words.join(' ')) ? 'password' : 'short';
  if (
    /secret_id$/i.test(name) ||
    name === '_auth' ||
    name === 'BW_SESSION' ||
    /(?:^|[._-])(?:npm)?[Aa]uth[Ii]dent$/.test(name)
  )
    return 'token';
  // Composer's and Bundler's names of credentials by host.
  if (/^(?:github|gitlab|bitbucket)-oauth$/.test(name) || BUNDLER.test(name)) return 'token';
  // Custom headers, and Terraform's tokens by host.
  if (
    /^x-(?:[\w-]*-auth|(?:[\w-]*-)?(?:functions|project|server|client|host|team)-key)$/i.test(name) ||
    /^TF_TOKEN_\w+_[a-z]{2,}$/.test(name)
  )
    return 'token';
  if (all.endsWith('authorization')) return 'header';
  if (last === 'cookie' || last === 'cookies') return 'cookie';
  if (TOKEN.test(all)) return 'token';
  return WEAK.has(last) ? 'weak' : undefined;
}

/** The most characters of a name. */
const NAME = 100;

const isNameChar = (code: number): boolean =>
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90) ||
  (code >= 48 && code <= 57) ||
  code === 95 ||
  code === 45 ||
  code === 46;

/** PowerShell: `${env:NAME}`. */
const ENVIRONMENT = /\$\{env:\w{1,80}\}$/i;

/** The part of an assignment operator before its `=`: `||=`, `+=`. */
const UPDATES = /[\s\S]{0,2}?(\|\|?|\?\?|\/\/|\+)(?==[ \t]{0,8}\\*["'`]|=\()/y;

/** In Go, C and Basic, a type or prefix between a name and the quote of its value. */
const TEXT = /=[ \t]{0,8}(?:\[\]byte\(|@|L)?\\*["'`]/y;
const TYPE = /[\w)](?:[ \t]+(?:\*?string|\[\]byte|As[ \t]+String|as[ \t]+string)|\[\d{0,6}\])$/;

/** A quoted name in the line before its colon. */
const LINES = /["']\s{1,32}$/;
/** `PASSWORD[0]=X`, and the bracket of `a%5Bpassword%5D=X`. */
const INDEX = /\[\d{1,6}\]$|%5[dD]$/;

/** The name before a `:`, `=` or `,`: `name=`, `"name": `, `['name'] =`. */
export function nameBefore(text: string, separator: number): TextSpan | undefined {
  let end = separator;
  for (let i = 0; i < 8 && (text[end - 1] === ' ' || text[end - 1] === '\t'); i++) end--;
  if (text[separator] === ':' && /[\r\n]/.test(text[end - 1] ?? ''))
    end -= Math.max(0, (LINES.exec(text.slice(Math.max(0, end - 40), end))?.[0].length ?? 1) - 1);
  // `.password |= "X"`, `password ||= "X"`.
  const sign = text[separator] === '=' ? (take(UPDATES, text, Math.max(0, end - 3))?.[1] ?? '') : '';
  if (sign !== '') end = separator - sign.length;
  while (sign !== '' && (text[end - 1] === ' ' || text[end - 1] === '\t') && end > separator - 10) end--;
  const isText = text[separator] === '=' && take(TEXT, text, separator) !== undefined;
  const type = isText ? TYPE.exec(text.slice(Math.max(0, end - 24), end))?.[0] : undefined;
  if (type !== undefined) end -= type.length - 1;
  if (text[end - 1] === '}' && ENVIRONMENT.test(text.slice(Math.max(0, end - 90), end))) end--;
  // `password?: string`, `password[]=X`.
  if (text[end - 1] === '?') {
    end--;
    // `API_KEY ?= X` of a Makefile.
    while (text[separator] === '=' && text[end - 1] === ' ' && end > separator - 8) end--;
  } else if (end === separator && text[separator] === '=' && /[\]dD]/.test(text[end - 1] ?? ''))
    end -= INDEX.exec(text.slice(Math.max(0, end - 8), end))?.[0].length ?? 0;
  if (end === separator && text.startsWith('[]', end - 2) && text[end + 1] !== ' ') end -= 2;
  // Each level of JSON within JSON doubles the backslashes before a quote.
  for (let i = 0; i < 40 && end > 0 && `"'\\]*\``.includes(text[end - 1] as string); i++) end--;
  let start = end;
  const least = Math.max(0, end - NAME - 1);
  while (start > least && isNameChar(text.charCodeAt(start - 1))) start--;
  // The letter of an escaped line end (`\n`) is not part of the name.
  if (text[start - 1] === '\\' && 'nrt'.includes(text[start] as string)) start++;
  return end === start || end - start > NAME ? undefined : [start, end];
}
