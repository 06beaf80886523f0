import type { Registration } from '../../scopes/registration.js';
import type { HandlerResult } from '../decide/fold-common.js';
import type { Attempt } from './attempt.js';

/** What a callback remembers of its latest answer; other kinds of handlers remember nothing. */
interface AnswerKeeper {
  readonly recent?: { has(outcome: Attempt['outcome']): boolean };
  kept?: KeptAnswer | undefined;
}

/** An answer that does not affect later hooks, in the form that a fire keeps until it needs notes. */
export class KeptAnswer implements HandlerResult {
  readonly registration: Registration;
  readonly attempt: Attempt;
  readonly outcome: Attempt['outcome'];
  readonly failure: Attempt['failure'];

  constructor(registration: Registration, attempt: Attempt) {
    this.registration = registration;
    this.attempt = attempt;
    this.outcome = attempt.outcome;
    this.failure = attempt.failure;
  }

  /** A hook that repeats its latest answer gets the same object: most hooks always give one answer. */
  static of(registration: Registration, attempt: Attempt): KeptAnswer {
    const work = registration.work as AnswerKeeper;
    const { kept } = work;
    if (kept?.attempt === attempt && kept.registration === registration) return kept;
    const made = new KeptAnswer(registration, attempt);
    if (work.recent?.has(attempt.outcome)) work.kept = made;
    return made;
  }

  /** Whether the next fire gets this object if the hook repeats its answer. */
  get isShared(): boolean {
    return (this.registration.work as AnswerKeeper).kept === this;
  }

  get counts(): boolean {
    return counts(this.registration, this.attempt, this);
  }
}

/** Whether the handler takes part in the decision and has finished, even if silently. `last`: the result of its latest call. */
export function counts(
  { phase }: Registration,
  last: Attempt,
  { outcome, failure }: Pick<Attempt, 'outcome' | 'failure'>,
): boolean {
  return phase !== 'observe' && (!last.background || outcome !== undefined || failure !== undefined);
}
