import type { HandlerRecord, HandlerVerdict } from '../../emit/record.js';
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

/** One row per registration of the lineage, in plan order, raw taps where they ran: why it ran or did not. */
export function recordHandlers(walked: Walked): HandlerRecord[] {
  const { plan, notes, taps } = walked;
  const rows = plan.registrations.map((r, place) => row(walked, r, notes.at(place)));
  if (taps.length === 0) return rows;
  const tapped = (early: boolean): HandlerRecord[] => [
    ...notes.tapped.filter((slot) => slot.position < 0 === early).map((slot) => row(walked, slot.registration, slot)),
    // Behind those that were reached, on its side of the plan.
    ...taps
      .filter((tap) => tap.early === early && !notes.hasRun(tap.registration))
      .map((tap) => row(walked, tap.registration, undefined)),
  ];
  return [...tapped(true), ...rows, ...tapped(false)];
}

type Row = { -readonly [K in keyof HandlerRecord]: HandlerRecord[K] };

/** One literal, optional fields assigned after it: a fire with subscribers makes one per registration. */
function row(walked: Walked, r: Registration, slot: HandlerState | undefined): HandlerRecord {
  if (!slot) return skippedRow(walked, r);
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
  const verdict = walked.plan.spec.fold === 'gate' ? gateVerdict(slot) : outcome?.block ? 'block' : undefined;
  if (r.plugin !== undefined) row.plugin = r.plugin;
  if (verdict !== undefined) row.verdict = verdict;
  if (last.durationMs !== undefined) row.duration_ms = last.durationMs;
  if (failure) row.failure = failure;
  if (outcome) row.output = outcome.output;
  if (last.exitCode !== undefined) row.exit_code = last.exitCode;
  if (slot.calls > 1) row.reasked = slot.calls - 1;
  if (last.warnings?.length) row.warnings = last.warnings;
  return row;
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
  return row;
}

/** As it counted: an allow that did not survive a rewrite is `none`. */
function gateVerdict(slot: HandlerState): HandlerVerdict | undefined {
  return slot.registration.phase === 'observe' ? undefined : verdictOf(slot.registration.spec, slot);
}
