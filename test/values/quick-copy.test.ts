import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyQuickly } from '../../src/values/copies/quick-copy.js';
import { snapshot } from '../../src/values/copies/snapshot.js';
import { readOnly } from '../../src/values/copies/view.js';

/** Changes all that can be changed. */
function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) spoil(part);
  if (Array.isArray(value)) value.push('spoilt');
  else (value as Record<string, unknown>)['spoilt'] = true;
}

describe('copyQuickly', () => {
  it('is what snapshot gives, and shares nothing with the data', () => {
    let copied = 0;
    fc.assert(
      fc.property(fc.object({ maxDepth: 5, withNullPrototype: false }), fc.boolean(), (data, viewed) => {
        const before = snapshot(data);
        const copy = copyQuickly(viewed ? readOnly(data) : data);
        if (copy === undefined) return;
        copied++;
        expect(copy).toStrictEqual(before);
        spoil(copy);
        expect(data).toStrictEqual(before);
      }),
    );
    expect(copied).toBeGreaterThan(50);
  });

  it.each<[string, object]>([
    ['a key that would set the prototype', JSON.parse('{"a":{"__proto__":{"b":1}}}') as object],
    ['a function', { a: { f: () => undefined } }],
    ['a symbol', { a: [Symbol('a')] }],
    ['an instance', { when: new Date(0) }],
    ['no prototype', { a: Object.create(null) as object }],
    ['a list that is nearly empty', { a: Object.assign([], { length: 4_000_000_000 }) }],
    ['a list with a hole', { a: Object.assign([1], { 2: 3 }) }],
    ['many parts', { a: Array.from({ length: 2000 }, () => ({})) }],
    ['great depth', JSON.parse(`${'[['.repeat(600)}${']]'.repeat(600)}`) as object],
  ])('leaves it to others: %s', (_what, data) => {
    expect(copyQuickly(data)).toBeUndefined();
  });

  it('leaves cycles, shared objects without end and what throws to others', () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = { cycle };
    let shared: object = {};
    for (let depth = 0; depth < 40; depth++) shared = { a: shared, b: shared };
    const thrower = {
      a: Object.defineProperty({}, 'b', {
        enumerable: true,
        get: () => {
          throw new Error('b');
        },
      }),
    };
    for (const data of [cycle, shared, thrower]) expect(copyQuickly(data)).toBeUndefined();
  });

  it('copies no key that all objects inherit', () => {
    const inherited = { inherited: { a: 1 } };
    Object.assign(Object.prototype, inherited);
    try {
      expect(Object.keys(copyQuickly({ b: 1 }) ?? {})).toEqual([]);
    } finally {
      Reflect.deleteProperty(Object.prototype, 'inherited');
    }
  });
});
