import type { FireRecord, HandlerRecord } from '../emit/record.js';
import { BackgroundRuns, type RunEnd } from './background.js';
import { percentile, stopsIt } from './meaning.js';
import { placeIn, type SameHooks } from './same-hook.js';
import { numbered } from './words.js';

/** The figures of one hook, or of one hook for one agent or event. */
export interface HookTally {
  readonly hook: string;
  /** What tells it from others of its name. */
  readonly key: string;
  /** Where it comes from, if another hook has its name; with the number in its id, if that one comes from there too. */
  readonly place?: string;
  /** The agent or event. */
  readonly group?: string;
  /** The number of fires in which it ran. One that was asked again in a fire, after a rewrite, ran once. */
  readonly runs: number;
  /** Runs that denied or blocked (on a stop event: kept the agent going), also by a failure that counts as one. */
  readonly denials: number;
  readonly failures: number;
  /** Milliseconds of the last call in each fire; absent: never timed. By nearest rank, so it is a measured time. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly max?: number;
}

interface HookCounts {
  readonly hook: string;
  readonly key: string;
  readonly place: string;
  /** As of its last run: of hooks that are registered together, no two have the same. */
  id: string;
  readonly group: string | undefined;
  runs: number;
  denials: number;
  failures: number;
  readonly times: number[];
}

/** The parts of a fire that are counted. */
export interface CountedFire {
  readonly fire_id: string;
  readonly decision: Pick<FireRecord['decision'], 'failures'>;
  readonly error?: string;
}

/** The parts of a hook's row that are counted. */
export interface CountedHandler
  extends Pick<HandlerRecord, 'id' | 'name' | 'status' | 'verdict' | 'reasked' | 'duration_ms' | 'phase'> {
  /** What tells it from others of its name. */
  readonly key: string;
  readonly place: string;
}

/** The hooks of a fire as they are counted. */
export function countedIn(record: FireRecord, hooks: SameHooks): CountedHandler[] {
  const keys = hooks.keysOf(record);
  return record.handlers.map((handler, i) => ({ ...handler, key: keys[i] as string, place: placeIn(record, handler) }));
}

/** Counts hooks that ran. All durations are kept, at eight bytes each. */
export class Tallies {
  readonly #counts = new Map<string, HookCounts>();
  readonly #background = new BackgroundRuns<HookCounts>();

  add(record: CountedFire, handler: CountedHandler, group: string | undefined): void {
    if (handler.status === 'skipped') return;
    const counts = this.#of(handler, group);
    counts.runs += 1;
    if (stopsIt(record, handler)) counts.denials += 1;
    if (handler.status === 'failed') counts.failures += 1;
    const end = this.#background.begin(record.fire_id, handler, counts);
    if (end !== undefined) count(counts, end);
    if (handler.status !== 'background' && handler.duration_ms !== undefined) counts.times.push(handler.duration_ms);
  }

  /** Notes the end of a run, which counts if it was a background run. */
  end(end: RunEnd): void {
    const counts = this.#background.end(end);
    if (counts !== undefined) count(counts, end);
  }

  /** Slowest first, by p95, then by p50; hooks that were never timed come last. */
  rows(): HookTally[] {
    const counts = [...this.#counts.values()];
    const sharesName = sharing(counts, ({ hook }) => hook);
    const sharesPlace = sharing(counts, ({ hook, place }) => JSON.stringify([hook, place]));
    const shown = (one: HookCounts): string => (sharesPlace(one) ? numbered(one.place, one.id) : one.place);
    return counts.map((one) => rowOf(one, sharesName(one) ? shown(one) : undefined)).sort(bySlowness);
  }

  #of({ name: hook, key, place, id }: CountedHandler, group: string | undefined): HookCounts {
    const row = JSON.stringify([key, group]);
    const counts = this.#counts.get(row) ?? {
      hook,
      key,
      place,
      id,
      group,
      runs: 0,
      denials: 0,
      failures: 0,
      times: [],
    };
    counts.id = id;
    this.#counts.set(row, counts);
    return counts;
  }
}

/** Whether a text of a hook is that of another hook, too. */
export function sharing<T extends { readonly key: string }>(
  all: readonly T[],
  textOf: (one: T) => string,
): (one: T) => boolean {
  const keys = new Map<string, Set<string>>();
  for (const one of all) keys.set(textOf(one), (keys.get(textOf(one)) ?? new Set()).add(one.key));
  return (one) => keys.get(textOf(one))?.size !== 1;
}

function count(counts: HookCounts, { duration_ms, failure }: RunEnd): void {
  counts.times.push(duration_ms);
  if (failure) counts.failures += 1;
}

function rowOf({ hook, place: _, id: _id, times, group, ...counts }: HookCounts, place: string | undefined): HookTally {
  const row = { hook, ...(place === undefined ? {} : { place }), ...counts, ...(group === undefined ? {} : { group }) };
  if (times.length === 0) return row;
  const sorted = Float64Array.from(times).sort();
  const [p50, p95, p99, max] = [50, 95, 99, 100].map((percent) => percentile(sorted, percent));
  return { ...row, p50, p95, p99, max } as HookTally;
}

function bySlowness(a: HookTally, b: HookTally): number {
  return (b.p95 ?? -1) - (a.p95 ?? -1) || (b.p50 ?? -1) - (a.p50 ?? -1);
}
