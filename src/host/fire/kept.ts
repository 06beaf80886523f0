import type { Failure } from '../../events/failure.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt } from '../call/attempt.js';
import type { LargeOutput } from '../call/large-output.js';
import type { HandlerOutcome, OutcomesLater } from '../decide/decision.js';
import { type HandlerResult, listOutcomes } from '../decide/fold-common.js';

/** An answer that changes nothing for later hooks: all that a fire keeps of it until it needs notes. */
export class KeptAnswer implements HandlerResult {
  readonly registration: Registration;
  /** Its place in the plan. */
  readonly place: number;
  readonly attempt: Attempt;
  readonly outcome: Attempt['outcome'];
  readonly failure: Attempt['failure'];

  constructor(registration: Registration, place: number, attempt: Attempt) {
    this.registration = registration;
    this.place = place;
    this.attempt = attempt;
    this.outcome = attempt.outcome;
    this.failure = attempt.failure;
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

/** Shortens a failure's message, which may become a reason and may hold a program's whole stderr. */
export function shortly(failure: Failure, spill: LargeOutput, session: unknown): Failure {
  return { ...failure, message: spill.text(failure.message, session) };
}

export function shortened(result: Attempt, spill: LargeOutput, session: unknown): Attempt {
  return result.failure === undefined ? result : { ...result, failure: shortly(result.failure, spill, session) };
}

/** The first hooks of a list, of which all were asked except the skipped ones; those without an answer were silent. */
export class AskedList implements OutcomesLater {
  readonly #list: readonly Registration[];
  readonly #count: number;
  readonly #spoken: readonly KeptAnswer[];
  /** Places of the skipped hooks in the plan. */
  readonly #passed: readonly number[];

  constructor(list: readonly Registration[], count: number, spoken: readonly KeptAnswer[], passed: readonly number[]) {
    this.#list = list;
    this.#count = count;
    this.#spoken = spoken;
    this.#passed = passed;
  }

  listOutcomes(): HandlerOutcome[] {
    const kept = new Map(this.#spoken.map((one) => [one.registration, one]));
    const passed = new Set(this.#passed);
    const all = this.#list
      .slice(0, this.#count)
      .filter((_, i) => !passed.has(i))
      .map((registration) => kept.get(registration) ?? { registration, counts: registration.phase !== 'observe' });
    return listOutcomes(all.filter((said) => said.counts));
  }
}
