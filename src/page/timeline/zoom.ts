import type { RowOnPage } from '../records/row.js';
import { extent, selected, span } from '../state.js';
import { computed } from '../ui.js';
import { spansDays } from './time.js';

/** Whether times are shown with their day. */
export const dated = computed(() => spansDays(extent.value));

/** The visible span of time; for all of it, with a little room at both ends. */
export function seen(): readonly [number, number] {
  if (span.value !== undefined) return span.value;
  const [from, to] = extent.value;
  const room = Math.max((to - from) * 0.02, 0.5);
  return [from - room, to + room];
}

export function showAll(): void {
  span.value = undefined;
}

/** Zooms in for a `factor` below 1: around a moment, else around the selection, else around the middle. */
export function zoom(factor: number, around?: number): void {
  const [from, to] = seen();
  const at = selected.peek()?.at;
  const center = around ?? (at !== undefined && at >= from && at <= to ? at : (from + to) / 2);
  const width = Math.max((to - from) * factor, 0.05);
  const [first, last] = extent.peek();
  if (width > (last - first) * 1.2) {
    showAll();
    return;
  }
  const left = center - (center - from) * (width / (to - from));
  span.value = [left, left + width];
}

/** Moves by a fraction of the visible span, as far as there is something to see. */
export function pan(part: number): void {
  const [from, to] = seen();
  const [first, last] = extent.peek();
  const width = to - from;
  const left = Math.max(first - width, Math.min(last, from + width * part));
  span.value = [left, left + width];
}

/** Moves to a row that is not visible. */
export function moveInto(row: RowOnPage): void {
  const [from, to] = seen();
  if (row.at >= from && row.start <= to) return;
  const half = (to - from) / 2;
  span.value = [row.at - half, row.at + half];
}
