import { extent, rows, until } from '../state.js';
import { timeText } from '../timeline/time.js';
import { dated } from '../timeline/zoom.js';
import { useEffect, useSignal } from '../ui.js';

/** Milliseconds between two steps of a replay, and the number of steps. */
const STEP = 100;
const STEPS = 200;

/** Shows only what was recorded up to a moment, and replays the records. */
export function Scrubber() {
  const playing = useSignal(false);
  const [from, to] = extent.value;
  const at = Math.min(until.value ?? to, to);
  useEffect(() => {
    if (!playing.value) return undefined;
    const timer = setInterval(() => {
      const [first, last] = extent.peek();
      const next = (until.peek() ?? first) + (last - first) / STEPS;
      playing.value = next < last;
      until.value = next < last ? next : undefined;
    }, STEP);
    return () => clearInterval(timer);
  }, [playing.value]);
  const time = timeText(at, { dated: dated.value });
  return (
    <div class="scrubber">
      <button
        type="button"
        disabled={rows.value.length === 0}
        onClick={() => {
          if (!playing.value && until.value === undefined) until.value = from;
          playing.value = !playing.value;
        }}
      >
        {playing.value ? 'Pause' : 'Replay'}
      </button>
      <input
        type="range"
        aria-label="Show what was told until"
        aria-valuetext={`${time} UTC`}
        min={0}
        max={to - from}
        step="any"
        value={at - from}
        disabled={rows.value.length === 0}
        onInput={(event) => {
          const value = Number(event.currentTarget.value);
          until.value = value >= to - from ? undefined : from + value;
        }}
      />
      <output>{rows.value.length === 0 ? '' : `${time} UTC`}</output>
      <button
        type="button"
        disabled={until.value === undefined}
        onClick={() => {
          playing.value = false;
          until.value = undefined;
        }}
      >
        Now
      </button>
    </div>
  );
}
