import { types } from 'node:util';

/** A thrown value as text. Anything can be thrown, including a promise or a value that throws when it is read; this never throws. */
export function messageOf(error: unknown): string {
  ignoreRejections(error);
  try {
    // A message need not be a string, whatever its type says.
    return String(error instanceof Error ? error.message : error);
  } catch (another) {
    // A proxy that throws on every access, or an object that cannot be printed.
    ignoreRejections(another);
    return 'an error that cannot be printed';
  }
}

/** A callback returned something that looks like a promise but cannot be awaited. */
export class BrokenPromise {
  readonly #message: string;

  private constructor(message: string) {
    this.#message = message;
  }

  static of(what: string): BrokenPromise {
    return new BrokenPromise(`it looks like a promise, and ${what}`);
  }

  /** Why the value is refused, if it is one of these. A proxy is not asked what it is: it may throw, or lie. */
  static why(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #message in value ? value.#message : undefined;
  }
}

/** Whether a value has a `then` method. Throws what its getter throws. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

const { then } = Promise.prototype;
const has = Object.prototype.hasOwnProperty;

/** It has the native `then` and constructor, not overridden on the object; it may still not be a promise. */
function isOrdinary(answer: PromiseLike<unknown>): boolean {
  // Checked for every promise that a handler returns; this order is the fastest.
  return (
    answer.then === then &&
    answer.constructor === Promise &&
    Object.getPrototypeOf(answer) === Promise.prototype &&
    !has.call(answer, 'constructor')
  );
}

/**
 * Waits for anything with a `then`, whichever library made it; never throws. A value whose `then` does not work gives a
 * BrokenPromise. Its own class is not asked to make another promise: one made by a hostile class would end the process.
 */
export function settle(answer: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const yes = (value: unknown): void => resolve(value === answer ? BrokenPromise.of('it resolves to itself') : value);
    try {
      listen(answer, yes, reject);
    } catch (error) {
      silence(answer);
      // Settled before it threw, it stays so.
      resolve(BrokenPromise.of(`its then() throws: ${messageOf(error)}`));
    }
  });
}

/** The answer itself where it is an ordinary promise, whose `then` can be called as it is. */
export function ready(answer: PromiseLike<unknown>): Promise<unknown> {
  return isOrdinary(answer) ? (answer as Promise<unknown>) : settle(answer);
}

/** The promise in what a function handed back, if it is one: `ready` makes it one that can be waited for. Never throws. */
export function promiseIn(
  answer: unknown,
  ready: (promise: PromiseLike<unknown>) => Promise<unknown> = settle,
): Promise<unknown> | undefined {
  try {
    return isThenable(answer) ? ready(answer) : undefined;
  } catch (error) {
    silence(answer);
    return Promise.resolve(BrokenPromise.of(`its then cannot be read: ${messageOf(error)}`));
  }
}

function listen(answer: PromiseLike<unknown>, yes: (value: unknown) => void, no: (error: unknown) => void): void {
  if (!types.isPromise(answer)) return void answer.then(yes, no);
  if (isOrdinary(answer)) return void then.call(answer, yes, no);
  asOrdinary(answer, () => {
    // Its own `then` may tell nobody.
    then.call(answer, ignoreRejections, ignoreRejections);
    answer.then(yes, no);
  });
}

/** Its `then` makes a promise of the class that its `constructor` names: for this call, an ordinary one. */
function asOrdinary(promise: Promise<unknown>, call: () => void): void {
  const own = Object.getOwnPropertyDescriptor(promise, 'constructor');
  const name = (as: PropertyDescriptor): void => void Object.defineProperty(promise, 'constructor', as);
  name({ value: Promise, configurable: true });
  try {
    call();
  } finally {
    if (own) name(own);
    else Reflect.deleteProperty(promise, 'constructor');
  }
}

/** A promise whose own `then` does not work is still a promise: if it rejected without a listener, the process would end. */
function silence(value: unknown): void {
  if (!types.isPromise(value)) return;
  const call = (): void => void then.call(value, ignoreRejections, ignoreRejections);
  try {
    if (Object.isExtensible(value)) asOrdinary(value, call);
    else call();
  } catch {
    // Frozen, and of a class that does not make promises: no listener can be attached.
  }
}

/** The result of a foreign function. Rejects with what it throws, and with a TypeError for a broken promise. */
export function resultOf(call: () => unknown): Promise<unknown> {
  let answer: unknown;
  try {
    answer = call();
    if (!isThenable(answer)) return Promise.resolve(whole(answer));
    // An ordinary promise is waited for as it is.
    return then.call(types.isPromise(answer) ? ready(answer) : settle(answer), whole, thrown);
  } catch (error) {
    // A promise whose `then` cannot be read may reject all the same.
    ignoreRejections(answer);
    ignoreRejections(error);
    return Promise.reject(error);
  }
}

function whole(value: unknown): unknown {
  const why = BrokenPromise.why(value);
  if (why !== undefined) throw new TypeError(`what it answered ${why.slice('it '.length)}`);
  ignoreRejections(value);
  return value;
}

function thrown(error: unknown): never {
  ignoreRejections(error);
  throw error;
}

const IGNORED = new WeakSet<object>();
/** How deep `ignoreRejections` looks. */
const DEEPEST = 20;
const MOST = 500;

/**
 * Promises somewhere in a value that no one will await: one that rejects would end the process. Looks at plain data, to
 * a limited depth; runs no getter. Never throws.
 */
export function ignoreRejections(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const seen = new Set<unknown>();
  const look = (item: unknown, depth: number): void => {
    if (typeof item !== 'object' || item === null || types.isProxy(item)) return;
    if (depth > DEEPEST || seen.size >= MOST || seen.has(item) || ArrayBuffer.isView(item)) return;
    seen.add(item);
    // One may lead to itself, through what it resolves to.
    if (types.isPromise(item) && !IGNORED.has(item)) {
      IGNORED.add(item);
      void settle(item).then(ignoreRejections, ignoreRejections);
    }
    if (types.isMap(item) || types.isSet(item)) for (const part of item) look(part, depth + 1);
    const keys = Array.isArray(item) && item.length > MOST ? [...Array(MOST).keys()] : Object.keys(item);
    for (const key of keys) look(Object.getOwnPropertyDescriptor(item, key)?.value, depth + 1);
  };
  try {
    look(value, 0);
  } catch {
    // A custom iterator that throws: ignored.
  }
}

/** A value as JSON; the result of a `toJSON` in it may be, or contain, a promise that no one awaits. */
export function jsonText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (types.isPromise(part)) ignoreRejections(part);
    return part;
  });
}

/** Calls a function whose result is not needed. What it throws or rejects with goes to `failed`. */
export function tell(call: () => unknown, failed: (error: unknown) => void): void {
  const wrong = (error: unknown): void => {
    ignoreRejections(error);
    failed(error);
  };
  let answer: unknown;
  try {
    answer = call();
    if (isThenable(answer)) void settle(answer).then(ignoreRejections, wrong);
    else ignoreRejections(answer);
  } catch (error) {
    ignoreRejections(answer);
    wrong(error);
  }
}
