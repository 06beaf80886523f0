import { inspect } from 'node:util';
import { HookscopeError, isHookscopeError } from '../../errors.js';
import { copyOfBytes, isBytes } from './binary.js';
import { plainCopy, unboxed } from './plain-copy.js';

/**
 * The read-only input that a handler gets: a lazy proxy over the caller's own object. Nothing is walked, copied or frozen. The
 * view of a child is made when the child is first read; later reads return the same view.
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
 * How `unwrap` finds the object behind a view: it triggers a trap that nothing else uses, and the trap sets `answer`. A secret key would be
 * visible to a foreign proxy, and a WeakMap costs more than the whole view. For a proxy around a view, `answer.view` is not that proxy.
 */
const probe: { answer: View | undefined } = { answer: undefined };

/** The targets of all proxies. They are extensible and empty, so proxy invariants never restrict what a view reports. All mutating traps throw, so they never change. */
const OBJECT_TARGET = Object.create({ [inspect.custom]: show }) as object;
const ARRAY_TARGET = Object.setPrototypeOf([], { [inspect.custom]: show }) as unknown[];

/** `util.inspect` finds this on the proxy's target and calls it with the proxy as `this`. It prints the data. */
function show(this: unknown): unknown {
  return unwrap(this);
}

function wrap(source: object, parent: View | undefined, key: PropertyKey): object {
  const handler = new View(source, parent, key);
  handler.view = new Proxy(Array.isArray(source) ? ARRAY_TARGET : OBJECT_TARGET, handler);
  return handler.view;
}

/**
 * The `toJSON` of every view whose data has none: serialising a copy of the data is much faster than serialising through the view. It must
 * be a copy because the caller, or a replacer, gets hold of the result.
 */
export function toData(this: object): unknown {
  return plainCopy(this, unwrap(this));
}

/**
 * The `toJSON` of data that has its own. It is called with the view, so that it cannot change the data. If it needs the real object (a Date,
 * a URL, private members) it is called with the data, and its result is made read-only again.
 */
function ownToJSON(of: View, toJSON: (this: unknown, key: string) => unknown): typeof toJSON {
  return function (this: unknown, key: string): unknown {
    try {
      return unboxedOr(toJSON.call(this, key), (said) => said);
    } catch (error) {
      // A `toJSON` that tried to change the data is refused.
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

/** The `get` trap. It is a hot path, so primitives and the child that was read last are returned before `child` is called. */
function read(this: View, _target: object, key: PropertyKey, receiver: unknown): unknown {
  const value = (this.source as Record<PropertyKey, unknown>)[key];
  if (value === undefined) return key === 'toJSON' && receiver === this.view ? toData : undefined;
  if (typeof value !== 'object' || value === null)
    return typeof value === 'function' && key === 'toJSON' ? ownToJSON(this, value as () => unknown) : value;
  if (value === this.lastSource) return this.lastView;
  return this.child(value, key, receiver);
}

class View implements ProxyHandler<object> {
  /** The first own property, because the engine looks up the trap on every read. */
  readonly get = read;
  readonly source: object;
  readonly parent: View | undefined;
  readonly key: PropertyKey;
  view: object | undefined = undefined;
  lastSource: object | undefined = undefined;
  lastView: object | undefined = undefined;
  /** Keyed by the child object, not by its key, since the caller may replace a child of its own object. Created for the second child. */
  children: Map<object, object> | undefined = undefined;

  constructor(source: object, parent: View | undefined, key: PropertyKey) {
    this.source = source;
    this.parent = parent;
    this.key = key;
  }

  child(value: object, key: PropertyKey, receiver: unknown): unknown {
    // Inherited properties such as `__proto__`: their getters must see the view, not the source.
    if (!Object.hasOwn(this.source, key)) return Reflect.get(this.source, key, receiver);
    let view = this.children?.get(value);
    if (view === undefined) {
      // Binary objects do not work through a proxy, because their methods require the real object.
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
    // A proxy must report an array's length as writable, like its target's. Setting it throws all the same.
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
