import { inspect } from 'node:util';
import { HookscopeError, isHookscopeError } from '../../errors.js';
import { copyOfBytes, isBytes } from './binary.js';
import { plainCopy, unboxed } from './plain-copy.js';

/**
 * The read-only input a handler gets: a lazy proxy over the caller's own object. Nothing is walked, copied or frozen; a
 * child's view is made when it is first read and is the same one ever after.
 */
export function readOnly<T extends object>(value: T): T {
  return wrap(value, undefined, '') as T;
}

/** The plain object behind a view, for our own use; any other value is returned unchanged. */
export function unwrap<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  probe.answer = undefined;
  try {
    Object.isExtensible(value);
    const found = probe.answer as View | undefined;
    return found !== undefined && found.view === value ? (found.source as T) : value;
  } finally {
    probe.answer = undefined;
  }
}

/**
 * The only way into a view is a trap that nothing else uses: a secret key could be seen by a foreign proxy, and a
 * WeakMap costs more than all the rest of a view. A proxy around a view answers with a `view` that is not itself.
 */
const probe: { answer: View | undefined } = { answer: undefined };

/** Targets of every proxy: extensible and empty, so no invariant ties a view to them. Never changed, every mutator throws. */
const OBJECT_TARGET = Object.create({ [inspect.custom]: show }) as object;
const ARRAY_TARGET = Object.setPrototypeOf([], { [inspect.custom]: show }) as unknown[];

/** `util.inspect` looks at the target behind a proxy, calling this with the proxy itself: print the data. */
function show(this: unknown): unknown {
  return unwrap(this);
}

function wrap(source: object, parent: View | undefined, key: PropertyKey): object {
  const handler = new View(source, parent, key);
  handler.view = new Proxy(Array.isArray(source) ? ARRAY_TARGET : OBJECT_TARGET, handler);
  return handler.view;
}

/**
 * The `toJSON` of every view whose data has none: printing a copy of the data costs a fraction of printing through the view. A copy,
 * since its caller, or a replacer, gets hold of the result.
 */
export function toData(this: object): unknown {
  return plainCopy(this, unwrap(this));
}

/**
 * The `toJSON` of data that has one. It gets the view, so that it changes nothing; where that is not enough for it (a Date, a URL, private
 * members) the data itself, and what it returns of that is read-only again.
 */
function ownToJSON(of: View, toJSON: (this: unknown, key: string) => unknown): typeof toJSON {
  return function (this: unknown, key: string): unknown {
    try {
      return unboxedOr(toJSON.call(this, key), (said) => said);
    } catch (error) {
      // One that would change the data is refused.
      if (this !== of.view || isHookscopeError(error)) throw error;
    }
    return unboxedOr(toJSON.call(of.source, key), (said) => (isBytes(said) ? copyOfBytes(said) : readOnly(said)));
  };
}

function unboxedOr(said: unknown, other: (said: object) => object): unknown {
  if (typeof said !== 'object' || said === null) return said;
  const data = unwrap(said);
  const plain = unboxed(data);
  return plain === data ? other(said) : plain;
}

/** The `get` trap, the hot path: a primitive, else the child last read, else `child`. */
function read(this: View, _target: object, key: PropertyKey, receiver: unknown): unknown {
  const value = (this.source as Record<PropertyKey, unknown>)[key];
  if (value === undefined) return key === 'toJSON' && receiver === this.view ? toData : undefined;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' && key === 'toJSON' ? ownToJSON(this, value as () => unknown) : value;
  if (value === this.lastSource) return this.lastView;
  return this.child(value, key, receiver);
}

class View implements ProxyHandler<object> {
  /** An own property, the first: the engine looks a trap up at every read. */
  readonly get = read;
  readonly source: object;
  readonly parent: View | undefined;
  readonly key: PropertyKey;
  view: object | undefined = undefined;
  lastSource: object | undefined = undefined;
  lastView: object | undefined = undefined;
  /** By source, not by key: the caller may replace a child of its own object. Made for the second child. */
  children: Map<object, object> | undefined = undefined;

  constructor(source: object, parent: View | undefined, key: PropertyKey) {
    this.source = source;
    this.parent = parent;
    this.key = key;
  }

  child(value: object, key: PropertyKey, receiver: unknown): unknown {
    // Inherited: `__proto__` and the like, whose getters must see the view and not the source.
    if (!Object.hasOwn(this.source, key)) return Reflect.get(this.source, key, receiver);
    let view = this.children?.get(value);
    if (view === undefined) {
      // Bytes cannot be shown through a proxy: their methods want the real thing.
      view = isBytes(value) ? copyOfBytes(value) : wrap(value, this, key);
      if (this.lastSource !== undefined && this.lastView !== undefined) {
        this.children ??= new Map([[this.lastSource, this.lastView]]);
        this.children.set(value, view);
      }
    }
    this.lastSource = value;
    this.lastView = view;
    return view;
  }

  has(_target: object, key: PropertyKey): boolean {
    return key in this.source;
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.source);
  }

  getOwnPropertyDescriptor(target: object, key: PropertyKey): PropertyDescriptor | undefined {
    const found = Reflect.getOwnPropertyDescriptor(this.source, key);
    if (found === undefined) return undefined;
    // An array's length must be reported as its target's own is, writable; setting it throws all the same.
    const length = key === 'length' && target === ARRAY_TARGET;
    const value = this.get(target, key, this.view);
    return { value, writable: length, enumerable: found.enumerable ?? false, configurable: !length };
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.source);
  }

  isExtensible(): boolean {
    probe.answer = this;
    return true;
  }

  set(_target: object, key: PropertyKey): never {
    return this.refuse('set', key);
  }

  deleteProperty(_target: object, key: PropertyKey): never {
    return this.refuse('delete', key);
  }

  defineProperty(_target: object, key: PropertyKey): never {
    return this.refuse('define', key);
  }

  setPrototypeOf(): never {
    return this.refuse('change the prototype of');
  }

  preventExtensions(): never {
    return this.refuse('freeze');
  }

  private refuse(verb: string, key?: PropertyKey): never {
    const path = [...this.path(), ...(key === undefined ? [] : [key])].map(segment).join('').replace(/^\./, '');
    throw new HookscopeError('READ_ONLY', { what: `cannot ${verb} ${path === '' ? 'the input' : `"${path}"`}` });
  }

  private path(): PropertyKey[] {
    return this.parent === undefined ? [] : [...this.parent.path(), this.key];
  }
}

function segment(key: PropertyKey): string {
  if (typeof key === 'symbol') return `[${String(key)}]`;
  const text = String(key);
  if (/^\d+$/.test(text)) return `[${text}]`;
  return /^[\w$]+$/.test(text) ? `.${text}` : `[${JSON.stringify(text)}]`;
}
