import { formatPath } from '../problem.js';
import { ignoreRejections } from '../waiting/promises.js';
import { isBytes } from './binary.js';
import { put } from './put.js';
import { toData, unwrap } from './view.js';

/** More deeply nested values might be too deep to serialise again. */
export const DEEPEST = 1000;
/** The default limit, in bytes of JSON, on what is sent to hooks outside the process, to the model and to records. */
export const MOST_BYTES = 64 * 1024 * 1024;

/** How much may still be copied, in approximate bytes of JSON. `left` decreases as values are copied. */
export interface CopyBudget {
  left: number;
  /** Returns the replacement for binary data. Without it, binary data is refused, because it is not JSON. */
  readonly bytes?: ((value: object) => object) | undefined;
}

/** The value cannot be written as JSON; the message says where and why. */
export class NotJson extends TypeError {
  override readonly name = 'NotJson';
}

/**
 * A deep plain copy of JSON data. Read-only views become plain objects, dates and the like are replaced by the result of their `toJSON`,
 * and undefined is left out. Throws NotJson for what JSON cannot hold (functions, symbols, bigints, NaN, maps, cycles) and for more than
 * `room` allows. Errors from the value's own getters are passed on.
 */
export function copyJson(value: unknown, at = '', room: CopyBudget = { left: MOST_BYTES }): unknown {
  return copy(value, { keys: at === '' ? [] : [at], objects: [], room });
}

interface CopyTrail {
  readonly room: CopyBudget;
  readonly keys: PropertyKey[];
  readonly objects: object[];
}

function copy(value: unknown, trail: CopyTrail): unknown {
  switch (typeof value) {
    case 'string':
      take(trail, value.length + 2);
      return value;
    case 'boolean':
      take(trail, 4);
      return value;
    case 'number':
      take(trail, 1);
      if (Number.isFinite(value)) return value;
      throw notJson(trail, `${value}`);
    case 'object':
      return value === null ? null : copyObject(value, trail);
    default:
      throw notJson(trail, typeof value);
  }
}

function takeBytes(trail: CopyTrail, bytes: object): unknown {
  take(trail, String((bytes as { base64?: unknown }).base64 ?? '').length + 64);
  return bytes;
}

function take(trail: CopyTrail, bytes: number): void {
  trail.room.left -= bytes;
  if (trail.room.left < 0) throw notJson(trail, 'more than there is room for');
}

function copyObject(value: object, trail: CopyTrail): unknown {
  // Counts more than the two braces, to allow for the memory that an object takes.
  take(trail, 16);
  if (trail.objects.includes(value)) throw notJson(trail, 'a cycle');
  if (trail.objects.length >= DEEPEST) throw notJson(trail, `nested deeper than ${DEEPEST} levels`);
  trail.objects.push(value);
  const copied = copyParts(value, trail);
  trail.objects.pop();
  return copied;
}

function copyParts(value: object & { toJSON?: unknown }, trail: CopyTrail): unknown {
  if (Array.isArray(value)) return copyArray(value, trail);
  if (trail.room.bytes && isBytes(value)) return takeBytes(trail, trail.room.bytes(value));
  // A view's own `toJSON` would copy without a limit.
  if (value.toJSON === toData) return copyParts(unwrap(value), trail);
  if (typeof value.toJSON === 'function') return copy(value.toJSON(trail.keys.at(-1) ?? ''), trail);
  if (Object.getPrototypeOf(value) !== Object.prototype) {
    const tag = Object.prototype.toString.call(value);
    if (tag !== '[object Object]') {
      // If it is a promise, nobody else would handle its rejection.
      ignoreRejections(value);
      throw notJson(trail, tag.slice(8, -1));
    }
  }
  const target: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const part = (value as Record<string, unknown>)[key];
    if (part === undefined) continue;
    trail.keys.push(key);
    take(trail, key.length + 3);
    put(target, key, copy(part, trail));
    trail.keys.pop();
  }
  return target;
}

function copyArray(value: readonly unknown[], trail: CopyTrail): unknown[] {
  const target: unknown[] = [];
  // Applies to sparse arrays too: their JSON has a `null` for every hole.
  if (value.length > trail.room.left / 2) throw notJson(trail, 'more than there is room for');
  for (let i = 0; i < value.length; i++) {
    const part = value[i];
    trail.keys.push(i);
    take(trail, part === undefined ? 5 : 1);
    target.push(part === undefined ? null : copy(part, trail));
    trail.keys.pop();
  }
  return target;
}

function notJson(trail: CopyTrail, what: string): NotJson {
  // The first few keys of a long path are enough to find the place.
  const keys = trail.keys.length > 8 ? [...trail.keys.slice(0, 8), '…'] : trail.keys;
  return new NotJson(`${formatPath(keys) || 'the value'}: expected JSON data, got ${what}`);
}
