import { types } from 'node:util';
import { put } from './put.js';

/** Up to this many keys and elements, shared objects are copied repeatedly, because finding them costs more. */
const MANY = 1_000_000;
/** From this depth on, the copy looks for circular references. */
const DEEP = 400;
/** Deeper values stay views, which are copied when they are serialised: JSON.stringify can recurse deeper than this code. */
const DEEPEST = 2 * DEEP;

interface CopyState {
  /** The root view. A value with its own `toJSON` is replaced with its view, because `toJSON` must not see the data itself. */
  readonly view: object;
  readonly path: PropertyKey[];
  count: number;
  /** The copy of each object, so that an object that occurs many times, or within itself, is copied only once. */
  known: Map<object, unknown> | undefined;
}

/**
 * A copy of what `JSON.stringify` would read from the data behind a view: enumerable keys and elements. Values with their own `toJSON`,
 * and very deep ones, stay views.
 */
export function plainCopy(view: object, source: object): unknown {
  const plain = unboxed(source);
  return plain !== source ? plain : copyOf(source, { view, path: [], count: 0, known: undefined });
}

function copyOf(source: object, state: CopyState): unknown {
  const known = state.known?.get(source);
  if (known !== undefined) return known;
  if (state.count > MANY || state.path.length === DEEP) state.known ??= new Map();
  return Array.isArray(source)
    ? copyArray(source, state)
    : copyObject(source as Readonly<Record<string, unknown>>, state);
}

function copyArray(source: readonly unknown[], state: CopyState): unknown {
  const copied = Array.prototype.slice.call(source) as unknown[];
  state.known?.set(source, copied);
  state.count += copied.length;
  for (let i = 0; i < copied.length; i++) {
    const part = copied[i];
    if (typeof part === 'object' && part !== null) copied[i] = partOf(part, i, state);
  }
  return copied;
}

function copyObject(source: Readonly<Record<string, unknown>>, state: CopyState): unknown {
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

function partOf(value: object, key: PropertyKey, state: CopyState): unknown {
  const { path } = state;
  path.push(key);
  const hasOwnWay = path.length >= DEEPEST || typeof (value as { toJSON?: unknown }).toJSON === 'function';
  const plain = hasOwnWay ? value : unboxed(value);
  const part = hasOwnWay ? at(state) : plain !== value ? plain : copyOf(value, state);
  path.pop();
  return part;
}

/** Unboxes `new Number(1)` and the like, as `JSON.stringify` does; returns any other value unchanged. */
export function unboxed(value: object): unknown {
  // Nearly all values take this path.
  if (Object.getPrototypeOf(value) === Object.prototype || Array.isArray(value)) return value;
  if (types.isNumberObject(value)) return Number(value);
  if (types.isStringObject(value)) return String(value);
  return types.isBooleanObject(value) || types.isBigIntObject(value) ? value.valueOf() : value;
}

function at({ view, path }: CopyState): unknown {
  return path.reduce((found, key) => (found as Record<PropertyKey, unknown>)[key], view as unknown);
}
