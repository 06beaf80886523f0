import type { RegisteredIn, Registration } from '../scopes/registration.js';
import { type FireReplay, noteUnknown, type StandIns } from './answering.js';
import type { Claim, Claims } from './claims.js';
import { isCovered, type StandInHook } from './given.js';

const ONCE = 'it is not known whether its single run (once) had been used up';

/** Wraps scopes so that `once` is claimed in the replay, not in the host. A scope is always wrapped by the same object. */
export function claimingScopes({ claims, now }: Pick<StandIns, 'claims' | 'now'>): StandIns['scopeOf'] {
  const made = new WeakMap<RegisteredIn, RegisteredIn>();
  return (scope) => {
    const known = made.get(scope);
    if (known !== undefined) return known;
    const { id, kind, depth, session, agentType } = scope;
    const claimed = (r: Registration): boolean => isClaimed(scope, r as StandInHook, claims, now);
    const claiming: RegisteredIn = {
      id,
      kind,
      depth,
      session,
      agentType,
      claim(r) {
        if (claimed(r)) return false;
        claims.make(scope, now.given.fire, r, 'taken');
        return true;
      },
      giveBack: (r) => claims.make(scope, now.given.fire, r, 'free'),
      claimed,
    };
    made.set(scope, claiming);
    return claiming;
  };
}

/** Whether the hook has had its single run. If that is not known, the guess decides, and it stays so for the whole run. */
function isClaimed(scope: RegisteredIn, r: StandInHook, claims: Claims, now: FireReplay): boolean {
  const { fire } = now.given;
  const claim = claims.made(scope, fire, r) ?? claimBefore(scope, r, claims, now);
  if (claim !== 'maybe') return claim === 'taken';
  noteUnknown(r, ONCE, now);
  if (!now.guess.matches) claims.make(scope, fire, r, 'taken');
  return !now.guess.matches;
}

/**
 * Whether the hook had its single run before this fire. Under the same configuration, the recording says so. Under any other, the replayed fires
 * do, and the recording can only cast doubt: the run may have been before the recording began, or in another process.
 */
function claimBefore(scope: RegisteredIn, r: StandInHook, claims: Claims, now: FireReplay): Claim {
  const { given } = now;
  const { claim, ran, skipped } = claims.before(scope, given.fire, r);
  const recorded = given.claimOf(r);
  if (recorded === undefined || recorded === claim) return claim;
  if (isCovered(r, now.isSame)) return recorded;
  if (recorded === 'taken') return claim === 'free' && ran ? 'free' : 'maybe';
  // In the recording it ran again: it had no `once` then. But if it had (`skipped`), or the host is not known, this may be another life.
  return claim === 'taken' && !skipped && given.fire.host !== undefined ? 'taken' : 'maybe';
}

/** Notes, before a fire is decided, which recorded registrations its `once` hooks correspond to. */
export function meetClaims(once: readonly Registration[], { claims, now }: Pick<StandIns, 'claims' | 'now'>): void {
  for (const r of once) {
    const registered = now.given.registrationOf(r as StandInHook);
    if (registered !== undefined) claims.meet(r.scope, now.given.fire, r, registered);
  }
}

/** Notes, after a fire was replayed, what the recording says about its `once` hooks. */
export function noteClaims(once: readonly Registration[], { claims, now }: Pick<StandIns, 'claims' | 'now'>): void {
  for (const r of once) {
    const recorded = now.given.claimOf(r as StandInHook);
    if (recorded !== undefined) claims.note(r.scope, now.given.fire, r, recorded === 'free' ? 'ran' : 'skipped');
  }
}
