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
