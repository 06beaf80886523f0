import type { SkipReason } from '../../events/skip.js';
import type { Registration } from '../../scopes/registration.js';
import { type Candidates, mergeCopies } from './plan.js';
import { type RunFacts, skipped } from './skipped.js';

export type { RunFacts } from './skipped.js';

/** The one reading of a plan: the walk asks it before each call, the record and `explain` when they list everybody. */
export class WhoRuns {
  readonly candidates: Candidates;
  readonly #facts: RunFacts;

  constructor(candidates: Candidates, facts: RunFacts) {
    this.candidates = candidates;
    this.#facts = facts;
  }

  /** Why a registration does not run on the input as it stands; `undefined`: it does. */
  why(r: Registration): SkipReason | undefined {
    const reason = this.#reason(r);
    if (reason !== undefined && !(reason === 'once' && this.#mayAgain(r))) return reason;
    const copies = this.copies(r);
    return copies && copies[0] !== r ? 'duplicate' : undefined;
  }

  /** As it runs: of several copies of one hook the first, under the strictest of their policies. */
  merged(r: Registration): Registration {
    const copies = this.copies(r);
    return copies ? mergeCopies(copies) : r;
  }

  /** Those copies of one hook that match, or have run, and are trusted. Undefined for an untrusted copy: it is not merged and fails on its own. */
  copies(r: Registration): readonly Registration[] | undefined {
    const copies = r.dedup === undefined ? undefined : this.candidates.copies?.get(r.dedup);
    const { input } = this.#facts;
    if (!copies || r.trustCheck?.(input)) return undefined;
    const matches = (copy: Registration): boolean => this.#reason(copy) === undefined || this.#facts.hasRun(copy);
    return copies.filter((copy) => matches(copy) && (copy === r || !copy.trustCheck?.(input)));
  }

  #reason(r: Registration): SkipReason | undefined {
    return skipped(r, this.#facts);
  }

  #mayAgain(r: Registration): boolean {
    return this.#facts.hasRun(r) || this.#facts.ranBefore(r);
  }
}

export function whoRuns(candidates: Candidates, facts: RunFacts): WhoRuns {
  return new WhoRuns(candidates, facts);
}
