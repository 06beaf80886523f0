import type { HandlerRecord, HandlerVerdict, RecordCopy } from '../../emit/record.js';
import type { Outcome } from '../../events/outcome.js';
import type { Registration } from '../../scopes/registration.js';
import { verdictOf } from '../decide/fold.js';
import type { HandlerState, Notes } from '../fire/notes.js';
import type { RawTap } from '../hooks.js';
import type { Plan } from '../plan/plan.js';
import type { WhoRuns } from '../plan/who-runs.js';

/** A plan after its walk. */
interface Walked {
  readonly plan: Plan;
  readonly who: WhoRuns;
  readonly notes: Notes;
  /** Raw taps on the event's hook when the fire began. */
  readonly taps: readonly RawTap[];
  /** It ended before every hook was reached. */
  readonly cutShort: boolean;
}

/** About what a row is in JSON, without what the handler said. */
const ROW_BYTES = 300;

/** One row per registration of the lineage, in plan order, raw taps where they ran: why it ran or did not. */
export function recordHandlers(walked: Walked, copy: RecordCopy): readonly HandlerRecord[] {
  const { plan, notes, taps } = walked;
  const { registrations } = plan;
  const rows: HandlerRecord[] = [];
  if (taps.length > 0) listTaps(walked, true, rows, copy);
  for (let place = 0; place < registrations.length; place++) {
    list(walked, registrations[place] as Registration, notes.at(place), rows, copy);
  }
  if (taps.length > 0) listTaps(walked, false, rows, copy);
  return Object.freeze(rows);
}

function listTaps(walked: Walked, early: boolean, rows: HandlerRecord[], copy: RecordCopy): void {
  const { notes, taps } = walked;
  for (const slot of notes.tapped) if (slot.position < 0 === early) list(walked, slot.registration, slot, rows, copy);
  // Behind those that were reached, on its side of the plan.
  for (const tap of taps)
    if (tap.early === early && !notes.hasRun(tap.registration)) list(walked, tap.registration, undefined, rows, copy);
}

function list(
  walked: Walked,
  r: Registration,
  slot: HandlerState | undefined,
  rows: HandlerRecord[],
  copy: RecordCopy,
): void {
  if (!copy.takes(ROW_BYTES)) copy.lacks(`handlers.${rows.length}`);
  else rows.push(slot === undefined ? skippedRow(walked, r) : row(r, slot, copy, rows.length));
}

type Row = { -readonly [K in keyof HandlerRecord]: HandlerRecord[K] };

/** One literal, optional fields assigned after it: a fire with subscribers makes one per registration. */
function row(r: Registration, slot: HandlerState, copy: RecordCopy, place: number): HandlerRecord {
  const { last, outcome, failure } = slot;
  const row: Row = {
    id: r.id,
    name: r.name,
    handler: r.kind,
    source: r.source,
    scope: r.scope.id,
    stage: r.stage,
    wave: slot.wave,
    status: last.background && !outcome && !failure ? 'background' : failure ? 'failed' : 'ran',
    phase: r.phase,
    dialect: r.dialect,
    on_failure: slot.registration.onFailure,
  };
  const verdict = r.spec.fold === 'gate' ? gateVerdict(slot) : outcome?.block ? 'block' : undefined;
  if (r.plugin !== undefined) row.plugin = r.plugin;
  if (verdict !== undefined) row.verdict = verdict;
  if (last.durationMs !== undefined) row.duration_ms = last.durationMs;
  if (failure) row.failure = copy.object(failure, `handlers.${place}.failure`);
  if (outcome) row.output = outputOf(outcome, copy, place);
  if (last.exitCode !== undefined) row.exit_code = last.exitCode;
  if (slot.calls > 1) row.reasked = slot.calls - 1;
  if (last.warnings?.length) row.warnings = copy.object(last.warnings, `handlers.${place}.warnings`);
  return Object.freeze(row);
}

/** Shared where nobody can change it, else a copy. */
function outputOf({ output, printed }: Outcome, copy: RecordCopy, place: number): unknown {
  if (printed !== undefined && copy.takes(printed.length)) return output;
  return copy.anything(output, `handlers.${place}.output`);
}

function skippedRow(walked: Walked, r: Registration): HandlerRecord {
  const row: Row = {
    id: r.id,
    name: r.name,
    handler: r.kind,
    source: r.source,
    scope: r.scope.id,
    stage: r.stage,
    wave: null,
    status: 'skipped',
    // Of an output that was rewritten after its turn it may match what it did not match then.
    reason: walked.who.why(r) ?? (walked.cutShort ? 'bailed' : 'matcher'),
  };
  if (r.plugin !== undefined) row.plugin = r.plugin;
  if (r.skipWhy !== undefined) row.why = r.skipWhy;
  return Object.freeze(row);
}

/** As it counted: an allow that did not survive a rewrite is `none`. */
function gateVerdict(slot: HandlerState): HandlerVerdict | undefined {
  return slot.registration.phase === 'observe' ? undefined : verdictOf(slot.registration.spec, slot);
}
