import type { Row } from '../records/row.js';
import { extent, selected, span } from '../state.js';

/** The part of time that is seen, with a little room around all of it. */
export function seen(): readonly [number, number] {
  if (span.value !== undefined) return span.value;
  const [from, to] = extent.value;
  const room = Math.max((to - from) * 0.02, 0.5);
  return [from - room, to + room];
}

export function showAll(): void {
  span.value = undefined;
}

/** `factor` below 1 is nearer; around a moment, else what is selected, else the middle. */
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

/** By a part of what is seen. */
export function pan(part: number): void {
  const [from, to] = seen();
  const by = (to - from) * part;
  span.value = [from + by, to + by];
}

/** Where it is not seen, so that it is. */
export function moveInto(row: Row): void {
  const [from, to] = seen();
  if (row.at >= from && row.start <= to) return;
  const half = (to - from) / 2;
  span.value = [row.at - half, row.at + half];
}
