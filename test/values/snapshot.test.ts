import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { snapshot } from '../../src/values/copies/snapshot.js';
import { readOnly } from '../../src/values/copies/view.js';

describe('snapshot', () => {
  it('is equal to the data and shares nothing with it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (data) => {
        const before = JSON.stringify(data);
        const copy = snapshot(typeof data === 'object' && data !== null ? readOnly(data) : data);
        expect(JSON.stringify(copy)).toBe(before);
        spoil(copy);
        expect(JSON.stringify(data)).toBe(before);
      }),
    );
  });

  it('copies plain data that holds views', () => {
    const data = { tool_input: { command: 'ls', env: { A: '1' } }, list: [{ n: 1 }] };
    const view = readOnly(data);
    const copy = snapshot({ ...view.tool_input, list: view.list, command: 'pwd' });
    copy.env.A = '2';
    copy.list.push({ n: 2 });
    expect(copy).toEqual({ command: 'pwd', env: { A: '2' }, list: [{ n: 1 }, { n: 2 }] });
    expect(data).toEqual({ tool_input: { command: 'ls', env: { A: '1' } }, list: [{ n: 1 }] });
  });

  it('gives plain objects for instances and copies dates, maps and null prototypes', () => {
    class Point {
      constructor(readonly x: number) {}
    }
    const copy = snapshot({
      point: new Point(1),
      when: new Date(0),
      map: new Map([[1, 2]]),
      bare: Object.create(null),
    });
    expect(snapshot(readOnly({ when: new Date(0) }))).toEqual({ when: new Date(0) });
    expect(Object.getPrototypeOf(copy.point)).toBe(Object.prototype);
    expect(copy).toEqual({ point: { x: 1 }, when: new Date(0), map: new Map([[1, 2]]), bare: {} });
  });

  it('keeps cycles and shared objects', () => {
    const shared = { n: 1 };
    const data: Record<string, unknown> = { a: shared, b: shared };
    data['self'] = data;
    const copy = snapshot(data);
    expect(copy['self']).toBe(copy);
    expect(copy['a']).toBe(copy['b']);
    expect(copy['a']).not.toBe(shared);
  });

  it('copies data nested deeper than the stack', () => {
    const depth = 200_000;
    const data = JSON.parse('['.repeat(depth) + ']'.repeat(depth)) as unknown[];
    let copy = snapshot(readOnly(data));
    let found = 1;
    while (copy.length > 0) {
      copy = copy[0] as unknown[];
      found++;
    }
    expect(found).toBe(depth);
  });

  it('copies a key named __proto__ as a key', () => {
    const copy = snapshot(JSON.parse('{"__proto__":{"polluted":true}}') as Record<string, unknown>);
    expect(Object.getPrototypeOf(copy)).toBe(Object.prototype);
    expect(JSON.stringify(copy)).toBe('{"__proto__":{"polluted":true}}');
  });

  it('refuses functions and symbols as structuredClone does', () => {
    const refused = expect.objectContaining({ name: 'DataCloneError' });
    expect(() => snapshot({ run: () => 1 })).toThrow(refused);
    expect(() => snapshot({ tag: Symbol('x') })).toThrow(refused);
  });
});

function spoil(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const child of Object.values(value)) spoil(child);
  if (Array.isArray(value)) value.push('spoilt');
  else Object.assign(value, { spoilt: true });
}
