import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { pathOf, ROOT, readSources } from './sources.js';

/** Classes that are made so often that `#` members would cost too much; CONTRIBUTING.md says why. */
const HOT = [
  'emit/record-copy',
  'events/output/meant',
  'events/output/meant-outcome',
  'host/call/handler-call',
  'host/fire/fire-run',
  'host/fire/notes',
  'host/fire/screen',
  'host/fire/skips',
  'host/fire/slot',
  'host/fire/turns',
  'host/fire/walk',
  'host/fire/wave',
  'host/tell/reporter',
  'values/copies/view',
  'values/waiting/lazy-signal',
];

/** Classes that extend one another, and share what nobody else may use. */
const EXTENDED = [
  'trust/named/command-files',
  'trust/named/line-folders',
  'trust/named/run-commands',
  'trust/named/shell/input',
  'trust/named/shell/lines',
  'trust/named/shell/source',
  'trust/named/shell/word-reader',
];

const WORDS = { private: ts.SyntaxKind.PrivateKeyword, protected: ts.SyntaxKind.ProtectedKeyword } as const;

/** The members with that word of every class in a text, wherever it stands. Of a constructor only the parameters count: it cannot have a `#`. */
function hiddenBy(word: keyof typeof WORDS, text: string): string[] {
  if (!text.includes(word)) return [];
  const file = ts.createSourceFile('a.tsx', text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    const hides = ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === WORDS[word]);
    if (hides && !ts.isConstructorDeclaration(node)) found.push(node.getText(file));
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

test.each([
  ['a field', 'class A {\n    private a = 1;\n}', ['private a = 1;']],
  ['a method', 'class A { private static async a() {} }', ['private static async a() {}']],
  ['an accessor', 'class A {\n  protected get a() { return 1; }\n}', ['protected get a() { return 1; }']],
  ['a class in a function', 'const f = () => {\n  return class {\n    private a = 1;\n  };\n};', ['private a = 1;']],
  ['a parameter of a constructor', 'class A { constructor(private readonly a: 1) {} }', ['private readonly a: 1']],
  ['a private constructor', 'class A {\n  private constructor() {}\n}', []],
  ['the words elsewhere', '// private a\nconst a = "  private b";\nclass A { #private = { protected: a }; }', []],
])('%s: the words are found where they hide a member', (_, text, members) => {
  expect([...hiddenBy('private', text), ...hiddenBy('protected', text)]).toEqual(members);
});

const filesWith = (word: keyof typeof WORDS): string[] =>
  readSources()
    .filter(({ name }) => hiddenBy(word, readFileSync(pathOf(name), 'utf8')).length > 0)
    .map(({ name }) => name);

test('protected members are those of the few classes that are extended', () => {
  expect(filesWith('protected')).toEqual(EXTENDED);
});

test('private members are #private, but in the few files whose classes are hot', () => {
  expect(filesWith('private')).toEqual(HOT);
  const contributing = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  const rule = /^Private members are[\s\S]*?\n\n/m.exec(contributing)?.[0] ?? '';
  expect([...rule.matchAll(/`src\/([^`]+)\.ts`/g)].map(([, name]) => name).sort()).toEqual(HOT);
});
