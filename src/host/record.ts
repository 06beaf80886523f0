import type { HandlerRecord, HandlerVerdict } from '../emit/record.js';
import type { Registration } from '../scopes/registration.js';
import { verdictOf } from './fold.js';
import type { Run, Slot } from './run.js';

/** One row a registration of the lineage, in plan order, raw taps where they ran: why it ran or did not. */
export function recordHandlers(run: Run): HandlerRecord[] {
  const { registrations } = run.fire.plan;
  const rows = registrations.map((r, position) => ({ position, row: row(run, r, run.slots.get(r.id)) }));
  for (const slot of run.slots.values()) {
    if (slot.registration.kind === 'tap')
      rows.push({ position: slot.position, row: row(run, slot.registration, slot) });
  }
  for (const [i, { registration, early }] of run.taps.entries()) {
    if (run.slots.has(registration.id)) continue;
    // Behind those that were reached, on its side of the plan.
    const position = early ? i - run.taps.length : Number.MAX_SAFE_INTEGER - run.taps.length + i;
    rows.push({ position, row: row(run, registration, undefined) });
  }
  return rows.sort((a, b) => a.position - b.position).map((r) => r.row);
}

function row(run: Run, r: Registration, slot: Slot | undefined): HandlerRecord {
  const { id, name } = r;
  const base = {
    handler: r.kind,
    ...(r.plugin === undefined ? {} : { plugin: r.plugin }),
    source: r.source,
    scope: r.scope.id,
    stage: r.stage,
  };
  if (!slot) {
    // Of an output that was rewritten after its turn it may match what it did not match then.
    const reason = run.why(r) ?? (run.cutShort ? 'bailed' : 'matcher');
    const { skipWhy: why } = r;
    return { id, name, ...base, wave: null, status: 'skipped', reason, ...(why === undefined ? {} : { why }) };
  }
  const { last, outcome, failure } = slot;
  const verdict = run.fire.entry.fold === 'gate' ? gateVerdict(run, slot) : outcome?.block ? 'block' : undefined;
  return {
    id,
    name,
    ...base,
    wave: slot.wave,
    status: last.background && !outcome && !failure ? 'background' : failure ? 'failed' : 'ran',
    ...(failure ? { failure } : {}),
    ...(outcome ? { output: outcome.output } : {}),
    ...(verdict === undefined ? {} : { verdict }),
    ...(last.exitCode === undefined ? {} : { exit_code: last.exitCode }),
    ...(last.durationMs === undefined ? {} : { duration_ms: last.durationMs }),
    ...(slot.calls > 1 ? { reasked: slot.calls - 1 } : {}),
    ...(last.warnings?.length ? { warnings: last.warnings } : {}),
    phase: r.phase,
    dialect: r.dialect,
    on_failure: slot.registration.onFailure,
  };
}

/** As it counted: an allow that did not survive a rewrite is `none`. */
function gateVerdict(run: Run, slot: Slot): HandlerVerdict | undefined {
  if (slot.registration.phase === 'observe') return undefined;
  const allowLapsed = slot.lapsed || !run.rewrites.allowStands(slot);
  return verdictOf(run.fire.entry, { allowLapsed, ...slot }).verdict;
}
