import type { Fold, Verdict } from '../events/define.js';
import { freeze, RecordCopy } from './record-copy.js';
import type {
  HandlerStatus,
  HandlerVerdict,
  RecordedConflict,
  RecordedFailure,
  RecordedKind,
  RecordedReason,
  RecordedSource,
  Stamp,
  Unstamped,
} from './recorded.js';
import { unstamped } from './stamp.js';

/** One registration in a fire record, whether it ran or not. */
export interface HandlerRecord {
  readonly id: string;
  /** An unnamed shell hook's command line, an http hook's URL. */
  readonly name: string;
  readonly handler: RecordedKind;
  readonly plugin?: string;
  readonly source: RecordedSource;
  readonly scope: string;
  readonly stage: number;
  /** Handlers of one wave ran at the same time; null: it was not in the plan. */
  readonly wave: number | null;
  readonly status: HandlerStatus;
  /** Of a skip. */
  readonly reason?: RecordedReason;
  readonly failure?: RecordedFailure;
  /** What it answered, as it answered. */
  readonly output?: unknown;
  /** As it counted in the end: an allow that did not survive a rewrite is `none`. */
  readonly verdict?: HandlerVerdict;
  readonly exit_code?: number;
  readonly duration_ms?: number;
  /** How often it was asked again. */
  readonly reasked?: number;
  /** Of a skip by policy, trust and the like: the file or setting that decided it. */
  readonly why?: string;
  readonly warnings?: readonly string[];
  /** What the decision is computed by: `rewrite` and `observe` have no verdict; `continue: false` denies only from `code`. */
  readonly phase?: 'rewrite' | 'decide' | 'observe';
  readonly dialect?: 'code' | 'claude';
  readonly on_failure?: 'continue' | 'block' | 'ask';
}

/** The decision as `fire()` returned it, its own fields alone. Which are there depends on the event's fold. */
export interface RecordedDecision {
  readonly event: string;
  readonly fold: Fold;
  readonly continue: boolean;
  readonly verdict?: Verdict | undefined;
  readonly blocked?: boolean | undefined;
  readonly continues?: boolean | undefined;
  /** A stop that ended although hooks (`overruled`) would have gone on: too many continuations in a row, or a close. */
  readonly endedBy?: 'cap' | 'close' | undefined;
  readonly reason?: string | undefined;
  readonly stopReason?: string | undefined;
  /** A handler's id. */
  readonly decidedBy?: string | undefined;
  /** Ids of handlers whose opinion lost. */
  readonly overruled: readonly string[];
  readonly failures: readonly (RecordedFailure & {
    readonly id: string;
    readonly name: string;
    readonly blocked: boolean;
  })[];
  readonly conflicts: readonly RecordedConflict[];
}

/**
 * One a fire, at its end. It lists every registration for the event in the fire's lineage, in plan order, so that "why did my
 * hook not run?" and "who blocked this?" are answered by this record alone.
 */
export interface FireRecord extends Stamp {
  readonly type: 'hook_fire';
  readonly fire_id: string;
  readonly event: string;
  readonly scope: string;
  /** false: nobody had opened the scope that was named; the session's lineage was used. */
  readonly scope_known: boolean;
  readonly session_id: string;
  readonly agent_id?: string;
  readonly tool_use_id?: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input after rewrites, where there were any. */
  readonly final_input?: Readonly<Record<string, unknown>>;
  readonly decision: RecordedDecision;
  readonly handlers: readonly HandlerRecord[];
  readonly conflicts: readonly RecordedConflict[];
  /** How the verdicts became one; absent: the strictest. */
  readonly decisions?: 'strictest' | 'first' | 'last';
  /** How many registrations for this event are in scopes outside the lineage. */
  readonly out_of_scope: number;
  /** What of it no record can hold and was left out, by its place: `input.tool_input.data`. */
  readonly truncated?: readonly string[];
  /** The fire was not decided but rejected: the error's code, `ABORTED`, `CLOSED` or `INVALID_INPUT`. */
  readonly error?: string;
}

/** What is told of a fire; `undefined` is left out. */
type Optional<T> = { [K in keyof T]: undefined extends T[K] ? T[K] | undefined : T[K] };
type FireDraft = Optional<Omit<Unstamped<FireRecord>, 'type'>>;

/**
 * A record never changes after it was sent, and no watcher can change what the agent will run, so what they share is copied. Of the decision, which may
 * be the object `fire()` returns, its own fields are kept, so that JSON shows them and not its wire form.
 */
export function stampedFireRecord(fire: FireDraft, seq: number, time: string, most?: number): FireRecord {
  const copy = new RecordCopy(most === undefined ? undefined : { left: most });
  // What decides first: of a record that is too large, the rest is left out.
  const decision = copy.object({ ...fire.decision }, 'decision');
  const handlers = copy.object(fire.handlers, 'handlers');
  const input = copy.object(fire.input, 'input');
  const final = fire.final_input && copy.object(fire.final_input, 'final_input');
  const record: { -readonly [K in keyof FireRecord]: FireRecord[K] } = {
    seq,
    time,
    type: 'hook_fire',
    fire_id: fire.fire_id,
    event: fire.event,
    scope: fire.scope,
    scope_known: fire.scope_known,
    session_id: fire.session_id,
    input,
    decision,
    handlers,
    conflicts: freeze(fire.conflicts.map((conflict) => ({ ...conflict }))),
    out_of_scope: fire.out_of_scope,
  };
  if (fire.agent_id !== undefined) record.agent_id = fire.agent_id;
  if (fire.tool_use_id !== undefined) record.tool_use_id = fire.tool_use_id;
  if (final !== undefined) record.final_input = final;
  if (fire.decisions !== undefined) record.decisions = fire.decisions;
  if (copy.truncated.length > 0) record.truncated = freeze(copy.truncated);
  if (fire.error !== undefined) record.error = fire.error;
  return record;
}

export function fireRecord(fire: FireDraft, most?: number): Unstamped<FireRecord> {
  return unstamped(stampedFireRecord(fire, 0, '', most));
}
