import { plain } from '../../plain.js';
import type { HookTally } from '../../why/tally.js';
import { tallies } from '../records/filter.js';
import { changeFilter, filter, kept, shown, tab, until } from '../state.js';
import { useComputed } from '../ui.js';

const HEADS = ['Hook', 'Runs', 'Denials', 'Failures', 'p50 ms', 'p95 ms', 'p99 ms'];

/** How often each hook ran, denied and failed in what is shown, and how long it took: the slowest first. */
export function HooksTable() {
  const rows = useComputed(() =>
    tallies(shown.value, kept.value, filter.value.hook, until.value ?? Number.POSITIVE_INFINITY),
  ).value;
  const most = Math.max(1, ...rows.map(({ p99 = 0 }) => p99));
  if (rows.length === 0) return <p class="quiet">No hook ran in what is shown.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keys
    <section class="table" tabIndex={0} aria-label="Hooks, the slowest first">
      <table>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">Percentiles</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <HookRow key={row.key} row={row} most={most} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function HookRow({ row, most }: { readonly row: HookTally; readonly most: number }) {
  const { hook, place, runs, denials, failures, p50, p95, p99 } = row;
  const name = plain(place === undefined ? hook : `${hook} (${place})`);
  return (
    <tr>
      <th scope="row">
        <button
          type="button"
          title="Its fires"
          onClick={() => {
            changeFilter({ hook });
            tab.value = 'fires';
          }}
        >
          {name.length > 80 ? `${name.slice(0, 79)}…` : name}
        </button>
      </th>
      <td>{runs}</td>
      <td class={denials > 0 ? 'alarming' : undefined}>{denials}</td>
      <td class={failures > 0 ? 'alarming' : undefined}>{failures}</td>
      <td>{ms(p50)}</td>
      <td>{ms(p95)}</td>
      <td>{ms(p99)}</td>
      <td>
        <Percentiles row={row} most={most} />
      </td>
    </tr>
  );
}

const ms = (value: number | undefined): string => (value === undefined ? '–' : value.toFixed(value < 10 ? 1 : 0));

const WIDE = 160;
const HIGH = 14;

/** From the median to the 99th percentile, on one logarithmic scale for all hooks, which starts at 0 and shows tenths of a millisecond. */
function Percentiles({ row: { p50, p95, p99 }, most }: { readonly row: HookTally; readonly most: number }) {
  if (p50 === undefined || p95 === undefined || p99 === undefined) return null;
  const scale = Math.log10(most * 10 + 1);
  const x = (value: number): number => 4 + ((WIDE - 8) * Math.log10(value * 10 + 1)) / scale;
  const middle = HIGH / 2;
  return (
    <svg
      width={WIDE}
      height={HIGH}
      role="img"
      aria-label={`p50 ${ms(p50)}, p95 ${ms(p95)}, p99 ${ms(p99)} milliseconds`}
    >
      <line x1={x(p50)} x2={x(p99)} y1={middle} y2={middle} class="range" />
      <circle cx={x(p50)} cy={middle} r={3} class="p50" />
      <rect x={x(p95) - 2} y={middle - 5} width={4} height={10} class="p95" />
      <rect x={x(p99) - 1} y={middle - 6} width={2} height={12} class="p99" />
    </svg>
  );
}
