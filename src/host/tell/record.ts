import type { HandlerRecord, HandlerVerdict, RecordCopy, RecordedFailure } from '../../emit/record.js';
import type { Outcome } from '../../events/output/outcome.js';
import type { Subject } from '../../events/spec.js';
import type { Matcher } from '../../matching/matcher.js';
import type { Registration } from '../../scopes/registration.js';
import { type SkipReason, unknownSubject } from '../../scopes/skip.js';
import { sha256 } from '../../values/sha256.js';
import type { Attempt } from '../call/attempt.js';
import { verdictOf } from '../decide/fold.js';
import type { HandlerResult } from '../decide/fold-common.js';
import type { RawTap } from '../hooks.js';
import { barred, type Plan } from '../plan/plan.js';

/** The result of one registration. */
interface RecordedSlot extends HandlerResult {
  /** Below 0: a raw tap before the plan. */
  readonly place: number;
  readonly wave: number;
  readonly last: Attempt;
  readonly calls: number;
  /** The version of the input that its last answer is about. */
  readonly answered: number;
  /** All of its answers, if it was asked more than once. */
  readonly answers: readonly { readonly judged: number; readonly attempt: Attempt }[] | undefined;
  /** What the walk has to say about it, besides the warnings of its last call. */
  readonly warnings: readonly string[] | undefined;
  /** For a racing handler: its position in the order of finishing. */
  readonly finished: number | undefined;
}

/** A walk's results. */
interface WalkNotes {
  at(place: number): RecordedSlot | undefined;
  /** The raw taps, in the order they were asked. */
  readonly tapped: readonly RecordedSlot[];
  hasRun(r: Registration): boolean;
  /** A hook ended the run. */
  readonly bailed: boolean;
  /** Why the handler at a place did not run, if the walk checked it at its turn. */
  readonly skips: { at(place: number): SkipReason | undefined } | undefined;
  readonly subject: Subject;
}

/** A plan after its walk. */
interface WalkedPlan {
  readonly plan: Plan;
  readonly notes: WalkNotes;
  /** Raw taps on the event's hook when the fire began. */
  readonly taps: readonly RawTap[];
  /** The fire was cancelled, and asked no further hook. */
  readonly cancelled: boolean;
}

/** Roughly the size of a row as JSON, without the handler's output. */
const ROW_BYTES = 300;

/** One row for each registration of the lineage, in plan order, and for each raw tap before or after them: what it did, or why it did not run. */
export function recordHandlers(walked: WalkedPlan, copy: RecordCopy): readonly HandlerRecord[] {
  const { plan, notes, taps } = walked;
  const { registrations } = plan;
  const rows: HandlerRecord[] = [];
  if (taps.length > 0) listTaps(walked, true, rows, copy);
  for (let place = 0; place < registrations.length; place++) {
    const r = registrations[place] as Registration;
    list(r, notes.at(place) ?? whySkipped(walked, r, place), rows, copy);
    if (notes.subject === null) warnUnknown(rows, r);
  }
  if (taps.length > 0) listTaps(walked, false, rows, copy);
  return Object.freeze(rows);
}

/** The rows of a fire that was rejected before any hook was asked. */
export function recordUnasked(registrations: readonly Registration[], copy: RecordCopy): readonly HandlerRecord[] {
  const rows: HandlerRecord[] = [];
  for (const r of registrations) list(r, r.skip?.reason ?? 'cancelled', rows, copy);
  return Object.freeze(rows);
}

/** Adds the warning that a hook ran because its matcher had no subject to compare. */
function warnUnknown(rows: HandlerRecord[], r: Registration): void {
  const row = rows.at(-1);
  if (r.matcher.all || row?.id !== r.id || row.status === 'skipped') return;
  rows[rows.length - 1] = Object.freeze({ ...row, warnings: [...(row.warnings ?? []), unknownSubject(r)] });
}

function listTaps(walked: WalkedPlan, early: boolean, rows: HandlerRecord[], copy: RecordCopy): void {
  const { notes, taps } = walked;
  for (const slot of notes.tapped) if (slot.place < 0 === early) list(slot.registration, slot, rows, copy);
  // Taps that were not reached follow those that were, on their side of the plan.
  for (const { registration, early: side } of taps)
    if (side === early && !notes.hasRun(registration))
      list(registration, cutShort(walked, registration) ?? 'bailed', rows, copy);
}

/**
 * Uses what the walk found, because checking again could give another answer. A hook that the walk never checked was barred or not reached;
 * no reason is made up for it.
 */
function whySkipped(walked: WalkedPlan, r: Registration, place: number): SkipReason | undefined {
  const { notes } = walked;
  return notes.skips?.at(place) ?? barred(r, notes.subject) ?? cutShort(walked, r);
}

/** What ended the fire before a hook was reached. Observers still run after a hook has ended the run. */
function cutShort({ notes, cancelled }: WalkedPlan, { phase }: Registration): SkipReason | undefined {
  if (cancelled && (phase === 'observe' || !notes.bailed)) return 'cancelled';
  return notes.bailed ? 'bailed' : undefined;
}

function list(
  r: Registration,
  came: RecordedSlot | SkipReason | undefined,
  rows: HandlerRecord[],
  copy: RecordCopy,
): void {
  // Once one row does not fit, no later row is added.
  if (!copy.takes(ROW_BYTES)) copy.lacks(`handlers.${rows.length}…`);
  else rows.push(typeof came === 'object' ? row(r, came, copy, rows.length) : skippedRow(r, came));
}

type HandlerRow = { -readonly [K in keyof HandlerRecord]: HandlerRecord[K] };

/** One literal, with optional fields assigned after it, for speed: a fire with subscribers makes a row per registration. */
function row(r: Registration, slot: RecordedSlot, copy: RecordCopy, index: number): HandlerRecord {
  const { last, outcome, failure } = slot;
  const row: HandlerRow = {
    id: r.id,
    name: r.name,
    handler: r.kind,
    source: r.source,
    scope: r.scope.id,
    stage: r.stage,
    wave: slot.wave,
    status: statusOf(last.background, slot),
    phase: r.phase,
    dialect: r.dialect,
    on_failure: slot.registration.onFailure,
  };
  const isBlock = outcome?.block === true && r.phase !== 'rewrite';
  const verdict = r.spec.fold === 'gate' ? gateVerdict(slot) : isBlock ? 'block' : undefined;
  if (r.plugin !== undefined) row.plugin = r.plugin;
  if (verdict !== undefined) row.verdict = verdict;
  if (last.durationMs !== undefined) row.duration_ms = last.durationMs;
  if (failure) row.failure = copy.whole(failure, `handlers.${index}.failure`) ?? nameOf(failure);
  if (outcome) row.output = outputOf(outcome, copy, index);
  if (last.exitCode !== undefined) row.exit_code = last.exitCode;
  if (slot.calls > 1) row.reasked = slot.calls - 1;
  const warned = slot.warnings === undefined ? last.warnings : [...(last.warnings ?? []), ...slot.warnings];
  const warnings = warned?.length ? copy.whole(warned, `handlers.${index}.warnings`) : undefined;
  if (warnings) row.warnings = warnings;
  defined(row, r);
  if (slot.answered > 0) row.judged = slot.answered;
  if (slot.finished !== undefined) row.finished = slot.finished;
  // Its status does not say that a hook has not judged the input, so such an answer is listed even if it is the only one.
  const all = slot.answers ?? (last.unjudged ? [{ judged: slot.answered, attempt: last }] : undefined);
  const answers = all === undefined ? undefined : answersOf(all, copy, index);
  if (answers) row.answers = answers;
  return Object.freeze(row);
}

/** Hashes of what the hook runs and of its predicate. */
function defined(row: HandlerRow, { definition, matcher }: Registration): void {
  if (definition !== undefined) row.definition = definition.hash;
  if (matcher.code !== undefined) row.predicate = predicateHash(matcher);
}

const PREDICATES = new WeakMap<Matcher, string>();

export function predicateHash(matcher: Matcher): string {
  const known = PREDICATES.get(matcher) ?? sha256(matcher.code ?? '').slice(0, 32);
  PREDICATES.set(matcher, known);
  return known;
}

function statusOf(
  background: boolean | undefined,
  { outcome, failure }: Pick<Attempt, 'outcome' | 'failure'>,
): 'ran' | 'failed' | 'background' {
  return background && !outcome && !failure ? 'background' : failure ? 'failed' : 'ran';
}

/** Each of its answers. */
function answersOf(
  answers: NonNullable<RecordedSlot['answers']>,
  copy: RecordCopy,
  index: number,
): HandlerRecord['answers'] {
  const rows = answers.map(({ judged, attempt }) => ({
    judged,
    status: attempt.unjudged ? ('unjudged' as const) : statusOf(attempt.background, attempt),
    ...(attempt.outcome === undefined ? {} : { output: attempt.outcome.output }),
    ...(attempt.failure === undefined ? {} : { failure: attempt.failure }),
  }));
  return copy.whole(rows, `handlers.${index}.answers`) as HandlerRecord['answers'];
}

/** A failure without its message, for which the record has no room. */
function nameOf({ cause, blocks }: RecordedFailure): RecordedFailure {
  return Object.freeze({ cause, message: '', ...(blocks === undefined ? {} : { blocks }) });
}

/** An output that was already serialised is frozen, so it is shared. Any other is copied. */
function outputOf({ output, printed }: Outcome, copy: RecordCopy, index: number): unknown {
  if (printed !== undefined && copy.takes(printed.length)) return output;
  return copy.anything(output, `handlers.${index}.output`);
}

function skippedRow(r: Registration, reason: SkipReason | undefined): HandlerRecord {
  const row: HandlerRow = {
    id: r.id,
    name: r.name,
    handler: r.kind,
    source: r.source,
    scope: r.scope.id,
    stage: r.stage,
    wave: null,
    status: 'skipped',
  };
  if (reason !== undefined) row.reason = reason;
  // The matcher or rule that would have to change for the hook to run. Behind a matcher that did not match, the rule was not looked at.
  if (reason === 'matcher') row.matcher = r.matcher.text;
  if ((reason === 'matcher' || reason === 'if') && r.rule !== undefined) row.rule = r.rule.text;
  if (r.plugin !== undefined) row.plugin = r.plugin;
  if (r.skip !== undefined) row.why = r.skip.why;
  defined(row, r);
  return Object.freeze(row);
}

/** The verdict as it counted. An allow for an input that was then rewritten is `none`. */
function gateVerdict(slot: RecordedSlot): HandlerVerdict | undefined {
  return slot.registration.phase === 'observe' ? undefined : verdictOf(slot.registration.spec, slot);
}
