import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { generated, isTried, randomFrom, SEED } from '../../seed.js';
import { fire } from '../samples.js';
import { CHOSEN, CLASSES, leftOf, PASSWORD_HASHES, QUOTED, spelled } from './classes.js';
import { IDIOMS } from './idioms.js';
import { ORDINARY } from './ordinary.js';
import { BY_LOOK } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-classes-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key') });

/** As it is, as JSON writes it, once and twice, and between other lines. */
const AROUND: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify({ command: text }),
  (text) => JSON.stringify({ body: JSON.stringify({ command: text }) }),
  (text) => `ok\n${text}\nok\n`,
];

describe.each(Object.entries(CLASSES))('the secret is masked of %s', (_, spellings) => {
  test.each(spellings.map((spelling, i) => [spelling, i] as const))('%s', (spelling, i) => {
    const all = spelled(spelling, [...CHOSEN, ...QUOTED]);
    for (const [j, { text, secret }] of all.entries())
      for (const [k, around] of AROUND.entries()) {
        if (all.length > 1 && !isTried(2, i, j, k)) continue;
        const masked = redactor.text(around(text));
        if (leftOf(masked, secret) !== undefined) expect.fail(`${around(text)}\n${masked}`);
        if (redactor.text(masked) !== masked) expect.fail(`masked once: ${masked}\n${redactor.text(masked)}`);
      }
  });
});

/** What tools put before each line of a file, of a diff, of an answer, of a log. */
const BEFORE: Readonly<Record<string, (i: number) => string>> = {
  'its number and an arrow': (i) => `${String(i + 1).padStart(6)}→`,
  'its number and a tab': (i) => `${String(i + 1).padStart(6)}\t`,
  'its file and number': (i) => `src/a.txt:${i + 1}:`,
  'its file and number, as one around a match': (i) => `src/a.txt-${i + 1}-`,
  'its file': () => './config/app.conf:',
  'the sign of a diff': () => '+',
  'the other sign of a diff': () => '-',
  'the sign of an answer': () => '> ',
  'the sign of a comment': () => '# ',
  'two slashes': () => '// ',
  'a star': () => ' * ',
  'the time of a job': () => '2026-11-26T11:17:12.1234567Z ',
  'time, level and source': () => '2026-11-26 11:17:12,123 INFO [main] ',
  'what syslog writes': () => 'Nov 26 11:17:12 host app[123]: ',
  'the name of a container': () => 'web-1  | ',
  'the name of a stream': () => '[stdout] ',
};
const behind = (before: (i: number) => string, text: string): string =>
  text
    .split('\n')
    .map((line, i) => before(i) + line)
    .join('\n');

describe.each(Object.entries(BEFORE).map(([name, before], place) => [name, before, place] as const))(
  'where each line has before it %s',
  (_, before, place) => {
    const written = (lines: string, i: number): string[] =>
      [lines, JSON.stringify({ content: lines })].filter((_, form) => isTried(2, place, i, form));

    test('the secret is masked', () => {
      // Written in JSON, a line end within the line looks like one.
      for (const [i, spelling] of [CLASSES, IDIOMS].flatMap((all) => Object.values(all).flat()).entries())
        for (const { text, secret } of spelling.includes('\\n') ? [] : spelled(spelling, [CHOSEN[2]]))
          for (const all of written(behind(before, `a\n${text}\nb`), i))
            if (leftOf(redactor.text(all), secret) !== undefined) expect.fail(`${all}\n${redactor.text(all)}`);
    });

    test('ordinary text survives', () => {
      // With the sign before it, that is a flag.
      for (const [i, text] of ORDINARY.filter((text) => !/^-\w+\s+(?!=)/.test(before(0) + text)).entries())
        for (const all of written(behind(before, `a\n${text}\nb`), i))
          if (redactor.text(all) !== all) expect(redactor.text(all)).toBe(all);
    });
  },
);

test('the secret is masked whatever stands before and behind it', () => {
  const random = randomFrom(SEED);
  const all = [...Object.values(CLASSES), ...Object.values(IDIOMS)].flat().map((spelling, i) => {
    const secret = `${CHOSEN[2]}${i}q`;
    return { text: spelling.replaceAll('§', secret), secret };
  });
  for (let round = 0; round < generated(3); round++) {
    const order = all
      .map((one) => ({ one, place: random() }))
      .sort((a, b) => a.place - b.place)
      .map(({ one }) => one);
    for (let from = 0; from < order.length; from += 12) {
      const group = order.slice(from, from + 12);
      const lines = group.map(({ text }) => text).join('\n');
      for (const text of [lines, JSON.stringify({ a: lines })]) {
        const masked = redactor.text(text);
        for (const { secret } of group) if (masked.includes(secret)) expect.fail(`${secret}\n${text}\n${masked}`);
      }
    }
  }
});

test.each(PASSWORD_HASHES)('a hash of a password is masked wherever it stands: %s', (hash) => {
  for (const text of [hash, `bob:${hash}:19000:0:99999:7:::`, `it said ${hash} there`, JSON.stringify({ a: hash })])
    expect(
      leftOf(redactor.text(text), hash.slice(hash.lastIndexOf('$') + 1).replace(/^\{.*\}/, '')),
      text,
    ).toBeUndefined();
});

// Some shapes begin with any letters: of a cut text the same letters may be a word, a path or a version.
test('words and paths that were cut are no secrets', () => {
  const words =
    'authentication configurations Plugin MyOptionParser PLUGIN NODE_MODULES patternRecognized README v2Plugin'.split(
      ' ',
    );
  const masked: string[] = [];
  for (const word of words)
    for (const mark of ['_', '-', '.', '/', '~', '_v1_', '.js.'])
      for (const rest of ['option', 'index.ts', 'to', 'value_of_it', 'NAME']) {
        const text = `see ${word}${mark}${rest}… here`;
        if (redactor.text(text) !== text) masked.push(text);
      }
  expect(masked).toEqual([]);
  for (const key of [
    'Ab3dE9_a1B2ca1B2c',
    'Kq7ZtM2xRw9LbV.atlasv1.abcd',
    'MTA4Nzk0NTY3ODkwMTIzNDU2.Gx2',
    'patAb3dE9fGh2Kl5M.a1b2c3',
  ])
    expect(redactor.text(`it printed ${key}…`), key).not.toContain(key.slice(0, 6));
});

test('a secret that was cut with its text is masked, as far as it goes', () => {
  for (const { secret } of BY_LOOK.filter(({ shape }) =>
    /^(?:git|aws|slack bot|stripe|npm|jwt|google api|mailchimp)/.test(shape),
  ))
    for (let length = 14; length < secret.length; length++) {
      const cut = secret.slice(0, length);
      const masked = redactor.text(`it printed ${cut}…`);
      // Up to the end of the mark it says only what kind of secret it is.
      if (length > 36) expect(masked, cut).not.toContain(cut.slice(0, 20));
    }
});

describe('in data', () => {
  const masked = (tool_input: unknown): string =>
    JSON.stringify(redactor.redact(fire(1, { input: { tool_input } as never })));

  const SHAPES: Readonly<Record<string, (secret: string) => unknown>> = {
    'name, value': (value) => ({ name: 'API_TOKEN', value }),
    'value, name': (value) => ({ value, name: 'API_TOKEN' }),
    'key, value': (value) => ({ key: 'db_password', type: 'string', value }),
    'Name, Value': (Value) => ({ Name: 'API_TOKEN', Value }),
    'ParameterKey, ParameterValue': (value) => ({ ParameterKey: 'DBPassword', ParameterValue: value }),
    'a value within': (value) => ({ password: { value } }),
    'the environment of a container': (value) => ({
      spec: {
        containers: [
          {
            env: [
              { name: 'A', value: 'b' },
              { name: 'API_TOKEN', value },
            ],
          },
        ],
      },
    }),
    'a pair': (value) => ['x-api-key', value],
    pairs: (value) => [
      ['host', 'a'],
      ['x-api-key', value],
    ],
    'the entries of a Map': (value) => [
      ...new Map([
        ['host', 'a'],
        ['api_token', value],
      ]),
    ],
    'headers in turn': (value) => ['Host', 'a', 'X-Api-Key', value, 'Accept', '*/*'],
    'lines of headers': (value) => [`Host: a`, `X-Api-Key: ${value}`],
    'a header with its scheme': (value) => [
      ['Authorization', `Bearer ${value}`],
      ['a', 'b'],
    ],
    'arguments, apart': (value) => ['sshpass', '-p', value, 'ssh', 'host'],
    'arguments, glued': (value) => ['mysql', '-uroot', `-p${value}`, 'app'],
    'arguments, a login': (value) => ['curl', '-sS', '-u', `me:${value}`, 'https://example.com'],
    'arguments, a long flag': (value) => ['deploy', '--password', value, '--yes'],
    'a list': (value) => ({ passwords: [value, value], count: 2 }),
    'a map': (value) => ({ accessTokens: { github: value }, api_keys: value }),
    'a cookie': (value) => ({ name: 'sid', value, path: '/', httpOnly: true }),
    'a code of a grant': (code) => ({ grant_type: 'authorization_code', code }),
    'a response of a Digest': (response) => ({ nonce: 'abc', uri: '/path', response }),
    'arguments of a program in another field': (value) => ({
      command: 'mysql',
      args: ['-u', 'root', `-p${value}&1`],
    }),
    'arguments of a program with its folder': (value) => ({ argv: ['-p', value, 'ssh'], cmd: '/usr/bin/sshpass' }),
    'arguments of a program in words': (value) => ({
      program: 'docker login',
      arguments: ['--username', 'a', '-p', value],
    }),
    'arguments with places': (value) => ['htpasswd', '-b', 'file', 'bob', `${value} ${value}`],
    'arguments with places, of a program in another field': (value) => ({ command: 'vault', args: ['login', value] }),
    'what is typed into a field': (text) => ({ selector: '#password', text }),
    'what is typed into an input': (value) => ({ selector: 'form.login > input[name="password"]', value }),
    'what is typed into a described field': (text) => ({ element: 'Password field', ref: 's1e2', text, submit: true }),
    'what is typed into a field with a path': (keys) => ({ xpath: '//input[@id="api_token"]', keys }),
    'what is typed into a field on a page': (text) => ({
      elementDescription: 'Password textbox on the login page',
      text,
    }),
    'short names': (value) => ({ smtp: { user: 'a', pass: value } }),
  };
  test.each(Object.entries(SHAPES))('%s: masked at any depth, and nothing beside it', (_, shape) => {
    for (const secret of CHOSEN)
      for (const around of [
        (x: unknown) => x,
        (x: unknown) => ({ a: [{ b: [x] }] }),
        (x: unknown) => ({ list: [x, x] }),
      ]) {
        const text = masked(around(shape(secret)));
        expect(leftOf(text, secret), text).toBeUndefined();
        const beside =
          JSON.stringify(shape('§'))
            .replaceAll('§', '')
            .match(/[\w-]{3,}/g) ?? [];
        for (const word of beside) expect(text).toContain(word);
      }
  });

  test('that is ordinary is kept', () => {
    const kept = {
      lists: [
        ['password', 'username'],
        ['token', 'secret', 'key'],
        ['git', '-p', 'log'],
        ['ssh', '-p', '2222'],
      ],
      tokens: ['the', 'quick', 'brown'],
      secrets: ['DB_PASSWORD', 'api_token'],
      answers: [
        { code: 'ERR_MODULE_NOT_FOUND', state: 'failed' },
        { response: 'ok', uri: '/a' },
      ],
      fields: [
        { name: 'color', value: 'red' },
        { name: 'password', type: 'text', label: 'Password' },
        { key: 'Enter', value: 13 },
      ],
      steps: [
        { name: 'pass', value: 'fail' },
        { id: 'token', content: '' },
      ],
      typed: [
        { selector: '#email', text: 'me2you@example.com' },
        { selector: 'form#password-form > input[name="user"]', text: 'somebody1' },
        { element: 'Search field', text: 'how to reset a password' },
        { element: 'Forgot password link', text: 'Forgot your password?' },
        { description: 'Reads a token', value: '' },
      ],
      commands: [
        { command: 'ssh', args: ['-p', '2222', 'me@example.com'] },
        { command: 'docker', args: ['run', '-p', '8080:80', '-u', '1000:1000', 'image1'] },
        { command: 'vault', args: ['status', '-format=json'] },
        { path: 'src/a1.ts', args: ['login1', 'password2b'] },
      ],
    };
    const record = fire(1, { input: { tool_input: kept } as never });
    expect(redactor.redact(record)).toBe(record);
  });
});

describe('ordinary text survives', () => {
  test.each(ORDINARY)('%s', (text) => {
    for (const around of AROUND)
      if (redactor.text(around(text)) !== around(text)) expect(redactor.text(around(text))).toBe(around(text));
  });

  test('of other people: the documents of what is installed here', () => {
    const docs = readdirSync('node_modules', { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map((entry) => join('node_modules', entry.name, 'README.md'))
      .flatMap((file) => {
        try {
          return [readFileSync(file, 'utf8')];
        } catch {
          return [];
        }
      });
    const changed = docs.filter((text) => redactor.text(text) !== text);
    expect(docs.length).toBeGreaterThan(50);
    expect(changed.length / docs.length).toBeLessThan(0.03);
  });
});

test.each(['expired', 'invalid', 'incorrect', 'changed', 'char'])(
  '%s in quotes is a password, not a message',
  (word) => {
    for (const text of [`{"password": "${word}"}`, `user=me password='${word}' host=h`])
      expect(redactor.text(text)).not.toContain(word);
    expect(redactor.text(`user=me password=${word} host=h`)).toContain(word);
  },
);
