import { HookscopeError } from '../errors.js';
import { nearest } from '../values/nearest.js';
import { compilePredicate } from '../values/predicate.js';
import { ANYTHING, findProblem } from '../values/problem.js';
import { isObject } from '../values/shape.js';
import { messageOf } from '../values/waiting/promises.js';
import type { EventSpec } from './spec.js';

/** A fast check. True means that the event's schema accepts the input; after false, call `checkInput`. */
export type Guard = (input: unknown) => boolean;

const guards = new WeakMap<EventSpec, Guard>();

/** The event's guard, compiled on first use. It checks the first level only, never inside tool inputs or results. */
export function inputGuard(spec: EventSpec): Guard {
  let guard = guards.get(spec);
  if (!guard) {
    guard = compilePredicate(spec.input);
    guards.set(spec, guard);
  }
  return guard;
}

/** The first problem of the input, for INVALID_INPUT: the field, and what it must be. undefined if the input is valid. */
export function checkInput(spec: EventSpec, input: unknown): { field: string; expected: string } | undefined {
  const problem = findProblem(spec.input, input);
  if (!problem) return undefined;
  const { field, expected, got } = problem;
  const must = `must be ${expected}`;
  if (got !== 'nothing' || field === '')
    return { field: field === '' ? 'input' : field, expected: `${must}, got ${got}` };
  const near = nearest(field, isObject(input) ? Object.keys(input) : []);
  const instead = near === undefined ? '' : `; the input has "${near}"`;
  return { field, expected: `is missing${expected === ANYTHING ? '' : `: it ${must}`}${instead}` };
}

/** The error for what was thrown while an input was read: by a getter of it, or by a file of hookscope that is loaded late. Nothing tells which. */
export function unreadable(event: string, error: unknown): HookscopeError {
  const expected = `or a file of hookscope cannot be read: ${messageOf(error)}`;
  return new HookscopeError('INVALID_INPUT', { event, field: '(the input)', expected }, { cause: error });
}
