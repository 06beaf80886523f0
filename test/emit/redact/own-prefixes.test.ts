import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { HookProgress } from '../../../src/emit/record.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { progressRecord } from '../../../src/emit/run-records.js';
import { generated, randomFrom, SEED } from '../../seed.js';
import { RUN } from '../samples.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-prefixes-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'], shapes: false });
const shown = (text: string): string => text.replace(/\[redacted [^\]]*\]/g, '█');

let runs = 0;
function inPieces(text: string, pieces: RegExp): string {
  const run = { ...RUN, hookId: `prefixes-${++runs}` };
  const said = (text.match(pieces) ?? []).map((stdout) => {
    const record = progressRecord(run, { stdout }, 1, '2025-01-31T09:15:01.500Z', 'h');
    return (redactor.redact(record) as HookProgress).stdout;
  });
  return shown(said.join(''));
}

const random = randomFrom(SEED);
const below = (most: number): number => Math.floor(random() * most);
const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;
const of = (): string => `DE${100 + below(800)}`;

/** A name and its values in lines; each `§` is a value. */
const BODIES: readonly string[] = [
  '{\n  "a": 1,\n  "iban": [\n    "§",\n    "§"\n  ],\n  "z": 2\n}',
  '{\n  "iban": {\n    "x": "§",\n    "y": [\n      "§",\n      "§"\n    ],\n    "w": "§"\n  },\n  "z": 2\n}',
  'a: 1\niban:\n  - §\n  - §\nz: 2',
  'a: 1\niban:\n- §\n- x: §\n  y: §\n- [§, §]\nz: 2',
  'a: 1\niban:\n  x: §\n  y:\n    - §\n    - k: §\n      l: §\n  w: §\nz: 2',
  'a: 1\niban: |\n  §\n\n  §\nz: 2',
  'iban:\n  x: |\n    §\n    §\n  y: §\nz: 2',
  'iban:\n  x: "§\n    §"\n  y: §\nz: 2',
  'iban:\n  x: [§,\n    §]\n  y: §\nz: 2',
  'iban:\n  # c\n  x: §\n\n  # d\n  y: §\nz: 2',
  'iban: "§\n  §"\nz: 2',
  'iban: [\n  §,\n  # c\n  §\n]\nz: 2',
  '<r>\n  <iban>\n    <x>§</x>\n    §\n  </iban>\n</r>',
  '<r>\n  <a/> <iban>\n    §\n  </iban>\n</r>',
  'iban = [\n  "§",\n  "§",\n]\nz = 2',
  'iban = """\n§\n§\n"""\nz = 2',
  'iban=(\n  §\n  "§"\n)\nz=2',
  "const iban = {\n  a: '§',\n  b: ['§', '§'],\n  c: `§\n§`,\n};",
  'pay --iban \\\n  § \\\n  --z 2',
  'A: b\niban: §\n §\nB: c',
];
const numbered = (line: number): string => String(line).padStart(6);
/** How tools show a line; undefined: as the differences of two versions of the text. */
const TOOLS: Readonly<Record<string, ((line: string, at: number) => string) | undefined>> = {
  'git diff': undefined,
  'git show of a new file': (line) => `+${line}`,
  'git show of a file that is gone': (line) => `-${line}`,
  'cat -n': (line, at) => `${numbered(at)}\t${line}`,
  'lines with an arrow': (line, at) => `${numbered(at)}→${line}`,
  'grep in files': (line, at) => `src/a.yml:${at}:${line}`,
  'grep -n': (line, at) => `${at}:${line}`,
  'a log': (line) => `2026-01-01T10:00:00Z ${line}`,
  compose: (line) => `web-1  | ${line}`,
  'an answer to a mail': (line) => `> ${line}`,
  'comments of a shell': (line) => `# ${line}`.trimEnd(),
  'comments of code': (line) => `// ${line}`,
};

/** Two versions of a text, of which some lines with values differ. */
function difference(body: string): string {
  const lines = body.split('\n');
  const changed: string[] = [];
  const flush = (): string[] => changed.splice(0).map((line) => `+${line.replaceAll('§', of)}`);
  return [
    '@@ -1,9 +1,9 @@ a',
    ' x: 1',
    ...lines.flatMap((line) => {
      if (!line.includes('§') || below(3) === 0) return [...flush(), ` ${line}`];
      changed.push(line);
      return [`-${line}`];
    }),
    ...flush(),
  ].join('\n');
}

test.each(Object.entries(TOOLS))(
  'a value of a name of the user is masked behind what tools put before lines, whole and in pieces, among lines without it: %s',
  (_, write) => {
    for (const body of BODIES) {
      for (let i = 0; i < generated(6); i++) {
        const lines = write === undefined ? difference(body) : body.split('\n').map(write).join('\n');
        const around = one(['', 'another line\n', 'x: 1\n'.repeat(30)]);
        const text = `${one(['', 'first\n', around])}${lines.replaceAll('§', of)}\n${around}end\n`;
        const parts = one([/.*\n/g, /.{1,7}/gs, /.{1,40}/gs, /./gs]);
        for (const [how, said] of [
          ['whole', shown(redactor.text(text))],
          ['in pieces', inPieces(text, parts)],
        ] as const) {
          expect(/.{0,30}DE\d.{0,30}/.exec(said)?.[0], `${how} ${parts}: ${text}\n${said}`).toBeUndefined();
          expect(said, how).toMatch(/end\n$/);
        }
      }
    }
  },
);

test('of a difference or a file with line numbers, what stands beside a name of the user is shown', () => {
  const text = ' a: 1\n iban:\n-  - DE11\n+  - DE12\n note: |\n   a\n-b: 2\n+b: 3\n';
  expect(shown(redactor.text(text))).toBe(text.replace(/DE1\d/g, '█'));
  const listed = '- iban: DE11\n  b: c\n- b: d\n  iban: DE12\n- e\n';
  expect(shown(redactor.text(listed))).toBe(listed.replace(/DE1\d/g, '█'));
  const numbers = '  1→iban:\n  2→  a: DE11\n  3→b: c\n';
  expect(shown(redactor.text(numbers))).toBe(numbers.replace(/DE1\d/g, '█'));
});
