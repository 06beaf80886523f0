import { bitOf } from '../records/outcome.js';
import type { RowOnPage } from '../records/row.js';
import type { Columns } from './columns.js';
import { AXIS, LANE, scaleOf, type TimelineView } from './draw.js';

/** Pixels beside a bar that are still the bar. */
const NEAR = 6;

/** The bar at a point; of several the gravest. */
export function rowAt(columns: Columns, view: TimelineView, x: number, y: number): RowOnPage | undefined {
  const lane = Math.floor((y - AXIS + view.top) / LANE);
  if (y < AXIS || lane < 0) return undefined;
  const scale = scaleOf(view);
  const at = view.from + x / scale;
  const near = NEAR / scale;
  let best: RowOnPage | undefined;
  let far = Number.POSITIVE_INFINITY;
  for (let i = 0; i < columns.rows.length; i++) {
    if (columns.lane[i] !== lane) continue;
    const away = Math.max((columns.start[i] as number) - at, at - (columns.end[i] as number), 0);
    if (away > near) continue;
    const row = columns.rows[i] as RowOnPage;
    if (best === undefined || row.outcome > best.outcome || (row.outcome === best.outcome && away < far)) {
      best = row;
      far = away;
    }
  }
  return best;
}

const PROBLEM = bitOf('denied') | bitOf('failed') | bitOf('alarm');

const isProblem = (row: RowOnPage): boolean => (row.marks & PROBLEM) !== 0;

const LEADING: ReadonlySet<string> = new Set(['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'Home', 'End']);

/** The bar to which a key leads. */
export function neighbour(columns: Columns, from: RowOnPage | undefined, key: string): RowOnPage | undefined {
  const { rows, lanes, laneOf } = columns;
  const at = from !== undefined ? rows.indexOf(from) : key === 'p' ? rows.length : -1;
  const search = (step: number, holds: (row: RowOnPage) => boolean): RowOnPage | undefined => {
    for (let i = at + step; i >= 0 && i < rows.length; i += step) if (holds(rows[i] as RowOnPage)) return rows[i];
    return undefined;
  };
  if (key === 'n') return search(1, isProblem);
  if (key === 'p') return search(-1, isProblem);
  // Any other key is the browser's: Tab must lead out of the lanes.
  if (!LEADING.has(key)) return undefined;
  if (from === undefined) return key === 'End' ? rows.at(-1) : rows[0];
  const lane = laneOf.get(from.agent) ?? 0;
  if (key === 'ArrowRight') return search(1, (row) => row.agent === from.agent);
  if (key === 'ArrowLeft') return search(-1, (row) => row.agent === from.agent);
  if (key === 'Home') return rows[0];
  if (key === 'End') return rows.at(-1);
  const step = key === 'ArrowDown' ? 1 : -1;
  for (let next = lane + step; next >= 0 && next < lanes.length; next += step) {
    const found = nearestIn(rows, (row) => row.agent === lanes[next], from.at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function nearestIn(rows: readonly RowOnPage[], holds: (row: RowOnPage) => boolean, at: number): RowOnPage | undefined {
  let best: RowOnPage | undefined;
  for (const row of rows)
    if (holds(row) && (best === undefined || Math.abs(row.at - at) < Math.abs(best.at - at))) best = row;
  return best;
}
