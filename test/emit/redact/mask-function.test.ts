import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { fire, RUN } from '../samples.js';
import { PEM, SAMPLES } from './secrets.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-function-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyFile = join(folder, 'redact.key');
const HOME = '/home/kim';
const mask = (value: string): string => value.replaceAll(HOME, '~');
const redactor = createRedactor({ keyFile, mask, keys: ['iban'], paths: ['input.tool_input.at'], patterns: [/DE\d+/] });
const plain = createRedactor({ keyFile });

const stored = (tool_input: unknown): Record<string, unknown> =>
  (redactor.redact(fire(1, { input: { tool_input } as never })) as never as { input: { tool_input: never } }).input
    .tool_input;

describe('a text that the function changes', () => {
  test.each(SAMPLES)('has its secrets masked like any other: $shape', ({ text, secret }) => {
    const masked = redactor.text(`${HOME}/a\n${text}`);
    expect(masked).not.toContain(secret);
    expect(masked).toBe(`~/a\n${plain.text(text)}`);
  });

  test('has the values of names, paths and patterns masked', () => {
    const masked = stored({ iban: `${HOME}/1`, at: `${HOME}/2`, c: `${HOME} DE123`, d: `${HOME} iban=42` });
    expect(masked).toEqual({
      iban: expect.stringMatching(/^\[redacted /),
      at: expect.stringMatching(/^\[redacted /),
      c: expect.stringMatching(/^~ \[redacted /),
      d: expect.stringMatching(/^~ iban=\[redacted /),
    });
  });

  test('is asked about once, and masked alike wherever it is the same', () => {
    let asked = 0;
    const twice = createRedactor({
      keyFile,
      mask(value) {
        asked++;
        return `${value} password=hunter22`;
      },
    });
    const record = fire(1, { input: { tool_input: { a: 'x', b: 'x' } } as never });
    const { a, b } = (twice.redact(record) as never as { input: { tool_input: Record<string, string> } }).input
      .tool_input;
    expect(a).toMatch(/^x password=\[redacted [^\]]*\]$/);
    expect(b).toBe(a);
    asked = 0;
    twice.text('y');
    expect(asked).toBe(1);
  });

  test.each(['[redacted]', '[redacted by kim: password=hunter22]'])('is kept where it is %s as a whole', (said) => {
    expect(createRedactor({ keyFile, mask: () => said, patterns: [/kim/] }).text('x')).toBe(said);
  });
});

test('in output that arrives in pieces, too, also where a secret is in several', () => {
  const lines = `${HOME}/a password=hunter22 b\n${HOME}/c ${PEM}\n${HOME}/d\n`;
  for (const size of [1, 20, 64, 4000]) {
    const run = { ...RUN, hookId: `function-${size}` };
    const pieces = lines.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    const out = pieces
      .map((stdout) => redactor.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')))
      .map((record) => (record as { stdout?: string }).stdout)
      .join('');
    expect(out).not.toContain('hunter22');
    for (const line of PEM.split('\n').slice(1, -1)) expect(out, `by ${size}`).not.toContain(line);
  }
});

test.each([
  ['- name: DB_PASSWORD\n', `  value: hunter22 # ${HOME}\n`],
  ['password: |\n', `  hunter22x ${HOME}\n`],
  ['passwords:\n', `  - hunter22x # ${HOME}\n`],
  ['<key>password</key>\n', `<string>hunter22</string> <!-- ${HOME} -->\n`],
  ['kind: Secret\ndata:\n', `  key: aHVudGVyMjI= # ${HOME}\n`],
  ['iban:\n', `  - hunter22 # ${HOME}\n`],
])('in output, what the lines before make a secret stays one: %j', (...pieces) => {
  const run = { ...RUN, hookId: `lines-${pieces[0]}` };
  const out = [...pieces, 'other: 1\n']
    .map((stdout) => redactor.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')))
    .map((record) => (record as { stdout?: string }).stdout)
    .join('');
  expect(out).not.toMatch(/hunter22|aHVudGVyMjI/);
  expect(out).toContain('[redacted ');
});

/** What functions do, and what they hide of `CONFIDENTIAL: … of Kim is 9000 EUR`. */
const FUNCTIONS: [string, (value: string) => unknown, RegExp][] = [
  ['replaces a line', (v) => v.replace(/^.*CONFIDENTIAL.*$/gm, '[hidden]'), /Kim|9000 EUR/],
  ['replaces it all', (v) => (v.includes('CONFIDENTIAL') ? '[redacted by us]' : undefined), /Kim|9000 EUR/],
  ['replaces across a secret', (v) => v.replace(/CONFIDENTIAL.*is \d+/s, '[hidden]'), /Kim|9000 EUR/],
  ['cuts it off', (v) => v.slice(0, 5), /Kim|9000 EUR/],
  ['hides a name', (v) => v.replaceAll('Kim', '***'), /Kim/],
  ['puts it in tags', (v) => `<data>${v}</data>`, /^(?!<data>)/],
  ['writes it larger', (v) => v.toUpperCase(), /Kim/],
  ['writes the first letter larger', (v) => v[0]?.toUpperCase() + v.slice(1), /^[a-z]/],
  ['adds a secret', (v) => `${v} TOKEN=Zq8xK2mN5pQ8sT1v`, /Zq8xK2mN/],
  [
    'throws',
    (v) => {
      if (v.includes('CONFIDENTIAL')) throw new Error('no');
    },
    /Kim|9000 EUR/,
  ],
  ['answers with a promise that fails', async () => Promise.reject(new Error('no')), /Kim|9000 EUR|object/],
  ['answers with an object', () => ({}), /Kim|9000 EUR|object/],
  ['answers with null', () => null, /Kim|9000 EUR|null/],
];

describe.each(FUNCTIONS)('a function that %s', (_, own, shown) => {
  const asked: string[] = [];
  const made = createRedactor({
    keyFile,
    mask: (value) => {
      asked.push(value);
      return own(value) as string;
    },
  });
  const lines = SAMPLES.filter(({ text }) => !/\n/.test(text) && text.length < 400).map(({ text, secret }) => ({
    secret,
    line: `CONFIDENTIAL: ${text} and the salary of Kim is 9000 EUR`,
  }));
  const places: [string, (line: string) => readonly [string, Record<string, unknown>]][] = [
    ['a text', (line) => [made.text(line), {}]],
    [
      'a field',
      (line) => {
        const record = made.redact(fire(1, { input: { tool_input: { note: line } } as never }));
        return [
          (record as never as { input: { tool_input: { note: string } } }).input.tool_input.note,
          record as never,
        ];
      },
    ],
    [
      'an argument',
      (line) => {
        const record = made.redact(fire(1, { input: { tool_input: { args: ['sh', '-c', line] } } as never }));
        return [
          (record as never as { input: { tool_input: { args: string[] } } }).input.tool_input.args[2] as string,
          record as never,
        ];
      },
    ],
    [
      'a piece',
      (line) => {
        const record = made.redact(
          progressRecord(
            { ...RUN, hookId: String(Math.random()) },
            { stdout: `${line}\n` },
            1,
            '2025-01-31T09:15:01.500Z',
            'h',
          ),
        );
        return [(record as never as { stdout: string }).stdout, record as never];
      },
    ],
  ];

  test.each(places)('is asked once about %s, never sees a known secret, and what it hides is hidden', (_place, put) => {
    expect(lines.length).toBeGreaterThan(40);
    for (const { line, secret } of lines) {
      asked.length = 0;
      const [masked, record] = put(line);
      const about = asked.filter((one) => one.includes('CONFIDENTIAL'));
      expect(about, line).toHaveLength(1);
      expect(about[0]).not.toContain(secret);
      expect(masked.includes(secret), masked).toBe(false);
      expect(masked.replace(/\[redacted [\w-]+ hmac:\w+\]/g, ''), line).not.toMatch(shown);
      if (Object.keys(record).length > 0 && masked !== line) expect(record['redacted']).toBeDefined();
    }
  });
});

test.each([',', ' ', '","', ') (', '|', '&', '/', '-', '.', '%20', '，'])(
  'gets whole values of a long line in pieces, with %j between them',
  (between) => {
    const numbers = createRedactor({ keyFile, mask: (v) => v.replace(/cust_\d{10}/g, '***') });
    const line = Array.from({ length: 3000 }, (_, i) => `cust_${1_000_000_000 + i}`).join(between);
    for (const size of [1000, 4096, 7777, 20_000, 100_000]) {
      const run = { ...RUN, hookId: `long-${between}-${size}` };
      const out = (`${line}\n`.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [])
        .map((stdout) => numbers.redact(progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')))
        .map((record) => (record as { stdout?: string }).stdout)
        .join('');
      expect(out, `by ${size}`).not.toContain('cust_');
      expect(out.split('***')).toHaveLength(3001);
    }
  },
);

test('does not get whole what stands in two lines, nor a value with blanks in a long line', () => {
  const names = createRedactor({ keyFile, mask: (v) => v.replace(/Kim\s+Possible/g, '***') });
  const shown = (name: string, pieces: readonly string[]): string =>
    pieces
      .map((stdout) =>
        names.redact(progressRecord({ ...RUN, hookId: name }, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')),
      )
      .map((record) => (record as { stdout?: string }).stdout)
      .join('');
  expect(shown('together', ['Kim\nPossible\n'])).toBe('***\n');
  expect(shown('lines', ['Kim\n', 'Possible\n'])).toBe('Kim\nPossible\n');
  const long = shown('long', ['Kim Possible,'.repeat(2000), '\n']);
  expect([long.split('***').length - 1, long.split('Kim Possible').length - 1]).toEqual([1999, 1]);
});

test('a piece of a chosen output is masked, whatever the record before was', () => {
  const chosen = createRedactor({ keyFile, paths: ['stdout', 'output'] });
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  chosen.redact(fire(1, { input: { tool_input: cycle } as never }));
  const { stdout, output } = chosen.redact(
    progressRecord(RUN, { stdout: 'private\n' }, 1, '2025-01-31T09:15:01.500Z', 'h'),
  ) as unknown as Record<string, string>;
  expect([stdout, output].join()).not.toContain('private');
});

test('is not asked about a piece of which nothing is shown yet', () => {
  const tags = createRedactor({ keyFile, mask: (v) => `<data>${v}</data>` });
  const out = ['password: |\n  hunter', '22Zq8\nok\n'].map(
    (stdout) =>
      tags.redact(progressRecord({ ...RUN, hookId: 'tags' }, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h')) as {
        stdout?: string;
      },
  );
  expect(out[0]?.stdout).toBe('');
  expect(out[1]?.stdout).toMatch(/^<data>password: \|\n {2}\[redacted [^\]]*\]\nok\n<\/data>$/);
});
