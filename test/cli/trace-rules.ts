import type { TraceEvent } from '../../src/cli/trace/event.js';

/** What importers (ui.perfetto.dev, chrome://tracing) would leave out, move or refuse of these events; empty: nothing. */
export function problemsIn(events: readonly TraceEvent[]): string[] {
  const problems: string[] = [];
  const wrong = (event: TraceEvent, why: string): void => void problems.push(`${why}: ${JSON.stringify(event)}`);
  const named = new Set<string>();
  const slices = new Map<string, { ts: number; end: number }[]>();
  const arrows = new Map<number, { s: number; f: number }>();
  const trackOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
  for (const event of events) {
    if (typeof event.name !== 'string') wrong(event, 'it has no name');
    for (const key of ['pid', 'tid', 'ts', 'dur', 'id'] as const) {
      const value = (event as unknown as Record<string, unknown>)[key];
      if (value !== undefined && !(Number.isSafeInteger(value) && (value as number) >= 0)) wrong(event, `its ${key}`);
    }
    if (event.ph === 'M') {
      const { name, sort_index } = event.args as { name?: unknown; sort_index?: unknown };
      if (/_name$/.test(event.name) ? typeof name !== 'string' : !Number.isInteger(sort_index))
        wrong(event, 'its args');
      named.add(event.name.startsWith('process') ? `${event.pid}` : trackOf(event));
      continue;
    }
    if (typeof event.ts !== 'number') wrong(event, 'it has no ts');
    if (!named.has(`${event.pid}`) || !named.has(trackOf(event))) wrong(event, 'its track has no name');
    if (event.ph === 'X') {
      if (typeof event.dur !== 'number') wrong(event, 'it has no dur');
      const all = slices.get(trackOf(event)) ?? [];
      slices.set(trackOf(event), all);
      all.push({ ts: event.ts, end: event.ts + event.dur });
    } else if (event.ph === 'i') {
      if (!['t', 'p', 'g'].includes(event.s)) wrong(event, 'its scope');
    } else {
      const ends = arrows.get(event.id) ?? { s: 0, f: 0 };
      ends[event.ph] += 1;
      arrows.set(event.id, ends);
    }
  }
  for (const [track, all] of slices) problems.push(...overlaps(all).map((why) => `${track}: ${why}`));
  for (const event of events) {
    if (event.ph !== 's' && event.ph !== 'f') continue;
    const { ts } = event;
    if (!slices.get(trackOf(event))?.some((slice) => slice.ts <= ts && ts <= slice.end))
      wrong(event, 'no slice is there');
  }
  for (const [id, { s, f }] of arrows) if (s !== 1 || f !== 1) problems.push(`arrow ${id} has ${s} starts, ${f} ends`);
  return problems;
}

/** Slices that lie partly within each other. */
function overlaps(slices: readonly { ts: number; end: number }[]): string[] {
  const problems: string[] = [];
  const open: number[] = [];
  for (const { ts, end } of [...slices].sort((a, b) => a.ts - b.ts || b.end - a.end)) {
    while (open.length > 0 && (open.at(-1) as number) <= ts) open.pop();
    const around = open.at(-1);
    if (around !== undefined && end > around) problems.push(`${ts} to ${end} is partly within what ends at ${around}`);
    open.push(end);
  }
  return problems;
}
