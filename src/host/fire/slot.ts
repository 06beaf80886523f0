import type { Outcome } from '../../events/output/outcome.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import { type Attempt, SILENT } from '../call/attempt.js';
import { counts } from '../call/kept-answer.js';
import type { LargeOutput } from '../call/large-output.js';
import { RANK } from '../decide/fold.js';
import type { HandlerResult } from '../decide/fold-common.js';
import { shortly } from './kept.js';
import type { Vote } from './rewrites.js';

/** A handler's answer about one version of the input. */
export interface VersionAnswer {
  readonly judged: number;
  readonly attempt: Attempt;
}

/** What all slots of a fire share. */
interface SlotNotes {
  /** How often the input was rewritten. */
  readonly version: number;
  /** Whether a record will list every answer. */
  readonly recorded: boolean;
}

/** The state and result of one registration in one fire. */
export class Slot implements Vote, HandlerResult {
  readonly registration: Registration;
  /** Its place in the plan. Raw taps lie before and after the plan. */
  readonly place: number;
  readonly wave: number;
  judged: number;
  produced = -1;
  rewrote = false;
  offered = false;
  last: Attempt = SILENT;
  /** What counts: its latest successful answer, and any failure after it. */
  outcome: Attempt['outcome'] = undefined;
  failure: Attempt['failure'] = undefined;
  /** The re-ask failed, so its allow no longer counts. */
  lapsed = false;
  calls = 0;
  /** The version that its last answer is about. */
  answered = 0;
  /** All of its answers, if it was asked more than once and a record will list them. */
  answers: VersionAnswer[] | undefined = undefined;
  /** What it said about the original input, if it was then asked about another one and that may be withdrawn. */
  private first: Pick<Slot, 'outcome' | 'failure' | 'last'> | undefined = undefined;
  /** For a racing handler: its position in the order of finishing of its wave. */
  finished: number | undefined = undefined;
  /** What is to be told about the hook besides the warnings of its last call. */
  warnings: readonly string[] | undefined = undefined;
  /** Knows which version of the input would run. */
  readonly notes: SlotNotes;

  constructor(registration: Registration, place: number, wave: number, notes: SlotNotes) {
    this.registration = registration;
    this.place = place;
    this.wave = wave;
    this.judged = notes.version;
    this.notes = notes;
  }

  /** Its allow was for an input that will not run, or lapsed when a re-ask failed. */
  get allowLapsed(): boolean {
    const judged = this.offered ? this.produced : this.judged;
    return this.lapsed || judged !== this.notes.version;
  }

  /** The handler is about to be asked about the current input: for the first time, or again. */
  ask(): 'first' | 'reask' {
    this.judged = this.notes.version;
    return this.calls > 0 ? 'reask' : 'first';
  }

  /** Takes the result of the first call or of a re-ask. */
  take(result: Attempt, spill: LargeOutput, session: unknown): void {
    this.keepFirst();
    if (this.calls > 0 && this.notes.recorded) this.list(result);
    this.answered = this.judged;
    if (this.calls > 0 && hasNotJudged(result)) failAgain(this, result);
    else {
      this.outcome = result.outcome;
      this.failure = result.failure;
      this.lapsed = false;
    }
    if (this.failure) this.failure = shortly(this.failure, spill, session);
    this.last = result;
    this.calls++;
  }

  private keepFirst(): void {
    if (this.calls === 1 && this.answered === 0 && this.registration.spec.nestedDecision)
      this.first = { outcome: this.outcome, failure: this.failure, last: this.last };
  }

  /** The original input is the latest version: what the handler said about it counts again. false: it was never asked about it. */
  restore(): boolean {
    const { first } = this;
    if (first === undefined && this.answered > 0) return false;
    this.judged = this.notes.version;
    if (first !== undefined) {
      this.outcome = first.outcome;
      this.failure = first.failure;
      this.last = first.last;
      this.lapsed = false;
    }
    this.answered = 0;
    return true;
  }

  private list(result: Attempt): void {
    this.answers ??= [{ judged: this.answered, attempt: this.last }];
    this.answers.push({ judged: this.judged, attempt: result });
  }

  /** `take` for a silent handler that no record will list. Returns false: the input was not rewritten. */
  takeSilence(): false {
    this.keepFirst();
    this.answered = this.judged;
    this.outcome = undefined;
    this.failure = undefined;
    this.lapsed = false;
    this.offered = false;
    this.produced = -1;
    this.last = SILENT;
    this.calls++;
    return false;
  }

  get counts(): boolean {
    return counts(this.registration, this.last, this);
  }
}

/** The handler failed, continues in the background, or answered without judging the input. */
const hasNotJudged = ({ failure, background, unjudged }: Attempt): boolean =>
  Boolean(failure || background || unjudged);

/** A re-ask that failed to judge the new input keeps the old verdict, except an allow; a verdict printed despite the failure counts if it is stricter. */
function failAgain(slot: Slot, result: Attempt): void {
  slot.failure = result.failure ?? slot.failure;
  if (slot.outcome?.verdict === 'allow') slot.lapsed = true;
  const isStricter = rankOf(slot, result) > rankOf(slot, slot);
  const [counts, other] = isStricter ? [result.outcome, slot.outcome] : [slot.outcome, result.outcome];
  const whole = other?.continue === false && counts?.continue !== false ? ended(counts, other.stopReason) : counts;
  const { nestedDecision } = slot.registration.spec;
  slot.outcome = nestedDecision && whole?.verdict === 'deny' && interrupts(other) ? interrupting(whole) : whole;
}

/** The answer with the end of the loop that stood in another. */
function ended(outcome: Attempt['outcome'], stopReason: string | undefined): Outcome {
  const end = { continue: false, ...(stopReason === undefined ? {} : { stopReason }) };
  return { ...outcome, ...end, output: { ...outcome?.output, ...end }, printed: undefined };
}

const interrupts = (outcome: Attempt['outcome']): boolean => outcome?.specific?.['interrupt'] === true;

/** The nested deny with the interruption that stood in another. */
function interrupting(outcome: Outcome): Outcome {
  const specific = outcome.output['hookSpecificOutput'] as Json;
  const decision = { ...(specific['decision'] as Json), interrupt: true };
  const output = { ...outcome.output, hookSpecificOutput: { ...specific, decision } };
  return { ...outcome, specific: { ...outcome.specific, interrupt: true }, output, printed: undefined };
}

/** From code, an answer that ends the run denies too. */
const rankOf = ({ registration }: Slot, { outcome }: Attempt): number =>
  outcome?.continue === false && registration.dialect === 'code' ? RANK.deny : RANK[outcome?.verdict ?? 'none'];
