import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FireRecord } from '../../../src/emit/record.js';
import { createRedactor } from '../../../src/emit/redact/redactor.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-forms-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({
  keyFile: join(folder, 'redact.key'),
  keys: ['iban', 'user', 'path', 'from', 'x-internal', 'address'],
  shapes: false,
});
const shown = (text: string): string => text.replace(/\[redacted [^\]]*\]/g, '█');

test.each([
  ['user=CORP\\jsmith', 'user=█'],
  ['--user CORP\\jsmith b', '--user █ b'],
  ['path=C:\\Users\\new b=c', 'path=█ b=c'],
  ['{"env":"A=1\\nuser=CORP\\\\jsmith\\nB=2"}', '{"env":"A=1\\nuser=█\\nB=2"}'],
  ["user=O'Brien b", 'user=█ b'],
  ['user=aB3x(cret9 b', 'user=█ b'],
  ['user = Smith, Bob\nb', 'user = █\nb'],
  ['user = Bob (admin)\nb', 'user = █\nb'],
  ['user = bob\\smith\nb', 'user = █\nb'],
  ['user = "Bob" Smith\nb', 'user = "█" █\nb'],
])('a value without quotes is masked to the end of its word, or in a line of its own of that: %j', (text, wanted) => {
  expect(shown(redactor.text(text))).toBe(wanted);
});

test.each([
  ['address: &home\n  street: b1\nb: 1', 'address: &home\n  street: █\nb: 1'],
  ['iban: &x\n  - b1\n  - b2\nb: 1', 'iban: &x\n  - █\n  - █\nb: 1'],
  ['iban: &x !!str b1', 'iban: &x !!str █'],
  ['? iban\n: b1\nb: 1', '? iban\n: █\nb: 1'],
  ['[iban]\na = "b1"\nc = [\n  "b2",\n]\n[d]\ne = "f"', '[iban]\na = "█"\nc = [\n  "█",\n]\n[d]\ne = "f"'],
  ['iban.a = "b1"\nb = "c"', 'iban.a = "█"\nb = "c"'],
  ['X-Internal: sid=a1; t=b2\nB: c', 'X-Internal: █\nB: c'],
  ['X-Internal: "a1", "b2"\nB: c', 'X-Internal: "█\nB: c'],
  ['X-Internal: a1,\n b2\nB: c', 'X-Internal: █\n █\nB: c'],
  ['From: <bob@example.com>\nB: c', 'From: █\nB: c'],
  ['curl -HX-Internal:b1 h', 'curl -HX-Internal:█ h'],
  ['java -Diban=DE12 x', 'java -Diban=█ x'],
  ['docker run -eiban=DE12 x', 'docker run -eiban=█ x'],
  ['iban ?= DE12', 'iban ?= █'],
  ['iban+=(DE12)', 'iban+=(█)'],
  ['iban[0]=DE12', 'iban[0]=█'],
  ['iban = "DE12" "DE13";', 'iban = "█" "█";'],
  ['iban = "DE12" . "DE13";', 'iban = "█" . "█";'],
  ['iban = ("DE12"\n  "DE13")', 'iban = ("█"\n  "█")'],
  ['{:iban=>["DE12"]}', '{:iban=>["█"]}'],
  ['iban = []string{"DE12"}', 'iban = []string{"█"}'],
  ['{"iban"\n:\n"DE12"}', '{"iban"\n:\n"█"}'],
  ['{"iban":/*c*/"DE12"}', '{"iban":/*c*/"█"}'],
  ['a%5Biban%5D=DE12&b=c', 'a%5Biban%5D=█&b=c'],
  ['/?n=%2F%3Fiban%3DDE12%26b%3Dc', '/?n=%2F%3Fiban%3D█%26b%3Dc'],
])(
  'the value of a name is masked however YAML, TOML, headers, addresses, shells and code write it: %j',
  (text, wanted) => {
    expect(shown(redactor.text(text))).toBe(wanted);
  },
);

const PROSE = 'A line of the document that says nothing secret at all.\n'.repeat(50);
test.each([
  `Set \`iban:\` in the file.\n${PROSE}See \`docs\`.\n`,
  `The option \`iban=\` is\n${PROSE}See \`docs\`.\n`,
  `| \`iban:\` | x |\n${PROSE}\`x\`\n`,
  `grep "iban:" f\n${PROSE}"x"\n`,
  `log(\`iban=\`)\n${PROSE}\`b\`\n`,
  'if (line.startsWith("iban=")) {\n  run("x");\n}\nreturn "b";\n',
  "const l = 'user: ' + x + ' of ' + y;",
  'echo "user: "; echo "next thing"',
])('a quote behind a sign that closes a text which began before the name begins no value: %j', (text) => {
  expect(shown(redactor.text(text))).toBe(text);
});

test('an apostrophe in a later line does not close a text of several lines', () => {
  const text = "Error: user: 'tis the first line\nsecond line\nthird of the users' lines\n";
  expect(shown(redactor.text(text))).toBe("Error: user: '█\nsecond line\nthird of the users' lines\n");
});

test('a field of data is masked by the name that a text would be masked by', () => {
  const named = { 'user.iban': 'DE12', 'iban[]': 'DE12', '@iban': 'DE12', '--iban': 'DE12', 'iban ': 'DE12', b: 'c' };
  const record = { type: 'hook_fire', seq: 1, input: { tool_input: named } } as unknown as FireRecord;
  const { input } = redactor.redact(record) as FireRecord;
  const said = Object.values((input as { tool_input: Record<string, string> }).tool_input).map(shown);
  expect(said).toEqual(['█', '█', '█', '█', '█', 'c']);
});
