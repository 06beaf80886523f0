import { types } from 'node:util';
import { put } from './put.js';

/** Below this many keys and elements duplicates are not looked for: that costs more than copying them again. */
const MANY = 1_000_000;
/** From this depth on, circular references are looked for. */
const DEEP = 400;
/** What lies deeper is left as a view, which is copied in its turn: printing reaches deeper than our own calls do. */
const DEEPEST = 2 * DEEP;

interface Copying {
  /** A view for a value with its own `toJSON`, which must not see the data itself. */
  readonly view: object;
  readonly path: PropertyKey[];
  count: number;
  /** Values that are copied once however often they occur: a million times, or within themselves. */
  known: Map<object, unknown> | undefined;
}

/**
 * What `JSON.stringify` would read of the data behind a view: enumerable keys and elements, copied. Whatever is no plain matter (what
 * has a `toJSON` of its own, what lies very deep) is the view that it was.
 */
export function plainCopy(view: object, source: object): unknown {
  const plain = unboxed(source);
  return plain !== source ? plain : copyOf(source, { view, path: [], count: 0, known: undefined });
}

function copyOf(source: object, state: Copying): unknown {
  const known = state.known?.get(source);
  if (known !== undefined) return known;
  if (state.count > MANY || state.path.length === DEEP) state.known ??= new Map();
  return Array.isArray(source)
    ? copyArray(source, state)
    : copyObject(source as Readonly<Record<string, unknown>>, state);
}

function copyArray(source: readonly unknown[], state: Copying): unknown {
  const copied = Array.prototype.slice.call(source) as unknown[];
  state.known?.set(source, copied);
  state.count += copied.length;
  for (let i = 0; i < copied.length; i++) {
    const part = copied[i];
    if (typeof part === 'object' && part !== null) copied[i] = partOf(part, i, state);
  }
  return copied;
}

function copyObject(source: Readonly<Record<string, unknown>>, state: Copying): unknown {
  const copied: Record<string, unknown> = {};
  state.known?.set(source, copied);
  const keys = Object.keys(source);
  state.count += keys.length;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string;
    const part = source[key];
    put(copied, key, typeof part === 'object' && part !== null ? partOf(part, key, state) : part);
  }
  return copied;
}

function partOf(value: object, key: PropertyKey, state: Copying): unknown {
  const { path } = state;
  path.push(key);
  const hasOwnWay = path.length >= DEEPEST || typeof (value as { toJSON?: unknown }).toJSON === 'function';
  const plain = hasOwnWay ? value : unboxed(value);
  const part = hasOwnWay ? at(state) : plain !== value ? plain : copyOf(value, state);
  path.pop();
  return part;
}

/** The number, text or the like in a `new Number(1)`, as `JSON.stringify` reads it; any other value itself. */
export function unboxed(value: object): unknown {
  // Nearly all of them.
  if (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)) return value;
  if (types.isNumberObject(value)) return Number(value);
  if (types.isStringObject(value)) return String(value);
  return types.isBooleanObject(value) || types.isBigIntObject(value) ? value.valueOf() : value;
}

function at({ view, path }: Copying): unknown {
  return path.reduce((found, key) => (found as Record<PropertyKey, unknown>)[key], view as unknown);
}
