import { put } from './put.js';
import { unwrap } from './view.js';

/**
 * A deep plain copy of a view, of plain data, or of data that contains views: `structuredClone`, but for proxies too.
 * Keeps cycles and shared objects. Throws DataCloneError for functions and symbols, as structuredClone does.
 */
export function snapshot<T>(value: T): T {
  const copies = new Map<object, object>();
  /** A work list instead of recursion, because JSON may be nested deeper than the stack allows. */
  const unfinished: [from: object, to: object][] = [];

  function copy(item: unknown): unknown {
    if (typeof item !== 'object' || item === null) return isData(item) ? item : structuredClone(item);
    const from = unwrap(item);
    const known = copies.get(from);
    if (known !== undefined) return known;
    const to = empty(from);
    if (to === undefined) return structuredClone(from);
    copies.set(from, to);
    unfinished.push([from, to]);
    return to;
  }

  const result = copy(value);
  for (let next = unfinished.pop(); next !== undefined; next = unfinished.pop()) {
    const [from, to] = next;
    for (const key of Object.keys(from)) put(to, key, copy((from as Record<string, unknown>)[key]));
  }
  return result as T;
}

function isData(item: unknown): boolean {
  return typeof item !== 'function' && typeof item !== 'symbol';
}

/** An empty copy of an array or a plain object; everything else (Date, Map …) is copied by `structuredClone`. */
function empty(from: object): object | undefined {
  if (Array.isArray(from)) return new Array<unknown>(from.length);
  return Object.prototype.toString.call(from) === '[object Object]' ? {} : undefined;
}
