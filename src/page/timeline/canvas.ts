import type { RowOnPage } from '../records/row.js';
import type { Signal } from '../ui.js';
import type { Columns } from './columns.js';
import { draw, scaleOf, type TimelineView } from './draw.js';
import { rowAt } from './find.js';
import { pan, showAll, zoom } from './zoom.js';

/** Draws everything, and measures how long that takes (`performance.getEntriesByName`). */
export function redraw(canvas: HTMLCanvasElement | null, ratio: number, view: TimelineView, columns: Columns): void {
  const context = canvas?.getContext('2d', { alpha: false });
  if (!canvas || !context || view.width === 0) return;
  const [wide, high] = [Math.round(view.width * ratio), Math.round(view.height * ratio)];
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  const start = performance.now();
  draw(context, columns, view);
  performance.clearMeasures(REDRAW);
  performance.measure(REDRAW, { start, end: performance.now() });
}

export const REDRAW = 'hookscope redraw';

/** Calls back at once, and with each change. */
export function watchSize(
  canvas: HTMLCanvasElement | null,
  tell: (size: readonly [width: number, ratio: number]) => void,
): () => void {
  if (canvas === null) return () => undefined;
  const look = (): void => tell([canvas.clientWidth, devicePixelRatio || 1]);
  const observer = new ResizeObserver(look);
  observer.observe(canvas);
  look();
  return () => observer.disconnect();
}

export function watchScheme(tell: () => void): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', tell);
  return () => dark.removeEventListener('change', tell);
}

export interface PointerTarget {
  columns(): Columns;
  view(): TimelineView;
  pick(row: RowOnPage | undefined): void;
  readonly scroller: Signal<HTMLElement | null>;
}

/** Pixels; a press that moves no farther is a click. */
const CLICK = 4;

/** Dragging moves along time, the wheel scrolls the lanes or, with Ctrl or Shift, zooms, and a click selects. */
export function mouseOf({ columns, view, pick, scroller }: PointerTarget) {
  let pressed: number | undefined;
  let moved = 0;
  return {
    onPointerDown(event: PointerEvent): void {
      pressed = event.clientX;
      moved = 0;
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove(event: PointerEvent): void {
      const canvas = event.currentTarget as HTMLCanvasElement;
      if (pressed === undefined) {
        const row = rowAt(columns(), view(), event.offsetX, event.offsetY);
        canvas.style.cursor = row === undefined ? 'grab' : 'pointer';
        canvas.title = row === undefined ? '' : `${row.event} ${row.about}: ${row.came}`;
        return;
      }
      const by = event.clientX - pressed;
      moved += Math.abs(by);
      pressed = event.clientX;
      if (moved > CLICK) pan(-by / canvas.clientWidth);
    },
    onPointerUp(event: PointerEvent): void {
      if (pressed !== undefined && moved <= CLICK) pick(rowAt(columns(), view(), event.offsetX, event.offsetY));
      pressed = undefined;
    },
    onDblClick: showAll,
    onWheel(event: WheelEvent): void {
      const now = view();
      if (event.ctrlKey || event.shiftKey) {
        event.preventDefault();
        zoom((event.deltaY || event.deltaX) > 0 ? 1.25 : 0.8, now.from + event.offsetX / scaleOf(now));
      } else if (scroller.value !== null && scroller.value.scrollHeight > scroller.value.clientHeight) {
        event.preventDefault();
        scroller.value.scrollTop += event.deltaY;
      }
    },
  };
}
