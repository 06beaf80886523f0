import { compilePredicate } from '../values/predicate.js';
import { findProblem } from '../values/problem.js';
import type { EventEntry } from './define.js';

/** Quick yes: true only if the event's schema surely accepts the input. A false says nothing; ask `checkInput` then. */
export type Guard = (input: unknown) => boolean;

const guards = new WeakMap<EventEntry, Guard>();

/** The event's guard, compiled when first asked for. It looks at the first level, never into tool inputs or results. */
export function inputGuard(entry: EventEntry): Guard {
  let guard = guards.get(entry);
  if (!guard) {
    guard = compilePredicate(entry.input);
    guards.set(entry, guard);
  }
  return guard;
}

/** What is wrong with the input, for INVALID_INPUT: the field, and what it must be. Undefined: nothing. */
export function checkInput(entry: EventEntry, input: unknown): { field: string; expected: string } | undefined {
  const problem = findProblem(entry.input, input);
  if (!problem) return undefined;
  const { field, expected, got } = problem;
  return { field: field === '' ? 'input' : field, expected: `must be ${expected}, got ${got}` };
}
