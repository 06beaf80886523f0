import type { Registration } from '../../scopes/registration.js';
import { type SkipFacts, type SkipReason, skipped } from '../../scopes/skip.js';
import { type Candidates, mergeCopies } from './plan.js';

/** The facts that decide which hooks run, including what has run already. */
export interface RunFacts extends SkipFacts {
  /** It was already called in this fire. */
  hasRun(r: Registration): boolean;
  /** It ran in an earlier fire about the same call: a `once` hook may be asked again, as within one fire. */
  ranBefore(r: Registration): boolean;
}

/** Says which hooks of a plan run. The walk asks it before each call; `explain` asks it about every hook. */
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

  /** The registration as it runs: the first of several copies of one hook, with the strictest of their policies. */
  merged(r: Registration): Registration {
    const copies = this.copies(r);
    return copies ? mergeCopies(copies) : r;
  }

  /** The copies of one hook that match or have run, and are trusted. Undefined for an untrusted copy, which is not merged and fails by itself. */
  copies(r: Registration): readonly Registration[] | undefined {
    const copies = r.dedup === undefined ? undefined : this.candidates.copies?.get(r.dedup);
    const { input } = this.#facts;
    if (!copies || r.trustCheck?.(input)) return undefined;
    const matches = (copy: Registration): boolean => this.#reason(copy) === undefined || this.#mayAgain(copy);
    // A `once` hook that is about to run has already claimed its run.
    return copies.filter((copy) => copy === r || (matches(copy) && !copy.trustCheck?.(input)));
  }

  #reason(r: Registration): SkipReason | undefined {
    return skipped(r, this.#facts);
  }

  #mayAgain(r: Registration): boolean {
    return this.#facts.hasRun(r) || this.#facts.ranBefore(r);
  }
}
