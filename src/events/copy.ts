import { formatPath } from './problem.js';
import { quiet } from './promises.js';

/** Nested deeper than this, a value is no longer data that anybody can print. */
const DEEPEST = 1000;

/** The value cannot be written as JSON; the message says where and why. */
export class NotJson extends TypeError {
  override readonly name = 'NotJson';
}

/**
 * A deep plain copy of JSON data: read-only views become plain objects, dates and the like what their `toJSON` says,
 * undefined is left out. Throws NotJson for what JSON cannot hold: functions, symbols, bigints, NaN, maps, cycles.
 */
export function copyJson(value: unknown, at = ''): unknown {
  return copy(value, { keys: at === '' ? [] : [at], objects: [] });
}

interface Trail {
  readonly keys: PropertyKey[];
  readonly objects: object[];
}

function copy(value: unknown, trail: Trail): unknown {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw notJson(trail, `${value}`);
    case 'object':
      return value === null ? null : copyObject(value, trail);
    default:
      throw notJson(trail, typeof value);
  }
}

function copyObject(value: object, trail: Trail): unknown {
  if (trail.objects.includes(value)) throw notJson(trail, 'a cycle');
  if (trail.objects.length >= DEEPEST) throw notJson(trail, `nested deeper than ${DEEPEST} levels`);
  trail.objects.push(value);
  const copied = copyParts(value, trail);
  trail.objects.pop();
  return copied;
}

function copyParts(value: object & { toJSON?: unknown }, trail: Trail): unknown {
  if (Array.isArray(value)) return copyArray(value, trail);
  if (typeof value.toJSON === 'function') return copy(value.toJSON(trail.keys.at(-1) ?? ''), trail);
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    const tag = Object.prototype.toString.call(value);
    if (tag !== '[object Object]') {
      // A promise, perhaps, whose error nobody will hear.
      quiet(value);
      throw notJson(trail, tag.slice(8, -1));
    }
  }
  const target: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    if (part === undefined) continue;
    trail.keys.push(key);
    put(target, key, copy(part, trail));
    trail.keys.pop();
  }
  return target;
}

function copyArray(value: readonly unknown[], trail: Trail): unknown[] {
  const target: unknown[] = [];
  for (let i = 0; i < value.length; i++) {
    const part = value[i];
    trail.keys.push(i);
    target.push(part === undefined ? null : copy(part, trail));
    trail.keys.pop();
  }
  return target;
}

/** Assigning `__proto__` would set the prototype of the copy. */
export function put(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  } else target[key] = value;
}

function notJson(trail: Trail, what: string): NotJson {
  return new NotJson(`${formatPath(trail.keys) || 'the value'}: expected JSON data, got ${what}`);
}
