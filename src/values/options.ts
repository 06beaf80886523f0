import { HookscopeError } from '../errors.js';
import { clip } from '../plain.js';
import { nearest } from './nearest.js';
import { kindOf } from './problem.js';
import { isPlain, type OptionCheck, show } from './shape.js';

/**
 * Every key of an object of options, one that is missing here, or too many, does not compile; and what it may hold. true: whoever takes the
 * value says what is wrong with it.
 */
export type Keys<Options> = Readonly<Record<keyof Options, OptionCheck | true>>;
type AnyKeys = Keys<Readonly<Record<string, unknown>>>;

/** A misspelt option must not be dropped, nor a wrong value: INVALID_OPTIONS with the key and the nearest right name. `where` ends before the key. */
export function checkKeys(given: unknown, known: AnyKeys, where: string): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const expected = `expected an object of options, got ${kindOf(given)}`;
    throw new HookscopeError('INVALID_OPTIONS', { where: where.replace(/[:.] ?$/, ''), expected });
  }
  checkPlain(given, where.replace(/[:.] ?$/, ''));
  checkOptions(where, given, known);
}

/** What has no keys of its own and is no plain object, a signal for instance, stands in the wrong place. */
export function checkPlain(given: object, where: string): void {
  if (isPlain(given) || Object.keys(given).length > 0) return;
  const got = Object.prototype.toString.call(given).slice(8, -1);
  throw new HookscopeError('INVALID_OPTIONS', { where, expected: `expected an object of options, got ${got}` });
}

type Code = 'INVALID_OPTIONS' | 'INVALID_HOOKS';

/** The same for a value that is known to be an object. */
export function checkOptions(where: string, options: object, shape: AnyKeys, code: Code = 'INVALID_OPTIONS'): void {
  for (const key in options) {
    if (!Object.hasOwn(options, key)) continue;
    const value = (options as Readonly<Record<string, unknown>>)[key];
    const check = Object.hasOwn(shape, key) ? shape[key] : undefined;
    if (!check) throw unknownKey(where, key, shape, code);
    // The name is made for what is wrong alone: a fire with options comes here.
    if (check !== true && value !== undefined && !check.accepts(value)) throw refused(where + key, value, check, code);
  }
}

export function checkOption(where: string, value: unknown, check: OptionCheck, code?: Code): void {
  if (!check.accepts(value)) throw refused(where, value, check, code);
}

/** Characters of a wrong value: the start of a host says enough. */
const MOST_SHOWN = 200;

function refused(where: string, value: unknown, check: OptionCheck, code?: Code): HookscopeError {
  const got =
    value === undefined ? 'and there is none' : `got ${check.secret ? kindOf(value) : clip(show(value), MOST_SHOWN)}`;
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

function unknownKey(where: string, key: string, known: Readonly<Record<string, unknown>>, code?: Code): HookscopeError {
  const names = Object.keys(known);
  const noun = code === 'INVALID_HOOKS' ? 'key' : 'option';
  return wrongOption(where + key, `is not a known ${noun}; there are ${names.join(', ')}`, nearest(key, names), code);
}
