import type { Skip } from '../../scopes/registration.js';
import { SKIP_REASONS } from '../../scopes/skip.js';
import type { UseOptions } from '../plugin-types.js';

/** The smallest of the given values, as a share of sessions; undefined: all of them. */
export function enforcedShare(said: readonly (boolean | number | undefined)[]): number | undefined {
  const shares = said.filter((one) => one !== undefined).map(Number);
  const least = Math.min(1, ...shares);
  return least === 1 ? undefined : least;
}

/** A plugin or file that another uses is enforced in no more sessions than its user. */
export function lessOf(how: UseOptions | undefined, enforce: boolean | number | undefined): UseOptions | undefined {
  const share = enforcedShare([how?.enforce, enforce]);
  return share === undefined ? how : { ...how, enforce: share };
}

/** The skip of hooks that decide in no session. */
export const SHADOW: Skip = Object.freeze({ reason: 'shadow', why: SKIP_REASONS.shadow.why });
