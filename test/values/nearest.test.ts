import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { nearest } from '../../src/values/nearest.js';
import { generated } from '../seed.js';

const LETTERS = fc.string({ unit: fc.constantFrom(...'abcdefghij'), minLength: 3, maxLength: 12 });

describe('the nearest name', () => {
  test.each([
    ['audti', 'audit'],
    ['uadit', 'audit'],
    ['Audti', 'audit'],
    ['fi', 'if'],
    ['fromatter', 'formatter'],
    ['audi', 'audit'],
    ['PreTool', 'PreToolUse'],
  ])('of %s is %s', (given, name) => {
    expect(nearest(given, ['zzzzzz', name])).toBe(name);
  });

  test.each([
    ['audti', 'audits'],
    ['tidua', 'audit'],
    ['stop', 'post'],
    ['ab', 'cd'],
  ])('%s does not mean %s', (given, name) => {
    expect(nearest(given, [name])).toBeUndefined();
  });

  test('of a name with two neighbouring letters swapped is that name, or one that is as near', () => {
    fc.assert(
      fc.property(LETTERS, fc.nat(), fc.array(LETTERS), (name, where, others) => {
        const at = where % (name.length - 1);
        const swapped = name.slice(0, at) + name[at + 1] + name[at] + name.slice(at + 2);
        expect(nearest(swapped, [name])).toBe(name);
        expect(nearest(swapped, [...others, name])).toBeDefined();
      }),
      { numRuns: generated(200) },
    );
  });

  test.each([true, false])('is told of a place before a hook that has a swapped name (known first: %s)', (first) => {
    const told: string[] = [];
    const host = createHost({ logger: (line) => told.push(line) });
    const audit = () => host.on('PreToolUse', () => undefined, { name: 'audit' });
    if (first) audit();
    host.on('PreToolUse', () => undefined, { name: 'guard', before: 'audti' });
    if (!first) audit();
    expect(told).toEqual([expect.stringMatching(/audti.*audit/)]);
  });
});
