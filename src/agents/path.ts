import { put } from '../values/copies/put.js';
import { isObject } from '../values/shape.js';

type Target = Record<string, unknown>;

/** What stands at a path with dots; undefined if nothing does. Own keys alone: a payload may be anything. */
export function at(value: unknown, path: string): unknown {
  let here = value;
  for (const key of path.split('.')) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, key)) return undefined;
    here = (here as Target)[key];
  }
  return here;
}

/** Puts a value at a path, making the objects on the way; false: something else stands there. */
export function putAt(target: Target, path: string, value: unknown): boolean {
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

/** Takes what stands at a path out; of objects that are empty by that nothing is left. What the target shares with others stays as it is. */
export function takeAt(target: Target, path: string): void {
  const [key, rest] = split(path);
  if (rest === undefined) {
    delete target[key];
    return;
  }
  const inner = { ...(target[key] as Target) };
  takeAt(inner, rest);
  if (Object.keys(inner).length === 0) delete target[key];
  else put(target, key, inner);
}

function split(path: string): [key: string, rest: string | undefined] {
  const dot = path.indexOf('.');
  return dot === -1 ? [path, undefined] : [path.slice(0, dot), path.slice(dot + 1)];
}

/** A copy of an object's own keys, `__proto__` too. */
export function copyOf(value: Readonly<Target>): Target {
  const copy: Target = {};
  for (const key of Object.keys(value)) put(copy, key, value[key]);
  return copy;
}
