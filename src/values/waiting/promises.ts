import { types } from 'node:util';

/** A thrown value as text. Anything can be thrown, including a promise or a value that throws when it is read; this never throws. */
export function messageOf(error: unknown): string {
  ignoreRejections(error);
  try {
    // `message` is typed as a string, but anything can be assigned to it.
    return String(error instanceof Error ? error.message : (ownMessage(error) ?? error));
  } catch (another) {
    // The value is a proxy that throws on every access, or an object that cannot be converted to text.
    ignoreRejections(another);
    return 'an error that cannot be printed';
  }
}

/** The message of an object that is thrown in place of an error. */
function ownMessage(thrown: unknown): string | undefined {
  const message = typeof thrown === 'object' && thrown !== null ? (thrown as { message?: unknown }).message : undefined;
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
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

  /** The reason if the value is a BrokenPromise, else undefined. The private-field check runs no trap of a proxy, unlike `instanceof`. */
  static why(value: unknown): string | undefined {
    return typeof value === 'object' && value !== null && #message in value ? value.#message : undefined;
  }
}

/** Whether a value has a `then` method; a function may have one too. If reading `then` throws, so does this. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  const mayHave = typeof value === 'object' ? value !== null : typeof value === 'function';
  return mayHave && typeof (value as { then?: unknown }).then === 'function';
}

const { then } = Promise.prototype;
const has = Object.prototype.hasOwnProperty;

/** Whether the value has the native `then` and constructor. It may still not be a promise. */
function isOrdinary(answer: PromiseLike<unknown>): boolean {
  // Runs for every promise that a handler returns; this order of checks is the fastest.
  return (
    answer.then === then &&
    answer.constructor === Promise &&
    Object.getPrototypeOf(answer) === Promise.prototype &&
    !has.call(answer, 'constructor')
  );
}

/** How many thenables may resolve to one another. Two that resolve to each other would never end. */
const MOST_STEPS = 10_000;

/**
 * Turns any thenable, whichever library made it, into a native promise; never throws. If its `then` does not work, the promise
 * resolves to a BrokenPromise. The thenable's own class never constructs a promise here: a hostile class could make one that ends the process.
 */
export function asPromise(answer: PromiseLike<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let steps = 0;
    const brokenAs = (what: string): void => resolve(BrokenPromise.of(what));
    /** Native `resolve` would call the `then` of a value and drop what it returns, so a thenable is returned, to be listened to. */
    const next = (value: unknown, from: PromiseLike<unknown>): PromiseLike<unknown> | undefined => {
      if (value === from) brokenAs('it resolves to itself');
      else if (hasThen(value, brokenAs)) {
        if (steps++ < MOST_STEPS) return value;
        silence(value);
        brokenAs(`it resolves to another one, more than ${MOST_STEPS} times`);
      } else resolve(value);
      return undefined;
    };
    /** A loop, because thenables that call back at once would nest as deep as their chain is long. */
    const follow = (first: PromiseLike<unknown>): void => {
      for (let at: PromiseLike<unknown> | undefined = first; at !== undefined; ) {
        const from: PromiseLike<unknown> = at;
        at = undefined;
        let isCalling = true;
        const once = onlyOnce();
        const yes = once((value) => {
          const then = next(value, from);
          if (isCalling) at = then;
          else if (then !== undefined) follow(then);
        });
        try {
          listen(from, yes, once(reject));
        } catch (error) {
          silence(from);
          once(() => brokenAs(`its then() throws: ${messageOf(error)}`))(error);
        }
        isCalling = false;
      }
    };
    follow(answer);
  });
}

/** Makes callbacks of which only the first to be called has an effect. Nobody awaits what the others get. */
function onlyOnce(): (call: (value: unknown) => void) => (value: unknown) => void {
  let isSettled = false;
  return (call) => (value) => {
    if (isSettled) ignoreRejections(value);
    else {
      isSettled = true;
      call(value);
    }
  };
}

/** As `isThenable`. If `then` cannot be read, it calls `broken` and throws nothing. */
function hasThen(value: unknown, broken: (what: string) => void): value is PromiseLike<unknown> {
  try {
    return isThenable(value);
  } catch (error) {
    silence(value);
    broken(`its then cannot be read: ${messageOf(error)}`);
    return false;
  }
}

/** Returns an ordinary promise unchanged, since its `then` is safe to call, and wraps anything else with `asPromise`. */
export function ready(answer: PromiseLike<unknown>): Promise<unknown> {
  return isOrdinary(answer) ? (answer as Promise<unknown>) : asPromise(answer);
}

/** If a function returned a promise, `ready` makes it safe to wait for; otherwise undefined. Never throws. */
export function promiseIn(
  answer: unknown,
  ready: (promise: PromiseLike<unknown>) => Promise<unknown> = asPromise,
): Promise<unknown> | undefined {
  try {
    return isThenable(answer) ? ready(answer) : undefined;
  } catch (error) {
    silence(answer);
    return Promise.resolve(BrokenPromise.of(`its then cannot be read: ${messageOf(error)}`));
  }
}

function listen(answer: PromiseLike<unknown>, yes: (value: unknown) => void, no: (error: unknown) => void): void {
  if (types.isPromise(answer) && isOrdinary(answer)) return void then.call(answer, yes, no);
  let returned: unknown;
  if (types.isPromise(answer)) {
    asOrdinary(answer, () => {
      // An overridden `then` may never call its callbacks, so the native one handles the rejection.
      then.call(answer, ignoreRejections, ignoreRejections);
      returned = answer.then(yes, no);
    });
  } else returned = answer.then(yes, no);
  failWith(returned, no);
}

/** Passes on the rejection of what a foreign `then` returned. Only a promise can reject unhandled: the `then` of anything else is not called. */
function failWith(returned: unknown, no: (error: unknown) => void): void {
  if (!types.isPromise(returned)) return;
  nativeThen(returned, (error) => {
    // `no` ignores it if the thenable has settled.
    ignoreRejections(error);
    no(error);
  });
}

/** Handles the rejection of a promise whose own `then` is not to be called; unhandled, it would end the process. */
function nativeThen(promise: Promise<unknown>, no: (error: unknown) => void): void {
  const call = (): void => void then.call(promise, ignoreRejections, no);
  try {
    if (Object.isExtensible(promise)) asOrdinary(promise, call);
    else call();
  } catch {
    // The promise is frozen and its class does not construct promises, so no listener can be attached.
  }
}

/** `then` constructs its result with the promise's `constructor`. For the length of this call, that is the native Promise. */
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

/** Handles the rejection of a promise whose own `then` does not work. */
function silence(value: unknown): void {
  if (types.isPromise(value)) nativeThen(value, ignoreRejections);
}

/** Calls a function that is not ours. Rejects with what it throws, or with a TypeError if it returns a broken promise. */
export function resultOf(call: () => unknown): Promise<unknown> {
  let answer: unknown;
  try {
    answer = call();
    if (!isThenable(answer)) return Promise.resolve(whole(answer));
    // `ready` leaves an ordinary promise as it is.
    return then.call(types.isPromise(answer) ? ready(answer) : asPromise(answer), whole, thrown);
  } catch (error) {
    // Even if its `then` cannot be read, a promise can still reject.
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
/** How many levels deep, and at how many values, `ignoreRejections` looks. */
const DEEPEST = 20;
const MOST = 500;

/**
 * Handles the rejections of all promises in a value that nobody will await; unhandled, they would end the process. Looks at
 * plain data only, to a limited depth, and runs no getters. Never throws.
 */
export function ignoreRejections(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const seen = new Set<unknown>();
  const look = (item: unknown, depth: number): void => {
    if (typeof item !== 'object' || item === null || types.isProxy(item)) return;
    if (depth > DEEPEST || seen.size >= MOST || seen.has(item) || ArrayBuffer.isView(item)) return;
    seen.add(item);
    // A promise may resolve to an object that contains that promise.
    if (types.isPromise(item) && !IGNORED.has(item)) {
      IGNORED.add(item);
      void asPromise(item).then(ignoreRejections, ignoreRejections);
    }
    if (types.isMap(item) || types.isSet(item)) for (const part of item) look(part, depth + 1);
    const keys = Array.isArray(item) && item.length > MOST ? [...Array(MOST).keys()] : Object.keys(item);
    for (const key of keys) look(Object.getOwnPropertyDescriptor(item, key)?.value, depth + 1);
  };
  try {
    look(value, 0);
  } catch {
    // A custom iterator threw.
  }
}

/** Like JSON.stringify, but also handles rejections of promises that a `toJSON` returns, since nobody awaits them. `shown`: what is printed for a part. */
export function jsonText(value: unknown, shown = (part: unknown): unknown => part): string | undefined {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (types.isPromise(part)) ignoreRejections(part);
    return shown(part);
  });
}

/** Calls a function and ignores its result. What it throws or rejects with goes to `failed`. */
export function tell(call: () => unknown, failed: (error: unknown) => void): void {
  const wrong = (error: unknown): void => {
    ignoreRejections(error);
    failed(error);
  };
  let answer: unknown;
  try {
    answer = call();
    if (isThenable(answer)) void asPromise(answer).then(ignoreRejections, wrong);
    else ignoreRejections(answer);
  } catch (error) {
    ignoreRejections(answer);
    wrong(error);
  }
}
