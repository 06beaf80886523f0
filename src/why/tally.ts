import type { FireRecord, HandlerRecord, HookResponse } from '../emit/record.js';
import { percentile, stopsIt } from './meaning.js';

/** What one hook did, for one agent or on one event if asked for. */
export interface HookTally {
  readonly hook: string;
  /** The agent or event. */
  readonly group?: string;
  /** How often it was called; each re-ask counts. */
  readonly runs: number;
  /** Runs that denied or blocked (on a stop event: kept the agent going), also by a failure that counted as that. */
  readonly denials: number;
  readonly failures: number;
  /** Milliseconds, of a fire's last call each; absent: never timed. Nearest rank: a time that was measured. */
  readonly p50?: number;
  readonly p95?: number;
  readonly p99?: number;
  readonly max?: number;
}

interface Counts {
  readonly hook: string;
  readonly group: string | undefined;
  runs: number;
  denials: number;
  failures: number;
  readonly times: number[];
}

/** The most background runs that are followed; beyond that, the end of the oldest is not counted. */
const MOST_OPEN = 10_000;

/** The parts of a fire that are counted. */
export interface CountedFire {
  readonly fire_id: string;
  readonly decision: Pick<FireRecord['decision'], 'failures'>;
}

/** And of its hooks. */
export type CountedHandler = Pick<HandlerRecord, 'id' | 'name' | 'status' | 'verdict' | 'reasked' | 'duration_ms'>;

/** Counts hooks that ran. Every time is kept, eight bytes each. */
export class Tallies {
  readonly #counts = new Map<string, Counts>();
  readonly #open = new Map<string, Counts>();

  add(record: CountedFire, handler: CountedHandler, group: string | undefined): void {
    if (handler.status === 'skipped') return;
    const counts = this.#of(handler.name, group);
    counts.runs += 1 + (handler.reasked ?? 0);
    if (stopsIt(record, handler)) counts.denials += 1;
    if (handler.status === 'failed') counts.failures += 1;
    if (handler.status === 'background') this.#follow(`${record.fire_id} ${handler.id}`, counts);
    else if (handler.duration_ms !== undefined) counts.times.push(handler.duration_ms);
  }

  /** A background run that ended. */
  end({
    fire_id,
    handler_id,
    duration_ms,
    failure,
  }: Pick<HookResponse, 'fire_id' | 'handler_id' | 'duration_ms' | 'failure'>): void {
    const key = `${fire_id} ${handler_id}`;
    const counts = this.#open.get(key);
    if (!counts) return;
    this.#open.delete(key);
    counts.times.push(duration_ms);
    if (failure) counts.failures += 1;
  }

  /** The slowest first: by p95, then by p50; at last what was never timed. */
  rows(): HookTally[] {
    return [...this.#counts.values()].map(rowOf).sort(bySlowness);
  }

  #follow(key: string, counts: Counts): void {
    this.#open.set(key, counts);
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest] = this.#open.keys();
    this.#open.delete(oldest as string);
  }

  #of(hook: string, group: string | undefined): Counts {
    const key = JSON.stringify([hook, group]);
    const counts = this.#counts.get(key) ?? { hook, group, runs: 0, denials: 0, failures: 0, times: [] };
    this.#counts.set(key, counts);
    return counts;
  }
}

function rowOf({ times, group, ...counts }: Counts): HookTally {
  const row = { ...counts, ...(group === undefined ? {} : { group }) };
  if (times.length === 0) return row;
  const sorted = Float64Array.from(times).sort();
  const [p50, p95, p99, max] = [50, 95, 99, 100].map((percent) => percentile(sorted, percent));
  return { ...row, p50, p95, p99, max } as HookTally;
}

function bySlowness(a: HookTally, b: HookTally): number {
  return (b.p95 ?? -1) - (a.p95 ?? -1) || (b.p50 ?? -1) - (a.p50 ?? -1);
}
