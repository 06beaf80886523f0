import { SHELL_RUN, type TextSpan, take, valueAt } from '../quoted.js';
import { isPlaceholder } from '../values.js';

/** Any argument of a shell command; `PLAIN` excludes flags. */
const ARGUMENT = String.raw`(?:\\*"[^"\n]{1,256}"|\\*'[^'\n]{1,256}'|[^\s"'\x60|;&<>()]{1,256})`;
/** An argument in a configuration language, which no shell parses. */
const RAW = String.raw`(?:\\*"[^"\n]{1,256}"|\\*'[^'\n]{1,256}'|[^\s"'\\]{1,256})`;
const PLAIN = `(?!-)${ARGUMENT}`;
const S = String.raw`[ \t]+`;
const FLAGS = `(?:${S}-[\\w-]+(?:=[^\\s"'\\\\]{0,64})?){0,6}`;

const SHORT = `(?:${S}-[A-Za-z]{1,8}(?:${S}\\d{1,3})?){1,5}`;
const FLAG = (letter: string): string => `[^|;&\\n]{0,40}?${S}-[A-Za-z]{0,8}${letter}`;

const WITHIN = '[^|;&\\n]{0,160}?';
/** An algorithm and its passphrase. */
const SNMP = (names: string): string => `(?:${names})[-\\dC]{0,5}(?:${S}-[lm])?${S}(${PLAIN})`;
/** Commands that take secrets as arguments, and a pattern for what follows their names, in which each group is a secret. */
const POSITIONAL: readonly (readonly [names: string, rest: string])[] = [
  ['htpasswd', `(?=${FLAG('b')})(?!${FLAG('n')})${SHORT}${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  ['htpasswd', `(?=${FLAG('b')})(?=${FLAG('n')})${SHORT}${S}${PLAIN}${S}(${PLAIN})`],
  ['mosquitto_passwd', `(?=${FLAG('b')})${SHORT}${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  ['vault', `${S}login${FLAGS}${S}(?:token=)?(?!\\w{1,40}=)(${PLAIN})`],
  ['vault', `${S}operator${S}(?:unseal|rekey|generate-root)${FLAGS}${S}(${PLAIN})`],
  ['net1?', `${S}user${S}${PLAIN}${S}(?![/*])(${ARGUMENT})`],
  ['net', `${S}use${S}(?:\\w:${S})?\\\\{2,8}[^\\s"']{1,200}${S}(?:/[^\\s"']{1,64}${S}){0,3}(?![/*])(${ARGUMENT})`],
  ['ConvertTo-SecureString', `(?:${S}-(?:AsPlainText|Force|String)){0,3}${S}(${PLAIN})`],
  [
    'radtest',
    `(?:${S}-\\w{1,8}(?:${S}(?:pap|chap|mschap|eap-md5))?){0,4}${S}${PLAIN}${S}(${PLAIN})(?:${S}${PLAIN}${S}\\d{1,6}${S}(${PLAIN}))?`,
  ],
  ['createUser', `(?:${S}-e${S}\\w{1,64})?${S}${PLAIN}${S}${SNMP('MD5|SHA')}(?:${S}${SNMP('DES|AES')})?`],
  ['com2sec6?', `(?:${S}-Cn${S}${PLAIN})?${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})(?=[ \\t]*(?:\\\\|["']|\\r?\\n|$))`],
  ['iwconfig', `${S}\\w{1,32}${WITHIN}${S}(?:key|enc)${S}(?:\\[\\d\\][ \\t]+)?s:(${PLAIN})`],
  [
    'user',
    `(?<=(?:poll|skip|server)[ \\t][^\\n]{0,200}user)${S}${PLAIN}${S}(?:there${S})?(?:with${S})?pass(?:word)?${S}(${PLAIN})`,
  ],
  ['crypto', `${S}(?:isakmp|ipsec)${S}key${S}(?:[06]${S})?(${RAW})${S}(?:address|hostname)`],
  ['key-string', `(?:${S}[067])?${S}(${RAW})(?=[ \\t]*(?:\\\\|["']|\\r?\\n|$))`],
  ['message-digest-key', `${S}\\d{1,3}${S}md5${S}(?:[067]${S})?(${RAW})`],
  ['dscl', `${WITHIN}${S}-passwd${S}${PLAIN}${S}(${PLAIN})(?:${S}(${PLAIN}))?`],
  ['networksetup', `${S}-setairportnetwork${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  ['steamcmd', `${WITHIN}\\+login${S}${PLAIN}${S}(?!\\+)(${PLAIN})`],
  ['flyctl fly', `${S}auth${S}token${S}(${PLAIN})`],
  ['wpa_cli', `${WITHIN}${S}(?:psk|password|wep_key\\d|sae_password)${S}(?:\\\\*['"]\\\\*")?(${RAW})`],
  ['uci', `${S}(?:-q${S})?set${S}[\\w.@[\\]-]{1,100}\\.(?:key|password|sae_password|auth_secret|psk)=(${ARGUMENT})`],
  [
    'secretsdump\\.py psexec\\.py wmiexec\\.py smbexec\\.py smbclient\\.py GetUserSPNs\\.py',
    `${WITHIN}[\\w./\\\\-]{1,128}:([^\\s@"']{1,128})(?=@)`,
  ],
  ['mount(?:\\.cifs)?', `${WITHIN}user(?:name)?=[\\w.-]{1,64}%([^\\s"',\\\\]{1,128})`],
  ['mega-login', `${S}${PLAIN}${S}(${PLAIN})`],
  ['b2', `${S}(?:authorize-account|account${S}authorize)${FLAGS}${S}${PLAIN}${S}(${PLAIN})`],
  ['wpa_passphrase', `${S}${PLAIN}${S}(${PLAIN})`],
  ['nmcli', `${S}[^|;&\\n]{1,160}?(?:password|[.-]psk|wep-key\\d|[.-]password)${S}(${PLAIN})`],
  ['openssl', `${S}passwd(?:${S}-(?:1|5|6|apr1|noverify|quiet))*(?:${S}-salt${S}${ARGUMENT})?${S}(${PLAIN})`],
  ['mkpasswd', `(?:${S}-(?:m|S|-method|-salt)[= \\t]*[^\\s"']{1,64}){0,3}${S}(${PLAIN})`],
  [
    'rclone',
    `${S}config${S}(?:create|update|password)${WITHIN}${S}(?:pass(?:word)?|key|token|secret_access_key|client_secret)${S}(${PLAIN})`,
  ],
  ['rclone', `${S}obscure${S}(${PLAIN})`],
  ['ansible-vault', `${S}encrypt_string${FLAGS}${S}(${PLAIN})`],
  ['poetry', `${S}config${FLAGS}${S}pypi-token\\.[\\w.-]{1,64}${S}(${PLAIN})`],
  ['poetry composer', `${S}config${FLAGS}${S}http-basic\\.[\\w.-]{1,64}${S}${PLAIN}${S}(${PLAIN})`],
  ['composer', `${S}config${FLAGS}${S}(?:github-oauth|gitlab-token|bearer|gitlab-oauth)\\.[\\w.-]{1,64}${S}(${PLAIN})`],
  ['bundle', `${S}config(?:${S}set)?${FLAGS}${S}[\\w.:/-]{1,100}${S}[\\w.-]{1,64}:(${ARGUMENT})`],
  ['cargo', `${S}login${FLAGS}${S}(${PLAIN})`],
  ['nuget', `${S}set[aA]pi[kK]ey${S}(${PLAIN})`],
  ['dotnet', `${S}user-secrets${S}set${FLAGS}${S}${PLAIN}${S}(${PLAIN})`],
  ['conan', `${S}user${WITHIN}${S}-p${S}(${PLAIN})`],
  ['smbclient', `${S}[\\\\/]{2,4}[^\\s"']{1,200}${S}(${PLAIN})`],
  ['samba-tool', `${S}user${S}(?:create|add)${S}${PLAIN}${S}(${PLAIN})`],
  ['mysqladmin mariadb-admin', `${WITHIN}${S}password${S}(${PLAIN})`],
  ['rabbitmqctl', `${FLAGS}${S}(?:add_user|change_password|authenticate_user)${S}${PLAIN}${S}(${PLAIN})`],
  ['neo4j-admin grafana(?:-cli)?', `${WITHIN}[ -]password${FLAGS}${S}(${PLAIN})`],
  ['redis-cli', `${WITHIN}${S}(?:AUTH|auth)(?:${S}(?!-)\\w{1,64}(?=${S}\\S))?${S}(${PLAIN})`],
  ['redis-cli', `${WITHIN}${S}(?:SET|set)${S}(?:requirepass|masterauth)${S}(${PLAIN})`],
  // Redis access rules, as a command and in the ACL file.
  ['ACL acl', `${S}(?:SETUSER|setuser)${WITHIN}${S}\\\\*["']?>([^\\s"'\\\\]{1,256})`],
  [
    'user',
    `${S}[\\w.@-]{1,64}(?:${S}[^\\s|;<>"']{1,64}){0,6}?${S}(?:on|off)(?:${S}[^\\s|;<>"']{1,64}){0,6}?${S}>([^\\s"'\\\\>]{1,256})(?=[^\\n]{0,200}[ \\t][~+&])`,
  ],
  ['isql', `${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  [
    'consul etcdctl nomad',
    `${S}(?:kv${S})?put${FLAGS}${S}\\S{0,120}(?:pass(?:word|wd)?|secret|token|key)${S}(${PLAIN})`,
  ],
  ['consul', `${S}acl${S}set-agent-token${FLAGS}${S}${PLAIN}${S}(${PLAIN})`],
  ['doppler', `${S}secrets${S}set${FLAGS}${S}(?![^\\s"']*=)${PLAIN}${S}(${PLAIN})`],
  ['glab', `${S}variable${S}(?:set|update)${FLAGS}${S}${PLAIN}${S}(${PLAIN})`],
  ['pulumi', `${S}config${S}set(?=[^|;&\\n]{0,200}--secret)(?:${S}--secret)?${S}${PLAIN}${S}(${PLAIN})`],
  ['ngrok', `${S}authtoken${S}(${PLAIN})`],
  ['cloudflared', `${S}service${S}install${S}(${PLAIN})`],
  ['snyk', `${S}auth${S}(${PLAIN})`],
  ['wandb', `${S}login${FLAGS}${S}(${PLAIN})`],
  ['gcloud', `${S}auth${S}activate-refresh-token${S}${PLAIN}${S}(${PLAIN})`],
  ['schtasks', `${WITHIN}${S}/rp${S}(${PLAIN})`],
  [
    'Set-Item New-Item',
    `${S}(?:-Path${S})?Env:\\\\{0,4}\\w*(?:TOKEN|PASSWORD|PASS|PWD|SECRET|KEY)${S}(?:-Value${S})?(${PLAIN})`,
  ],
  ['cf', `${S}auth${S}${PLAIN}${S}(${PLAIN})`],
  ['bw', `${S}(?:login${S}${PLAIN}|unlock)${S}(${PLAIN})`],
  ['chamber', `${S}write${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  ['credstash berglas', `${S}(?:put|create)${S}${PLAIN}${S}(${PLAIN})`],
  ['mc', `${S}(?:alias${S}set|config${S}host${S}add)${S}${PLAIN}${S}${PLAIN}${S}${PLAIN}${S}(${PLAIN})`],
  ['drush', `${S}(?:user:password|user-password|upwd)${S}${PLAIN}${S}(${PLAIN})`],
  ['qpdf', `${S}--encrypt${S}((?!-)[^\\s"']{1,64}${S}(?!-)[^\\s"']{1,64})(?=${S}\\d)`],
  ['pdftk', `${WITHIN}${S}(?:user_pw|owner_pw|input_pw)${S}(${PLAIN})`],
  ['signtool', `${WITHIN}${S}/p${S}(${PLAIN})`],
  ['xfreerdp', `${WITHIN}${S}/p:(${ARGUMENT})`],
  ['https? xh', `${WITHIN}${S}(?:-A|--auth-type)[= \\t]\\w+${S}(?:-a|--auth)[= \\t](${PLAIN})`],
  ['cvs', `${WITHIN}:(?:pserver|gserver|ext):[\\w.-]{1,64}:([^\\s@"']{1,128})(?=@)`],
  ['impacket-\\w+', `${WITHIN}[\\w./\\\\-]{1,128}:([^\\s@"']{1,128})(?=@)`],
  ['user', `(?<=ftp[ \\t][^]{0,200}user)${S}[\\w.@-]{1,64}${S}([^\\s"'()]{1,128})(?=[ \\t]*\\r?\\n)`],
  [
    'sqlplus sqlldr expdp impdp rman',
    `(?:${S}-\\w{1,8}){0,3}(?:${S}target)?${S}(?:userid=)?\\\\*["']?\\w{1,64}/\\\\*["']?([^\\s"'@|;&<>]{1,128})`,
  ],
];
const EXE = '(?:\\.exe)?';
/** By first letter. The patterns of a letter are made when it is first met. */
const BY_LETTER = new Map<string, { readonly tails: string[]; readonly sources: string[]; patterns?: RegExp[] }>();
for (const [names, rest] of POSITIONAL)
  for (const name of names.split(' ')) {
    const letter = name[0] as string;
    const known = BY_LETTER.get(letter) ?? { tails: [], sources: [] };
    known.tails.push(name.slice(1));
    known.sources.push(name + EXE + rest);
    BY_LETTER.set(letter, known);
  }

function patternsOf(letter: string): readonly RegExp[] {
  const known = BY_LETTER.get(letter);
  if (known === undefined) return [];
  known.patterns ??= known.sources.map((source) => new RegExp(source, 'dy'));
  return known.patterns;
}

/** The names of these commands: the first letter, and a pattern for the rest. */
export const COMMANDS: readonly (readonly [letter: string, rest: string])[] = [...BY_LETTER].map(
  ([letter, { tails }]) => [letter, `(?:${[...new Set(tails)].join('|')})${EXE}[ \\t]`],
);

const NAMES = new RegExp(`^(?:${POSITIONAL.flatMap(([names]) => names.split(' ')).join('|')})${EXE}$`);

/** Whether a command takes secrets as positional arguments. */
export const isCommand = (name: string): boolean => name.length <= 64 && NAMES.test(name);

/** The secrets that are arguments of a command: `htpasswd -b file user X`. */
export function argumentSecrets(text: string, at: number): readonly TextSpan[] | undefined {
  if (at > 0 && /[\w-]/.test(text[at - 1] as string) && !/\\[nrt]$/.test(text.slice(Math.max(0, at - 1), at + 1)))
    return undefined;
  for (const pattern of patternsOf(text[at] as string)) {
    const groups = take(pattern, text, at)?.indices?.slice(1);
    const spans = groups?.flatMap((group) => (group && unquoted(text, ...group)) ?? []) ?? [];
    if (spans.length > 0) return spans;
  }
  return undefined;
}

/** The text between the quotes, unless it is a variable. */
function unquoted(text: string, start: number, end: number): readonly TextSpan[] | undefined {
  // Already masked; returned as found, so that no other pattern is tried.
  if (text.startsWith('[redacted ', start)) return [[start, end]];
  const value = valueAt(text, start, SHELL_RUN);
  const [from, to] = value?.quote === undefined ? [start, end] : [value.span[0], Math.min(value.span[1], end)];
  return from >= to || isPlaceholder(text.slice(from, to), value?.quote) ? undefined : [[from, to]];
}
