import { agentName } from '../records/agents.js';
import { OUTCOME_WORDS, OUTCOMES } from '../records/outcome.js';
import type { RowOnPage } from '../records/row.js';
import { kept, selected, shown } from '../state.js';
import { timeText } from '../timeline/time.js';
import { px, useElement, useWindow } from '../timeline/virtual.js';
import { dated, moveInto } from '../timeline/zoom.js';
import { useEffect } from '../ui.js';

const LINE = 26;
const PAGE = 10;

/** The same fires and alarms as in the lanes, one per line. */
export function FireList() {
  const [scroller, fill] = useElement();
  const rows = shown.value;
  const { items, total, scrollTo } = useWindow(rows.length, LINE, scroller);
  const chosen = selected.value;
  const at = chosen === undefined ? -1 : placeOf(rows, chosen);
  useEffect(() => {
    if (at >= 0) scrollTo(at);
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const next = stepOf(event.key, at, rows.length);
    if (event.key === 'Enter') document.getElementById('explanation')?.focus();
    else if (next === undefined) return;
    else choose(rows[next]);
    event.preventDefault();
  };
  const sessions = kept.value.sessions;
  return (
    <div
      class="fires"
      role="listbox"
      tabIndex={0}
      aria-label="Fires and alarms, the oldest first"
      aria-activedescendant={items.some(({ index }) => index === at) ? `row-${at}` : undefined}
      ref={fill}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: px(total) }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row && <Line key={index} {...{ row, index, start, sessions }} count={rows.length} on={index === at} />;
        })}
      </div>
    </div>
  );
}

interface LineProps {
  readonly row: RowOnPage;
  readonly index: number;
  readonly start: number;
  readonly count: number;
  readonly sessions: number;
  readonly on: boolean;
}

function Line({ row, index, start, count, sessions, on }: LineProps) {
  const outcome = OUTCOMES[row.outcome] as (typeof OUTCOMES)[number];
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names its active line
    <div
      id={`row-${index}`}
      role="option"
      aria-selected={on}
      aria-posinset={index + 1}
      aria-setsize={count}
      class={`line ${outcome}`}
      style={{ top: px(start), height: px(LINE) }}
      onClick={() => choose(row)}
    >
      <time>{timeText(row.at, { dated: dated.value })}</time>
      <span class="who">{agentName(row.agent, sessions)}</span>
      <span class={`badge ${outcome}`}>{OUTCOME_WORDS[outcome]}</span>
      <span class="what">
        {row.event} {row.about}
      </span>
      <span class="came">{row.came}</span>
    </div>
  );
}

function choose(row: RowOnPage | undefined): void {
  if (row === undefined) return;
  selected.value = row;
  moveInto(row);
}

/** Rows are sorted by time, and only a few have the same time. */
function placeOf(rows: readonly RowOnPage[], row: RowOnPage): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as RowOnPage).at < row.at) low = middle + 1;
    else high = middle;
  }
  for (let i = low; i < rows.length && (rows[i] as RowOnPage).at === row.at; i++) if (rows[i] === row) return i;
  return -1;
}

function stepOf(key: string, at: number, count: number): number | undefined {
  const last = count - 1;
  const bounded = (place: number): number => Math.max(0, Math.min(last, place));
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return bounded(at + 1);
  if (key === 'ArrowUp') return bounded(at < 0 ? last : at - 1);
  if (key === 'PageDown') return bounded(at + PAGE);
  if (key === 'PageUp') return bounded(at - PAGE);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}
