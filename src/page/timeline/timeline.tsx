import { agentName, depthOf } from '../records/agents.js';
import type { RowOnPage } from '../records/row.js';
import { changeFilter, extent, filter, kept, selected, shown, span, tab, version } from '../state.js';
import { computed, useEffect, useLayoutEffect, useMemo, useRef, useSignal } from '../ui.js';
import { mouseOf, redraw, watchScheme, watchSize } from './canvas.js';
import { colorsOf } from './colors.js';
import { columnsOf } from './columns.js';
import { AXIS, LANE, type TimelineView } from './draw.js';
import { neighbour } from './find.js';
import { px, useElement, useWindow } from './virtual.js';
import { dated, moveInto, pan, seen, showAll, zoom } from './zoom.js';

const columns = computed(() => {
  version.value;
  const { agents } = kept.value;
  const all = agents.lanes();
  const { agent } = filter.value;
  return columnsOf(shown.value, agent === '' ? all : all.filter(({ key }) => key === agent));
});

const MOST_LANES = 14;
/** Hidden text below the canvas, for users of screen readers. */
const KEYS =
  'Arrow keys go from fire to fire, up and down to another agent. n and p: the next and the previous problem. Plus, minus and 0: zoom. Enter: the explanation. The list below has the same fires.';

export function Timeline() {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [scroller, fill] = useElement();
  const size = useSignal<readonly [number, number]>([0, 0]);
  const scheme = useSignal(0);
  const { lanes } = columns.value;
  const { items, total, scrolled } = useWindow(lanes.length, LANE, scroller, AXIS);
  const height = AXIS + Math.min(Math.max(lanes.length, 3), MOST_LANES) * LANE;
  const viewNow = (): TimelineView => {
    const [from, to] = seen();
    const element = canvas.current as HTMLCanvasElement;
    const [width] = size.value;
    const look = { dated: dated.value, colors: colorsOf(element), selected: selected.value };
    return { from, to, width, height, top: scrolled, ...look };
  };
  useEffect(
    () =>
      watchSize(canvas.current, (now) => {
        size.value = now;
      }),
    [],
  );
  useEffect(
    () =>
      watchScheme(() => {
        scheme.value += 1;
      }),
    [],
  );
  useLayoutEffect(
    () => redraw(canvas.current, size.value[1], viewNow(), columns.value),
    [columns.value, size.value, height, scrolled, scheme.value, selected.value, span.value, extent.value],
  );
  const pick = (row: RowOnPage | undefined): void => {
    if (row === undefined) return;
    selected.value = row;
    moveInto(row);
    const lane = columns.value.laneOf.get(row.agent) ?? 0;
    const element = scroller.value;
    if (element === null) return;
    const top = lane * LANE;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + LANE + AXIS > element.scrollTop + height) element.scrollTop = top + LANE + AXIS - height;
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!onKey(event.key, pick)) return;
    event.preventDefault();
  };
  const latest = useRef({ viewNow, pick });
  latest.current = { viewNow, pick };
  const mouse = useMemo(
    () =>
      mouseOf({
        columns: () => columns.peek(),
        view: () => latest.current.viewNow(),
        pick: (row) => latest.current.pick(row),
        scroller,
      }),
    [],
  );
  const sessions = kept.value.sessions;
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="labels" style={{ height: px(height) }} ref={fill}>
        <ul style={{ height: px(total) }} aria-label="Agents">
          {items.map(({ index, start }) => {
            const agent = lanes[index];
            if (agent === undefined) return null;
            const name = agentName(agent, sessions);
            return (
              <li key={agent.key} style={{ top: px(start), height: px(LANE) }}>
                <button
                  type="button"
                  style={{ paddingLeft: `min(${px(8 + depthOf(agent) * 14)}, 45%)` }}
                  aria-pressed={filter.value.agent === agent.key}
                  title={`Which hooks ran for ${name}?`}
                  onClick={() => {
                    const on = filter.value.agent === agent.key;
                    changeFilter({ agent: on ? '' : agent.key });
                    tab.value = on ? 'fires' : 'hooks';
                  }}
                >
                  {name}
                </button>
              </li>
            );
          })}
        </ul>
      </div>
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it takes the keys, and the list says the same */}
      <canvas
        ref={canvas}
        style={{ height: px(height) }}
        tabIndex={0}
        role="application"
        aria-label={`Timeline of ${shown.value.length} fires and alarms of ${lanes.length} agents`}
        aria-describedby="keys"
        onKeyDown={onKeyDown}
        {...mouse}
      />
      <p id="keys" class="hidden">
        {KEYS}
      </p>
      {/* Announces the selection, since the canvas has no elements that could. */}
      <p class="hidden" aria-live="polite">
        {selected.value === undefined
          ? ''
          : `${agentName(selected.value.agent, sessions)}: ${selected.value.event} ${selected.value.about}, ${selected.value.came}`}
      </p>
      <Zoom />
    </section>
  );
}

function Zoom() {
  return (
    <div class="zoom">
      <button type="button" onClick={() => zoom(0.5)} aria-label="Zoom in">
        +
      </button>
      <button type="button" onClick={() => zoom(2)} aria-label="Zoom out">
        −
      </button>
      <button type="button" onClick={showAll}>
        Fit
      </button>
    </div>
  );
}

const ZOOMS: Readonly<Record<string, () => void>> = {
  '+': () => zoom(0.5),
  '=': () => zoom(0.5),
  '-': () => zoom(2),
  '0': showAll,
  PageDown: () => pan(0.8),
  PageUp: () => pan(-0.8),
};

function onKey(key: string, pick: (row: RowOnPage | undefined) => void): boolean {
  const zooms = Object.hasOwn(ZOOMS, key) ? ZOOMS[key] : undefined;
  if (zooms !== undefined) zooms();
  else if (key === 'Enter') document.getElementById('explanation')?.focus();
  else {
    const found = neighbour(columns.peek(), selected.peek(), key);
    if (found === undefined) return false;
    pick(found);
  }
  return true;
}
