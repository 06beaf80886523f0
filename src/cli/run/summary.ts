import type { FireRecord, HookResponse } from '../../emit/record.js';
import { percentile, stopsIt } from '../../why/meaning.js';

/** What one hook did for one agent on one event. */
export interface SummaryRow {
  readonly agent: string;
  readonly event: string;
  readonly hook: string;
  readonly runs: number;
  /** Runs that denied or blocked (on a stop event: kept the loop going), also by a failure that counted as that. */
  readonly blocked: number;
  readonly failed: number;
  /** Milliseconds; absent: never timed. */
  readonly p50?: number;
  readonly p95?: number;
}

interface Tally {
  readonly agent: string;
  readonly event: string;
  readonly hook: string;
  runs: number;
  blocked: number;
  failed: number;
  readonly times: number[];
}

/** Counts the runs of hooks, in the order of their first runs. */
export class RunSummary {
  readonly #tallies = new Map<string, Tally>();
  /** Background runs that have not ended. */
  readonly #open = new Map<string, Tally>();

  /** Counts a fire's hooks; `agent` is the name of its agent. */
  add(record: FireRecord, agent: string): void {
    for (const handler of record.handlers) {
      if (handler.status === 'skipped') continue;
      const tally = this.#tally(agent, record.event, handler.name);
      tally.runs += 1;
      if (stopsIt(record, handler)) tally.blocked += 1;
      if (handler.status === 'failed') tally.failed += 1;
      if (handler.status === 'background') this.#open.set(`${record.fire_id} ${handler.id}`, tally);
      else if (handler.duration_ms !== undefined) tally.times.push(handler.duration_ms);
    }
  }

  /** Counts the end of a background run; false if no such run is open. */
  end({ fire_id, handler_id, duration_ms, failure }: HookResponse): boolean {
    const key = `${fire_id} ${handler_id}`;
    const tally = this.#open.get(key);
    if (!tally) return false;
    this.#open.delete(key);
    tally.times.push(duration_ms);
    if (failure) tally.failed += 1;
    return true;
  }

  /** By agent, then by event, both in the order in which a hook first ran for them. */
  rows(): SummaryRow[] {
    const tallies = [...this.#tallies.values()];
    const agents = [...new Set(tallies.map(({ agent }) => agent))];
    const events = [...new Set(tallies.map(({ event }) => event))];
    const place = ({ agent, event }: Tally): number => agents.indexOf(agent) * events.length + events.indexOf(event);
    const ordered = tallies.toSorted((a, b) => place(a) - place(b));
    return ordered.map(({ times, ...counts }) => {
      const sorted = times.toSorted((a, b) => a - b);
      return sorted.length === 0 ? counts : { ...counts, p50: percentile(sorted, 50), p95: percentile(sorted, 95) };
    });
  }

  #tally(agent: string, event: string, hook: string): Tally {
    const key = JSON.stringify([agent, event, hook]);
    const tally = this.#tallies.get(key) ?? { agent, event, hook, runs: 0, blocked: 0, failed: 0, times: [] };
    this.#tallies.set(key, tally);
    return tally;
  }
}
