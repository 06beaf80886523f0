import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { HookProgress } from '../../../src/emit/record.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { generated, randomFrom, SEED } from '../../seed.js';
import { RUN } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-pieces-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'], shapes: false });
const shown = (text: string): string => text.replace(/\[redacted [^\]]*\]/g, '█');

let runs = 0;
function inPieces(text: string, size: number): string {
  const run = { ...RUN, hookId: `pieces-${++runs}` };
  let said = '';
  for (let at = 0; at < text.length; at += size) {
    const record = progressRecord(run, { stdout: text.slice(at, at + size) }, 1, '2025-01-31T09:15:01.500Z', 'h');
    said += (redactor.redact(record) as HookProgress).stdout;
  }
  return shown(said);
}

const random = randomFrom(SEED);
const below = (most: number): number => Math.floor(random() * most);
const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const OPENINGS = [
  ...[
    '  <iban>  the number to pay to\n',
    'Usage: pay\n  <iban>\n        the number to pay to\n',
    '<iban> is a number\n',
  ],
  ...['see iban:(below\n', 'iban=(see\n', '<iban>\n', '  <iban>  the number\n  <name>  who pays\n', 'a <iban> b\n'],
];
const LINES = ['compiled module number 12345', '  checked the file', 'at 10:00 it said "done"', '[1/2] a step', ''];

test('of an output in which nothing is masked as a whole, nothing is masked in pieces, nor left out for longer than a bounded part', () => {
  for (let i = 0; i < generated(60); i++) {
    const lines = Array.from({ length: 1 + below(700) }, () => `${one(LINES)}\n`).join('');
    const text = `first\n${one(OPENINGS)}${lines}${below(4) === 0 ? one(OPENINGS) : ''}${lines}end\n`;
    expect(shown(redactor.text(text))).toBe(text);
    const said = inPieces(text, one([1, 40, 400, 5000]) + below(9));
    expect(text.startsWith(said), said.slice(-300)).toBe(true);
    expect(text.length - said.length, text.slice(0, 60)).toBeLessThan(16_384);
  }
});

test('of a help text, each complete line is shown as soon as the next one is there', () => {
  const text = 'Usage: pay\n  <iban>  the number to pay to\n  <name>  who pays\n  --help  this text\nchecked 1 of 2\n';
  expect(inPieces(text, 7)).toBe(text);
});

const item = (): string => `DE${below(1000)}`;
const LONG: Readonly<Record<string, (count: number) => string>> = {
  elements: (count) => `<iban>\n${Array.from({ length: count }, () => `  <v>${item()}</v>\n`).join('')}</iban>\n`,
  'elements in lines': (count) =>
    `<iban>\n${Array.from({ length: count }, () => `  <v>\n${item()}\n  </v>\n`).join('')}</iban>\n`,
  'a list of a shell': (count) => `iban=(\n${Array.from({ length: count }, () => `  "${item()}"\n`).join('')})\n`,
  'a list of words': (count) => `iban=(\n${Array.from({ length: count }, () => `  ${item()}\n`).join('')})\n`,
  'a list of JSON': (count) => `{"iban": [\n${Array.from({ length: count }, () => `  "${item()}",\n`).join('')}"a"]}\n`,
  'an object of code': (count) =>
    `iban: {\n${Array.from({ length: count }, (_, i) => `  a${i}: '${item()}',\n`).join('')}}\n`,
};

test.each(Object.entries(LONG))(
  'a value is masked in pieces however long it is, and what follows it is shown: %s',
  (_, write) => {
    for (const count of [3, 200, 1500, 7000]) {
      const said = inPieces(`first\n${write(count)}a line\nend\n`, 300 + below(2000));
      expect(/.{0,30}DE\d.{0,30}/.exec(said)?.[0]).toBeUndefined();
      expect(said).toMatch(/^first\n.*a line\nend\n$/s);
    }
  },
);

test.each(['"', "'", '`'])(
  'of a quote %s that is not closed, its line is masked and what follows is shown',
  (quote) => {
    const text = `first\niban: ${quote}DE12\n${'compiled module number 12345\n'.repeat(3000)}end\n`;
    expect(inPieces(text, 400)).toBe(text.replace('DE12', '█'));
  },
);

test('an object or an element that does not end, but turns into other output, masks no more than a bounded part of that', () => {
  for (const opening of ['"iban": {\n', '"iban": ["a",\n', `<iban>\n${'<v>a</v>\n'.repeat(9000)}`]) {
    const lines = 'info: started "job"\n'.repeat(3000);
    const said = inPieces(`${opening}${lines}end\n`, 400);
    expect(said.endsWith(`${'info: started "job"\n'.repeat(2000)}end\n`), said.slice(-200)).toBe(true);
  }
});

const PAGE = '<p class="a">A line of a page</p>\n';
test.each([
  ['<iban>\n', PAGE],
  ['iban=(see\n', 'word\n'],
  ['iban=(see\n', '- an item of a list\n'],
  ['no iban:(\n', '2026-01-01T10:00:00Z INFO request done in 5 ms\n'],
  ['iban: """\n', 'compiled module number 12345\n'],
  ['"iban": [see\n', 'compiled module number 12345\n'],
])('behind what is never closed, no more than a bounded part is left out: %j, %j', (opening, line) => {
  const text = `first\n${opening}${line.repeat(700_000 / line.length)}end\n`;
  const said = inPieces(text, 4000);
  expect(said.startsWith('first\n')).toBe(true);
  expect(said.endsWith(`${line}${line}end\n`), said.slice(-200)).toBe(true);
  expect(text.length - said.length).toBeLessThan(300_000);
});

test.each([
  '10:00 body: <iban>\n<v>DE12</v>\n</iban>\n',
  'x=<iban>\nDE12\n</iban>\n',
  '(<iban>\n<v>DE12</v>\n</iban>)\n',
  'echo "<iban>\n<v>DE12</v>\n</iban>"\n',
  '<iban>  a number of\nDE12\nb</iban>\n',
  '<iban>a\n<!-- > -->\nDE12</iban>\n',
  '<iban><iban>a</iban>\nDE12\n</iban>\n',
  '{"iban": [\n  "a"\n  "DE12"\n]}\n',
])('what is masked in a text is masked in each of its lines: %j', (text) => {
  for (const size of [1, 5, 1000])
    expect(inPieces(`first\n${text}a line\nend\n`, size)).toMatch(/^first\n(?!.*DE12).*a line\nend\n$/s);
  const lines = text.match(/.*\n/g) ?? [];
  const run = { ...RUN, hookId: `pieces-${++runs}` };
  for (const stdout of [...lines, 'end\n']) {
    const record = progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h');
    expect((redactor.redact(record) as HookProgress).stdout).not.toContain('DE12');
  }
});

test.each([
  ...[
    '&lt;iban&gt;DE12&lt;/iban&gt;',
    '&lt;iban&gt;\nDE12\n&lt;/iban&gt;',
    '\\u003ciban\\u003eDE12\\u003c/iban\\u003e',
  ],
  ...['"x <iban>DE12<\\/iban>"', '<iban>\nDE12\n</IBAN >', '&LT;iban&GT;\nDE12\n&LT;/iban&GT;'],
])('what follows the end of an element is shown however that is written: %j', (element) => {
  for (const long of ['', '&lt;v&gt;DE12&lt;/v&gt;\n'.repeat(5000)]) {
    const text = `first\n${element.replace('DE12', () => `DE12${long}`)}\n${'a line of text\n'.repeat(40)}`;
    for (const size of long === '' ? [3, 7, 60] : [2000]) {
      const said = inPieces(text, size);
      expect(said).toMatch(/^first\n(?!.*DE12).*(?:a line of text\n){39}$/s);
    }
  }
});

test.each(['<w>&lt;/iban&gt;</w>', '<ibanx></ibanx>', '</iban-old>'])(
  'an element that is too long to be held ends with its own tag alone, not with %s',
  (inner) => {
    const values = '<v>DE12</v>\n';
    const text = `<iban>\n${values.repeat(7000)}${inner}\n${values.repeat(2000)}</iban>\nend\n`;
    for (const size of [61, 5000]) {
      const said = inPieces(text, size);
      expect(said).not.toContain('DE12');
      expect(said).toContain('end');
    }
  },
);

test('an element with more than 8 KB of lines of plain text is masked as a whole, but not in pieces', () => {
  const text = `<iban>\n${'words and DE12\n'.repeat(800)}</iban>\nend\n`;
  expect(shown(redactor.text(text))).not.toContain('DE12');
  expect(inPieces(text, 50)).toBe(text);
});
