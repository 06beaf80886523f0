import { isDeepStrictEqual } from 'node:util';
import type { EventSpec } from '../../events/define.js';
import type { Registration } from '../../scopes/registration.js';
import type { Conflict } from '../decide/decision.js';

/** One handler's relation to the input: which version it judged, which one it produced. */
export interface Vote {
  readonly registration: Registration;
  /** Plan position; raw taps lie before and after the plan. */
  readonly position: number;
  /** The version of the input it was last given; -1: none. */
  judged: number;
  /** The version its last rewrite became (or already was); -1: it did not rewrite, or its rewrite was dropped. */
  produced: number;
  /** It has rewritten at least once in this fire. */
  rewrote: boolean;
  /** Its last answer held a rewrite. */
  offered: boolean;
}

/**
 * The waterfall of rewrites (docs/semantics.md 6): every accepted rewrite is a new version of the input; a handler that rewrites
 * again on a re-ask conflicts with the owner of the version it was given, and the outermost scope, then the later in plan order, wins.
 */
export class Rewrites {
  version = 0;
  readonly conflicts: Conflict[] = [];
  #input: Readonly<Record<string, unknown>>;
  readonly #field: string | undefined;
  #owner: Vote | undefined;
  #touched = false;

  constructor(spec: EventSpec, input: Readonly<Record<string, unknown>>) {
    this.#input = input;
    this.#field = spec.rewrites?.field;
  }

  /** The whole input as it stands. */
  get input(): Readonly<Record<string, unknown>> {
    return this.#input;
  }

  /** The rewritten field's value, where anybody rewrote it. */
  get rewritten(): { readonly value: unknown } | undefined {
    return this.#touched && this.#field !== undefined ? { value: this.#input[this.#field] } : undefined;
  }

  /** Whether the handler has judged what would run now. */
  hasJudged(stance: Vote): boolean {
    return stance.judged === this.version || stance.produced === this.version;
  }

  /** Whether an allow of its last answer is still for what would run. */
  allowStands(stance: Vote): boolean {
    return stance.offered ? stance.produced === this.version : stance.judged === this.version;
  }

  /** One wave's rewrites, in plan order. */
  take(wave: readonly { stance: Vote; rewrite: { readonly value: unknown } | undefined; again: boolean }[]): void {
    const owner = this.#owner;
    let earlier: Vote | undefined;
    for (const { stance, rewrite, again } of wave) {
      stance.offered = rewrite !== undefined;
      stance.produced = -1;
      if (!rewrite || this.#field === undefined) continue;
      this.#touched = true;
      if (isDeepStrictEqual(this.#input[this.#field], rewrite.value)) {
        stance.produced = this.version;
        continue;
      }
      // One that had rewritten before must win over the owner of what it was given; of one wave the last wins.
      const owned = again && stance.rewrote && owner !== stance ? owner : undefined;
      stance.rewrote = true;
      if (owned && !outranks(stance, owned)) {
        this.#conflict(owned, stance);
        continue;
      }
      const rival = earlier ?? owned;
      if (rival) this.#conflict(stance, rival);
      this.#accept(stance, rewrite.value);
      earlier = stance;
    }
  }

  #conflict(winner: Vote, loser: Vote): void {
    this.conflicts.push({ winner: winner.registration.id, loser: loser.registration.id });
  }

  #accept(stance: Vote, value: unknown): void {
    this.#input = { ...this.#input, [this.#field as string]: value };
    this.version++;
    this.#owner = stance;
    stance.produced = this.version;
  }
}

/** Outermost scope first; within one scope the later in plan order. Handlers with `phase: 'rewrite'` yield to the others. */
function outranks(a: Vote, b: Vote): boolean {
  const rank = (s: Vote): number =>
    s.registration.phase === 'rewrite' ? Number.POSITIVE_INFINITY : s.registration.scope.depth;
  return rank(a) === rank(b) ? a.position > b.position : rank(a) < rank(b);
}
