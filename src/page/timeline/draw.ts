import { OUTCOMES } from '../records/outcome.js';
import type { RowOnPage } from '../records/row.js';
import type { Columns } from './columns.js';
import { timeText } from './time.js';

/** The heights of a lane and of the time axis, in pixels. */
export const LANE = 26;
export const AXIS = 22;

/** The visible part of the time and of the lanes. */
export interface TimelineView {
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly height: number;
  /** How far the lanes are scrolled, in pixels. */
  readonly top: number;
  /** Times are shown with their day. */
  readonly dated: boolean;
  readonly colors: Colors;
  readonly selected: RowOnPage | undefined;
}

export interface Colors {
  readonly outcomes: readonly string[];
  readonly text: string;
  readonly line: string;
  readonly back: string;
  readonly stripe: string;
}

/** The look of each outcome's bar; important ones are higher, have a minimum width, and a mark. */
const BARS = OUTCOMES.map((outcome) => ({
  inset:
    outcome === 'denied' || outcome === 'failed' || outcome === 'alarm'
      ? 3
      : outcome === 'shadow'
        ? 11
        : outcome === 'quiet'
          ? 10
          : 7,
  least: outcome === 'denied' || outcome === 'failed' || outcome === 'alarm' ? 4 : 2,
  mark: outcome === 'denied' || outcome === 'failed' || outcome === 'alarm',
}));

export const scaleOf = ({ from, to, width }: Pick<TimelineView, 'from' | 'to' | 'width'>): number =>
  width / Math.max(to - from, 0.001);

/** Redraws everything. Bars whose pixels are covered by the same outcome already are skipped. */
export function draw(ctx: CanvasRenderingContext2D, columns: Columns, view: TimelineView): void {
  const { width, height, colors } = view;
  ctx.fillStyle = colors.back;
  ctx.fillRect(0, 0, width, height);
  drawLanes(ctx, columns, view);
  drawAxis(ctx, view);
  ctx.save();
  ctx.beginPath();
  ctx.rect(0, AXIS, width, height - AXIS);
  ctx.clip();
  drawSpawns(ctx, columns, view);
  for (let outcome = 0; outcome < columns.byOutcome.length; outcome++) drawBars(ctx, columns, view, outcome);
  drawSelected(ctx, columns, view);
  ctx.restore();
}

function drawBars(ctx: CanvasRenderingContext2D, columns: Columns, view: TimelineView, outcome: number): void {
  const { start, end, lane: lanes } = columns;
  const list = columns.byOutcome[outcome] as Int32Array;
  if (list.length === 0) return;
  const { inset, least, mark } = BARS[outcome] as (typeof BARS)[number];
  const { from, width, height, top } = view;
  const scale = scaleOf(view);
  // For each lane, the first and last pixel that earlier bars cover without a gap.
  const starts = new Int32Array(columns.lanes.length).fill(-1);
  const stops = starts.slice();
  const high = LANE - 2 * inset;
  ctx.fillStyle = view.colors.outcomes[outcome] as string;
  for (let at = 0; at < list.length; at++) {
    const i = list[at] as number;
    const lane = lanes[i] as number;
    const right = ((end[i] as number) - from) * scale;
    const left = ((start[i] as number) - from) * scale;
    if (right < 0 || left > width || lane < 0) continue;
    const y = AXIS + lane * LANE - top;
    if (y < AXIS - LANE || y > height) continue;
    let x = Math.floor(left);
    const stop = Math.max(Math.ceil(right), x + least);
    const before = stops[lane] as number;
    // Bars are sorted by their ends, so a bar may begin before earlier ones.
    const isEarlier = x < (starts[lane] as number);
    if (stop <= before && !isEarlier) continue;
    if (isEarlier || x > before) starts[lane] = x;
    else x = before;
    ctx.fillRect(x, y + inset, stop - x, high);
    if (mark) {
      // A flag, which shows even if the bar is thin, and without colour.
      ctx.fillRect(x, y + 1, Math.max(stop - x, 7), 3);
      if (outcome === OUTCOMES.length - 1) ctx.fillRect(x, y + LANE - 4, Math.max(stop - x, 7), 3);
    }
    if (stop > before) stops[lane] = stop;
  }
}

function drawLanes(ctx: CanvasRenderingContext2D, { lanes }: Columns, view: TimelineView): void {
  const { width, height, top, colors, from } = view;
  const scale = scaleOf(view);
  const first = Math.max(0, Math.floor(top / LANE));
  for (let lane = first; lane < lanes.length; lane++) {
    const y = AXIS + lane * LANE - top;
    if (y > height) break;
    if (lane % 2 === 1) {
      ctx.fillStyle = colors.stripe;
      ctx.fillRect(0, y, width, LANE);
    }
    const agent = lanes[lane];
    if (agent === undefined) continue;
    // A line from the agent's first record to its last.
    const left = (agent.first - from) * scale;
    const right = (agent.last - from) * scale;
    ctx.fillStyle = colors.line;
    ctx.fillRect(left, y + LANE / 2, Math.max(right - left, 1), 1);
  }
}

function drawSpawns(ctx: CanvasRenderingContext2D, { lanes, laneOf }: Columns, view: TimelineView): void {
  const { from, width, height, top, colors } = view;
  const scale = scaleOf(view);
  ctx.strokeStyle = colors.text;
  ctx.fillStyle = colors.text;
  ctx.lineWidth = 1;
  for (const [lane, agent] of lanes.entries()) {
    const parent = agent.parent === undefined ? undefined : laneOf.get(agent.parent);
    if (parent === undefined) continue;
    const x = Math.round(((agent.opened ?? agent.first) - from) * scale) + 0.5;
    const begin = AXIS + parent * LANE - top + LANE / 2;
    const end = AXIS + lane * LANE - top + 6;
    if (x < 0 || x > width || (begin < 0 && end < 0) || (begin > height && end > height)) continue;
    ctx.beginPath();
    ctx.moveTo(x, begin);
    ctx.lineTo(x, end);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - 4, end - 4);
    ctx.lineTo(x + 4, end - 4);
    ctx.lineTo(x, end + 3);
    ctx.fill();
  }
}

function drawSelected(ctx: CanvasRenderingContext2D, { laneOf }: Columns, view: TimelineView): void {
  const { selected: row, from, top, colors, height } = view;
  const lane = row === undefined ? undefined : laneOf.get(row.agent);
  if (row === undefined || lane === undefined) return;
  const scale = scaleOf(view);
  const x = Math.floor((row.start - from) * scale);
  const wide = Math.max((row.at - row.start) * scale, 5);
  const y = AXIS + lane * LANE - top;
  ctx.strokeStyle = colors.text;
  ctx.lineWidth = 2;
  ctx.strokeRect(x - 3, y + 1, wide + 6, LANE - 2);
  ctx.globalAlpha = 0.35;
  ctx.fillStyle = colors.text;
  ctx.fillRect(x + wide / 2, AXIS, 1, height);
  ctx.globalAlpha = 1;
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5];
const HOURS = [36e5, 72e5, 216e5, 432e5, 864e5, 1728e5, 6048e5];

function drawAxis(ctx: CanvasRenderingContext2D, view: TimelineView): void {
  const { from, to, width, height, dated, colors } = view;
  const scale = scaleOf(view);
  const room = dated ? 160 : 110;
  const step = [...STEPS, ...HOURS].find((ms) => ms * scale >= room) ?? (to - from) / 4;
  ctx.font = '11px system-ui, sans-serif';
  ctx.textBaseline = 'middle';
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    const x = Math.round((at - from) * scale);
    ctx.fillStyle = colors.line;
    ctx.fillRect(x, AXIS - 5, 1, height);
    ctx.fillStyle = colors.text;
    if (x < width - room + 40) ctx.fillText(timeText(at, { dated, step }), x + 4, AXIS / 2);
  }
}
