import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import fc from 'fast-check';
import type { analyse } from 'scslre';
import { expect, test } from 'vitest';
import { packTables } from '../../scripts/tables.js';
import { ROOT } from './sources.js';

const character = fc.integer({ min: 0, max: 0x10ffff });
const ranges = fc.uniqueArray(character, { minLength: 2, maxLength: 40 }).map((found) => {
  const ends = found.sort((a, b) => a - b).slice(0, found.length - (found.length % 2));
  return ends.flatMap((min, i) => (i % 2 === 0 ? [{ min, max: ends[i + 1] as number }] : []));
});
const lists = fc.array(fc.array(character, { maxLength: 9 }), { minLength: 1 });
/** Characters that are the same without case, each in one row only. */
const foldings = fc.uniqueArray(character, { minLength: 1 }).chain((all) =>
  fc.integer({ min: 1, max: 4 }).map((size) => {
    const sorted = all.sort((a, b) => a - b);
    const rows = sorted.map((_, i) => sorted.slice(i - (i % size), i - (i % size) + size));
    return Object.fromEntries(sorted.map((value, i) => [value, rows[i]]));
  }),
);
/** As refa has them: constants in frozen objects, and some that are used at once. */
const codeOf = (of: unknown[], kept: unknown[], once: unknown[]): string => `
  const ${[...of, ...kept].map((table, i) => `c${i}=JSON.parse('${JSON.stringify(table)}')`).join()};
  const a = Object.freeze({__proto__:null,${of.map((_, i) => `n${i}:c${i}`)}});
  const b = Object.freeze({__proto__:null,${kept.map((_, i) => `n${i}:c${of.length + i}`)}});
  const c = [${once.map((table) => `JSON.parse('${JSON.stringify(table)}')`)}];
  return [${of.map((_, i) => `a.n${i}`)}, ${kept.map((_, i) => `b.n${i}`)}, c, ${of.map((_, i) => `a['n${i}']`)}, a.none];`;

const run = (body: string): unknown => new Function(body)();
/** The syntax of a file has no return outside of functions. */
const packed = (body: string): string => `${packTables(`function f() {${body}}`)}\nreturn f();`;

test('packed tables are what they were', () => {
  const one = fc.oneof(ranges, lists, foldings);
  fc.assert(
    fc.property(
      fc.array(ranges, { minLength: 1, maxLength: 5 }),
      fc.array(lists, { minLength: 1, maxLength: 5 }),
      fc.array(one, { maxLength: 5 }),
      (of, kept, once) => {
        const code = codeOf(of, kept, once);
        expect(packed(code)).not.toContain('JSON.parse');
        expect(run(packed(code))).toEqual(run(code));
      },
    ),
  );
});

test.each([
  ['a shape of its own', `const x = JSON.parse('[1,2]');`, 'No'],
  ['fields of its own', `const x = JSON.parse('[{"min":1,"max":2,"of":3}]');`, 'No known table'],
  ['no order', `const x = JSON.parse('[{"min":9,"max":10},{"min":1,"max":2}]');`, 'No number'],
  ['text', `const x = JSON.parse('[["a"]]');`, 'No number'],
  ['a character in two rows', `f(JSON.parse('{"1":[1,2],"2":[2,3]}'));`, 'No known table'],
  ['nothing that can be read', 'f(JSON.parse(text));', 'JSON'],
  ['a use outside of an object', `const x = JSON.parse('[{"min":1,"max":2}]'); f(x);`, 'x is used in a way'],
  ['a use in an object that others write', `const x = JSON.parse('[[1]]'), y = { x: x };`, 'x is used in a way'],
  [
    'company of another kind',
    `const x = JSON.parse('[[1]]'), y = JSON.parse('[{"min":1,"max":2}]'), z = Object.freeze({ x: x, y: y });`,
    'x is used in a way',
  ],
  ['company that is none', `const x = JSON.parse('[[1]]'), z = Object.freeze({ x: x, y: y });`, 'x is used in a way'],
])('a table with %s fails the build', (_, code, reason) => {
  expect(() => packTables(code)).toThrow(reason);
});

const require = createRequire(import.meta.url);
const readers = ['scslre', join(ROOT, 'dist/vendor/scslre.cjs')].map(
  (file) => (require(file) as { analyse: typeof analyse }).analyse,
);
/** What each of both finds, with all the characters for which it takes so long. */
const found = (pattern: RegExp): string[] =>
  readers.map((read) =>
    JSON.stringify(read(pattern).reports.map((one) => [one.type, one.exponential, one.character.literal.source])),
  );

const refa = readFileSync(join(ROOT, 'node_modules/refa/index.js'), 'utf8');
const NAMES = [...refa.matchAll(/Object\.freeze\(\{__proto__:null,([^{}]+)\}\)/g)].flatMap(([, all]) =>
  [...(all as string).matchAll(/([A-Z]\w*):/g)].map(([, name]) => name as string),
);
/** The properties of this name that this Node knows, as what is slow on their characters. */
const slowOn = (name: string): RegExp[] =>
  [name, `Script=${name}`, `Script_Extensions=${name}`].flatMap((property) =>
    ['u', 'ui', 'v'].flatMap((flags) => {
      try {
        return [new RegExp(`^(?:\\p{${property}}+)+$`, flags)];
      } catch {
        return [];
      }
    }),
  );

test('what is built finds an exponential expression by each property of Unicode, with all its characters', () => {
  const patterns = [...new Set(NAMES)].flatMap(slowOn);
  expect(patterns.length).toBeGreaterThan(900);
  for (const pattern of patterns) {
    const [plain, built] = found(pattern);
    if (pattern.unicode) expect(plain, String(pattern)).toContain('"Self",true');
    expect(built === plain, String(pattern)).toBe(true);
  }
});

test('without Unicode, without case, with negated classes, it finds the same', () => {
  for (const pattern of [
    /^(a+|A)+$/i,
    /^(\w+|\d)+$/,
    /^(?:\S+|[^\s])+$/u,
    /^(?:k+|\u212a)+$/iu,
    /^(?:ß+|ẞ)+$/iu,
    /^[a-z]+$/i,
  ]) {
    const [plain, built] = found(pattern);
    expect(built).toBe(plain);
  }
});
