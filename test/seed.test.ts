import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generated, SEED, seedOf } from './seed.js';

test('a property of a test begins with the one seed that all have, whoever runs it', () => {
  expect(fc.readConfigureGlobal().seed).toBe(SEED);
  const { seed } = fc.check(fc.property(fc.nat(), () => true));
  expect(seed).toBe(SEED);
  expect(fc.sample(fc.nat(), 5)).toEqual(fc.sample(fc.nat(), { numRuns: 5, seed: SEED }));
});

test('the seed is the same without a wish, the one that is named, or a fresh one', () => {
  expect(SEED).toBe(seedOf(process.env['HOOKSCOPE_SEED'] === 'random' ? String(SEED) : process.env['HOOKSCOPE_SEED']));
  expect(seedOf(undefined)).toBe(seedOf(''));
  expect(seedOf('-17')).toBe(-17);
  expect(seedOf('random')).not.toBe(seedOf('random'));
  expect(() => seedOf('twelve')).toThrow('HOOKSCOPE_SEED: expected');
});

test('what is generated is as much as a file wants, or more of it where that is asked for', () => {
  const before = process.env['HOOKSCOPE_GENERATED'];
  try {
    delete process.env['HOOKSCOPE_GENERATED'];
    expect(generated(20)).toBe(20);
    process.env['HOOKSCOPE_GENERATED'] = '1000';
    expect([generated(20), generated(5000)]).toEqual([1000, 5000]);
    process.env['HOOKSCOPE_GENERATED'] = 'many';
    expect(() => generated(20)).toThrow('HOOKSCOPE_GENERATED: expected');
  } finally {
    if (before === undefined) delete process.env['HOOKSCOPE_GENERATED'];
    else process.env['HOOKSCOPE_GENERATED'] = before;
  }
});
