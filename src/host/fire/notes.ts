import { canEnd, REWRITE_NOT_ALLOWED } from '../../events/output/what-counts.js';
import type { Subject } from '../../events/spec.js';
import type { AgentTypes } from '../../matching/known-agent.js';
import type { Registration } from '../../scopes/registration.js';
import { typesAbove } from '../../scopes/tree.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { logProblems } from '../call/answer.js';
import { type Attempt, isStillDue, SILENT } from '../call/attempt.js';
import type { RunningFire } from '../call/facts.js';
import { fold } from '../decide/fold.js';
import type { RunFacts } from '../plan/who-runs.js';
import { Rewrites } from './rewrites.js';
import { Skips } from './skips.js';
import { Slot } from './slot.js';
import type { Wave } from './wave.js';

const OF_POLICY =
  'its rewrite has no effect: managed policy has asked about the call, so only a managed hook may allow it';

/** Added to the places of raw taps, so that they lie before or after the whole plan. */
const AFTER = 1_000_000;

/** The results of all handlers in one fire, and the current input. Made only when needed. A hot class (CONTRIBUTING.md). */
export class Notes implements RunFacts {
  input: Json;
  subject: Subject;
  /** A hook ended the run. */
  bailed = false;
  /** No hook has said anything, failed, or continued in the background; and there is no raw tap. */
  silent = true;
  /** The slots of the plan's handlers, by place in the plan. */
  private readonly slots: (Slot | undefined)[];
  /** The slots of raw taps, in the order in which they were called. */
  readonly tapped: Slot[] = [];
  private readonly fire: RunningFire;
  readonly recorded: boolean;
  /** Why hooks did not run, once there is something to note. */
  skips: Skips | undefined = undefined;
  private made: Rewrites | undefined = undefined;
  /** Whether managed policy has asked about the call, once that mattered: the end of the fire must not find otherwise. */
  policyAsks: boolean | undefined = undefined;
  private viewed: Json | undefined = undefined;
  private inputView: Json | undefined = undefined;
  /** Ids of the `once` hooks that run for the first time. */
  private claimed: Set<string> | undefined = undefined;
  private waves = 0;
  private count = 0;

  constructor(fire: RunningFire) {
    this.fire = fire;
    this.recorded = fire.reporter !== undefined;
    this.input = fire.input;
    this.subject = fire.subject;
    this.slots = new Array<Slot | undefined>(fire.plan.size);
  }

  /** Made when a predicate first looks at this input. */
  get view(): Json {
    if (this.viewed !== this.input) {
      this.viewed = this.input;
      this.inputView = readOnly(this.input);
    }
    return this.inputView as Json;
  }

  get agentTypes(): AgentTypes {
    return typesAbove(this.fire.found);
  }

  /** Where to note why hooks do not run. Absent: no record will say it. */
  get noting(): Skips | undefined {
    if (this.recorded) this.skips ??= new Skips(this.fire.plan.size);
    return this.skips;
  }

  /** How often the input was rewritten. */
  get version(): number {
    return this.made?.version ?? 0;
  }
  get rewrites(): Rewrites | undefined {
    return this.made;
  }

  at(place: number): Slot | undefined {
    return this.slots[place];
  }

  slotOf(r: Registration): Slot | undefined {
    return r.kind === 'tap' ? this.tapped.find((s) => s.registration === r) : this.slots[this.fire.plan.placeOf(r)];
  }

  hasRun(r: Registration): boolean {
    return this.slotOf(r) !== undefined;
  }

  ranBefore(r: Registration): boolean {
    return this.fire.options.ranBefore?.includes(r.id) === true;
  }

  /** Claims the single run of a `once` hook in its scope. false: another call has claimed it. */
  claim(r: Registration, place: number): boolean {
    if (!r.once || this.hasRun(r) || this.ranBefore(r)) return true;
    if (!r.scope.claim(r)) {
      // A predicate called since the check has fired the event, and that fire claimed the run.
      this.noting?.lookedAt(place, 'once');
      return false;
    }
    this.claimed ??= new Set();
    this.claimed.add(r.id);
    this.fire.options.ranBefore?.push(r.id);
    return true;
  }

  /** Gives back the run that this fire claimed for a `once` hook, because the hook was not started. */
  private giveBack(r: Registration): void {
    if (this.claimed?.delete(r.id) !== true) return;
    r.scope.giveBack(r);
    const { ranBefore } = this.fire.options;
    ranBefore?.splice(ranBefore.indexOf(r.id), 1);
  }

  /** The state of a handler that is about to be asked. */
  open(registration: Registration, place: number): Slot {
    const known = this.slots[place];
    if (known !== undefined) return known;
    this.count++;
    const slot = new Slot(registration, place, this.waves, this);
    const thrown = this.skips?.thrownAt(place);
    if (thrown !== undefined) slot.warnings = [thrown];
    this.slots[place] = slot;
    return slot;
  }

  /** A handler was not called, because the fire was cancelled first. */
  private leaveOut({ calls, place, registration }: Slot): undefined {
    if (calls > 0) return;
    this.giveBack(registration);
    this.slots[place] = undefined;
  }

  /** Opens a slot for a raw tap, whose place is before or after the plan's. */
  openTap(registration: Registration, after: boolean): Slot {
    const known = this.slotOf(registration);
    if (known !== undefined) return known;
    const place = this.count++ + (after ? AFTER : -AFTER);
    const slot = new Slot(registration, place, this.waves, this);
    this.tapped.push(slot);
    this.silent = false;
    return slot;
  }

  /** Takes the answer of a handler that was asked alone. true: the input was rewritten. */
  settle(slot: Slot, result: Attempt): boolean {
    this.waves++;
    if (result === SILENT && !this.recorded) return slot.takeSilence();
    const rewrite = this.rewriteOf(slot, result);
    this.note(slot, result);
    if (rewrite !== undefined) return this.take([{ vote: slot, rewrite, again: slot.calls > 1 }]);
    slot.offered = false;
    slot.produced = -1;
    return false;
  }

  /** Takes the answers of a wave (a parallel group): in plan order, or in order of finishing if they race. true: the input was rewritten. */
  settleAll(wave: Wave): boolean {
    const { slots, results } = wave;
    this.waves++;
    const answers = slots.map((vote, i) => {
      const result = results[i];
      if (result === undefined) return this.leaveOut(vote);
      const said = { vote, rewrite: this.rewriteOf(vote, result), again: vote.calls > 0 };
      this.note(vote, result);
      return said;
    });
    if (this.made === undefined && !answers.some((said) => said?.rewrite !== undefined)) return false;
    if (slots[0]?.registration.racing !== true) return this.take(answers.filter((said) => said !== undefined));
    const order = wave.inOrder();
    for (const [when, i] of order.entries()) (slots[i] as Slot).finished = when;
    return this.take(order.map((i) => answers[i] as NonNullable<(typeof answers)[number]>));
  }

  /** Rewrites by observers are ignored, and so is all that comes with an allow which is not the hook's to give. */
  private rewriteOf(slot: Slot, { outcome }: Attempt): { readonly value: unknown } | undefined {
    const { phase, scope } = slot.registration;
    if (outcome?.rewrite === undefined || phase === 'observe') return undefined;
    if (!this.fire.spec.nestedDecision || scope.kind === 'managed') return outcome.rewrite;
    this.policyAsks ??= this.fire.asksByPolicy;
    if (!this.policyAsks) return outcome.rewrite;
    this.warn(slot, OF_POLICY);
    return undefined;
  }

  private take(wave: Parameters<Rewrites['take']>[0]): boolean {
    const { spec, input } = this.fire;
    this.made ??= new Rewrites(spec, input);
    const { version } = this.made;
    this.made.take(wave);
    if (this.made.version === version) return false;
    this.input = this.made.input;
    this.subject = spec.subject?.(this.input);
    return true;
  }

  private note(slot: Slot, result: Attempt): void {
    if (this.claimed !== undefined && slot.calls === 0 && isStillDue(result)) this.giveBack(slot.registration);
    slot.take(result, this.fire.services.largeOutput, this.fire.input['session_id']);
    if (result.outcome !== undefined || result.failure !== undefined || result.background) this.silent = false;
    const { dialect, phase } = slot.registration;
    if (result.outcome?.continue !== false || dialect !== 'code' || phase === 'observe') return;
    // A failure keeps no other hook from running: of a failed answer only what ends the loop or denies does.
    if (result.failure === undefined || canEnd(this.fire.spec)) this.bailed = true;
  }

  /**
   * Where only an allow carries a rewrite (PermissionRequest): if no allow that counts came, the rewrites take no effect, so the
   * original input is judged. true: it now is the latest version.
   */
  withdrawRewrites(): boolean {
    const { spec, services } = this.fire;
    const { made } = this;
    if (!spec.nestedDecision || made?.stands !== true) return false;
    this.policyAsks ??= this.fire.asksByPolicy;
    const askedAt = () => this.fire.askedAt();
    const { verdict } = fold(spec, this.said(), {
      decisions: services.decisions,
      policyAsks: this.policyAsks,
      askedAt,
    });
    if (verdict === 'allow' || verdict === 'deny') return false;
    made.withdraw();
    this.input = made.input;
    this.subject = spec.subject?.(this.input);
    for (const slot of [...this.slots, ...this.tapped]) {
      if (slot === undefined || slot.registration.phase === 'observe') continue;
      if (slot.rewrote) this.warn(slot, REWRITE_NOT_ALLOWED);
      if (slot.registration.phase === 'decide' && slot.restore()) made.restore(slot, slot.outcome?.rewrite);
    }
    return true;
  }

  private warn(slot: Slot, warning: string): void {
    if (slot.warnings?.includes(warning)) return;
    slot.warnings = [...(slot.warnings ?? []), warning];
    logProblems(this.fire, slot.registration, { warnings: [warning] });
  }

  /** Whether the handler must be asked (again) about the current input. */
  isDue(slot: Slot | undefined): boolean {
    if (slot === undefined) return true;
    if (slot.registration.phase !== 'decide' || slot.last.background || slot.last.unjudged) return false;
    return this.made !== undefined && !this.made.hasJudged(slot);
  }

  /** A raw tap that must be asked again. */
  dueTap(): Slot | undefined {
    return this.tapped.length === 0 ? undefined : this.tapped.find((slot) => this.isDue(slot));
  }

  /** The results that count, in plan order: not those of observers. */
  said(): Slot[] {
    const said: Slot[] = [];
    const tapped = this.tapped;
    for (const slot of tapped) if (slot.place < 0 && slot.counts) said.push(slot);
    for (const slot of this.slots) if (slot?.counts) said.push(slot);
    for (const slot of tapped) if (slot.place >= 0 && slot.counts) said.push(slot);
    return said;
  }
}
