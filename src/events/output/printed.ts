import { kindOf } from '../../values/problem.js';
import { isPlain, type Json } from '../../values/shape.js';
import { ignoreRejections } from '../../values/waiting/promises.js';

/** A known key holds something of the wrong type; the message names the field. */
export class BadOutput extends TypeError {
  override readonly name = 'BadOutput';
}

/** The object as JSON.stringify would see it: a decision of another host, for instance, through its `toJSON`. */
export function asPrinted(given: unknown, field: string): Json {
  const where = field === '' ? '' : `${field}: `;
  if (typeof given !== 'object' || given === null)
    throw new BadOutput(`${where}expected ${field === '' ? 'an ' : ''}object, got ${kindOf(given)}`);
  const { toJSON } = given as { toJSON?: unknown };
  const printed: unknown = typeof toJSON === 'function' ? toJSON.call(given, '') : given;
  const tag = Object.prototype.toString.call(printed);
  // A map, a generator: what it holds is not in its keys, so that nothing would be read of it.
  if (tag === '[object Object]') {
    if (Object.keys(printed as object).length > 0 || isPlain(printed as object)) return printed as Json;
    throw new BadOutput(`${where}expected an object with keys of its own, got one that has nothing but its prototype`);
  }
  ignoreRejections(printed);
  const got = typeof printed === 'object' && printed !== null ? tag.slice(8, -1) : kindOf(printed);
  throw new BadOutput(`${where}expected ${field === '' ? 'an ' : ''}object, got ${got === 'Array' ? 'array' : got}`);
}

/** JSON has no key that an object inherits, such as a getter of its class: a verdict there would be lost. */
export function refuseInherited(output: Json, where: string, keys: Iterable<string>): void {
  if (isPlain(output)) return;
  for (const key of keys)
    if (!Object.hasOwn(output, key) && output[key] !== undefined)
      throw new BadOutput(`${where}${key} is inherited: expected a key of the object's own`);
}
