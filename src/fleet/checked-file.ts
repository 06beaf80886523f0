import type { z } from 'zod';
import { HookscopeError } from '../errors.js';
import { hasRepeatedKey, parseOwnJson, REPEATED_KEY, readHookText } from '../files/json-file.js';
import { findProblem, formatPath } from '../values/problem.js';

/** The content of a JSON file, parsed by its schema. `mend`: what to do about a wrong value. A key that an object has twice is an error, too. Throws FILE, INVALID_CONFIG. */
export function readChecked(file: string, schema: z.ZodType, mend = ''): unknown {
  const json = readHookText(file).replace(/^\uFEFF/, '');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw new HookscopeError('FILE', { file, problem: `is not JSON: ${(error as Error).message}` }, { cause: error });
  }
  if (hasRepeatedKey(json, value)) throw new HookscopeError('FILE', { file, problem: REPEATED_KEY });
  return checked(value, file, schema, mend);
}

/** The same of a policy: with the line of a key that an object has twice, and without `__proto__`. */
export async function readOwnChecked(file: string, schema: z.ZodType): Promise<unknown> {
  const value = await parseOwnJson(readHookText(file), file);
  const where = protoKeyIn(value);
  if (where !== undefined) throw new HookscopeError('INVALID_CONFIG', { file, where, expected: NO_PROTO_KEY });
  return checked(value, file, schema, '');
}

function checked(value: unknown, file: string, schema: z.ZodType, mend: string): unknown {
  const problem = findProblem(schema, value);
  if (problem === undefined) return value;
  const expected = `expected ${problem.expected}, got ${problem.got}${mend}`;
  throw new HookscopeError('INVALID_CONFIG', { file, where: problem.field, expected });
}

export const NO_PROTO_KEY = 'expected another key: no object of a policy can have this one';

/** Where a value, which must not nest too deeply, has the key `__proto__`, which checks by a schema pass over. */
export function protoKeyIn(value: unknown, path: readonly (string | number)[] = []): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Object.hasOwn(value, '__proto__')) return formatPath([...path, '__proto__']);
  for (const [key, one] of Object.entries(value)) {
    const found = protoKeyIn(one, [...path, Array.isArray(value) ? Number(key) : key]);
    if (found !== undefined) return found;
  }
  return undefined;
}
