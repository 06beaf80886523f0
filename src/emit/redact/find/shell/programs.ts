/** The flags of a program that take a secret. */
export interface SecretFlags {
  readonly name: RegExp;
  /** Short flags whose value is a password. */
  readonly secret?: string;
  /** Short flags whose value is `user:password`, and the character between the two. */
  readonly login?: string;
  readonly between?: string;
  /** The value may follow the flag without a space. */
  readonly glued?: boolean;
  /** Short flags without a value, which may precede the flag in one word: `-sSu`. */
  readonly plain?: string;
  /** Short flags whose value is cookies. */
  readonly cookie?: string;
  /** Word flags whose value is a password although their names do not say so. */
  readonly words?: readonly string[];
  /** Text that the command must also have before the flag, or anywhere. */
  readonly says?: RegExp;
  readonly anywhere?: RegExp;
}

const LOGIN = /\blogin\b/;
export const PROGRAMS: readonly SecretFlags[] = [
  {
    name: /(?:curl|https?|xh|aria2c|wget)/,
    login: 'uUaE',
    between: ':',
    glued: true,
    plain: '#01236BaBfgGiIjJkKlLnNOpqRsSvVZ',
    cookie: 'b',
    words: ['pass', 'tlspassword'],
  },
  { name: /(?:mysql|mariadb)[\w-]*/, secret: 'p', glued: true },
  { name: /sshpass/, secret: 'p', glued: true, plain: 'ev' },
  { name: /(?:7z(?:[ar]|zs?)?|rar|unrar)/, secret: 'p', glued: true, plain: 'h' },
  { name: /(?:unzip|zip)/, secret: 'P', glued: true },
  {
    name: /(?:docker|podman|nerdctl|helm|oras|skopeo|buildah|crane|regctl|cf|cosign|conan|ibmcloud)/,
    secret: 'p',
    glued: true,
    says: LOGIN,
  },
  { name: /az/, secret: 'p', says: LOGIN },
  { name: /az/, words: ['value'], says: /\bkeyvault\s+secret\s+set\b/ },
  { name: /aws/, words: ['value'], says: /\bssm\s+put-parameter\b/, anywhere: /\bSecureString\b/ },
  { name: /oc/, secret: 'pt', says: LOGIN },
  { name: /(?:doctl|tea)/, secret: 't', says: /\b(?:auth\s+init|login\s+add)\b/ },
  { name: /anaconda|codecov|vercel/, secret: 't' },
  { name: /openai/, secret: 'k' },
  { name: /bw/, words: ['session'] },
  { name: /slappasswd/, secret: 's' },
  { name: /knife(?:\s+winrm)?/, secret: 'P' },
  { name: /consul|serf|nomad/, words: ['encrypt'] },
  { name: /openssl/, words: ['hmac'], says: /\bdgst\b/ },
  {
    name: /(?:mongo\w*|useradd|usermod|psexec\w*|grant|influx|cqlsh|clickhouse-client|couchbase-cli|rabbitmqadmin|snowsql|nxc|crackmapexec|evil-winrm|hydra|kafka\S*|cypher-shell|twine|poetry|altool|steghide|veracrypt|elasticsearch-users|winrm|rdesktop)/,
    secret: 'p',
    glued: true,
  },
  { name: /doveadm/, secret: 'p', says: /\bpw\b/ },
  { name: /heroku/, secret: 'p', says: LOGIN },
  { name: /drone/, words: ['data'], says: /\bsecret\b/ },
  { name: /redis-cli|redis-benchmark/, secret: 'a' },
  { name: /ldap\w+/, secret: 'w', glued: true, plain: 'xLvnZc' },
  { name: /ldappasswd/, secret: 's' },
  { name: /kadmin\S*/, secret: 'w' },
  {
    name: /security/,
    secret: 'pwkP',
    says: /\b(?:unlock-keychain|create-keychain|set-key-partition-list|import|add-\w+-password)\b/,
  },
  { name: /(?:sqlcmd|osql|bcp|isql)/, secret: 'P', glued: true },
  { name: /mosquitto_(?:pub|sub|rr)/, secret: 'P' },
  { name: /p4/, secret: 'P' },
  { name: /(?:smb\w+|rpcclient|net|winexe|samba-tool|wmic)/, login: 'U', between: '%', glued: true },
  { name: /lftp/, login: 'u', between: ',' },
  { name: /ipmitool/, secret: 'P' },
  { name: /ssh-keygen/, secret: 'NP' },
  { name: /snmp\w+/, secret: 'AXc' },
  { name: /xfreerdp/, secret: 'p', glued: true },
  { name: /openssl/, secret: 'kK', says: /\benc\b/ },
  { name: /(?:dotnet|nuget)/, secret: 'pk', says: /\b(?:push|source)s?\b/ },
  { name: /(?:gpg2?)$/ },
  { name: /gh/, secret: 'b', glued: true, words: ['body'], says: /\bsecret\s+set\b/ },
  { name: /(?:glab|eas)/, secret: 'v', words: ['value'], says: /\b(?:variable\s+(?:set|update)|secret:create)\b/ },
  { name: /caddy/, secret: 'p', words: ['plaintext'], says: /\bhash-password\b/ },
  { name: /(?:sendemail|swaks)/, words: ['xp', 'ap'] },
  { name: /pdftotext|pdftoppm|pdfinfo/, words: ['upw', 'opw'] },
  { name: /mvn/, words: ['ep', 'emp'] },
  { name: /plink|pscp|psftp|putty|kadmin\S*/, words: ['pw'] },
];
const WORDS = new Set(PROGRAMS.flatMap(({ words = [] }) => words));
export const isWordFlag = (name: string): boolean => WORDS.has(name);
/** The letters that are a secret flag of any program. */
const LETTERS = new Set(
  PROGRAMS.flatMap(({ secret = '', login = '', cookie = '' }) => [...secret, ...login, ...cookie]),
);
export const isShortFlag = (name: string): boolean => [...name].some((letter) => LETTERS.has(letter));
