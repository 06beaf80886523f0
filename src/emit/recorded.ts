import type { HandlerKind, Verdict } from '../events/define.js';

/** Put on every record by the bus when it is sent. */
export interface Stamp {
  /** Counts from 1, without gaps: a gap in what a sink holds is what it dropped. */
  readonly seq: number;
  /** ISO 8601 in UTC with milliseconds, `2025-01-31T09:15:00.123Z`. */
  readonly time: string;
}

/** A record as its builder makes it, before the bus stamps it. */
export type Unstamped<R> = R extends unknown ? Omit<R, keyof Stamp> : never;

export type RecordedKind = HandlerKind | 'tap' | 'unknown';
export type RunOutcome = 'success' | 'error' | 'cancelled';
/** A gate's verdict, or `block` on block and stop events (on stop: go on). */
export type HandlerVerdict = Verdict | 'block';
export type HandlerStatus = 'ran' | 'failed' | 'skipped' | 'background';
export type RecordedReason =
  | 'matcher'
  | 'if'
  | 'scope'
  | 'policy'
  | 'disabled'
  | 'trust'
  | 'duplicate'
  | 'once'
  | 'bailed'
  | 'invalid';

/** Where a handler was registered: `kind` is `code`, `plugin`, `project`, `user` … */
export interface RecordedSource {
  readonly kind: string;
  readonly name?: string;
  readonly file?: string;
}

/** Why a handler failed: `cause` is one of the names of docs/semantics.md 8, `timeout`, `bad_json` … */
export interface RecordedFailure {
  readonly cause: string;
  readonly message: string;
  /** It counts as a block whatever the handler's `onFailure`: a remote guard that did not answer in time. */
  readonly blocks?: true;
}

/** Ids of two handlers that rewrote the same thing; the winner's rewrite stands. */
export interface RecordedConflict {
  readonly winner: string;
  readonly loser: string;
}
