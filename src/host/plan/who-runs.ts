import type { Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import { type SkipFacts, type SkipReason, skipped } from '../../scopes/skip.js';
import { type ScopeLookup, typesAbove } from '../../scopes/tree.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { barred, type Candidates, mergeCopies, type Plan } from './plan.js';

/** The facts that decide which hooks run, including what has run already. */
export interface RunFacts extends SkipFacts {
  /** Whether the hook was already called in this fire. */
  hasRun(r: Registration): boolean;
  /** Whether the hook ran in an earlier fire about the same tool call: then a `once` hook may run again, as within one fire. */
  ranBefore(r: Registration): boolean;
}

/** The facts about an input that no hook was asked about yet. */
export const factsBefore = (subject: Subject, input: Json, found: ScopeLookup | undefined): RunFacts => ({
  subject,
  input,
  agentTypes: found === undefined ? undefined : typesAbove(found),
  view: readOnly(input),
  hasRun: () => false,
  ranBefore: () => false,
});

/** Decides which hooks of a plan run: before each call of a walk, and for every hook in `explain`. */
export class WhoRuns {
  readonly candidates: Candidates;
  readonly #facts: RunFacts;

  constructor(candidates: Candidates, facts: RunFacts) {
    this.candidates = candidates;
    this.#facts = facts;
  }

  /** Why a registration does not run on the current input; `undefined`: it runs. */
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

  /** The copies of a hook that match or have run, and are trusted. Undefined for an untrusted copy, which is not merged and fails on its own. */
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

/** The places of the hooks that are no candidates for a subject, and why. */
export function barredFrom(
  { registrations }: Plan,
  { places }: Candidates,
  subject: Subject,
): [number, SkipReason | undefined][] {
  const listed = new Set(places);
  return registrations.flatMap((r, place) => (listed.has(place) ? [] : [[place, barred(r, subject)]]));
}
