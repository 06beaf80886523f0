import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { pathOf, readSources } from './sources.js';

/** Names that users import from two entry points, each the fitting one there. */
const IN_TWO_ENTRIES = ['AgentToolOptions', 'DriveOptions', 'Driven'];

/** Names of public types that are one participle. */
const PUBLIC_PARTICIPLES = [
  'Closed',
  'Decoded',
  'Driven',
  'Encoded',
  'Expected',
  'Fired',
  'Generated',
  'Posted',
  'Ran',
  'Replayed',
  'Shared',
  'Tested',
  'Traced',
  'Unsaid',
];

interface Definition {
  readonly name: string;
  readonly isExported: boolean;
}

/** The types that a source text defines at its top level. */
function definitionsIn(text: string): Definition[] {
  const found = text.matchAll(/^(export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm);
  return [...found].map(([, exported, name]) => ({ name: name as string, isExported: exported !== undefined }));
}

/** Who defines each name: files of `src/`. */
const definers = new Map<string, { readonly file: string; readonly isExported: boolean }[]>();
for (const { name: file } of readSources())
  for (const { name, isExported } of definitionsIn(readFileSync(pathOf(file), 'utf8')))
    definers.set(name, [...(definers.get(name) ?? []), { file, isExported }]);

/** Names that may not have all their definitions, with those. */
const withTooMany = (isTooMany: (exported: number, all: number) => boolean): string[] =>
  [...definers]
    .filter(([, all]) => isTooMany(all.filter(({ isExported }) => isExported).length, all.length))
    .map(([name, all]) => `${name}: ${all.map(({ file }) => file).join(', ')}`)
    .sort();

/** It says what was done to a thing, and not what the thing is. */
const IRREGULAR =
  /^(un)?(Asked|Begun|Bound|Built|Done|Drawn|Driven|Found|Given|Gone|Got|Heard|Held|Hidden|Kept|Known|Left|Lost|Made|Meant|Met|Put|Ran|Read|Said|Seen|Sent|Shown|Spoken|Stood|Taken|Thrown|Told|Understood|Won|Written)$/i;
const isParticiple = (name: string): boolean =>
  /^[A-Z][a-z]+$/.test(name) && (/[^e]ed$/.test(name) || IRREGULAR.test(name));

test.each([
  ['export interface A {\n  type B = 1;\n}', [{ name: 'A', isExported: true }]],
  ['interface A<T> {}\nexport type { B } from "b";', [{ name: 'A', isExported: false }]],
  ['type A =\n  | 1;\nexport abstract class B extends A {}', ['A', 'B']],
])('the types of a text are found: %s', (text, expected) => {
  expect(definitionsIn(text)).toMatchObject(expected.map((one) => (typeof one === 'string' ? { name: one } : one)));
});

test('no other file defines a type by the name of an exported one', () => {
  const found = withTooMany((exported, all) => exported > 0 && all > 1);
  expect(found.filter((one) => !IN_TWO_ENTRIES.includes(one.split(':')[0] as string))).toEqual([]);
  expect(found.map((one) => one.split(':')[0])).toEqual(IN_TWO_ENTRIES);
});

test('a type that is not exported shares its name with one other file at most', () => {
  expect(withTooMany((exported, all) => exported === 0 && all > 2)).toEqual([]);
});

test.each([
  ['Found', true],
  ['Unread', true],
  ['Judged', true],
  ['Feed', false],
  ['FoundFile', false],
])('%s alone is a participle: %s', (name, is) => {
  expect(isParticiple(name)).toBe(is);
});

test('no type is named by a participle alone, but for public ones', () => {
  expect([...definers.keys()].filter(isParticiple).sort()).toEqual(PUBLIC_PARTICIPLES);
});

/** Exported functions and constants whose name is an ordinary word of several fields, each of which has its own. */
const IN_SEVERAL_MODULES = ['MOST_BYTES', 'isSame', 'keyOf', 'nameOf', 'namesOf', 'subjectOf', 'textOf', 'wordsOf'];

test('no other exported function or constant has one name in more than two modules', () => {
  const modules = new Map<string, Set<string>>();
  for (const { name: file } of readSources())
    for (const [, name = ''] of readFileSync(pathOf(file), 'utf8').matchAll(
      /^export (?:async )?(?:function\*?|const|let) (\w+)/gm,
    ))
      modules.set(name, (modules.get(name) ?? new Set()).add(file));
  const found = [...modules].filter(([, files]) => files.size > 2).map(([name]) => name);
  expect(found.sort()).toEqual(IN_SEVERAL_MODULES);
});
