import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createRedactor } from '../../../src/emit/redact/redactor.js';
import { generated, randomFrom, SEED } from '../../seed.js';
import { plainFinder } from './plain-rules.js';

const folder = mkdtempSync(join(tmpdir(), 'redact-signs-'));
afterAll(() => rmSync(folder, { recursive: true }));
const redactor = createRedactor({ keyFile: join(folder, 'redact.key'), keys: ['iban'], shapes: false });
const masked = (text: string): string => redactor.text(text).replace(/\[redacted [^\]]*\]/g, '█');

const SECRET = 'DE12';
const lines = (text: string): readonly string[] => text.trim().split('\n');

const NAMES = [
  ...['iban', 'IBAN', '"iban"', "'iban'", '\\"iban\\"', '`iban`', 'user.iban', 'user["iban"]', 'iban?', '--iban'],
  ...['-iban', '@iban', '$iban', '**iban**', 'iban[]', '[iban]', '<iban>', '{iban}', '(iban)'],
];
const SIGNS = [
  ...[':', ': ', '=', ' = ', ' => ', ':=', ' := ', '=>', ' == ', ' === ', '?=', '||=', ' ||= ', ' ?? ', '+=', ' += '],
  ...[' ', ' : ', ':\n  ', '=\\\n  ', ': |\n  ', ': string = ', ': str = ', ': &str = ', ': String = ', ' string = '],
  ...[': Optional[str] = ', ': string | undefined = ', ', ', ' as ', ':\\n', ': \t', '\t', ' -> ', ': !!str ', ': &a '],
  ...['::', ': (', '=(', '= (', ': [', ': [ // x\n', '={', '=$(echo ', ': <', '=b', ': r', ': f', ' = f', ' = @'],
  ...[' = new String(', ' = String(', ' = await x(', ': Promise.resolve(', ': foo(', ' = process.env.X || '],
  ...[' = process.env.X ?? ', ': process.env.X || ', ': x ? ', '= x ? ', ': "" + ', '=${X:-', ': ${X:-', ': {{ '],
  ...[' = """', ' = `', ': {"a": ', ': [{"a": '],
];
const VALUES = [
  ...['"DE12"', "'DE12'", 'DE12', '`DE12`', 'DE12 34', '"DE12 34"', '\\"DE12\\"', '"a\nDE12"', '"a\\nDE12"'],
  ...['"a\\"DE12"', "'a''DE12'", '<DE12>', '(DE12)', '[DE12]', '{DE12}', '$DE12', '*DE12', '-DE12', '#DE12', 'DE12='],
  ...['DE12==', 'A:DE12', 'a,DE12', 'a;DE12', 'a/DE12', 'a b DE12', 'x@DE12', 'DE12\\', '“DE12”'],
];
const AROUND: readonly (readonly [string, string])[] = [
  ...([
    ['', ''],
    ['{', '}'],
    ['x ', ' y'],
    ['let ', ';'],
    ['const ', ' # z'],
    ['export ', '\n'],
    ['f(', ')'],
  ] as const),
  ...([
    ['"', '"'],
    ["echo '", "'"],
    ['  - ', '\n  - b: 2\n'],
    ['a: 1\n', '\nb: "two"'],
    ['?', '&b=2'],
  ] as const),
  ...([
    ['{"q": 1, ', ', "z": "w"}'],
    ['class A { private ', '; b = 2 }'],
    ['<x ', ' y="2"/>'],
  ] as const),
  ...([
    ['2026-01-01 INFO ', ' status=ok'],
    ['-H "', '" -H "b: c"'],
    ['@@ -1 +1 @@\n-', '\n+a\n'],
    ['-', '\n'],
  ] as const),
];

test('what a few plain rules find of a name of the user is masked, whatever is written around the name, its sign and its value', () => {
  const find = plainFinder(new Set(['iban'])) as NonNullable<ReturnType<typeof plainFinder>>;
  const random = randomFrom(SEED);
  const one = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const left: string[] = [];
  for (let i = 0; i < generated(20_000); i++) {
    const [before, behind] = one(AROUND);
    const text = `${before}${one(NAMES)}${one(SIGNS)}${one(VALUES)}${behind}`;
    // What a shell expands is no value.
    if (/-iban\s+\$/.test(text)) continue;
    const letters = text.split('');
    for (const [start, end] of find(text)) letters.fill(' ', start, end);
    const rest = letters.join('');
    if (!rest.includes(SECRET) && masked(text).includes(SECRET)) left.push(`${text}\n  ${masked(text)}`);
  }
  expect(left.slice(0, 20)).toEqual([]);
});

test.each(
  lines(`
let iban: string = "DE12";
export const iban: string = "DE12";
class A { private readonly iban: string | undefined = "DE12"; }
def f(iban: str = "DE12", x: int = 1):
iban: Optional[str] = "DE12"
let iban: &str = "DE12";
const IBAN: &'static str = "DE12";
val iban: String = "DE12"
var iban: String? = "DE12"
query Q($iban: String = "DE12") { a }
-iban = "DE12"
--iban = "DE12"
-iban : "DE12"
-iban := "DE12"`),
)('of a declaration or a line of a difference, the value of a name is masked and nothing else: %s', (text) => {
  expect(masked(text)).toBe(text.replace(SECRET, '█'));
});

/** Every sign behind an index. */
const INDEXED = [
  ': "DE12"',
  ': DE12',
  ':\n  - DE12',
  ' = DE12',
  ' = "DE12"',
  ' := "DE12"',
  ' += "DE12"',
  ': {"a": "DE12"}',
].flatMap((behind) =>
  ['iban[0]', 'iban[i]', 'iban["main"]', "iban['main']"].map((name): [string, string] => {
    const text = name + behind;
    return [text, text.replace('DE12', '█')];
  }),
);

test.each([
  ['let iban: Iban<Bank> = "DE12"', 'let iban: █<Bank> = "█"'],
  ['let iban: number = 5512, b = 5', 'let iban: █ = █, b = 5'],
  ['spring.iban: |\n  DE12\n  DE12\nb: 1', 'spring.iban: |\n  █\nb: 1'],
  ['user.iban:\n  DE12\nb: 1', 'user.iban:\n  █\nb: 1'],
  ['a.iban:\n  - DE12\n  - DE12\nb: 1', 'a.iban:\n  - █\n  - █\nb: 1'],
  ["iban = a.b_c or 'mock'", "iban = █ or 'mock'"],
  ['iban[0]=DE12', 'iban[0]=█'],
  ...INDEXED,
  ['iban.main = 12 # a; b', 'iban.main = █ # a; b'],
  ["iban = O'Brien DE12", 'iban = █'],
  ["iban = Bob 'Zed' Quux", 'iban = █'],
  ["iban = Smith 'Zed'", 'iban = █'],
  ['iban: aB3x(cret9', 'iban: █'],
  ['**iban:** DE12', '**iban:** █'],
  ['iban[1]+="DE12"', 'iban[1]+="█"'],
  ['iban.length = 5512', 'iban.length = █'],
  ['iban::DE12', 'iban::█'],
  ['iban={DE12', 'iban=█'],
  ['iban: #DE12', 'iban: █'],
  ['"iban":\n  <DE12> b', '"iban":\n  █'],
  ['?iban={DE12}&b=2', '?iban={█}&b=2'],
  ['{"b":"\\u003ciban\\u003eDE12\\u003c/iban\\u003e"}', '{"b":"\\u003ciban\\u003e█\\u003c/iban\\u003e"}'],
  ['{"b":"<iban>DE12<\\/iban>"}', '{"b":"<iban>█<\\/iban>"}'],
  ['&lt;iban&gt;DE12&lt;/iban&gt; a', '&lt;iban&gt;█&lt;/iban&gt; a'],
  ['<iban v="DE12"/>', '<iban v="█"/>'],
  ['<iban v="DE12">\n</iban>', '<iban v="█">\n</iban>'],
  ['<iban>a<iban>b</iban>DE12</iban> c', '<iban>█<iban>█</iban>█</iban> c'],
  ['<iban>a<!-- DE12 --></iban><!-- c -->', '<iban>█<!-- █ --></iban><!-- c -->'],
])('the value of a name is masked: %s', (text, wanted) => {
  expect(masked(text)).toBe(wanted);
});

test.each(
  lines(`
iban => { return "a" }
const f = iban => g(iban);
iban=$(cat x) y
iban=\${X}
if (iban[0] === '@') a();
x.iban[0] == 'o' && b
char iban[4] = {'=', a[0]};
iban[0] != "a" ? b : c
iban.indent = 0;
pay --iban IBAN --to NAME`),
)('what is no value of a name is left: %s', (text) => {
  expect(masked(text)).toBe(text);
});
