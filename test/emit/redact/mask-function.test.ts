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
