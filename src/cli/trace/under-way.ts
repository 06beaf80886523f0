import type { HookResponse } from '../../emit/record.js';
import { NEAR } from './clock.js';
import type { Lane, TraceAgent } from './tracks.js';

/** A call of a hook. */
export interface TracedCall {
  readonly id: string;
  readonly name: string;
  readonly agent: TraceAgent;
  readonly lane: Lane;
  /** When it began, and from when on it is drawn. */
  readonly began: number;
  readonly start: number;
  readonly fire: TracedFire | undefined;
  end: number | undefined;
  response: HookResponse | undefined;
}

export interface TracedFire {
  readonly id: string;
  readonly agent: TraceAgent;
  readonly lane: Lane;
  readonly start: number;
  readonly calls: TracedCall[];
  /** The end of the calls that are drawn in the fire's own row. */
  drawn: number;
  /** Whether the fire is drawn; undefined until its record is read. */
  isShown: boolean | undefined;
}

/** Whether a call that begins at `began` fits into its fire's row, after everything that is drawn there. */
export function hasRoom({ calls, lane, drawn }: TracedFire, began: number): boolean {
  return drawn <= began + NEAR && calls.every((call) => call.end !== undefined || call.lane !== lane);
}

export function release(lane: Lane, end: number): void {
  lane.isTaken = false;
  lane.end = Math.max(lane.end, end);
}
