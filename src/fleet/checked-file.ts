import type { z } from 'zod';
import { HookscopeError } from '../errors.js';
import { readText } from '../files/json-file.js';
import { findProblem } from '../values/problem.js';

/** The content of a JSON file, parsed by its schema. `mend`: what to do about a wrong value. Throws FILE, INVALID_CONFIG. */
export function readChecked(file: string, schema: z.ZodType, mend = ''): unknown {
  let value: unknown;
  try {
    value = JSON.parse(readText(file));
  } catch (error) {
    if (error instanceof HookscopeError) throw error;
    throw new HookscopeError('FILE', { file, problem: `is not JSON: ${(error as Error).message}` }, { cause: error });
  }
  const problem = findProblem(schema, value);
  if (problem === undefined) return value;
  const expected = `expected ${problem.expected}, got ${problem.got}${mend}`;
  throw new HookscopeError('INVALID_CONFIG', { file, where: problem.field, expected });
}
