import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCommandPattern } from '../../src/matching/command-pattern.js';
import { compileWildcard } from '../../src/matching/wildcard.js';
import { generated } from '../seed.js';

/** The same as a regular expression, which may backtrack. */
const expression = (pattern: string): RegExp => new RegExp(`^${pattern.split('*').map(escaped).join('[^]*')}$`);
function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

describe('a text with *', () => {
  const piece = fc.constantFrom('a', 'b', 'ab', ' ', '\n', '.', '(');
  const text = fc.array(piece, { maxLength: 9 }).map((pieces) => pieces.join(''));
  const pattern = fc
    .array(fc.oneof(piece, { weight: 2, arbitrary: fc.constant('*') }), { maxLength: 8 })
    .map((pieces) => pieces.join(''));

  it('matches what the regular expression does', () => {
    let matched = 0;
    fc.assert(
      fc.property(pattern, text, (star, any) => {
        // Also a text that surely fits: each * filled with something.
        for (const one of [any, star.replaceAll('*', any), star.replaceAll('*', '')]) {
          const wanted = expression(star).test(one);
          if (wanted && star.includes('*')) matched++;
          expect({ star, one, matches: compileWildcard(star)(one) }).toEqual({ star, one, matches: wanted });
        }
      }),
      { numRuns: generated(1_000) },
    );
    expect(matched).toBeGreaterThan(1_000);
  });

  it.each([
    ['git * --force * main', 'git push --force origin main', true],
    ['git * --force * main', 'git push --force main', false],
    ['git * --force * main', 'git push origin main', false],
    ['git * --force * main', 'git push --force origin dev', false],
    ['git * --force * main', 'git --force push main --force x main', true],
    ['*a*a*', 'a', false],
    ['a*a', 'a', false],
    ['a*b*a', 'aba', true],
    ['a*bb*a', 'abba', true],
    ['a*bb*ba', 'abba', false],
  ])('%j of %j: %s', (star, one, matches) => {
    expect([compileWildcard(star)(one), compileCommandPattern(star)(one)]).toEqual([matches, matches]);
  });
});

describe('a command pattern', () => {
  it.each([
    ['git add . && git push', '  git add . && git push\n', true],
    ['git add . && git push', 'git add . && git pull', false],
    ['npm *', '\tnpm', true],
    // What xargs is given may be the assignments of a command that nobody knows yet.
    ['git *', 'xargs A=1 B=2 $T push', true],
    ['git *', 'xargs A=1 B=2 echo push', false],
  ])('%j of %j: %s', (pattern, command, matches) => {
    expect(compileCommandPattern(pattern)(command)).toBe(matches);
  });
});
