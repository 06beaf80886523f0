import type { AgentOnPage } from '../records/agents.js';
import { OUTCOMES } from '../records/outcome.js';
import type { RowOnPage } from '../records/row.js';

/** The drawn values as columns: walking a hundred thousand objects would take longer than drawing them. */
export interface Columns {
  readonly rows: readonly RowOnPage[];
  readonly lanes: readonly AgentOnPage[];
  readonly laneOf: ReadonlyMap<AgentOnPage, number>;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly lane: Int32Array;
  /** Indices of rows by outcome, the least grave first; each list by time. */
  readonly byOutcome: readonly Int32Array[];
}

export function columnsOf(rows: readonly RowOnPage[], lanes: readonly AgentOnPage[]): Columns {
  const laneOf = new Map(lanes.map((agent, i) => [agent, i]));
  const start = new Float64Array(rows.length);
  const end = new Float64Array(rows.length);
  const lane = new Int32Array(rows.length);
  const sizes = OUTCOMES.map(() => 0);
  for (const { outcome } of rows) sizes[outcome] = (sizes[outcome] as number) + 1;
  const byOutcome = sizes.map((size) => new Int32Array(size));
  const filled = OUTCOMES.map(() => 0);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as RowOnPage;
    start[i] = row.start;
    end[i] = row.at;
    lane[i] = laneOf.get(row.agent) ?? -1;
    const at = filled[row.outcome] as number;
    (byOutcome[row.outcome] as Int32Array)[at] = i;
    filled[row.outcome] = at + 1;
  }
  return { rows, lanes, laneOf, start, end, lane, byOutcome };
}
