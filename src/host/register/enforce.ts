import { SKIP_REASONS } from '../../events/skip.js';
import type { Skip } from '../../scopes/registration.js';

/** The least of what was said, as a share of sessions; undefined: all of them. */
export function enforcedShare(said: readonly (boolean | number | undefined)[]): number | undefined {
  const shares = said.filter((one) => one !== undefined).map(Number);
  const least = Math.min(1, ...shares);
  return least === 1 ? undefined : least;
}

/** Of hooks that decide in no session. */
export const SHADOW: Skip = Object.freeze({ reason: 'shadow', why: SKIP_REASONS.shadow });
