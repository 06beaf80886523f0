import fc from 'fast-check';
import ignore from 'ignore';
import { expect, test } from 'vitest';
import { compileFilePattern } from '../../src/matching/file-pattern.js';
import { generated } from '../seed.js';

const WORDS = [
  'a',
  'B',
  'src',
  'SRC',
  'src2',
  'a.ts',
  '.env',
  'K',
  '\u212a',
  '\u017frc',
  'e\u0301',
  '\u00e9',
  '[ab]',
  '[id]',
  'part-1',
  'a b',
  '+@=',
];
const GLOBS = ['*', '**', '?', '[ab]', '*.ts', 's*', 'sr?', 'src*', '\\a', 'a\\ ', '[', '{a,b}', '', ' '];
const path = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const pattern = fc
  .tuple(
    fc.boolean(),
    fc.array(fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...WORDS) }, fc.constantFrom(...GLOBS)), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('', '/', '/**', ' ', '/ '),
  )
  .map(([tied, parts, end]) => `${tied ? '/' : ''}${parts.join('/')}${end}`)
  // Tied to another place, which is not what is looked at here.
  .filter((text) => !/^(\/\/|~\/|\.\.?(\/|$)|#)/.test(text) && !/^\/?\s*$/.test(text));

test('a path that a pattern cannot begin with is seen without the library, and every answer is the one of the library', () => {
  let matched = 0;
  let slow = 0;
  fc.assert(
    fc.property(pattern, path, (text, file) => {
      // Spelled in one way, and brackets are also themselves.
      const plain = text.normalize().replace(/\/{2,}/g, '/');
      const rules = ignore().add([plain, plain.replace(/[[\]]/g, '\\$&')]);
      const at = file.normalize();
      const expected = rules.ignores(`${at}/\0`) || rules.ignores(at);
      let isLate = false;
      const answer = compileFilePattern(text, '/project', () => (isLate = true))(file, '/project');
      // A machine with other work may take too long for the answer: then every path matches.
      if (isLate) slow++;
      else if (expected) matched++;
      expect(answer, `${text} on ${file}`).toBe(isLate || expected);
    }),
    { numRuns: generated(2_000) },
  );
  expect(matched).toBeGreaterThan(50);
  expect(slow).toBeLessThan(matched);
});
