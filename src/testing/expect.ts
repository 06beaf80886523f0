import { AssertionError } from 'node:assert';
import type { Fired } from './fired.js';
import { type FiredExpectations, matchers } from './matchers.js';

/** Expectations for node:test, and any other runner in which a thrown error fails the test. */
export interface FiredExpect extends FiredExpectations {
  /** The opposite of each. */
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
 * States what is expected of a fire, and throws an AssertionError that lists everything that happened if it is not met.
 *
 * ```ts
 * expectFired(fired).toDeny(/force/);
 * expectFired(fired).not.toAsk();
 * ```
 * @throws AssertionError; HookscopeError INVALID_OPTIONS if the argument is not a fire, or an expectation gets a wrong argument: a reason, a cause or a hook that does not exist
 */
export function expectFired(fired: Fired): FiredExpect {
  return { ...expectations(fired, true), not: expectations(fired, false) };
}
