import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonical } from '../../../src/host/alarms/canonical.js';
import { RememberedInput } from '../../../src/host/alarms/remembered.js';

const RUNS = Math.ceil(Number(process.env['HOOKSCOPE_GENERATED'] ?? 200));

const leaf = fc.oneof(
  fc.jsonValue({ maxDepth: 0 }),
  fc.constantFrom(undefined, Number.NaN, -0, 7n, Symbol('s'), () => 1, new Date(0), new Date(Number.NaN), {
    toJSON: () => ({ a: [] }),
  }),
  fc.constantFrom('x'.repeat(4_000), 'x'.repeat(4_200)),
);
const { value: input } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.string(), fc.constantFrom('__proto__', 'toJSON', 'constructor')), tie('value')),
  ),
}));

/** Changes whatever it can reach. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    spoil(part);
    (value as Record<string, unknown>)[key] = 'spoilt';
  }
}

test('what is remembered of an input is what it was, and compares as that would, whatever becomes of it', () => {
  fc.assert(
    fc.property(input, fc.boolean(), (value, given) => {
      const exact = canonical(value);
      const loose = canonical(value, true)?.key;
      const remembered = RememberedInput.of(value, given);
      spoil(value);
      expect(remembered?.exact).toEqual(exact);
      expect(remembered?.loose).toEqual(given ? loose : undefined);
      expect(remembered?.exact).toEqual(exact);
    }),
    { numRuns: RUNS },
  );
});

test.each<[unknown, unknown, boolean]>([
  [{ a: [1, { b: 2 }] }, { a: [1, { b: 2 }] }, true],
  [[1, [2]], [1, [2]], true],
  [{ 0: 'a' }, ['a'], false],
  [['a'], { 0: 'a' }, false],
  [['a'], { 0: 'a', length: 1 }, false],
  [{ a: 1 }, { a: 1, b: undefined }, false],
])('a short input is compared as it is: %j and %j', (one, other, same) => {
  expect(RememberedInput.of(one, false)?.isPlainly(other)).toBe(same);
});

test('of a long input only the hash and the beginning are remembered', () => {
  for (const long of [
    { a: 'x'.repeat(1_000_000) },
    Array(100_000).fill('x'),
    { a: { toJSON: () => 'x'.repeat(9_000) } },
  ])
    expect(RememberedInput.of(long, true)?.size).toBeLessThan(5_500);
});
