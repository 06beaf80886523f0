import type { RegisteredIn, Registration } from '../scopes/registration.js';
import { note, type StandIns, type UnderWay } from './answering.js';
import type { Claim, Claims } from './claims.js';
import { isCovered, type Stood } from './given.js';

const ONCE = 'it is not known whether its single run (once) had been used up';

/** Scopes with the replay's own claims; the same scope is the same object. */
export function claimingScopes({ claims, now }: Pick<StandIns, 'claims' | 'now'>): StandIns['scopeOf'] {
  const made = new WeakMap<RegisteredIn, RegisteredIn>();
  return (scope) => {
    const known = made.get(scope);
    if (known !== undefined) return known;
    const { id, kind, depth, session, agentType } = scope;
    const claimed = (r: Registration): boolean => isClaimed(scope, r as Stood, claims, now);
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

/** If it is not known, the guess counts; a hook that was not asked because of it has had its run. */
function isClaimed(scope: RegisteredIn, r: Stood, claims: Claims, now: UnderWay): boolean {
  const { fire } = now.given;
  const claim = claims.made(scope, fire, r) ?? claimBefore(scope, r, claims, now);
  if (claim !== 'maybe') return claim === 'taken';
  note(r, ONCE, now);
  if (!now.guess.matches) claims.make(scope, fire, r, 'taken');
  return !now.guess.matches;
}

/**
 * Whether its run had been taken before this fire. Under the configuration that decided it, the recording says so. Under any other, the replayed fires
 * do, and what the recording says only counts as a doubt: a run before the recording began, or in another process.
 */
function claimBefore(scope: RegisteredIn, r: Stood, claims: Claims, now: UnderWay): Claim {
  const { given } = now;
  const { claim, ran, skipped } = claims.before(scope, given.fire, r);
  const recorded = given.claimOf(r);
  if (recorded === undefined || recorded === claim) return claim;
  if (isCovered(r, now.isSame)) return recorded;
  if (recorded === 'taken') return claim === 'free' && ran ? 'free' : 'maybe';
  // It ran then without `once`; but if it had it, or its host is not known, this is another life.
  return claim === 'taken' && !skipped && given.fire.host !== undefined ? 'taken' : 'maybe';
}

/** Remembers which registrations the `once` hooks of a fire were, before it is decided. */
export function meetClaims(once: readonly Registration[], { claims, now }: Pick<StandIns, 'claims' | 'now'>): void {
  for (const r of once) {
    const registered = now.given.registrationOf(r as Stood);
    if (registered !== undefined) claims.meet(r.scope, now.given.fire, r, registered);
  }
}

/** Remembers what the recording says about the `once` hooks of a fire that was replayed. */
export function noteClaims(once: readonly Registration[], { claims, now }: Pick<StandIns, 'claims' | 'now'>): void {
  for (const r of once) {
    const recorded = now.given.claimOf(r as Stood);
    if (recorded !== undefined) claims.note(r.scope, now.given.fire, r, recorded === 'free' ? 'ran' : 'skipped');
  }
}
