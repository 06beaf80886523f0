import { types } from 'node:util';
import { kindOf } from '../../values/problem.js';
import { isPlain, type Json } from '../../values/shape.js';
import { ignoreRejections } from '../../values/waiting/promises.js';

/** The key of values that are refused when the answer is read, although a helper's words count in their place. */
export const REFUSED = Symbol('refused');
/** The key of what is wrong with an answer although the rest of it counts. */
export const FAULTS = Symbol('faults');

/** A known key has a value of the wrong type. The message names the field. */
export class BadOutput extends TypeError {
  override readonly name = 'BadOutput';
}

/** The value as JSON.stringify would see it: the result of its `toJSON`, which a decision of another host has, for instance. Throws what `toJSON` throws. */
export function printed(given: unknown, key = ''): unknown {
  if (typeof given !== 'object' || given === null) return given;
  const { toJSON } = given as { toJSON?: unknown };
  return typeof toJSON === 'function' ? toJSON.call(given, key) : given;
}

/** The value as JSON.stringify would see it, which must be an object. Throws BadOutput. */
export const asPrinted = (given: unknown, field: string): Json => asObject(printed(given, field), field);

/** Checks that a value whose `toJSON` has already been called is an object. Throws BadOutput. */
export function asObject(printed: unknown, field: string): Json {
  const where = field === '' ? '' : `${field}: `;
  // A promise whose prototype was removed is still a promise.
  const tag = types.isPromise(printed) ? '[object Promise]' : Object.prototype.toString.call(printed);
  // The content of a map or a generator is not in its keys, so nothing of it would be read.
  if (tag === '[object Object]') {
    if (Object.keys(printed as object).length > 0 || isPlain(printed as object)) return printed as Json;
    throw new BadOutput(`${where}expected an object with keys of its own, got one that has nothing but its prototype`);
  }
  ignoreRejections(printed);
  const got = typeof printed === 'object' && printed !== null ? tag.slice(8, -1) : kindOf(printed);
  throw new BadOutput(`${where}expected ${field === '' ? 'an ' : ''}object, got ${got === 'Array' ? 'array' : got}`);
}

/** Throws BadOutput if one of these keys is inherited, such as a getter of the class. JSON leaves inherited keys out, so a verdict there would be lost. */
export function refuseInherited(output: Json, where: string, keys: Iterable<string>): void {
  if (isPlain(output)) return;
  for (const key of keys)
    if (!Object.hasOwn(output, key) && output[key] !== undefined)
      throw new BadOutput(`${where}${key} is inherited: expected a key of the object's own`);
}
