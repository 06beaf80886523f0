import { inspect, isDeepStrictEqual, types } from 'node:util';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordCopy } from '../../src/emit/record-copy.js';
import { HookscopeError } from '../../src/errors.js';
import { copyJson, NotJson } from '../../src/values/copies/copy.js';
import { snapshot } from '../../src/values/copies/snapshot.js';
import { readOnly, unwrap } from '../../src/values/copies/view.js';
import { generated } from '../seed.js';

const input = () => ({
  tool_name: 'Edit',
  tool_input: { file_path: '/a', edits: [{ old: 'x' }, { old: 'y' }], 'odd key': { deep: null } },
});

function refused(change: () => unknown): string {
  try {
    change();
  } catch (error) {
    if (error instanceof HookscopeError && error.code === 'READ_ONLY') return error.message;
    throw error;
  }
  throw new Error('the change was accepted');
}

const json = fc
  .jsonValue({ maxDepth: 4 })
  .filter((value) => typeof value === 'object' && value !== null) as fc.Arbitrary<Record<string, unknown> | unknown[]>;

describe('reading a view', () => {
  it('looks like the data behind it', () => {
    fc.assert(
      fc.property(json, (data) => {
        const view = readOnly(data);
        expect(JSON.stringify(view)).toBe(JSON.stringify(data));
        expect(Object.keys(view)).toEqual(Object.keys(data));
        expect(Reflect.ownKeys(view)).toEqual(Reflect.ownKeys(data));
        expect(Array.isArray(view)).toBe(Array.isArray(data));
        expect(inspect(view)).toBe(inspect(data));
        expect(isDeepStrictEqual(view, data)).toBe(true);
        expect(JSON.stringify({ ...view })).toBe(JSON.stringify({ ...data }));
        expect(JSON.stringify(Object.entries(view))).toBe(JSON.stringify(Object.entries(data)));
        if (Array.isArray(view) && Array.isArray(data)) {
          expect(view.length).toBe(data.length);
          expect(JSON.stringify([...view])).toBe(JSON.stringify(data));
          expect(JSON.stringify(view.map((item) => item).concat(view))).toBe(JSON.stringify([...data, ...data]));
        }
      }),
    );
  });

  it('works on frozen and sealed data', () => {
    const frozen = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]), sealed: Object.seal({ b: 2 }) });
    const view = readOnly(frozen);
    expect(JSON.stringify(view)).toBe('{"list":[{"a":1}],"sealed":{"b":2}}');
    expect(Object.getOwnPropertyDescriptors(view.list)).toMatchObject({ 0: { value: { a: 1 } }, length: { value: 1 } });
    expect('list' in view && 'sealed' in view && !('none' in view)).toBe(true);
    refused(() => Object.assign(view.sealed, { b: 3 }));
  });

  it('gives the same child view at every read, also when children are read in turns', () => {
    const view = readOnly({ a: {}, b: [{}], c: {} });
    const { a, b, c } = view;
    for (let turn = 0; turn < 3; turn++) {
      expect(view.a).toBe(a);
      expect(view.b).toBe(b);
      expect(view.c).toBe(c);
      expect(view.b[0]).toBe(b[0]);
    }
    expect(Object.values(view)).toEqual([a, b, c]);
    expect(Object.values(view)[0]).toBe(a);
  });

  it('follows the caller when it replaces a child of its own object', () => {
    const data = { a: { n: 1 } };
    const view = readOnly(data);
    expect(view.a.n).toBe(1);
    data.a = { n: 2 };
    expect(view.a.n).toBe(2);
  });

  it('makes no child before it is read', () => {
    const reads: PropertyKey[] = [];
    const watched = new Proxy(
      { tool_name: 'Bash', tool_response: { big: true } },
      {
        get(target, key) {
          reads.push(key);
          return Reflect.get(target, key);
        },
        ownKeys(target) {
          reads.push('ownKeys');
          return Reflect.ownKeys(target);
        },
      },
    );
    const view = readOnly(watched);
    expect(view.tool_name).toBe('Bash');
    expect(reads).toEqual(['tool_name']);
  });

  it('prints the data, nested in other things too', () => {
    const view = readOnly(input());
    expect(inspect(view)).toBe(inspect(input()));
    expect(inspect({ view: [view.tool_input] })).toBe(inspect({ view: [input().tool_input] }));
    expect(inspect(view, { showProxy: true })).toContain('/a');
    expect(String(view)).toBe('[object Object]');
    expect(String(readOnly(['a', 'b']))).toBe('a,b');
    expect(`${readOnly({ n: [1, 2] }).n}`).toBe('1,2');
  });

  it('is refused by structuredClone, as every proxy is', () => {
    expect(() => structuredClone(readOnly({ a: 1 }))).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
  });

  it('is refused by postMessage too, and its snapshot by neither', () => {
    const view = readOnly({ a: { b: [1] } });
    const { port1, port2 } = new MessageChannel();
    expect(() => port1.postMessage(view)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
    expect(() => port1.postMessage(view.a)).toThrow(expect.objectContaining({ name: 'DataCloneError' }));
    port1.postMessage(snapshot(view));
    expect(receiveMessageOnPort(port2)).toEqual({ message: { a: { b: [1] } } });
    expect(structuredClone(snapshot(view.a))).toEqual({ b: [1] });
    port1.close();
  });

  it('of what JSON has no word for has no working methods; a snapshot has', () => {
    class Box {
      #kept = 1;
      open(): number {
        return this.#kept;
      }
    }
    const data = { map: new Map([['k', 1]]), set: new Set([1]), date: new Date(0), box: new Box() };
    const view = readOnly(data);
    for (const call of [
      () => view.map.get('k'),
      () => view.set.has(1),
      () => view.date.getTime(),
      () => view.box.open(),
    ]) {
      expect(call).toThrow(TypeError);
    }
    const { map, set, date } = snapshot(view);
    expect([map.get('k'), set.has(1), date.getTime()]).toEqual([1, true, 0]);
  });

  it('keeps an own key named __proto__ apart from the prototype', () => {
    const data = JSON.parse('{"__proto__":{"a":1}}') as Record<string, { a: number }>;
    const view = readOnly(data);
    expect(Reflect.get(view, '__proto__')).toEqual({ a: 1 });
    expect(Reflect.get(view, '__proto__')).not.toBe(Object.values(data)[0]);
    expect(Object.getPrototypeOf(view)).toBe(Object.prototype);
  });
});

/** Counts what is read of every object in the data. */
function counted<T extends object>(data: T): { data: T; reads: () => number } {
  let reads = 0;
  const watch = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const copy = Object.entries(value).map(([key, part]) => [key, watch(part)] as const);
    return new Proxy(Array.isArray(value) ? copy.map(([, part]) => part) : Object.fromEntries(copy), {
      get(target, key) {
        if (key !== 'toJSON') reads++;
        return Reflect.get(target, key);
      },
    });
  };
  return { data: watch(data) as T, reads: () => reads };
}

describe('printing a view as JSON', () => {
  it('reads every value of the data once', () => {
    fc.assert(
      fc.property(json, (data) => {
        const plain = counted(data);
        const viewed = counted(data);
        JSON.stringify(plain.data);
        JSON.stringify(readOnly(viewed.data));
        // Of a list its length, and what a copy of a list looks at, once more.
        expect(viewed.reads()).toBeLessThanOrEqual(2 * plain.reads() + 4);
      }),
    );
  });

  it('asks one view, and no other for what is in it', () => {
    fc.assert(
      fc.property(json, (data) => {
        let views = 0;
        JSON.stringify(readOnly(data), (_key, value: unknown) => {
          if (types.isProxy(value)) views++;
          return value;
        });
        expect(views).toBe(0);
      }),
    );
  });

  it('gives nobody the data to change: not by its toJSON, not to a replacer, not under a symbol', () => {
    const symbol = Symbol('s');
    fc.assert(
      fc.property(json, (data) => {
        const raw = new Set<unknown>([...nodes(data)]);
        Object.defineProperty(data, symbol, { value: { secret: 1 }, enumerable: true });
        raw.add(Reflect.get(data, symbol));
        const view = readOnly(data);
        const reached: unknown[] = [Reflect.get(view, 'toJSON').call(view)];
        JSON.stringify(view, function (this: unknown, _key, value: unknown) {
          reached.push(this, value);
          return value;
        });
        for (const item of [...reached]) {
          if (typeof item !== 'object' || item === null) continue;
          reached.push(...nodes(item), ...Reflect.ownKeys(item).map((key) => Reflect.get(item, key)));
        }
        for (const item of reached) expect(raw.has(item)).toBe(false);
      }),
    );
  });

  it('leaves data with a toJSON of its own, a key or a method, to what that says', () => {
    const noMethod = fc.constantFrom<unknown>('text', 1, null, false, { a: 1 }, [1]);
    fc.assert(
      fc.property(json, noMethod, fc.string(), (data, toJSON, key) => {
        for (const own of [{ toJSON }, { toJSON, data }, { [key]: { toJSON, data } }, [{ toJSON }]]) {
          expect(JSON.stringify(readOnly(own))).toBe(JSON.stringify(own));
        }
      }),
    );
    class Money {
      amount = { cents: 5 };
      seen: unknown;
      toJSON(key: string): unknown {
        refused(() => Reflect.set(this, 'amount', 1));
        refused(() => Reflect.set(this.amount, 'cents', 1));
        return `${key}:${this.amount.cents}`;
      }
    }
    const data = { a: [new Money()], b: new Money() };
    expect(JSON.stringify(readOnly(data))).toBe('{"a":["0:5"],"b":"b:5"}');
    expect(data.b.amount.cents).toBe(5);
    const view = readOnly(data);
    expect([Object.keys(view), 'toJSON' in view, Object.hasOwn(view, 'toJSON')]).toEqual([['a', 'b'], false, false]);
    expect(JSON.stringify(Object.create(view))).toBe('{}');
    expect(JSON.stringify(readOnly({ view }))).toBe('{"view":{"a":["0:5"],"b":"b:5"}}');
  });

  it('prints whatever an input holds as the plain input is printed: dates, URLs, boxed values, instances with private members', () => {
    class Hidden {
      readonly #inside: unknown;
      constructor(inside: unknown) {
        this.#inside = inside;
      }
      toJSON(key: string): unknown {
        return key.length > 2 ? { key, inside: this.#inside } : this.#inside;
      }
    }
    class Shown {
      constructor(readonly inside: unknown) {}
      toJSON(): unknown {
        return this.inside;
      }
    }
    class Bare {
      readonly #hidden = 1;
      constructor(readonly inside: unknown) {}
      get sum(): number {
        return this.#hidden;
      }
    }
    class Angry {
      toJSON(): never {
        throw new RangeError('not this one');
      }
    }
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.constantFrom<unknown>('text', '', 0, -0, Number.NaN, null, undefined, true, () => 1, Symbol('s')),
        fc.date({ noInvalidDate: false }),
        fc.webUrl().map((url) => new URL(url)),
        fc
          .constantFrom<() => unknown>(
            () => new Map([[1, 2]]),
            () => new Set([1]),
            () => /x/g,
            () => new Error('e'),
            () => Buffer.from('ab'),
            () => new Uint8Array(2),
            () => new Number(5),
            () => new String('boxed'),
            () => new Boolean(false),
            () => Object(1n),
            () => new Angry(),
            // biome-ignore lint/suspicious/noSparseArray: JSON has null for what is missing
            () => [1, , 2],
          )
          .map((make) => make()),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 4 }), tie('node'), { maxKeys: 3 }),
        fc.constantFrom(Hidden, Shown, Bare).chain((Kind) => tie('node').map((inside) => new Kind(inside))),
      ),
    }));
    const said = (value: unknown, replacer?: (key: string, value: unknown) => unknown, indent?: number): unknown => {
      try {
        return JSON.stringify(value, replacer, indent);
      } catch (error) {
        return String(error);
      }
    };
    const same = (_: string, value: unknown): unknown => value;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('a', 'b', 'long'), node, { minKeys: 1 }), (data) => {
        const view = readOnly(data);
        expect(said(view)).toBe(said(data));
        expect(said(view, same, 1)).toBe(said(data, same, 1));
        expect(said({ ...view })).toBe(said({ ...data }));
        for (const key of Object.keys(data)) expect(said(view[key])).toBe(said(data[key]));
      }),
      { numRuns: generated(500) },
    );
  });

  it('gives nobody what the toJSON of private data returns to change', () => {
    const inside = { list: [1] };
    class Hidden {
      #inside = inside;
      toJSON(): unknown {
        return this.#inside;
      }
    }
    const view = readOnly({ hidden: new Hidden() });
    const reached = view.hidden.toJSON() as typeof inside;
    expect(refused(() => reached.list.push(2))).toContain('cannot set "list[1]"');
    expect(inside).toEqual({ list: [1] });
  });

  it('runs no toJSON that would change the data', () => {
    class Counting {
      calls = 0;
      toJSON(): object {
        this.calls++;
        return { calls: this.calls };
      }
    }
    const data = { own: new Counting() };
    expect(() => JSON.stringify(readOnly(data))).toThrow(/read-only/);
    expect(data.own.calls).toBe(0);
  });

  it('ends where data holds itself, is very deep, or is there very often', () => {
    const own: Record<string, unknown> = { a: [{}] };
    (own['a'] as unknown[]).push(own);
    expect(() => JSON.stringify(readOnly(own))).toThrow(TypeError);
    let deep: unknown = 1;
    for (let i = 0; i < 2000; i++) deep = i % 2 ? [deep] : { deep };
    expect(JSON.stringify(readOnly(deep as object))).toBe(JSON.stringify(deep));
    let bomb: object = { a: 1 };
    for (let i = 0; i < 60; i++) bomb = { a: bomb, b: bomb };
    const copy = (readOnly(bomb) as { toJSON(): { a: object; b: object } }).toJSON();
    let inner: unknown = copy;
    for (let i = 0; i < 60; i++) inner = (inner as { a: object; b: object })[i % 2 ? 'a' : 'b'];
    expect(inner).toEqual({ a: 1 });
    expect(() => copyJson(readOnly(bomb), '', { left: 100_000 })).toThrow(NotJson);
    expect(new RecordCopy({ left: 100_000 }).object(readOnly({ bomb }), 'input')).toBeTypeOf('object');
  });
});

/** Every way to change an object; each is tried on every node of random data. */
const mutations: ((target: object, key: string) => unknown)[] = [
  (target, key) => Reflect.set(target, key, 'changed'),
  (target, key) => Reflect.deleteProperty(target, key),
  (target, key) => Reflect.defineProperty(target, key, { value: 'changed', configurable: true }),
  (target) => Reflect.setPrototypeOf(target, null),
  (target) => Reflect.preventExtensions(target),
  (target) => Object.freeze(target),
  (target, key) => Object.assign(target, { [key]: 'changed' }),
  (target, key) =>
    (target as Record<string, (name: string, get: () => unknown) => void>)['__defineGetter__']?.(key, () => 1),
  (target) => Object.getOwnPropertyDescriptor(Object.prototype, '__proto__')?.set?.call(target, null),
];
const listMutations: ((list: unknown[]) => unknown)[] = [
  (list) => list.push('changed'),
  (list) => list.pop(),
  (list) => list.shift(),
  (list) => list.unshift('changed'),
  (list) => list.splice(0, 1, 'changed'),
  (list) => {
    list.length = 0;
  },
];
/** These write nothing to a list too short for them. */
const rearrangements: ((list: unknown[]) => unknown)[] = [
  (list) => list.sort(() => -1),
  (list) => list.reverse(),
  (list) => list.fill('changed'),
  (list) => list.copyWithin(0, 1),
];

function* nodes(value: unknown): Generator<object> {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const child of Object.values(value)) yield* nodes(child);
}

describe('changing a view', () => {
  it('throws whatever the way, and changes nothing', () => {
    fc.assert(
      fc.property(json, fc.string(), (data, anyKey) => {
        const before = structuredClone(data);
        for (const node of nodes(readOnly(data))) {
          const key = Object.keys(node)[0] ?? anyKey;
          for (const mutate of mutations) refused(() => mutate(node, key));
          for (const mutate of mutations) refused(() => mutate(node, anyKey));
          if (!Array.isArray(node)) continue;
          for (const mutate of listMutations) refused(() => mutate(node));
          if (node.length > 1) for (const mutate of rearrangements) refused(() => mutate(node));
        }
        expect(data).toEqual(before);
        expect(Object.isFrozen(data) && Object.keys(data).length > 0).toBe(false);
      }),
    );
  });

  it('names the path and says what to do instead', () => {
    const view = readOnly(input());
    expect(
      refused(() => {
        view.tool_name = 'Bash';
      }),
    ).toBe(
      'A hook\'s input is read-only: cannot set "tool_name". Return updatedInput (or use rewrite()) to change what runs; snapshot(input) gives a copy.',
    );
    expect(refused(() => view.tool_input.edits.push({ old: 'z' }))).toContain('cannot set "tool_input.edits[2]"');
    expect(refused(() => Reflect.deleteProperty(view.tool_input.edits[1]!, 'old'))).toContain(
      'cannot delete "tool_input.edits[1].old"',
    );
    expect(refused(() => Reflect.set(view.tool_input['odd key'], 'deep', 1))).toContain('"tool_input["odd key"].deep"');
    expect(refused(() => Object.freeze(view))).toContain('cannot freeze the input');
    expect(refused(() => Reflect.set(view, Symbol('s'), 1))).toContain('[Symbol(s)]');
  });

  it('leaves copies made of it free to change at their own level', () => {
    const data = input();
    const view = readOnly(data);
    const copy = { ...view.tool_input, file_path: '/b' };
    expect(copy.file_path).toBe('/b');
    refused(() => copy.edits.pop());
    const edits = view.tool_input.edits.map((edit) => ({ ...edit, old: 'z' }));
    expect(edits).toEqual([{ old: 'z' }, { old: 'z' }]);
    expect(data).toEqual(input());
  });
});

describe('getting at the object behind a view', () => {
  it('is not possible through any property, descriptor, method or prototype', () => {
    class Call {
      tool_input = { command: 'ls' };
      get self(): this {
        return this;
      }
      me(): this {
        return this;
      }
    }
    const data = new Call();
    const raw = new Set<unknown>([data, data.tool_input]);
    const view = readOnly(data);
    const reached: unknown[] = [
      view.self,
      view.me(),
      view.valueOf(),
      view.constructor,
      Reflect.get(view, '__proto__'),
      Object.getPrototypeOf(view),
      Reflect.get(view, inspect.custom),
      ...Object.values(Object.getOwnPropertyDescriptors(view)).map((found) => found.value),
      ...Object.values(view),
      ...Object.entries(view).flat(),
      ...Object.getOwnPropertySymbols(view),
      Reflect.get(Object.create(view), 'tool_input'),
      Reflect.get(view, 'self', {}),
    ];
    for (const thing of reached) expect(raw.has(thing)).toBe(false);
    expect(view.self).toBe(view);
    expect(Reflect.get(view, '__proto__')).toBe(Call.prototype);
    const list = readOnly([{ a: 1 }]);
    expect([...list, list.at(0), list.find(() => true), list.values().next().value, list.flat()[0]]).not.toContain(
      unwrap(list)[0],
    );
    list.forEach((item, _index, whole) => {
      refused(() => Reflect.set(item, 'a', 2));
      refused(() => whole.pop());
    });
  });

  it('is only possible for us, and never by way of another proxy', () => {
    const data = { a: { b: 1 } };
    const view = readOnly(data);
    expect(unwrap(view)).toBe(data);
    expect(unwrap(view.a)).toBe(data.a);
    expect(unwrap(data)).toBe(data);
    expect(unwrap('text')).toBe('text');

    const around = new Proxy(view, {});
    expect(unwrap(around)).toBe(around);
    const caught: unknown[] = [];
    const curious: object = new Proxy(
      {},
      {
        isExtensible(target) {
          caught.push(Object.isExtensible(view), unwrap(around));
          return Reflect.isExtensible(target);
        },
        get(_target, key) {
          caught.push(key);
          return undefined;
        },
      },
    );
    expect(unwrap(curious)).toBe(curious);
    expect(caught).toEqual([true, around]);
  });
});

it('a toJSON that works only on the real object is called on it, and what it changes there stays changed', () => {
  class Counter {
    #own = 'private';
    count = 0;
    toJSON(): unknown {
      const said = this.#own;
      this.count++;
      return { said, count: this.count };
    }
  }
  const counter = new Counter();
  expect(JSON.stringify(readOnly({ counter }))).toBe('{"counter":{"said":"private","count":1}}');
  expect(counter.count).toBe(1);
});
