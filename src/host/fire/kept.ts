import type { Failure } from '../../events/failure.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt } from '../call/attempt.js';
import type { KeptAnswer } from '../call/kept-answer.js';
import type { LargeOutput } from '../call/large-output.js';
import type { HandlerOutcome, OutcomesLater } from '../decide/decision.js';
import { listOutcomes } from '../decide/fold-common.js';

/** Shortens a failure's message, which may become a reason and may hold a program's whole stderr. */
export function shortly(failure: Failure, spill: LargeOutput, session: unknown): Failure {
  return { ...failure, message: spill.text(failure.message, session) };
}

export function shortened(result: Attempt, spill: LargeOutput, session: unknown): Attempt {
  return result.failure === undefined ? result : { ...result, failure: shortly(result.failure, spill, session) };
}

/** The outcomes of the first `count` hooks of a list. All were asked except the skipped ones; those without a kept answer were silent. */
export class AskedList implements OutcomesLater {
  readonly #list: readonly Registration[];
  readonly #count: number;
  readonly #spoken: readonly KeptAnswer[];
  /** Indexes of the skipped hooks in the list. */
  readonly #passed: readonly number[];

  constructor(list: readonly Registration[], count: number, spoken: readonly KeptAnswer[], passed: readonly number[]) {
    this.#list = list;
    this.#count = count;
    this.#spoken = spoken;
    this.#passed = passed;
  }

  listOutcomes(): readonly HandlerOutcome[] {
    const kept = new Map(this.#spoken.map((one) => [one.registration, one]));
    const passed = new Set(this.#passed);
    const all = this.#list
      .slice(0, this.#count)
      .filter((_, i) => !passed.has(i))
      .map((registration) => kept.get(registration) ?? { registration, counts: registration.phase !== 'observe' });
    // Frozen, because the decision may be shared. The hooks' outputs are frozen already.
    return Object.freeze(listOutcomes(all.filter((said) => said.counts)).map((one) => Object.freeze(one)));
  }
}

/** How far `FireRun` has come, and what it found. */
export interface ListenedSoFar {
  readonly at: number;
  readonly spoken: readonly KeptAnswer[] | undefined;
  readonly screen: { readonly passed: readonly number[] } | undefined;
}
