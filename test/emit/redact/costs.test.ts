import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFinder } from '../../../src/emit/redact/find/find.js';
import { BARE, MARKED } from '../../../src/emit/redact/find/table.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { MaskedStream } from '../../../src/emit/redact/stream.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-cost-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
let redactor = createRedactor({ keyFile });

/** Near misses of every shape: what repeats and never is one, or is one at every turn. */
const HOSTILE: Readonly<Record<string, string>> = {
  letters: 'a',
  jwt: 'eyJ',
  'jwt parts': 'eyJaaaaaaaa.',
  'jwt after dashes': '-eyJ',
  prefix: 'sk-',
  'long prefix': 'ghp_',
  'slack prefix': 'xoxb-',
  'aws prefix': 'AKIA',
  'zeros of a picture': 'EAAA',
  'sendgrid parts': 'SG.aaaaaaaaaaaaaaaa.',
  'open quote': 'password="',
  'other quote': "password='",
  'quote in JSON': '\\"password\\":\\"',
  names: `${'x'.repeat(99)}=`,
  'long names': 'x.y-z_',
  colons: ':',
  equals: 'a=',
  urls: '://a',
  'url of many ats': 'a@://',
  'url of many colons': '://a:b:',
  flags: ' --password',
  'short flags': ' -p',
  'mysql flags': ' mysql -p',
  'curl flags': 'curl -u ',
  headers: 'Authorization: ',
  cookies: 'Cookie: a=',
  'headers of parameters': 'Authorization: A b="',
  'headers with blanks': 'Authorization: A      ',
  'folded headers': 'Authorization: Bearer\r\n ',
  'folded lines of a header': 'Authorization: a1,\r\n ',
  'cookies in quotes': 'Cookie: a="b"; ',
  elements: '<password>',
  'open calls': 'TOKEN=a(',
  indexes: 'password[0]=',
  basic: 'Basic ',
  netrc: 'login a password ',
  sql: "IDENTIFIED BY '",
  'private keys': '-----BEGIN PRIVATE KEY-----',
  'private keys with a body': `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(64)}\n`,
  backslashes: '\\',
  quotes: '"',
  dashes: '-',
  underscores: '_',
  spaces: ' ',
  'many lines': 'token:\n',
  'many lines, written': 'token:\\n',
  blocks: 'password: |\n  a\n',
  tags: 'password: !',
  'tags in tags': 'password: !a!',
  'open blocks': '  password: |\n',
  'blocks in blocks': 'password: |\n   password: |\n',
  'triple quotes': 'password="""',
  pipes: 'echo a | sudo -S ',
  'pipes alone': '| ',
  documents: 'sudo -S <<EOF\n',
  'here-strings': 'sudo -S <<< ',
  settings: 'set -x ',
  'settings of names': 'config set token ',
  'htpasswd flags': 'htpasswd -b -b -b ',
  vault: 'vault login -a ',
  nmcli: 'nmcli a b c ',
  sentences: 'password of ',
  'sentences that go on': 'the password for the admin is now ',
  values: 'value:',
  'names and values': 'name:token,value:',
  'open braces': '{value:',
  'open elements': '<value>',
  'pairs of words': '"token","token",',
  pgpass: 'a:5432:a:a:',
  addresses: 'a:b@tcp(',
  putty: 'Private-Lines: 9\n',
  'hashes of passwords': '$6$',
  'mysql short flags': 'mysql -u -P -p ',
  'things to send': 'send "abc1234\\r" ',
  'fields to fill': ".fill('#a', ",
  'logins in code': 'login(a, "b',
  'pairs of logins': 'auth=("a", ',
  'settings of secrets': 'vault kv put a ',
  'pairs that a command sets': ' secrets set a=b c=',
  'arguments of commands': 'nmcli a redis-cli b ',
  'flags of many programs': `\`${'docker '.repeat(20)}"${'a b c '.repeat(40)}\` ${'"docker" '.repeat(20)}${'-U x '.repeat(2000)}`,
  'flags of anybody': ' -u me -p ',
  'names at the beginning of a line': 'ENV A_PASSWORD ',
  'users of ftp': 'ftp x\nuser a b\n',
  statements: "create user a identified by '",
  'odd addresses': '://a:b/c',
  manifests: 'apiVersion: v1\ndata:\n  a: b\n',
  'manifests without an end': 'apiVersion: v1\n',
  'manifests in JSON': '"apiVersion":"v1","data":{"a":"b"',
  'values in JSON': '"data": {',
  'many backslashes': 'password\\\\\\\\":',
  'lines of logins': 'a:1:',
  masks: '[redacted secret hmac:0123456789abcdef] password=abcdef1 ',
  'said by a command': 'PASSWORD=$(echo ',
  'said to a command': 'sshpass -f <(echo ',
  'read into a variable': 'read PASSWORD <<< ',
  'rows of a table': "(password) VALUES ('a'), ",
  'rows that do not end': '(password) VALUES (',
  'lists of secrets': '"passwords":["a", ',
  'maps of secrets': '"passwords":{"a":"b", ',
  'lists of secrets in lines': 'passwords:\n- a\n',
  'sections of secrets': '[secrets]\na = b\n',
  'names of many secrets': 'passwords:\n',
  'codes of a grant': '?code=abc123&',
  'responses of a Digest': 'response=a\n ',
  'logins in two lines': '<auth-user-pass>\na\n',
  'passwords to send': 'expect password send ',
  prompts: 'password [a] ',
  'variables of jobs': '##vso[task.setvariable variable=token]',
  'fields of forms': 'form-data; name="password"\n\n',
  'jars of cookies': 'TRUE\t/\t',
  'values of cookies': '{name:"a",httpOnly:true,value:"a',
  'defaults of templates': '{{ password default "a',
  'values that become others': 'password = "a" -> ',
  'calls with objects': 'jwt.sign({a',
  'pieces of a word': `PASSWORD='a'\\''`,
  'pieces that do not end': 'TOKEN=a$(b',
  'words of expansions': 'TOKEN=a$(b)',
  'names in one word': 'token=$x',
  'variables in one word': `password=$${'{A}'}`,
  'names and signs in one word': 'password:$A_1',
  'options in one word': '--token=$x',
  colours: '\u001b[1mpassword:\u001b[0m abc12345\n',
  'colours that do not end': '\u001b]8;;a',
  'written escapes': '\\e',
  formats: "printf 'password=%s' ",
  'formats of many places': "printf '%s%s%s%s' a b c d ",
  'rows of bars': '| password | ',
  'rows of commas': 'password,a\n',
  'rows of quotes': 'password  "\\"\\"}\n',
  'one row': 'password  ',
  'quotes of a .netrc': 'login a password "',
  fields: "('#password').val('",
  fallbacks: "getenv('A_TOKEN') or ",
  'lines with stars': 'a * b1c2d3e4 ',
  'pairs of quotes': '"a" "b',
  replacements: "sed 's/token/",
  'two lines of a login': '--auth-user-pass <(printf a ',
  'keys that break': `-----BEGIN PRIVATE KEY-----\n${'A'.repeat(20)}{`,
};

/** Microseconds of the processor. */
function cost(text: string): number {
  const before = process.cpuUsage();
  redactor.text(text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** Below 16,384 characters a text is remembered, and costs nothing the second time. */
const text = (part: string, kilobytes: number): string =>
  Buffer.from(part.repeat(Math.ceil((kilobytes * 1000) / part.length))).toString();

/** Whether `many` costs `times` what `few` does, in KB. What costs no more than `times` the floor, in milliseconds, costs next to nothing. */
function grows(part: string, few: number, many: number, times: number, floor: number): boolean {
  const large = cost(text(part, many));
  if (large < times * floor * 1000) return false;
  // What else the machine does only adds: the least of two, and of the large one a second only where the first was too much.
  const most = times * Math.max(Math.min(cost(text(part, few)), cost(text(part, few))), floor * 1000);
  return large >= most && cost(text(part, many)) >= most;
}

test.each(Object.entries(HOSTILE))('a text of 160 KB costs at most a few times four of 40 KB: %s', (_, part) => {
  // Quadratic would be 9 times, and 16. The first costs a third to measure, and is as strict; where it is too much, by chance or because
  // something looks so far for an end, the second decides.
  expect(grows(part, 20, 60, 5, 1.85) && grows(part, 40, 160, 11, 6)).toBe(false);
});

const OWN_NAMES: readonly string[] = [
  ...[
    '"user":[',
    '"user":{"a":',
    '"user":[1,2,',
    '"user":["a"],',
    '"user":\n',
    'user:\n',
    ' user:\n',
    'user:\n  - a\n',
    'user: |\n a\n',
  ],
  ...[
    '<user>',
    '\n<user>',
    '<user>a</user>',
    '<user><![CDATA[',
    '--user "',
    "--user 'a\n",
    '--user "a b" ',
    '--user $(',
    '--user USER ',
  ],
  ...[
    'user: "',
    "user: '",
    'user: "\\"\n',
    'user=(',
    'user=a',
    'user = a b\n',
    'user: a b ',
    'user: (a ',
    'user: a)))',
  ],
  ...[
    'user: {x y\n',
    'user: {x y ',
    'user: [a\n',
    'user: [/*',
    'user: {{ a ',
    'user: {a: ',
    'user => {"a" ',
    '\\"user\\":\\"',
  ],
  ...['{"id":1,"user":{"id":1,"t":["a","b"...\n', 'user: a\n  b\n'],
  ...[
    '+user: a\n',
    '-user:\n',
    '1:user: [\n',
    '# user: [\n',
    '[user]\na = "b"\n',
    '&lt;user&gt;a',
    '<user a="b"/>',
    '? user\n: a\n',
  ],
  ...['user::', 'user: str = "', 'user: str | ', 'user: {{ "', 'a.user.', '?user={a}', 'user={', 'user: a<b> = "'],
];

test('a text that is made of names of the user costs at most a few times what a third of it does, or what closed lists do', () => {
  const machine = redactor;
  redactor = createRedactor({ keyFile, keys: ['user'], shapes: false });
  const least = (part: string, times: number): number =>
    Math.min(...Array.from({ length: times }, () => cost(ofLength(part))));
  const usual = Math.max(least('"user":[1],', 5), 10_000);
  const costly = OWN_NAMES.filter(
    (part) =>
      (grows(part, 20, 60, 5, 2.5) && grows(part, 40, 160, 11, 6)) ||
      (least(part, 1) > 20 * usual && least(part, 3) > 20 * usual),
  );
  redactor = machine;
  expect(costly).toEqual([]);
});

/** A text that the beginning of a shape matches: `gh[opsur]_`. */
const exampleOf = (source: string): string =>
  source
    .replace(/\(\?:([^()|]*)(?:\|[^()]*)?\)\??/g, '$1')
    .replace(/\[\\?(.)[^\]]*\]\{(\d+)(?:,\d+)?\}/g, (_, one: string, times: string) => one.repeat(Number(times)))
    .replace(/\[\\?(.)[^\]]*\]\??/g, '$1')
    .replace(/\\d/g, '1')
    .replace(/\\w/g, 'a')
    .replace(/\\(.)/g, '$1');

/** Of those, and of all that a value is written with, a text can be full: zeros in base64 are a run of `A`. */
const RUNS: readonly string[] = [
  ...new Set([
    ...[...MARKED, ...BARE].map(([, before]) => exampleOf(before)).flatMap((one) => [one, `${one} `, one.slice(-1)]),
    ...Object.values(HOSTILE),
    ...Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i)),
    ...['\n', '\t', '\r\n', '\\n', '…', 'é', 'A=', '=A', 'A%', '%3D', 'A/', 'A.', 'A:', 'A-', 'A_', '%41', '\\u0041'],
    ...['Bearer ', 'bearer:', 'password ', 'password', 'token ', 'secret ', '--token ', ' -u a:', '-u ', '{"', '\\"'],
    ...['"a":', '<(', '<<', '<<<', '$(', '${', '}}', '|| ', '&& ', '-- ', '; ', '](', '::', '0x', 'AAAA%'],
  ]),
];
const LONG = 60_000;
/** A microsecond or two a character is the most that anything may cost, and 15 to 30 nanoseconds is what prose costs. */
const MOST = 160;
/** Of a run of a character or two, as pictures have them. */
const MOST_OF_RUN = 50;
const ofLength = (part: string, length = LONG): string => part.repeat(Math.ceil(length / part.length)).slice(0, length);

test.each([
  ['', []],
  [', also where each is a name of the user', ['password', 'token', 'x.y-z_', 'authorization', 'cookie', 'basic']],
])('no run of what secrets are written with costs many times what as much prose costs%s', (_, keys) => {
  redactor = createRedactor({ keyFile, keys });
  const prose = ofLength(
    'The quick brown fox jumps over the lazy dog, and then it rests for a while under the old tree. ',
  );
  const usual = (): number => Math.max(Math.min(...Array.from({ length: 5 }, () => cost(prose))), 600);
  const first = usual();
  const times = (part: string, least = first): number => cost(ofLength(part)) / least;
  // What else the machine does only adds.
  const costly = RUNS.flatMap((part) => {
    const most = new Set(part).size < 3 ? MOST_OF_RUN : MOST;
    // What grows with the square costs nine times as much in three times the length: most are far below even then.
    if (9 * cost(ofLength(part, LONG / 3)) < most * first) return [];
    // Of what is compiled anew in between, too, and both slow down beside others: what truly costs as much does so each time.
    let least = times(part);
    for (let again = 0; again < 12 && least >= most; again++) least = Math.min(least, times(part, usual()));
    return least < most ? [] : [`${JSON.stringify(part)}: ${least.toFixed(0)} times`];
  });
  expect(costly).toEqual([]);
});

/** Outputs that arrive in pieces, in which a value of a name of the user, or a secret, is never ended. */
const STREAMS: Readonly<Record<string, readonly [head: string, part: string]>> = {
  'an open list': ['"iban": [\n', 'abc '],
  'an open list of texts': ['"iban": [', '"abc", '],
  'an open text in a list': ['"iban": ["', 'abc '],
  'an open object': ['"iban": {"a": ', 'abc '],
  'an open element': ['<iban>', 'abc '],
  'open parentheses': ['iban=(\n', 'abc '],
  'an open quote': ['password="', 'abc '],
  'a block': ['iban: |\n  ', 'abc '],
  prose: ['', 'abc '],
};

test.each(Object.entries(STREAMS))('of pieces, each is read a bounded number of times: %s', (_, [head, part]) => {
  const finder = createFinder(() => true, [], new Set(['iban']));
  let read = 0;
  const find = (text: string): ReturnType<typeof finder.find> => {
    read += text.length;
    return finder.find(text);
  };
  const readOf = (length: number, size: number): number => {
    const stream = new MaskedStream({ ...finder, find });
    const text = head + ofLength(part, length);
    read = 0;
    for (let at = 0; at < text.length; at += size)
      stream.push(text.slice(at, at + size), (one, from, to) => one.slice(from, to));
    return read / text.length;
  };
  for (const size of [50, 256, 4096])
    for (const length of [40_000, 160_000]) expect(readOf(length, size), `${length} by ${size}`).toBeLessThan(12);
});
