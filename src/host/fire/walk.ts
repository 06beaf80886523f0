import type { Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import { type Attempt, PENDING, SILENT } from '../call/attempt.js';
import type { RunningFire } from '../call/facts.js';
import { type CallOwner, HandlerCall } from '../call/handler-call.js';
import type { RawTap } from '../hooks.js';
import { type Candidates, nextWave } from '../plan/plan.js';
import { barredFrom } from '../plan/who-runs.js';
import type { ListenedSoFar } from './kept.js';
import { Notes } from './notes.js';
import type { Slot } from './slot.js';
import { Turns } from './turns.js';
import { Wave } from './wave.js';

/**
 * Runs a plan: all handlers in order, each seeing the rewrites of those before it; then again those that have not judged the latest
 * rewrite; then the observers. Only `FireRun.listen` calls a plan's hooks in order, too, until an answer affects later ones. It creates no promise until an answer is pending.
 */
export class Walk implements CallOwner {
  readonly notes: Notes;
  /** Raw taps on the event's hook when the fire began. */
  readonly taps: readonly RawTap[];
  private readonly fire: RunningFire;
  /** Called at the end if any answer was pending. */
  private readonly done: () => void;
  private candidates: Candidates;
  private listedFor: Subject;
  private pass: 'decide' | 'again' | 'observe' = 'decide';
  /** The next handler in the list; `again` when re-asking. */
  private at = 0;
  private again = 0;
  /** The last place in the plan that was reached; the list of candidates may have changed since. */
  private reached = -1;
  /** The last place whose turn came with a parallel group, on the current input. */
  private passed = -1;
  /** Who runs on the current input. */
  private turns: Turns | undefined = undefined;
  /** Reused by all handlers in series. */
  private call: HandlerCall | undefined;
  /** The handler whose answer is pending. */
  private asking: Slot | undefined = undefined;
  private waves: Set<Wave> | undefined = undefined;
  /** If the plan runs as one tap of the event's own hook: tells tapable that the plan is done. */
  private tapDone: (() => void) | undefined = undefined;

  constructor(
    fire: RunningFire,
    candidates: Candidates,
    call: HandlerCall | undefined,
    taps: readonly RawTap[],
    done: () => void,
  ) {
    this.fire = fire;
    this.candidates = candidates;
    this.listedFor = fire.subject;
    this.call = call;
    this.taps = taps;
    this.done = done;
    this.notes = new Notes(fire);
  }

  /** Takes over from `FireRun`: the hooks it skipped were not asked, those not in `spoken` were silent, and `word` is the first answer that affects later handlers. */
  takeOver({ at: asked, spoken = [], screen }: ListenedSoFar, word: Attempt): void {
    const { notes } = this;
    const { passed = [] } = screen ?? {};
    const { list, places } = this.candidates;
    for (let i = 0, next = 0, skip = 0; i < asked; i++) {
      const kept = spoken[next];
      const place = places[i] as number;
      const spoke = kept !== undefined && kept.registration === list[i];
      if (spoke) next++;
      if (passed[skip] === i) skip++;
      else notes.settle(notes.open(list[i] as Registration, place), spoke ? kept.attempt : SILENT);
    }
    this.at = asked + 1;
    this.settle(notes.open(list[asked] as Registration, places[asked] as number), word);
  }

  /** Continues until an answer is pending (false), or to the end (true). */
  advance(): boolean {
    if (this.pass === 'decide') {
      if (!this.inOrder()) return false;
      this.pass = 'again';
    }
    if (this.pass === 'again') {
      const rewritten = this.notes.version > 0;
      if (rewritten && !this.askAgain()) return false;
      this.pass = 'observe';
      // If every handler was silent, the first observer may have been asked already.
      this.at = Math.max(rewritten ? 0 : this.at, this.candidates.deciders);
    }
    return this.inOrder();
  }

  /** Runs the plan as one tap in the event's own hook. */
  runPlan(done: () => void): void {
    this.tapDone = done;
    this.go();
  }

  /** Asks one raw tap. */
  tap(registration: Registration, afterPlan: boolean, done: () => void): void {
    const { notes } = this;
    const isOver = notes.bailed || this.fire.cancelled !== undefined;
    if (isOver || this.askTogether([notes.openTap(registration, afterPlan)], done)) done();
  }

  /** tapable has run every tap. */
  endTaps(): void {
    this.pass = 'again';
    if (this.advance()) this.done();
  }

  /** Calls all handlers of this pass, parallel ones in waves; a rewrite of what matchers look at changes the list. */
  private inOrder(): boolean {
    const { fire, notes } = this;
    const observing = this.pass === 'observe';
    while (fire.cancelled === undefined && (observing || !notes.bailed)) {
      const { list, places, deciders } = this.candidates;
      const last = observing ? list.length : deciders;
      if (this.at >= last) return true;
      const r = list[this.at] as Registration;
      if (r.mode === 'parallel') {
        const next = nextWave(this.candidates, this.at, (other, i, ahead) => this.runs(other, i, ahead), last);
        this.at = next?.end ?? last;
        if (next !== undefined) this.passed = places[next.passed - 1] as number;
        if (!this.askAll(next?.wave ?? [])) return false;
      } else if (!this.runs(r, this.at)) this.at++;
      else if (!this.ask(r, places[this.at++] as number)) return false;
    }
    notes.skips?.endAfter(Math.max(this.reachedNow, this.passed));
    return true;
  }

  private get reachedNow(): number {
    return this.at > 0 ? Math.max(this.reached, this.candidates.places[this.at - 1] as number) : this.reached;
  }

  /** docs/semantics.md 6: every handler that matches the input that would run and has not judged it is asked, until all have. */
  private askAgain(): boolean {
    const { fire, notes } = this;
    if (fire.spec.fold !== 'gate') return true;
    while (fire.cancelled === undefined && !notes.bailed) {
      const { deciders, list, places } = this.candidates;
      const tap = notes.dueTap();
      if (tap === undefined || tap.place >= 0)
        while (this.again < deciders && !this.isDue(list[this.again] as Registration, this.again)) this.again++;
      if (tap !== undefined && (tap.place < 0 || this.again >= deciders)) {
        if (!this.askTogether([tap], () => this.go())) return false;
        continue;
      }
      if (this.again >= deciders) {
        if (!notes.withdrawRewrites()) return true;
        this.lookAgain();
        continue;
      }
      // A handler passed here is not looked at again before the next rewrite, so every iteration makes progress.
      const r = list[this.again] as Registration;
      if (r.mode === 'parallel') {
        const next = nextWave(this.candidates, this.again, (other, i, ahead) => this.isDue(other, i, ahead));
        this.again = next?.end ?? deciders;
        if (!this.askAll(next?.wave ?? [])) return false;
      } else if (!this.ask(r, places[this.again++] as number)) return false;
    }
    return true;
  }

  private isDue(r: Registration, i: number, ahead?: boolean): boolean {
    return this.notes.isDue(this.notes.at(this.candidates.places[i] as number)) && this.runs(r, i, ahead);
  }

  /** Whether the handler at index `i` of the list runs on the current input. `ahead`: its turn has not come. */
  private runs(r: Registration, i: number, ahead = false): boolean {
    if (this.candidates.plain) return true;
    this.turns ??= new Turns(this.candidates, this.notes);
    return this.turns.runs(r, i, ahead);
  }

  /** Asks one handler. false: its answer is pending. */
  private ask(r: Registration, place: number): boolean {
    const { fire, notes } = this;
    if (!notes.claim(r, place)) return true;
    const slot = notes.open(this.turns?.merged(r) ?? r, place);
    // A call that timed out is left behind; it cannot serve another hook.
    if (this.call === undefined || this.call.spent) this.call = new HandlerCall(fire, this, slot.registration);
    const result = this.call.begin(slot.registration, notes.input, slot.ask());
    if (result === PENDING) {
      this.asking = slot;
      return false;
    }
    this.settle(slot, result ?? SILENT);
    return true;
  }

  /** Asks several at the same time. */
  private askAll(wave: readonly number[]): boolean {
    const { notes, turns } = this;
    const { list, places } = this.candidates;
    const slots: Slot[] = [];
    for (const i of wave) {
      const r = list[i] as Registration;
      const place = places[i] as number;
      if (notes.claim(r, place)) slots.push(notes.open(turns?.merged(r) ?? r, place));
    }
    return slots.length === 0 || this.askTogether(slots, () => this.go());
  }

  /** true: all answered synchronously, and `then` is not called. */
  private askTogether(slots: readonly Slot[], then: () => void): boolean {
    const wave = new Wave(this.fire, slots, () => {
      this.waves?.delete(wave);
      this.settleAll(wave);
      then();
    });
    if (wave.begin(this.notes.input)) {
      this.settleAll(wave);
      return true;
    }
    this.waves ??= new Set();
    this.waves.add(wave);
    return false;
  }

  private settle(slot: Slot, result: Attempt): void {
    if (this.notes.settle(slot, result)) this.lookAgain();
  }

  private settleAll(wave: Wave): void {
    if (this.notes.settleAll(wave)) this.lookAgain();
  }

  /** The input was rewritten: other handlers may match it, and those that judged the previous version must judge this one. */
  private lookAgain(): void {
    const now = this.fire.plan.candidates(this.notes.subject, this.fire.options.guards !== undefined);
    this.again = 0;
    this.passed = -1;
    this.turns = undefined;
    if (now === this.candidates) return;
    this.reached = this.reachedNow;
    // Where nobody is asked again, a hook that the list left out at its turn is passed by, whatever the subject becomes.
    if (this.fire.spec.fold !== 'gate')
      this.notes.noting?.leftOut(barredFrom(this.fire.plan, this.candidates, this.listedFor), this.reached);
    this.candidates = now;
    this.listedFor = this.notes.subject;
    const next = now.places.findIndex((place) => place > this.reached);
    this.at = next < 0 ? now.list.length : next;
  }

  /** The pending call has answered. */
  answered(result: Attempt | undefined): void {
    const slot = this.asking as Slot;
    this.asking = undefined;
    this.settle(slot, result ?? SILENT);
    this.go();
  }

  private go(): void {
    const { tapDone } = this;
    if (tapDone === undefined) {
      if (this.advance()) this.done();
    } else if (this.inOrder()) {
      this.tapDone = undefined;
      tapDone();
    }
  }

  /** The fire is cancelled: ends every running call. */
  cancel(): void {
    this.call?.cancel();
    for (const wave of [...(this.waves ?? [])]) wave.cancel();
  }

  release(): void {
    this.call?.release();
  }
}
