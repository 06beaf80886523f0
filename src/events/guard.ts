import { HookscopeError } from '../errors.js';
import { compilePredicate } from '../values/predicate.js';
import { findProblem } from '../values/problem.js';
import { messageOf } from '../values/waiting/promises.js';
import type { EventSpec } from './spec.js';

/** Quick yes: true only if the event's schema surely accepts the input. A false says nothing; ask `checkInput` then. */
export type Guard = (input: unknown) => boolean;

const guards = new WeakMap<EventSpec, Guard>();

/** The event's guard, compiled when first asked for. It looks at the first level, never into tool inputs or results. */
export function inputGuard(spec: EventSpec): Guard {
  let guard = guards.get(spec);
  if (!guard) {
    guard = compilePredicate(spec.input);
    guards.set(spec, guard);
  }
  return guard;
}

/** What is wrong with the input, for INVALID_INPUT: the field, and what it must be. undefined: nothing. */
export function checkInput(spec: EventSpec, input: unknown): { field: string; expected: string } | undefined {
  const problem = findProblem(spec.input, input);
  if (!problem) return undefined;
  const { field, expected, got } = problem;
  return { field: field === '' ? 'input' : field, expected: `must be ${expected}, got ${got}` };
}

/** The error thrown while the input was read: only its own getters can do that. */
export function unreadable(event: string, error: unknown): HookscopeError {
  const expected = `cannot be read: ${messageOf(error)}`;
  return new HookscopeError('INVALID_INPUT', { event, field: '(the input)', expected }, { cause: error });
}
