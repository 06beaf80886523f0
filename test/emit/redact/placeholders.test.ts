// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are passwords, and templates of other languages
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor, type Redactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { fire, RUN } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-placeholders-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const redactor = createRedactor({ keyFile });
const json = JSON.stringify;

function stored(by: Redactor, tool_input: unknown): string {
  const record = by.redact(fire(1, { input: { tool_input } as never })) as never as { input: { tool_input: unknown } };
  return json(record.input.tool_input);
}

/** What placeholders begin with. */
const BEGINNINGS = [
  ...[
    '$',
    '$$',
    '${',
    '$(',
    '${{',
    '{',
    '{{',
    '{{ ',
    '<',
    '<%',
    '%',
    '%s',
    '***',
    '...',
    'xxx',
    '/*',
    'your-',
    'your_',
  ],
  ...['env.', 'vars[', 'secrets.', 'process.env.', 'os.getenv(', '[redacted ', 'yes', 'none', 'true', 'example'],
];
const RESTS = ['ummer2024!', 'Zq8xK2m', 'dog-Rex99', ')Zq8xK2m', '}Zq8xK2m', 'abc***x9', '{Zq8xK2mN', '>Zq8xK2m'];
const VALUES = BEGINNINGS.flatMap((beginning) => RESTS.map((rest) => beginning + rest));

const FIELDS: Readonly<Record<string, (name: string, value: string) => unknown>> = {
  'a field': (name, value) => ({ user: 'b', [name]: value }),
  'a field within others': (name, value) => ({ a: [{ [name]: value }] }),
  'a field within the one that has the name': (name, value) => ({ [name]: { a: [value] } }),
  'beside its name': (name, value) => ({ name, value }),
  'an entry': (name, value) => [
    ['a', 'b'],
    [name, value],
  ],
};
const TEXTS: Readonly<Record<string, (name: string, value: string) => string>> = {
  JSON: (name, value) => json({ user: 'b', [name]: value }),
  'JSON in lines': (name, value) => json({ user: 'b', [name]: value }, null, 2),
  'JSON in JSON': (name, value) => json({ body: json({ [name]: value, user: 'b' }) }),
  'a list of arguments': (name, value) => json(['cmd', `--${name}`, value]),
  'an option': (name, value) => `cmd --${name}='${value}' db`,
  'an option behind a blank': (name, value) => `cmd --${name} '${value}' db`,
  'a variable': (name, value) => `${name.toUpperCase()}='${value}'`,
  'a variable that is exported': (name, value) => `export ${name.toUpperCase()}='${value}'\n`,
  'a file of variables': (name, value) => `A=1\n${name.toUpperCase()}='${value}'\nB=2\n`,
  YAML: (name, value) => `a: 1\n${name}: '${value}'\nb: 2\n`,
  'YAML in double quotes': (name, value) => `a: 1\n${name}: "${value}"\nb: 2\n`,
  PHP: (name, value) => `['${name}' => '${value}']`,
};

describe('a value that only begins like a placeholder is a secret', () => {
  test.each(Object.entries(FIELDS))('%s', (_, write) => {
    for (const name of ['password', 'client_secret', 'db_password', 'accessToken'])
      expect(VALUES.filter((value) => stored(redactor, write(name, value)).includes(json(value)))).toEqual([]);
  });

  test.each(Object.entries(TEXTS))('%s', (_, write) => {
    for (const name of ['password', 'db_password', 'passphrase'])
      expect(VALUES.filter((value) => redactor.text(write(name, value)).includes(json(value).slice(1, -1)))).toEqual(
        [],
      );
  });
});

const STAND = [
  ...['$DB_PASSWORD', '$password', '$db_token', '${DB_PASSWORD}', '${A:-${B}}', '$(cat token.txt)', '$(a $(b))', '$1'],
  ...['%DB_PASSWORD%', '{{password}}', '{{ .Values.password }}', '${{ secrets.TOKEN }}', '{password}', '{self.apiKey}'],
  ...[
    '<password>',
    '<YOUR_API_KEY>',
    '<your 32 character key>',
    '<base64 encoded>',
    '<redacted>',
    '<%= ENV.x %>',
    '%s',
  ],
  ...[
    '********',
    '***',
    '...',
    'xxxx',
    '[redacted]',
    '[REDACTED]',
    '[redacted by kim]',
    'null',
    'none',
    'yes',
    'changeme',
  ],
  ...['your-password', 'your_api_key_here', 'YOUR_TOKEN', 'your_secret_key_1', 'env.DB_PASSWORD', 'secrets.db_token'],
  ...['process.env.TOKEN', "os.environ['TOKEN']", 'vars.API_KEY', 'import.meta.env.TOKEN'],
];

test.each(STAND)('what stands for a secret as a whole is kept in data: %s', (value) => {
  for (const [form, write] of Object.entries(FIELDS))
    expect(stored(redactor, write('password', value)), form).toBe(json(write('password', value)));
  expect(redactor.text(json({ password: value }))).toBe(json({ password: value }));
});

test.each([
  '${GH:-ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6}',
  '{{ "ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6" }}',
  '$(curl -u me:hunter2222 https://h/t)',
  '[redacted by me ghp_aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6]',
])('and searched like any other text: %s', (value) => {
  for (const [form, write] of Object.entries(FIELDS))
    expect(stored(redactor, write('password', value)), form).not.toMatch(/ghp_aB3|hunter2222/);
});

test.each([
  ...['password: "{{ .Values.password | default "x" }}"', 'password: "{{ lookup("env", "DB") }}"'],
  ...["password: '{{ lookup('env', 'DB') }}'", 'PASSWORD="$password"', 'psql "password=$pgPass"'],
  ...['cmd --password "$dbPass"', 'cmd --password="${A}${B}"', 'curl -u "$user:$pass" https://a', 'apiKey: `${key}`'],
  "headers: { 'Authorization': `Basic ${Buffer.from(`${user}:${pass}`).toString('base64')}` }",
  "headers['Authorization'] = `Basic ${btoa(`${u}:${p}`)}`",
  ...['headers = {"Authorization": f"Bearer {self.token}"}', '"Authorization": "Bearer $token"'],
  ...[
    "headers: { Authorization: 'Bearer $API_TOKEN' }",
    '"Authorization": "Bearer <token>"',
    '"Authorization": "Bearer {{ token }}"',
    'passwords=("$pass1" "$pass2")',
  ],
])('what a shell or a template expands is kept: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});

describe('what the caller chose is masked whatever it says', () => {
  const chosen = createRedactor({
    keyFile,
    keys: ['note'],
    paths: ['input.tool_input.content', 'input.tool_input.all.*'],
  });
  const SAID = [
    ...[
      '/* Acme */ plan',
      '{{> header}}\nKim',
      'your offer: 95',
      '***\nMinutes',
      '<patient name="Kim"/>',
      '$(whoami) wrote',
    ],
    ...['$name = "Kim"', 'env.x = 1', 'secrets.push(1)', 'Bearer of news', 'token Kim', 'a', '[redacted by Kim] to Bo'],
  ];

  test.each([...STAND, ...SAID])('%j', (value) => {
    const isMasked = expect.stringMatching(/^\[redacted secret hmac:[\da-f]{16}\]$/);
    const input = { note: value, content: value, all: ['curl', '-u', value], in: [{ note: { a: [value] } }] };
    const all = [isMasked, isMasked, isMasked];
    expect(JSON.parse(stored(chosen, input))).toEqual({
      note: isMasked,
      content: isMasked,
      all,
      in: [{ note: { a: [isMasked] } }],
    });
    expect(stored(redactor, { note: value, content: value })).toBe(json({ note: value, content: value }));
  });

  test('numbers too; but not true, false, null and an empty text', () => {
    expect(JSON.parse(stored(chosen, { content: { a: 1, b: [true, false, null, ''] } }))).toEqual({
      content: { a: expect.stringMatching(/^\[redacted /), b: [true, false, null, ''] },
    });
  });

  test.each(Object.entries(TEXTS))('in quotes, in a text: %s', (form, write) => {
    const said = [...STAND, ...SAID].filter(
      (value) => !/['"\n]|^\[redacted/.test(value) && !(form === 'a list of arguments' && value.startsWith('$')),
    );
    expect(said.filter((value) => chosen.text(write('note', value)) === write('note', value))).toEqual([]);
  });
});

test.each([
  ...[{ keys: ['output'] }, { paths: ['output'] }, { keys: ['stdout', 'output'] }, { paths: ['stdout', 'output'] }],
])('outputs that the caller chose are masked whole, in pieces and at the end: %j', (options) => {
  const by = createRedactor({ keyFile, ...options });
  const chosen = Object.values(options).flat();
  const run = { ...RUN, hookId: json(options) };
  const records = [
    progressRecord(run, { stdout: 'plum\nkiwi\n' }, 1, '2025-01-31T09:15:01.500Z', 'h'),
    progressRecord(run, { stdout: 'figs\n' }, 2, '2025-01-31T09:15:01.600Z', 'h'),
    {
      ...progressRecord(run, { stdout: 'plum\nkiwi\nfigs\n' }, 3, '2025-01-31T09:15:01.700Z', 'h'),
      subtype: 'hook_response',
    },
  ].map((record) => by.redact(record as never) as never as Record<string, string>);
  for (const record of records)
    for (const field of chosen)
      expect([field, record[field]]).toEqual([field, expect.not.stringMatching(/plum|kiwi|figs/)]);
});
