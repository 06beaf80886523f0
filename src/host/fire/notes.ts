import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import { readOnly } from '../../values/view.js';
import { type Attempt, SILENT } from '../call/attempt.js';
import type { FireFacts } from '../call/facts.js';
import { RANK } from '../decide/fold.js';
import type { HandlerResult } from '../decide/fold-common.js';
import type { RunFacts } from '../plan/who-runs.js';
import type { LargeOutput } from '../tell/large-output.js';
import { Rewrites, type Vote } from './rewrites.js';

/** Offset that places raw taps before or after every plan position. */
const AFTER = 1_000_000;

/** What one registration came to in one fire. */
export class HandlerState implements Vote, HandlerResult {
  readonly registration: Registration;
  /** Plan position; raw taps lie before and after the plan. */
  readonly position: number;
  readonly wave: number;
  judged: number;
  produced = -1;
  rewrote = false;
  offered = false;
  last: Attempt = SILENT;
  /** What counts: its latest successful answer, and any failure after it. */
  outcome: Attempt['outcome'] = undefined;
  failure: Attempt['failure'] = undefined;
  /** Its allow was lost when a re-ask failed. */
  lapsed = false;
  /** Its allow is not for the input that would run. */
  allowLapsed = false;
  calls = 0;

  constructor(registration: Registration, position: number, wave: number, judged: number) {
    this.registration = registration;
    this.position = position;
    this.wave = wave;
    this.judged = judged;
  }

  /** Takes a result, again after a re-ask. */
  take(result: Attempt, spill: LargeOutput): void {
    if (this.calls > 0 && hasNotJudged(result)) failAgain(this, result);
    else {
      this.outcome = result.outcome;
      this.failure = result.failure;
      this.lapsed = false;
    }
    // The message may become a reason, and may hold a program's whole stderr.
    if (this.failure) this.failure = { ...this.failure, message: spill.text(this.failure.message) };
    this.last = result;
    this.calls++;
  }

  /** It takes part in the decision and has finished, even if silently. */
  get counts(): boolean {
    if (this.registration.phase === 'observe') return false;
    return !this.last.background || this.outcome !== undefined || this.failure !== undefined;
  }
}

/** The results of all handlers in one fire, and the current input. Made only when needed. A hot class (CONTRIBUTING.md). */
export class Notes implements RunFacts {
  input: Json;
  subject: string | undefined;
  /** Somebody ended the run. */
  bailed = false;
  /** Nobody has said anything, failed, or gone on in the background; and there is no raw tap. */
  silent = true;
  /** By place in the plan. */
  private readonly slots: (HandlerState | undefined)[];
  /** Of raw taps, in the order they were asked. */
  readonly tapped: HandlerState[] = [];
  private readonly fire: FireFacts;
  private readonly earlier: ReadonlySet<string> | undefined;
  private made: Rewrites | undefined = undefined;
  private viewed: Json | undefined = undefined;
  private inputView: Json | undefined = undefined;
  private waves = 0;
  private count = 0;

  constructor(fire: FireFacts, asked: ReadonlySet<string> | undefined) {
    this.fire = fire;
    this.earlier = asked;
    this.input = fire.input;
    this.subject = fire.subject;
    this.slots = new Array<HandlerState | undefined>(fire.plan.size);
  }

  /** Made when a predicate first looks at this input. */
  get view(): Json {
    if (this.viewed !== this.input) {
      this.viewed = this.input;
      this.inputView = readOnly(this.input);
    }
    return this.inputView as Json;
  }

  /** How often the input was rewritten. */
  get version(): number {
    return this.made?.version ?? 0;
  }
  get rewrites(): Rewrites | undefined {
    return this.made;
  }

  at(place: number): HandlerState | undefined {
    return this.slots[place];
  }

  slotOf(r: Registration): HandlerState | undefined {
    return r.kind === 'tap' ? this.tapped.find((s) => s.registration === r) : this.slots[this.fire.plan.position(r)];
  }

  hasRun(r: Registration): boolean {
    return this.slotOf(r) !== undefined;
  }

  ranBefore(r: Registration): boolean {
    return this.earlier?.has(r.id) === true;
  }

  /** State for a handler that is about to be asked about the current input. */
  open(registration: Registration, place: number): HandlerState {
    const known = this.slots[place];
    if (known !== undefined) return this.reopen(known);
    this.count++;
    const slot = new HandlerState(registration, place, this.waves, this.version);
    this.slots[place] = slot;
    return slot;
  }

  /** A handler that answered before there were notes. */
  adopt(slot: HandlerState): void {
    this.count++;
    this.waves++;
    this.slots[slot.position] = slot;
  }

  reopen(slot: HandlerState): HandlerState {
    slot.judged = this.version;
    return slot;
  }

  /** Its position is before or after the plan's. */
  openTap(registration: Registration, after: boolean): HandlerState {
    const known = this.slotOf(registration);
    if (known !== undefined) return this.reopen(known);
    const position = this.count++ + (after ? AFTER : -AFTER);
    const slot = new HandlerState(registration, position, this.waves, this.version);
    this.tapped.push(slot);
    this.silent = false;
    return slot;
  }

  /** Takes the answer of a handler that was asked alone. */
  settle(slot: HandlerState, result: Attempt): void {
    this.waves++;
    const rewrite = rewriteOf(slot, result);
    const again = slot.calls > 0;
    this.note(slot, result);
    if (rewrite !== undefined || this.made !== undefined) this.take([{ stance: slot, rewrite, again }]);
  }

  /** Takes a wave's answers, in plan order whatever the order of finishing. */
  settleAll(slots: readonly HandlerState[], results: readonly Attempt[]): void {
    this.waves++;
    const wave = slots.map((stance, i) => {
      const result = results[i] as Attempt;
      const said = { stance, rewrite: rewriteOf(stance, result), again: stance.calls > 0 };
      this.note(stance, result);
      return said;
    });
    if (this.made !== undefined || wave.some((said) => said.rewrite !== undefined)) this.take(wave);
  }

  private take(wave: Parameters<Rewrites['take']>[0]): void {
    const { spec, input } = this.fire;
    this.made ??= new Rewrites(spec, input);
    const { version } = this.made;
    this.made.take(wave);
    if (this.made.version === version) return;
    this.input = this.made.input;
    this.subject = spec.subject?.(this.input);
  }

  private note(slot: HandlerState, result: Attempt): void {
    slot.take(result, this.fire.services.largeOutput);
    if (result.outcome !== undefined || result.failure !== undefined || result.background) this.silent = false;
    const { dialect, phase } = slot.registration;
    if (result.outcome?.continue === false && dialect === 'code' && phase !== 'observe') this.bailed = true;
  }

  /** Whether it must be asked (again) about the input as it stands. */
  isDue(slot: HandlerState | undefined): boolean {
    if (slot === undefined) return true;
    if (slot.registration.phase !== 'decide' || slot.last.background) return false;
    return this.made !== undefined && !this.made.hasJudged(slot);
  }

  /** The results of all handlers but observers, in plan order, as they count. */
  said(): HandlerState[] {
    const said: HandlerState[] = [];
    const tapped = this.tapped;
    for (const slot of tapped) if (slot.position < 0) this.list(slot, said);
    for (const slot of this.slots) if (slot !== undefined) this.list(slot, said);
    for (const slot of tapped) if (slot.position >= 0) this.list(slot, said);
    return said;
  }

  private list(slot: HandlerState, said: HandlerState[]): void {
    if (!slot.counts) return;
    slot.allowLapsed = slot.lapsed || (this.made !== undefined && !this.made.allowStands(slot));
    said.push(slot);
  }
}

/** Rewrites by observers are ignored. */
function rewriteOf(slot: HandlerState, result: Attempt): { readonly value: unknown } | undefined {
  return slot.registration.phase === 'observe' ? undefined : result.outcome?.rewrite;
}

/** It failed, or continues in the background. */
const hasNotJudged = ({ failure, background, unjudged }: Attempt): boolean =>
  Boolean(failure ?? background ?? unjudged);

/** A re-ask that failed to judge the new input keeps the old verdict, except an allow; a verdict printed despite the failure counts if it is stricter. */
function failAgain(slot: HandlerState, result: Attempt): void {
  slot.failure = result.failure ?? slot.failure;
  if (slot.outcome?.verdict === 'allow') slot.lapsed = true;
  if (RANK[result.outcome?.verdict ?? 'none'] > RANK[slot.outcome?.verdict ?? 'none']) slot.outcome = result.outcome;
}

/** All handlers that were asked, in plan order; those without an answer were silent. */
export function everybody(asked: readonly Registration[], spoken: readonly HandlerState[]): HandlerResult[] {
  const slots = new Map(spoken.map((slot) => [slot.registration, slot]));
  return asked
    .map((registration) => slots.get(registration) ?? { registration, counts: registration.phase !== 'observe' })
    .filter((said) => said.counts);
}
