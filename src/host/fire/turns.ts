import type { Registration } from '../../scopes/registration.js';
import { takeThrown } from '../../scopes/thrown.js';
import type { Candidates } from '../plan/plan.js';
import { WhoRuns } from '../plan/who-runs.js';
import type { Notes } from './notes.js';

/** Which handlers of a list run on one version of the input. A predicate is called once. A hot class (CONTRIBUTING.md). */
export class Turns {
  private readonly candidates: Candidates;
  private readonly notes: Notes;
  private readonly rules: WhoRuns;
  /** By place in the plan: whether a handler with a predicate runs. */
  private runsAt: Map<number, boolean> | undefined = undefined;

  constructor(candidates: Candidates, notes: Notes) {
    this.candidates = candidates;
    this.notes = notes;
    this.rules = new WhoRuns(candidates, notes);
  }

  /** Whether the handler at index `i` of the list runs. `ahead`: its turn has not come, so nothing is recorded. */
  runs(r: Registration, i: number, ahead: boolean): boolean {
    const place = this.candidates.places[i] as number;
    const known = this.runsAt?.get(place);
    if (known !== undefined) return known;
    const isPredicate = !r.matcher.static;
    if (isPredicate) takeThrown();
    const reason = this.rules.why(r);
    const { noting } = this.notes;
    // Recorded now, because the record must not ask again: a predicate may answer differently later.
    if (!ahead) noting?.lookedAt(place, reason);
    if (isPredicate) {
      const thrown = takeThrown();
      noting?.predicateAt(place, thrown);
      this.runsAt ??= new Map();
      this.runsAt.set(place, reason === undefined);
    }
    return reason === undefined;
  }

  /** The registration as it runs, if there are copies of it. */
  merged(r: Registration): Registration {
    return this.rules.merged(r);
  }
}
