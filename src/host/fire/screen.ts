import type { Subject } from '../../events/spec.js';
import type { AgentTypes } from '../../matching/known-agent.js';
import type { Registration } from '../../scopes/registration.js';
import { type ScopeLookup, typesAbove } from '../../scopes/tree.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import type { FireFacts } from '../call/facts.js';
import type { Candidates } from '../plan/plan.js';
import { type RunFacts, WhoRuns } from '../plan/who-runs.js';

/** Decides which hooks of a list run if that depends on more than the subject. Valid until the input is rewritten. A hot class (CONTRIBUTING.md). */
export class Screen implements RunFacts {
  readonly subject: Subject;
  readonly input: Json;
  /** Places in the list of the hooks that do not run. */
  readonly passed: number[] = [];
  /** The view of the input that predicates were given; hooks get the same one. */
  viewed: Json | undefined = undefined;
  private readonly found: ScopeLookup;
  private readonly rules: WhoRuns;

  constructor({ subject, input, found }: FireFacts, candidates: Candidates) {
    this.subject = subject;
    this.input = input;
    this.found = found;
    this.rules = new WhoRuns(candidates, this);
  }

  get view(): Json {
    this.viewed ??= readOnly(this.input);
    return this.viewed;
  }

  get agentTypes(): AgentTypes {
    return typesAbove(this.found);
  }

  /** Each hook is checked once, before it is asked; none is a `once` hook. */
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
