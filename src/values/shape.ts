import { jsonText } from './waiting/promises.js';
/** An object of JSON, or one like it. */
export type Json = Readonly<Record<string, unknown>>;

/** The values that one key accepts, as a check and in words. */
export interface OptionCheck {
  readonly expected: string;
  /** A wrong value may hold a secret: an error names its type alone. */
  readonly secret?: true;
  accepts(value: unknown): boolean;
}
/** The keys of a configuration object. */
export type Shape = Readonly<Record<string, OptionCheck>>;

export function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isName(value: unknown): boolean {
  return isText(value) && value !== '';
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text that is not empty; undefined: it is none. */
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
    accepts: (v: unknown) => isName(v) || (Array.isArray(v) && v.every(isName)),
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

/** A name or a path. */
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
  accepts: (v) => Array.isArray(v) && v.every(isText),
};

export function oneOf(...values: readonly (string | boolean)[]): OptionCheck {
  return { expected: values.map((v) => JSON.stringify(v)).join(' or '), accepts: (v) => values.some((x) => x === v) };
}

/** A value in a message. */
export function show(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  // As JSON, NaN and Infinity are null.
  if (typeof value === 'number') return String(value);
  try {
    return jsonText(value) ?? String(value);
  } catch {
    // A bigint, or an object that holds itself.
    return typeof value === 'object' ? 'an object' : String(value);
  }
}

/** Not an instance of a class. Objects of another realm have their own prototype. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
