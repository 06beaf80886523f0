import { compilePredicate } from '../values/predicate.js';
import { findProblem } from '../values/problem.js';
import type { EventSpec } from './define.js';

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

/** What is wrong with the input, for INVALID_INPUT: the field, and what it must be. Undefined: nothing. */
export function checkInput(spec: EventSpec, input: unknown): { field: string; expected: string } | undefined {
  const problem = findProblem(spec.input, input);
  if (!problem) return undefined;
  const { field, expected, got } = problem;
  return { field: field === '' ? 'input' : field, expected: `must be ${expected}, got ${got}` };
}
