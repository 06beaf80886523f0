import type { Registration } from '../../scopes/registration.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import type { FireFacts } from '../call/facts.js';
import type { Candidates } from '../plan/plan.js';
import { type RunFacts, WhoRuns } from '../plan/who-runs.js';

/** Says who of a list runs where more than the subject decides it, as long as the input is as it was fired. A hot class (CONTRIBUTING.md). */
export class Screen implements RunFacts {
  readonly subject: string | undefined;
  readonly input: Json;
  /** Those that do not run, by their places in the list. */
  readonly passed: number[] = [];
  /** The input as predicates have got it, and hooks get it after them. */
  viewed: Json | undefined = undefined;
  private readonly rules: WhoRuns;

  constructor({ subject, input }: FireFacts, candidates: Candidates) {
    this.subject = subject;
    this.input = input;
    this.rules = new WhoRuns(candidates, this);
  }

  get view(): Json {
    this.viewed ??= readOnly(this.input);
    return this.viewed;
  }

  /** Each is looked at once, and then asked; none is one of `once`. */
  hasRun(): boolean {
    return false;
  }

  ranBefore(): boolean {
    return false;
  }

  runs(r: Registration, at: number): boolean {
    const runs = this.rules.why(r) === undefined;
    if (!runs) this.passed.push(at);
    return runs;
  }
}
