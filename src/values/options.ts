import { HookscopeError } from '../errors.js';
import { nearest } from './nearest.js';
import { kindOf } from './problem.js';

/** Every key of an object of options: one that is missing here, or too many, does not compile. */
export type Keys<Options> = Readonly<Record<keyof Options, true>>;

/** A misspelt option must not be dropped: INVALID_OPTIONS with the key and the nearest right name. `where` ends before the key. */
export function checkKeys(given: unknown, known: Readonly<Record<string, unknown>>, where: string): void {
  if (given === undefined) return;
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const expected = `expected an object of options, got ${kindOf(given)}`;
    throw new HookscopeError('INVALID_OPTIONS', { where: where.replace(/[:.] ?$/, ''), expected });
  }
  for (const key of Object.keys(given)) if (!Object.hasOwn(known, key)) throw unknownKey(where, key, known);
}

export function unknownKey(where: string, key: string, known: Readonly<Record<string, unknown>>): HookscopeError {
  const names = Object.keys(known);
  const expected = `is not a known option; there are ${names.join(', ')}`;
  return new HookscopeError('INVALID_OPTIONS', { where: `${where}${key}`, expected, nearest: nearest(key, names) });
}
