import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { HookProgress } from '../../../src/emit/record.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { RUN } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-no-less-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban', 'user'] });
const shown = (text: string): string => text.replace(/\[redacted [^\]]*\]/g, '█');

let runs = 0;
function inPieces(pieces: readonly string[]): string {
  const run = { ...RUN, hookId: `no-less-${++runs}` };
  return pieces
    .map((stdout) => redactor.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')))
    .map((record) => (record as HookProgress).stdout)
    .join('');
}

const json = JSON.stringify;
/** Each part of a value. */
const PART = /zqA|Bzq|zq\d/;

/** Lists of a name of the user, whose items are in several lines, in one, and more than a line can hold. */
const ITEMS = Array.from({ length: 40 }, (_, i) => `DE89370400zq${i}`);
const LISTS = ['iban=(', 'export iban=(', '+iban=(', 'iban: [', 'iban = [', '- iban: [', '  "iban": ['].flatMap(
  (head) =>
    [2, 3, 40].flatMap((count) =>
      (head.endsWith('(') ? ['\n', '\n  '] : [',\n', ',\n  ', ', ']).map((between) => {
        const items = ITEMS.slice(0, count).join(head[0] === '+' && between === '\n' ? '\n+' : between);
        return `${head}${items}${head.endsWith('(') ? `\n${head[0] === '+' ? '+' : ''})` : ']'}\nx: 1\nend\n`;
      }),
    ),
);

test.each(LISTS)('each item of a list of a name of the user is masked, whole and in pieces: %j', (text) => {
  expect(redactor.text(text)).not.toMatch(PART);
  for (const size of [1, 7, 20, 22, 50, 300, 5000])
    expect(inPieces(text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []), `by ${size}`).not.toMatch(PART);
  expect(inPieces(text.match(/[^\n]*\n/g) ?? []), 'by lines').not.toMatch(PART);
});

interface Writing {
  /** The signs in the middle of a value which end it nowhere here. */
  readonly signs: string;
  readonly values?: readonly [string, string];
  readonly texts: readonly ((value: string, name: string) => string)[];
}

const WORDS = ['zqAcorrect', 'BatteryBzq'] as const;
const DIGITS = ['zqA7xK2', 'mQ9tBzq'] as const;
const WRITINGS: Readonly<Record<string, Writing>> = {
  'queries and forms': {
    signs: ',[]{}!$*+-./:?@^_~#%',
    texts: [
      (value, name) => `https://h/p?${name}=${value}`,
      (value, name) => `https://h/p?a=1&${name}=${value}&b=1`,
      (value, name) => `curl -d 'user=bob&${name}=${value}' https://h/\n`,
      (value, name) => `jdbc:mysql://h/db?user=root&${name}=${value}&useSSL=false`,
      (value, name) => json({ url: `https://h/cb?code=1&${name}=${value}` }),
    ],
  },
  'words behind a backslash or a quote': {
    signs: '\\"',
    values: ['zqAcorrectHorse', 'gattleBzq'],
    texts: [
      (value) => `curl -H 'X-Api-Key: ${value}' https://h\n`,
      (value, name) => `login failed with ${name}: ${value} for bob\n`,
      (value, name) => `{${name}: ${value}}\n`,
      (value, name) => `${name}: ${value}, user: bob\n`,
      (value, name) => `${name}: ${value} # old\n`,
    ],
  },
  'quoted commands': {
    signs: '{}',
    texts: [
      (value, name) => json({ command: `${name}=${value} ./deploy.sh` }),
      (value, name) => json({ msg: `${name}=${value} for bob` }),
      (value, name) => `sh -c "${name}=${value} npm start && rm -rf build"\n`,
      (value, name) => `ssh h '${name}=${value} ./run.sh'\n`,
    ],
  },
  'an open bracket in a text in brackets': {
    signs: '([',
    values: DIGITS,
    texts: [
      (value, name) => `{ ${name}: ${value} }\n`,
      (value, name) => `${name}: ${value}\n  )]\n`,
      (value, name) => `(${name}: ${value} f)\n`,
    ],
  },
};

test.each(Object.entries(WRITINGS))(
  'no sign in a value leaves part of it in clear: %s',
  (_, { signs, values, texts }) => {
    const left: string[] = [];
    for (const [before, behind] of values === undefined ? [WORDS, DIGITS] : [values])
      for (const sign of signs)
        for (const name of ['password', 'token', 'secret', 'client_secret', 'access_token'])
          for (const write of texts) {
            const text = write(before + sign + behind, name);
            if (PART.test(redactor.text(text))) left.push(shown(redactor.text(text)));
          }
    expect(left).toEqual([]);
  },
);

test('a value of a name of the user in Markdown is masked to the end of its line, whatever sign it begins with or holds', () => {
  for (const value of [
    '!zqA',
    '&zqA',
    '$zqA Bzq',
    'Bob{zqA',
    '"a" zqA',
    '[zqA, Bzq]',
    "'a', zqA",
    'f(zqA) Bzq',
    '{{zqA}}',
  ])
    for (const mark of ['*', '**'])
      expect(shown(redactor.text(`${mark}iban:${mark} ${value}\nend\n`))).toBe(`${mark}iban:${mark} █\nend\n`);
});

test.each([
  ['sh -c "DB_PASSWORD=aB3x{cd9f npm start && rm -rf build"', 'sh -c "DB_PASSWORD=█ npm start && rm -rf build"'],
  ['DB_PASSWORD=sha1("x")aB3xcd9f\n', 'DB_PASSWORD=█\n'],
  ['ADMIN_PASSWORD="#new-password"\n', 'ADMIN_PASSWORD="█"\n'],
  ['{"password":"#super-secret"}', '{"password":"█"}'],
  ['DB_PASSWORD=>aB3xcd9f>rT4nB8vC\n', 'DB_PASSWORD=█\n'],
  ['iban=(DE12345\nDE90\n)\n', 'iban=(█\n█\n)\n'],
  ['iban: [DE12345,\nDE90]\n', 'iban: [█,\n█]\n'],
  ['char iban[5]="DE12"', 'char iban[5]="█"'],
  ['api_key: 1234567_890\n', 'api_key: █\n'],
  ['secret_key: 123_456_789_012\n', 'secret_key: █\n'],
  ...[
    ...['MAX_TOKEN = 65_536\n', 'const token = encrypt("aes-256-cbc", data)\n', 'secret = md5("v1:cache-key")\n'],
    ...['TOKEN=$E2E_K8S_TOKEN', '"Authorization: Bearer $E2E_K8S_TOKEN"', 'DB_PASSWORD="$K8S_E2E_DB_PASSWORD"'],
    ...['mysql -p $B2B_E2E_PASSWORD', 'x --password=$K8S_E2E_PW', 'password: $e2e_k8s_pw1a\n'],
    ...['a ? user[0] : fallback;\n', 'case user[1]: return 5\n', '{user[0]: 5}', 'f(user[0] = 1)\n'],
  ].map((kept) => [kept, kept]),
])('what is around a value is kept: %j', (text, expected) => {
  expect(shown(redactor.text(text))).toBe(expected);
});
