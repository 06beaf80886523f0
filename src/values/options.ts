import { HookscopeError } from '../errors.js';
import { clip } from '../plain.js';
import { nearest } from './nearest.js';
import { kindOf } from './problem.js';
import { isObject, isPlain, KEYED, keyless, type OptionCheck, show, symbolIn } from './shape.js';

/**
 * A check for every key of an options type; a missing or extra key does not compile. `true`: the code that uses the value
 * checks it.
 */
export type Keys<Options> = Readonly<Record<keyof Options, OptionCheck | true>>;
type AnyKeys = Keys<Readonly<Record<string, unknown>>>;

/** Throws INVALID_OPTIONS for an unknown key, with the nearest known one, or a wrong value. `where` is the text before the key in the message. */
export function checkKeys(given: unknown, known: AnyKeys, where: string, needed?: string): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const expected = `expected an object of options, got ${kindOf(given)}`;
    throw new HookscopeError('INVALID_OPTIONS', { where: where.replace(/[:.] ?$/, ''), expected });
  }
  checkPlain(given, where, known);
  checkOptions(where, given, known, 'INVALID_OPTIONS', needed);
}

/** Throws for an object that is not plain and has no options, such as an AbortSignal: it was passed in place of them. Options may be inherited, or getters of a class. */
export function checkPlain(given: object, at: string, known: Readonly<Record<string, unknown>>): void {
  if (isPlain(given) || Object.keys(given).length > 0 || Object.keys(known).some((key) => key in given)) return;
  const where = at.replace(/[:.] ?$/, '');
  const got = Object.prototype.toString.call(given).slice(8, -1);
  throw new HookscopeError('INVALID_OPTIONS', { where, expected: `expected an object of options, got ${got}` });
}

type Code = 'INVALID_OPTIONS' | 'INVALID_HOOKS';

/** Like `checkKeys`, for a value that is known to be an object. `needed`: a key with a text that must be there, which an unknown key is if it is missing. */
export function checkOptions(
  where: string,
  options: object,
  shape: AnyKeys,
  code: Code = 'INVALID_OPTIONS',
  needed?: string,
): void {
  for (const key in options) {
    if (!Object.hasOwn(options, key)) continue;
    const value = (options as Readonly<Record<string, unknown>>)[key];
    const check = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!check) {
      const isNeeded = needed !== undefined && !Object.hasOwn(options, needed) && typeof value === 'string';
      throw unknownKey(where, key, shape, code, isNeeded ? needed : undefined);
    }
    // The key's full name is built only for an error, since every fire with options runs this.
    if (check !== true && value !== undefined && !check.accepts(value)) throw refused(where + key, value, check, code);
  }
  refuseSymbols(where, options, code);
}

/** Throws for a key that is a symbol, since no key is. */
export function refuseSymbols(where: string, of: object, code: Code = 'INVALID_OPTIONS'): void {
  const symbol = symbolIn(of);
  const noun = code === 'INVALID_HOOKS' ? 'key' : 'option';
  if (symbol !== undefined)
    throw wrongOption(where + String(symbol), `is a symbol, which is no known ${noun}`, undefined, code);
}

export function checkOption(where: string, value: unknown, check: OptionCheck, code?: Code): void {
  if (!check.accepts(value)) throw refused(where, value, check, code);
}

/** How many characters of a wrong value an error shows; a host, for instance, would print very long. */
const MOST_SHOWN = 200;

function refused(where: string, value: unknown, check: OptionCheck, code?: Code): HookscopeError {
  const kind = check === KEYED && isObject(value) ? keyless(value) : undefined;
  const got =
    kind !== undefined
      ? `got ${kind}`
      : value === undefined
        ? 'and there is none'
        : `got ${check.secret ? kindOf(value) : clip(show(value), MOST_SHOWN)}`;
  return wrongOption(where, `expected ${check.expected}, ${got}`, undefined, code);
}

export function wrongOption(
  where: string,
  expected: string,
  near?: string,
  code: Code = 'INVALID_OPTIONS',
): HookscopeError {
  return new HookscopeError(code, { where, expected, nearest: near });
}

function unknownKey(
  where: string,
  key: string,
  known: Readonly<Record<string, unknown>>,
  code: Code,
  near?: string,
): HookscopeError {
  const names = Object.keys(known);
  const noun = code === 'INVALID_HOOKS' ? 'key' : 'option';
  return wrongOption(
    where + key,
    `is not a known ${noun}; there are ${names.join(', ')}`,
    near ?? nearest(key, names),
    code,
  );
}
