import { isThenable } from '../events/promises.js';
import type { Registration } from '../scopes/registration.js';
import type { Attempt } from './attempt.js';
import { attempt } from './attempt.js';
import type { Fire } from './fire.js';
import { RANK, type Said } from './fold.js';
import { type RawTap, runThroughTaps } from './hooks.js';
import { type Candidates, mergeCopies, nextWave, skipped } from './plan.js';
import { Rewrites, type Stance } from './rewrites.js';

/** What one registration came to in one fire. */
export interface Slot extends Stance {
  readonly registration: Registration;
  readonly wave: number;
  last: Attempt;
  /** What counts of it: its newest good answer, and a failure since. */
  outcome: Attempt['outcome'];
  failure: Attempt['failure'];
  /** Its allow was lost when a re-ask failed. */
  lapsed: boolean;
  calls: number;
}

/** Raw taps lie this far before or after the plan. */
const AFTER = 1_000_000;

/** Runs a plan: waves, the waterfall of rewrites, asking again, observers. The only place with an order in time. Never throws. */
export class Run {
  readonly fire: Fire;
  readonly rewrites: Rewrites;
  /** By registration id, in the order they were first asked. */
  readonly slots = new Map<string, Slot>();
  /** Everybody who tapped the event's own hook when the fire began. */
  taps: readonly RawTap[] = [];
  #bailed = false;
  #planned = false;
  #waves = 0;
  /** The last that was looked at in the waves, whether it ran or not. */
  #passed: Registration | undefined;

  constructor(fire: Fire) {
    this.fire = fire;
    this.rewrites = new Rewrites(fire.entry, fire.input);
  }

  /** It ended before everybody was reached. */
  get cutShort(): boolean {
    return this.#bailed || this.fire.cancelled !== undefined;
  }

  /** The plan's own waves have begun. */
  get planned(): boolean {
    return this.#planned;
  }

  /** From the first wave, or from where it took over, to the last observer. */
  async execute(): Promise<void> {
    const { hook } = this.fire;
    // What is tapped while a fire is under way counts from the next one on.
    if (hook?.foreign && !this.#passed) await runThroughTaps(hook, this);
    else await this.runWaves();
    if (!this.#bailed && this.rewrites.version > 0) await this.#askAgain();
    await this.#observe();
  }

  /** Every wave that is left, each seeing the input as the wave before left it. */
  async runWaves(): Promise<void> {
    this.#planned = true;
    let candidates = this.#candidates();
    let at = this.#after(candidates);
    while (!this.#bailed && !this.fire.cancelled) {
      const now = candidates;
      const next = nextWave(now, at, (r) => this.#skips(now, r) === undefined);
      if (!next) return;
      this.#passed = now.list[next.end - 1];
      await this.#wave(next.wave.map((r) => this.#merged(now, r)));
      // A rewrite of what matchers look at makes other candidates.
      candidates = this.#candidates();
      at = candidates === now ? next.end : this.#after(candidates);
    }
  }

  /** Where those begin that come after the last that was looked at. */
  #after({ list }: Candidates): number {
    if (!this.#passed) return 0;
    const { plan } = this.fire;
    const passed = plan.position(this.#passed);
    const at = list.findIndex((r) => plan.position(r) > passed);
    return at < 0 ? list.length : at;
  }

  /** One raw tap, asked like any handler; its position lies before or after the plan's. */
  async tap(registration: Registration): Promise<void> {
    if (this.#bailed || this.fire.cancelled) return;
    await this.#wave([registration], this.slots.size + (this.#planned ? AFTER : -AFTER));
  }

  /** Takes over from the quick path: the first `count` of the list were silent, `last` is what the next one came to. */
  takeOver(count: number, last: Attempt): void {
    const { list } = this.#candidates();
    for (const r of list.slice(0, count)) this.#settle([this.#slot(r, undefined)], [{}]);
    this.#passed = list[count] as Registration;
    this.#settle([this.#slot(this.#passed, undefined)], [last]);
  }

  /** What everybody came to, in plan order and as it counts. */
  said(): Said[] {
    return this.#inOrder()
      .filter((s) => s.registration.phase !== 'observe' && (!s.last.background || s.outcome || s.failure))
      .map((s) => ({
        registration: s.registration,
        outcome: s.outcome,
        failure: s.failure,
        allowLapsed: s.lapsed || !this.rewrites.allowStands(s),
      }));
  }

  /** Why a registration would not run on the input as it stands; `undefined`: it would. */
  why(r: Registration): ReturnType<typeof skipped> {
    return this.#skips(this.#candidates(), r);
  }

  #candidates(): Candidates {
    const { plan } = this.fire;
    return plan.candidates(this.#subject(), this.rewrites.input);
  }

  #subject(): string | undefined {
    return this.rewrites.version === 0 ? this.fire.subject : this.fire.entry.subject?.(this.rewrites.input as never);
  }

  #skips(candidates: Candidates, r: Registration): ReturnType<typeof skipped> {
    const reason = skipped(r, this.#subject(), this.rewrites.input);
    // A once that ran in this very fire may be asked again.
    if (reason !== undefined && !(reason === 'once' && this.#wasAsked(r))) return reason;
    const copies = this.#copies(candidates, r);
    return copies && copies[0] !== r ? 'duplicate' : undefined;
  }

  /** Those copies of one hook that match and may run; of one that may not: nothing, it fails for itself. */
  #copies(candidates: Candidates, r: Registration): Registration[] | undefined {
    const copies = r.dedup === undefined ? undefined : candidates.copies?.get(r.dedup);
    const { input } = this.rewrites;
    if (!copies || r.gate?.(input)) return undefined;
    const matches = (c: Registration): boolean =>
      skipped(c, this.#subject(), input) === undefined || this.slots.has(c.id);
    return copies.filter((c) => matches(c) && (c === r || !c.gate?.(input)));
  }

  #merged(candidates: Candidates, r: Registration): Registration {
    const copies = this.#copies(candidates, r);
    return copies ? mergeCopies(copies) : r;
  }

  /** In this fire, or in an earlier one about the same call. */
  #wasAsked(r: Registration): boolean {
    return this.slots.has(r.id) || this.fire.asked?.has(r.id) === true;
  }

  async #wave(wave: readonly Registration[], position?: number): Promise<void> {
    const { fire, rewrites } = this;
    const wanted = wave.filter((r) => !r.once || this.#wasAsked(r) || r.scope.claim(r));
    for (const r of wanted) if (r.once) fire.asked?.add(r.id);
    const again = wanted.map((r) => this.slots.has(r.id));
    const slots = wanted.map((r) => this.#slot(r, position));
    const input = rewrites.input;
    const results = slots.map((s, i) => attempt(fire, s.registration, input, again[i] ? 'reask' : 'first'));
    this.#settle(slots, results.some(isThenable) ? await Promise.all(results) : (results as Attempt[]));
  }

  #slot(registration: Registration, position: number | undefined): Slot {
    const { version } = this.rewrites;
    const known = this.slots.get(registration.id);
    if (known) {
      known.judged = version;
      return known;
    }
    const slot: Slot = {
      registration,
      position: position ?? this.fire.plan.position(registration),
      wave: this.#waves,
      judged: version,
      produced: -1,
      rewrote: false,
      offered: false,
      last: {},
      outcome: undefined,
      failure: undefined,
      lapsed: false,
      calls: 0,
    };
    this.slots.set(registration.id, slot);
    return slot;
  }

  /** Takes a wave's answers, in plan order whatever the order of finishing. */
  #settle(slots: readonly Slot[], results: readonly Attempt[]): void {
    this.#waves++;
    const { spill } = this.fire.services;
    const rewriting = slots.map((stance, i) => ({
      stance,
      rewrite: stance.registration.phase === 'observe' ? undefined : results[i]?.outcome?.rewrite,
      again: stance.calls > 0,
    }));
    slots.forEach((slot, i) => {
      const result = results[i] as Attempt;
      if (slot.calls > 0 && hasNotJudged(result)) failAgain(slot, result);
      else Object.assign(slot, { outcome: result.outcome, failure: result.failure, lapsed: false });
      // It may become a reason, and hold all of a program's stderr.
      if (slot.failure) slot.failure = { ...slot.failure, message: spill.text(slot.failure.message) };
      slot.last = result;
      slot.calls++;
      const { dialect, phase } = slot.registration;
      if (result.outcome?.continue === false && dialect === 'code' && phase !== 'observe') this.#bailed = true;
    });
    this.rewrites.take(rewriting);
  }

  /** docs/semantics.md 6: whoever matches the input that would run and has not judged it is asked, until all have. */
  async #askAgain(): Promise<void> {
    if (this.fire.entry.fold !== 'gate') return;
    while (!this.#bailed && !this.fire.cancelled) {
      const candidates = this.#candidates();
      const due = (r: Registration): boolean => this.#isDue(r) && this.#skips(candidates, r) === undefined;
      const taps = this.#inOrder().filter((s) => s.registration.kind === 'tap' && this.#isDue(s.registration));
      const tap = taps[0];
      const next = nextWave(candidates, 0, due);
      if (tap && (tap.position < 0 || !next)) await this.#wave([tap.registration], tap.position);
      else if (next) await this.#wave(next.wave.map((r) => this.#merged(candidates, r)));
      else return;
    }
  }

  #isDue(r: Registration): boolean {
    const slot = this.slots.get(r.id);
    if (!slot) return true;
    return r.phase === 'decide' && !slot.last.background && !this.rewrites.hasJudged(slot);
  }

  /** Observers run last, once, on what will run; in waves of their own. */
  async #observe(): Promise<void> {
    const candidates = this.#candidates();
    const list = candidates.list.slice(candidates.deciders);
    const observers: Candidates = { ...candidates, list, deciders: list.length };
    for (let at = 0; !this.fire.cancelled; ) {
      const next = nextWave(observers, at, (r) => this.#skips(candidates, r) === undefined);
      if (!next) return;
      at = next.end;
      await this.#wave(next.wave.map((r) => this.#merged(candidates, r)));
    }
  }

  #inOrder(): Slot[] {
    return [...this.slots.values()].sort((a, b) => a.position - b.position);
  }
}

/** It failed, could not be made, or was left for later. */
const hasNotJudged = ({ failure, background, unjudged }: Attempt): boolean =>
  Boolean(failure ?? background ?? unjudged);

/** A re-ask that has not judged the new input keeps the old verdict, except an allow; a verdict it printed all the same counts where it is stricter. */
function failAgain(slot: Slot, result: Attempt): void {
  slot.failure = result.failure ?? slot.failure;
  if (slot.outcome?.verdict === 'allow') slot.lapsed = true;
  if (RANK[result.outcome?.verdict ?? 'none'] > RANK[slot.outcome?.verdict ?? 'none']) slot.outcome = result.outcome;
}
