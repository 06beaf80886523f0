import { put } from '../values/copies/put.js';
import { isObject } from '../values/shape.js';

type PathTarget = Record<string, unknown>;

/** The value at a dotted path; undefined if there is none. Only own keys count, because a payload may be anything. */
export function at(value: unknown, path: string): unknown {
  let here = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as PathTarget)[key];
  }
  return here;
}

/** Sets a value at a path, creating objects on the way; false: another value is in the way. */
export function putAt(target: PathTarget, path: string, value: unknown): boolean {
  const [key, rest] = split(path);
  if (rest === undefined) {
    if (Object.hasOwn(target, key)) return false;
    put(target, key, value);
    return true;
  }
  const inner = Object.hasOwn(target, key) ? target[key] : undefined;
  if (inner !== undefined && !isObject(inner)) return false;
  const copy = { ...inner };
  if (!putAt(copy, rest, value)) return false;
  put(target, key, copy);
  return true;
}

/** Removes the value at a path, and objects that become empty. Nested objects are copied first, because other inputs may share them. */
export function takeAt(target: PathTarget, path: string): void {
  const [key, rest] = split(path);
  if (rest === undefined) {
    delete target[key];
    return;
  }
  const inner = { ...(target[key] as PathTarget) };
  takeAt(inner, rest);
  if (Object.keys(inner).length === 0) delete target[key];
  else put(target, key, inner);
}

function split(path: string): [key: string, rest: string | undefined] {
  const dot = path.indexOf('.');
  return dot === -1 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** A copy of an object's own keys, `__proto__` too. */
export function copyOf(value: Readonly<PathTarget>): PathTarget {
  const copy: PathTarget = {};
  for (const key of Object.keys(value)) put(copy, key, value[key]);
  return copy;
}
