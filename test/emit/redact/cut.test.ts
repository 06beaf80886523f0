import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { beginning } from '../../../src/emit/redact/part.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { type Canonical, canonical, headOf } from '../../../src/host/alarms/canonical.js';
import { shortReason } from '../../../src/host/alarms/words.js';
import { createSpill } from '../../../src/host/call/large-output.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-cut-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'] });

const many = (one: (i: number) => string, between: string): string =>
  Array.from({ length: 4000 }, (_, i) => one(i)).join(between);
const value = (i: number): string => `DE12${i}`;
/** Long values of a name of the user, whose end is far away. */
const LONG: Readonly<Record<string, string>> = {
  'an element': `<r>\n<iban>\n${many((i) => `<v>${value(i)}</v>`, '\n')}\n</iban>\n</r>`,
  'an element of one text': `see <iban>${many(value, ' ')}</iban>`,
  'a list of a shell': `iban=(\n${many(value, '\n')}\n)\n`,
  'a list in JSON': `{"iban":[\n${many((i) => `"${value(i)}"`, ',\n')}\n]}\n`,
  'a map in JSON': `{"iban":{${many((i) => `"k${i}":"${value(i)}"`, ',')}}}`,
  'a list in YAML': `iban:\n${many((i) => `  - ${value(i)}`, '\n')}\n`,
  'a quoted text': `iban: "${many(value, ' ')}"`,
};
const LENGTHS = [40, 100, 200, 300, 2000, 4096];

test.each(Object.entries(LONG))('the beginning of a value of the user is masked where we cut it: %s', (_, text) => {
  for (const most of LENGTHS) {
    const cut = beginning(text, most);
    expect(redactor.text(cut)).not.toMatch(/DE12/);
    expect(redactor.text(`it says:\n${cut} (5000 characters), and more`)).not.toMatch(/DE12/);
    expect(redactor.text(JSON.stringify({ message: cut, other: 1 }))).not.toMatch(/DE12/);
    expect(redactor.text(JSON.stringify({ what: 'pay <iban>', message: cut, other: 1 }))).not.toMatch(/DE12/);
  }
});

test.each(Object.entries(LONG))('and in previews, reasons and inputs that alarms show: %s', (_, text) => {
  const spill = createSpill(() => undefined);
  for (const cut of [spill.text(text, 's'), shortReason(text) ?? '', headOf(canonical({ a: text }) as Canonical)]) {
    expect(cut).toMatch(/…$/);
    expect(redactor.text(cut)).not.toMatch(/DE12/);
    expect(redactor.text(JSON.stringify({ a: { b: cut } }))).not.toMatch(/DE12/);
  }
  spill.clear();
});

const JOINED: readonly ((text: string) => string)[] = [
  (text) => `${text}\nno`,
  (text) => `first\n${text}\nno, said another\nand a third`,
  (text) => JSON.stringify({ reason: `${text}\nno`, other: 1 }),
  (text) => JSON.stringify({ a: JSON.stringify({ reason: `${text}\nno` }) }),
];

test.each(Object.entries(LONG))('and where the preview is joined to what other hooks say: %s', (_, text) => {
  const spill = createSpill(() => undefined);
  const cut = spill.text(text, 's');
  expect(cut).toMatch(/…$/);
  for (const join of JOINED) {
    expect(redactor.text(join(cut))).not.toMatch(/DE12/);
    if (text.includes('<iban>')) expect(redactor.text(join(cut))).toMatch(/no\b/);
  }
  spill.clear();
});

test('a value that begins behind its tag is masked up to the sign of the cut, whatever is written behind that', () => {
  for (const behind of [
    '',
    '\nnext',
    ' and more',
    ' (+5 more)',
    ', more',
    ';',
    ')',
    ']',
    "'",
    '`',
    '  in session',
    '</td>',
  ])
    for (const before of ['', 'a ', '(', '[', "'", '`', '1 | ']) {
      const text = `${before}<iban>DE12 34…${behind}`;
      expect(redactor.text(text), text).not.toMatch(/DE12/);
    }
});

test.each([
  `Usage: deploy <iban> [options]\n${'A line.\n'.repeat(500)}Loading …\nDone.\n`,
  `pay <iban> first\n${'a line of output\n'.repeat(100)}Loading …\n`,
  'run with <iban> and wait… then go',
  'pay <iban>\n…\nlast',
  'pay <iban>\nmore text here\n… and so on\nlast',
  'const a = "<iban>";\nconst b = "Loading…";\n',
  JSON.stringify({ a: 'pay <iban>', b: 'Loading…', c: 'pay <iban> and wait… for it' }),
  JSON.stringify({ a: 'see "<iban>" and "Loading…" or so' }),
])('an ellipsis that is part of a text cuts nothing off: %s', (text) => {
  expect(redactor.text(text)).toBe(text);
});
