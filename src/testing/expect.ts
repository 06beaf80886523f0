import { AssertionError } from 'node:assert';
import type { Fired } from './fired.js';
import { type FiredExpectations, matchers } from './matchers.js';

/** Expectations for node:test and any other runner in which a thrown error fails the test. */
export interface FiredExpect extends FiredExpectations {
  /** The negated expectations. */
  readonly not: FiredExpectations;
}

function expectations(fired: Fired, wanted: boolean): FiredExpectations {
  const names = Object.keys(matchers) as (keyof FiredExpectations)[];
  const made = names.map((name) => {
    const check = (...args: unknown[]): void => {
      const { pass, message } = (matchers[name] as (...given: unknown[]) => ReturnType<typeof matchers.toAllow>)(
        fired,
        ...args,
      );
      if (pass !== wanted) throw new AssertionError({ message: message(), stackStartFn: check });
    };
    return [name, check];
  });
  return Object.fromEntries(made) as FiredExpectations;
}

/**
 * Makes assertions about a fire. If one fails, it throws an AssertionError that lists everything that happened.
 *
 * ```ts
 * expectFired(fired).toDeny(/force/);
 * expectFired(fired).not.toAsk();
 * ```
 * @throws AssertionError; HookscopeError INVALID_OPTIONS if the argument is not a fire, or an expectation names a reason, cause or hook that does not exist
 */
export function expectFired(fired: Fired): FiredExpect {
  return { ...expectations(fired, true), not: expectations(fired, false) };
}
