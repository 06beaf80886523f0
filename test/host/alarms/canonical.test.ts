import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { type Canonical, canonical, headOf } from '../../../src/host/alarms/canonical.js';
import { type CallKey, Memory, MemoryEntry } from '../../../src/host/alarms/memory.js';

const key = (value: unknown, loose = false): string | undefined => canonical(value, loose)?.key;

test('an input is the same whatever the order of its keys, and another where anything in it is', () => {
  expect(key({ b: [1, { d: 2, c: 3 }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":3,"d":2}]}');
  expect(key({ a: undefined, b: () => 1, c: Symbol('c'), d: 1 })).toBe('{"d":1}');
  expect(key([undefined, new Date(Number.NaN), Number.NaN, null])).toBe('[null,null,null,null]');
  expect(key({ n: 1n })).toBe('{"n":1n}');
  expect(
    new Set([{ a: 5 }, { a: '5' }, { a: [5] }, { a: null }, { a: false }, {}].map((value) => key(value))).size,
  ).toBe(6);
});

test('of what a hook gave, "5" and 5 are one, and false and null may be added; in a list they stand', () => {
  expect(key({ a: 5, b: true }, true)).toBe(key({ a: '5', b: 'true', c: false, d: null }, true));
  expect(key([false, null], true)).toBe('["false",null]');
  expect(key({ a: 5 }, true)).not.toBe(key({ a: 6 }, true));
});

test('what has no end cannot be compared; what is there twice can', () => {
  const circle: unknown[] = [];
  circle.push({ circle });
  const twice = { a: 1 };
  expect(key(circle)).toBeUndefined();
  expect(key([twice, twice])).toBe('[{"a":1},{"a":1}]');
});

test('of a text of 4,096 characters all is kept, of a longer one its hash and the beginning, in however many pieces it comes', () => {
  const short = 'x'.repeat(4_094);
  expect(canonical(short)).toEqual({ key: JSON.stringify(short), head: JSON.stringify(short) });
  for (const long of [`${short}y`, ['x'.repeat(70_000), 'y'.repeat(70_000), 1]]) {
    const json = JSON.stringify(long);
    const hash = createHash('sha256').update(json).digest('hex');
    expect(canonical(long)).toEqual({ key: hash, head: json.slice(0, 5120) });
    expect(headOf(canonical(long) as Canonical)).toBe(`${json.slice(0, 4095)}…`);
  }
});

const call = (id: string, agent?: string, session = 's'): CallKey => ({ session, agent, id });

class Named extends MemoryEntry {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }
}

test('a call is found by session, agent and id, and by nothing that looks like them', () => {
  const memory = new Memory<Named>();
  const calls = [
    call('a'),
    call('a', undefined, 't'),
    call('a', 'b'),
    call('a', ''),
    call('a', 'b', 's@b'),
    call('a', undefined, 's@b'),
    call('ba', 'x'),
    call('a', 'xb'),
    call('x'.repeat(257)),
    call(`${'x'.repeat(256)}y`),
  ];
  for (const [at, one] of calls.entries()) memory.set(one, new Named(String(at)), 1);
  expect(calls.map((one) => memory.get(one)?.name)).toEqual(calls.map((_, at) => String(at)));
  expect([memory.size, memory.get(call('z'))]).toEqual([calls.length, undefined]);
});

test('of calls that have run the last 250 are kept, and they displace no others', () => {
  const memory = new Memory<Named>();
  memory.set(call('waits'), new Named('waits'), 10);
  for (let i = 0; i < 50_000; i++) {
    const entry = new Named(String(i));
    memory.set(call(`t${i}`), entry, 10);
    memory.ran(entry);
  }
  expect([memory.size, memory.get(call('waits'))?.name]).toEqual([251, 'waits']);
  expect(memory.bytes).toBeLessThan(1 << 18);
  expect([...memory.newest(9)].map(({ name }) => name)).toEqual(['waits']);
  expect([memory.get(call('t49750'))?.name, memory.get(call('t49749'))]).toEqual(['49750', undefined]);
  expect(['waits', 't49749', 't49750', 'never'].map((id) => memory.mayBeForgotten(call(id)))).toEqual([
    false,
    true,
    false,
    false,
  ]);
  // Asked about anew under an id that has run: it waits again.
  memory.set(call('t49800'), new Named('again'), 10);
  expect([...memory.newest(9)].map(({ name }) => name)).toEqual(['again', 'waits']);
  // One that grows stays where it is.
  memory.resize(memory.get(call('t49801')) as Named, 1_000);
  expect([memory.size, [...memory.newest(9)].length]).toEqual([251, 2]);
});

test('what is put anew is the newest, once; the oldest goes first, and is known to have been', () => {
  const memory = new Memory<Named>();
  for (const id of ['a', 'b', 'c', 'a']) memory.set(call(id), new Named(id), 10);
  expect([...memory.newest(9)].map(({ name }) => name)).toEqual(['a', 'c', 'b']);
  expect([...memory.newest(1)].map(({ name }) => name)).toEqual(['a']);
  const before = memory.bytes;
  memory.resize(memory.get(call('b')) as Named, 1_000);
  expect([memory.size, memory.bytes - before]).toEqual([3, 2 * 990]);
  // Each is 10 MiB of the 15.
  memory.set(call('big'), new Named('big'), 5 << 20);
  expect(['a', 'b', 'c'].map((id) => memory.mayBeForgotten(call(id)))).toEqual([false, false, false]);
  memory.set(call('bigger'), new Named('bigger'), 5 << 20);
  expect(['a', 'b', 'c', 'big'].map((id) => memory.get(call(id)))).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(['a', 'b', 'c', 'big', 'bigger', 'z'].map((id) => memory.mayBeForgotten(call(id)))).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect([memory.size, memory.bytes]).toEqual([1, expect.any(Number)]);
  expect(memory.bytes).toBeLessThanOrEqual(15 << 20);
});
