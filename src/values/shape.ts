import { jsonText } from './waiting/promises.js';
/** A JSON object, or an object that is treated as one. */
export type Json = Readonly<Record<string, unknown>>;

/** A check of one option's value, with the expected value in words. */
export interface OptionCheck {
  readonly expected: string;
  /** A wrong value may hold a secret, so an error names only its type. */
  readonly secret?: true;
  accepts(value: unknown): boolean;
}
/** The checks of a configuration object, by key. */
export type Shape = Readonly<Record<string, OptionCheck>>;

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isName(value: unknown): boolean {
  return isText(value) && value !== '';
}

/** The items of a list by their numbers: a hole is undefined, where `map` and `every` skip it, and an iterator of the list's own does not count. */
export const itemsOf = <T>(list: readonly T[]): T[] => Array.from({ length: list.length }, (_, i) => list[i] as T);

/** The first enumerable symbol among an object's own keys. */
export const symbolIn = (of: object): symbol | undefined =>
  Object.getOwnPropertySymbols(of).find((one) => Object.prototype.propertyIsEnumerable.call(of, one));

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value if it is a non-empty string, else undefined. */
export const textOf = (value: unknown): string | undefined => (isText(value) && value !== '' ? value : undefined);

export const checks = {
  any: { expected: 'anything', accepts: () => true },
  text: { expected: 'a string', accepts: isText },
  flag: { expected: 'true or false', accepts: (v: unknown) => typeof v === 'boolean' },
  textOrNull: { expected: 'a string or null', accepts: (v: unknown) => v === null || isText(v) },
  number: { expected: 'a number', accepts: (v: unknown) => typeof v === 'number' && Number.isFinite(v) },
  list: { expected: 'an array', accepts: Array.isArray },
  fn: { expected: 'a function', accepts: (v: unknown) => typeof v === 'function' },
  names: {
    expected: 'a name or an array of names',
    accepts: (v: unknown) => isName(v) || (Array.isArray(v) && itemsOf(v).every(isName)),
  },
  object: { expected: 'an object', accepts: isObject },
} satisfies Shape;

export const SECONDS: OptionCheck = {
  expected: 'seconds, a number of 0 or more (0 is none)',
  accepts: (v) => typeof v === 'number' && Number.isFinite(v) && v >= 0,
};

export const SIGNAL: OptionCheck = {
  expected: 'an AbortSignal',
  accepts: (v) => isObject(v) && typeof v['aborted'] === 'boolean' && typeof v['addEventListener'] === 'function',
};

/** Accepts a non-empty string, for instance a name or a path. */
export const FILLED: OptionCheck = {
  expected: 'a string that is not empty',
  accepts: isName,
};

export const COUNT: OptionCheck = {
  expected: 'a whole number of 0 or more',
  accepts: (v) => Number.isInteger(v) && (v as number) >= 0,
};

export const TEXTS: OptionCheck = {
  expected: 'an array of strings',
  accepts: (v) => Array.isArray(v) && itemsOf(v).every(isText),
};

export function oneOf(...values: readonly (string | boolean)[]): OptionCheck {
  return { expected: values.map((v) => JSON.stringify(v)).join(' or '), accepts: (v) => values.some((x) => x === v) };
}

/** A value as it appears in a message. */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  // JSON would print NaN and Infinity as null.
  if (typeof value === 'number') return String(value);
  try {
    // JSON would leave out a key with a function, and print null for one in a list.
    return jsonText(value, (part) => (typeof part === 'function' ? 'a function' : part)) ?? String(value);
  } catch {
    // JSON has no bigints and no cycles.
    return typeof value === 'object' ? 'an object' : String(value);
  }
}

/** Text as it is, and any other value as `show` does, for messages about something that should be a name. Never throws. */
export const asName = (value: unknown): string => (isText(value) ? value : show(value));

/** Whether an object is not an instance of a class. Also true for plain objects of another realm, whose prototype is not our `Object.prototype`. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** What an object is whose own keys are to be read, if it has none and is not plain either, so that it says nothing: `a Promise (await it)`, `a Map`. */
export function keyless(value: object): string | undefined {
  if (isPlain(value) || Object.keys(value).length > 0) return undefined;
  const name = Object.prototype.toString.call(value).slice(8, -1);
  if (name === 'Promise') return 'a Promise (await it)';
  return name === 'Object'
    ? 'an object without keys of its own (getters of a class and inherited keys are not read)'
    : `a ${name}`;
}

/** An object of which each key is read, whatever its name. */
export const KEYED: OptionCheck = {
  expected: 'an object with keys of its own',
  accepts: (v) => isObject(v) && keyless(v) === undefined,
};
