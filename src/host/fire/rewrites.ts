import { isDeepStrictEqual } from 'node:util';
import { fileSourceOf, NamedFile } from '../../events/named-files.js';
import type { EventSpec } from '../../events/spec.js';
import { depthOf, type Registration } from '../../scopes/registration.js';
import type { Conflict } from '../decide/decision.js';

/** One handler's relation to the input: which version it judged, which one it produced. */
export interface Vote {
  readonly registration: Registration;
  /** Its place in the plan. Raw taps lie before and after the plan. */
  readonly place: number;
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
  /** The field's value after each accepted rewrite. */
  readonly values: unknown[] = [];
  readonly conflicts: Conflict[] = [];
  readonly #original: Readonly<Record<string, unknown>>;
  #input: Readonly<Record<string, unknown>>;
  readonly #field: string | undefined;
  readonly #file: NamedFile | undefined;
  #owner: Vote | undefined;
  #touched = false;
  #withdrawn = false;

  constructor(spec: EventSpec, input: Readonly<Record<string, unknown>>) {
    this.#original = input;
    this.#input = input;
    this.#field = spec.rewrites?.field;
    const source = spec.callRole === 'ran' ? undefined : fileSourceOf(input);
    this.#file = source && new NamedFile(source);
  }

  /** The whole input as it stands. */
  get input(): Readonly<Record<string, unknown>> {
    return this.#input;
  }

  /** The rewritten field's value, if any hook rewrote it. */
  get rewritten(): { readonly value: unknown } | undefined {
    return this.#touched && this.#field !== undefined ? { value: this.#input[this.#field] } : undefined;
  }

  /** Whether the handler has judged what would run now. */
  hasJudged(vote: Vote): boolean {
    return vote.judged === this.version || vote.produced === this.version;
  }

  /** Whether a rewrite would run if the fire ended now. */
  get stands(): boolean {
    return this.version > 0 && !this.#withdrawn;
  }

  /** No rewrite takes effect: the original value is the latest version, and no further rewrite is taken. */
  withdraw(): void {
    const field = this.#field as string;
    const value = this.#original[field];
    this.#withdrawn = true;
    this.#owner = undefined;
    this.#install(value);
  }

  /** Restores what a handler had said about the original value. */
  restore(vote: Vote, rewrite: { readonly value: unknown } | undefined): void {
    const value = this.#valueOf(rewrite);
    vote.offered = rewrite !== undefined;
    vote.produced = rewrite !== undefined && isSame(this.#original[this.#field as string], value) ? this.version : -1;
  }

  #valueOf(rewrite: { readonly value: unknown } | undefined): unknown {
    return rewrite === undefined || this.#file === undefined ? rewrite?.value : this.#file.in(rewrite.value);
  }

  /** One wave's rewrites, in plan order. */
  take(wave: readonly { vote: Vote; rewrite: { readonly value: unknown } | undefined; again: boolean }[]): void {
    const owner = this.#owner;
    const given = this.#field === undefined ? undefined : this.#input[this.#field];
    const { version } = this;
    let earlier: Vote | undefined;
    for (const { vote, rewrite, again } of wave) {
      vote.offered = rewrite !== undefined;
      vote.produced = -1;
      if (!rewrite || this.#field === undefined) continue;
      this.#touched = true;
      const value = this.#valueOf(rewrite);
      // A value equal to the one that the wave was given is no rewrite, so a rewrite by another handler of the wave stands.
      if (isSame(given, value)) {
        vote.produced = version;
        continue;
      }
      if (this.#withdrawn) continue;
      if (earlier !== undefined && isSame(this.#input[this.#field], value)) {
        vote.produced = this.version;
        continue;
      }
      // A handler that had rewritten before must outrank the owner of what it was given; within one wave the last wins.
      const owned = again && vote.rewrote && owner !== vote ? owner : undefined;
      vote.rewrote = true;
      if (owned && !outranks(vote, owned)) {
        this.#conflict(owned, vote);
        continue;
      }
      const rival = earlier ?? owned;
      if (rival) this.#conflict(vote, rival);
      this.#accept(vote, value);
      earlier = vote;
    }
  }

  #conflict({ registration: { id: winner } }: Vote, { registration: { id: loser } }: Vote): void {
    const isKnown = this.conflicts.some((one) => one.winner === winner && one.loser === loser);
    if (!isKnown) this.conflicts.push({ winner, loser });
  }

  #accept(vote: Vote, value: unknown): void {
    this.#install(value);
    this.#owner = vote;
    vote.produced = this.version;
  }

  #install(value: unknown): void {
    this.#input = { ...this.#input, [this.#field as string]: value };
    this.version++;
    this.values.push(value);
  }
}

/** The agent's values may throw when they are read; then they count as different. */
function isSame(old: unknown, value: unknown): boolean {
  try {
    return isDeepStrictEqual(old, value);
  } catch {
    return false;
  }
}

/** The outer scope wins, unless its handler yields to inner scopes with `phase: 'rewrite'`; within one scope the later in plan order wins. */
function outranks(a: Vote, b: Vote): boolean {
  // Racing handlers are meant to be asked once: the owner, which was the last to finish, keeps its rewrite.
  if (a.registration.racing && b.registration.racing) return false;
  const [outer, inner] = depthOf(a.registration) < depthOf(b.registration) ? [a, b] : [b, a];
  if (depthOf(outer.registration) === depthOf(inner.registration)) return a.place > b.place;
  return outer.registration.phase === 'rewrite' ? a === inner : a === outer;
}
