import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { copyJson, NotJson } from '../../src/values/copies/copy.js';

describe('copyJson', () => {
  it('gives what a round trip through JSON would give', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const copied = copyJson(value);
        expect(copied).toEqual(value);
        expect(JSON.stringify(copied)).toBe(JSON.stringify(value));
      }),
    );
  });

  it('shares nothing with the original', () => {
    const original = { list: [{ a: 1 }], same: { b: 2 } };
    const copied = copyJson(original) as typeof original;
    original.list[0]!.a = 9;
    original.same.b = 9;
    expect(copied).toEqual({ list: [{ a: 1 }], same: { b: 2 } });
  });

  it('leaves out undefined, and reads dates as JSON does', () => {
    const value = { a: undefined, list: [1, undefined, 2], at: new Date(0), url: new URL('http://a.b/') };
    expect(copyJson(value)).toEqual(JSON.parse(JSON.stringify(value)));
    expect(copyJson(value)).not.toHaveProperty('a');
  });

  it('copies what frozen objects, views and instances hold', () => {
    class Point {
      x = 1;
    }
    const value = { frozen: Object.freeze({ a: [1] }), view: new Proxy({ b: 2 }, {}), point: new Point() };
    expect(copyJson(value)).toEqual({ frozen: { a: [1] }, view: { b: 2 }, point: { x: 1 } });
    expect(() => structuredClone(value)).toThrow();
  });

  it.each([
    ['a function', { f: () => 1 }, 'f: expected JSON data, got function'],
    ['a symbol', { list: [Symbol('s')] }, 'list[0]: expected JSON data, got symbol'],
    [
      'a function after other parts',
      { a: { b: [1, 2] }, list: [{ c: 1 }, () => 1] },
      'list[1]: expected JSON data, got function',
    ],
    ['a bigint', { n: { n: 1n } }, 'n.n: expected JSON data, got bigint'],
    ['NaN', [Number.NaN], '[0]: expected JSON data, got NaN'],
    ['infinity', { n: -Infinity }, 'n: expected JSON data, got -Infinity'],
    ['a map', { m: new Map([[1, 2]]) }, 'm: expected JSON data, got Map'],
    ['a promise', Promise.resolve(), 'the value: expected JSON data, got Promise'],
    ['bytes', { b: new Uint8Array(2) }, 'b: expected JSON data, got Uint8Array'],
  ])('refuses %s, and says where it is', (_, value, message) => {
    expect(() => copyJson(value)).toThrow(new NotJson(message));
  });

  it('starts the path where it is told', () => {
    expect(() => copyJson({ a: [() => 1] }, 'updatedInput')).toThrow(
      'updatedInput.a[0]: expected JSON data, got function',
    );
  });

  it('refuses a cycle, but not one object in two places', () => {
    const shared = { a: 1 };
    expect(copyJson({ x: shared, y: [shared, shared] })).toEqual({ x: { a: 1 }, y: [{ a: 1 }, { a: 1 }] });
    const cycle: { self?: unknown; twice?: unknown } = {};
    cycle.self = [cycle];
    cycle.twice = cycle;
    expect(() => copyJson(cycle)).toThrow('self[0]: expected JSON data, got a cycle');
    const returnsItself = {
      toJSON() {
        return this;
      },
    };
    expect(() => copyJson(returnsItself)).toThrow('a cycle');
  });

  it('refuses what is nested too deeply, and does not overflow', () => {
    const nest = (levels: number): unknown => {
      let value: unknown = 1;
      for (let i = 0; i < levels; i++) value = { a: value };
      return value;
    };
    expect(copyJson(nest(1000))).toEqual(nest(1000));
    expect(() => copyJson(nest(1001))).toThrow('nested deeper than 1000 levels');
    expect(() => copyJson(nest(200_000))).toThrow(NotJson);
    const endless: object = new Proxy(
      { a: 1 },
      { get: (_, key) => (key === 'a' ? new Proxy(endless, {}) : undefined) },
    );
    expect(() => copyJson(endless)).toThrow('nested deeper than 1000 levels');
  });

  it('keeps a key named __proto__ a key', () => {
    const copied = copyJson(JSON.parse('{"__proto__":{"x":1}}')) as { x?: number };
    expect(copied.x).toBeUndefined();
    expect(JSON.stringify(copied)).toBe('{"__proto__":{"x":1}}');
  });
});
