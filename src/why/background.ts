import type { HandlerRecord, HookResponse } from '../emit/record.js';

/** The end of a hook's run. */
export type RunEnd = Pick<HookResponse, 'fire_id' | 'handler_id' | 'time' | 'duration_ms' | 'failure' | 'exit_code'>;

type HandlerRuns = Pick<HandlerRecord, 'id' | 'status' | 'reasked'>;

interface OpenRun<Place> {
  ends: number;
  last: RunEnd | undefined;
  /** Set when the fire's record was read: what waits for the end, and how many ends are expected. */
  awaited: { readonly place: Place; readonly calls: number } | undefined;
}

/** The most runs that are kept; beyond that, the oldest is never paired. */
const MOST = 10_000;

/** Pairs background hooks in fire records with the ends of their runs, which may come before the fire's record or after it. */
export class BackgroundRuns<Place> {
  readonly #open = new Map<string, OpenRun<Place>>();
  readonly #most: number;

  constructor(most: number = MOST) {
    this.#most = most;
  }

  /** Notes a hook from a fire's record. Returns the end of its run if that has come already; otherwise `end` will return `place`. */
  begin(fire: string, { id, status, reasked = 0 }: HandlerRuns, place: Place): RunEnd | undefined {
    const key = keyOf(fire, id);
    if (status !== 'background') {
      // The fire's record says itself how this hook ended.
      this.#open.delete(key);
      return undefined;
    }
    const run = this.#of(key);
    // Each call has an end, and the background run is the last call.
    run.awaited = { place, calls: 1 + reasked };
    return this.#paired(key, run)?.last;
  }

  /** Notes the end of a run. Returns the `place` that waits for it; undefined: none does yet. */
  end({ fire_id, handler_id, time, duration_ms, failure, exit_code }: RunEnd): Place | undefined {
    const key = keyOf(fire_id, handler_id);
    const run = this.#of(key);
    run.ends += 1;
    // Copied without the output, which may be long.
    run.last = {
      ...{ fire_id, handler_id, time, duration_ms },
      ...(failure === undefined ? {} : { failure }),
      ...(exit_code === undefined ? {} : { exit_code }),
    };
    return this.#paired(key, run)?.awaited?.place;
  }

  #paired(key: string, run: OpenRun<Place>): OpenRun<Place> | undefined {
    if (run.awaited === undefined || run.ends < run.awaited.calls) return undefined;
    this.#open.delete(key);
    return run;
  }

  #of(key: string): OpenRun<Place> {
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const run = { ends: 0, last: undefined, awaited: undefined };
    this.#open.set(key, run);
    if (this.#open.size > this.#most) this.#open.delete(this.#open.keys().next().value as string);
    return run;
  }
}

/** The ends of a fire's background hooks, by the hook's id. */
export function endsIn(
  { fire_id: fire, handlers }: { readonly fire_id: string; readonly handlers: readonly HandlerRuns[] },
  ends: readonly RunEnd[],
): ReadonlyMap<string, RunEnd> {
  const runs = new BackgroundRuns<string>(Number.POSITIVE_INFINITY);
  for (const end of ends) if (end.fire_id === fire) runs.end(end);
  const found = new Map<string, RunEnd>();
  for (const handler of handlers) {
    const end = runs.begin(fire, handler, handler.id);
    if (end !== undefined) found.set(handler.id, end);
  }
  return found;
}

const keyOf = (fire: string, handler: string): string => JSON.stringify([fire, handler]);
