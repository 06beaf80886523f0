import { randomUUID } from 'node:crypto';
import type { Fold, HandlerKind, Verdict } from '../events/define.js';

/**
 * What watchers are told (SEMANTICS 10). Field names are the wire's: the first three messages are the Claude Code client's own
 * `hook_started`, `hook_progress` and `hook_response` with our fields added, the last is ours alone.
 */
export type HookRecord = HookStarted | HookProgress | HookResponse | FireRecord;

/** Put on every record by the bus when it is sent. */
export interface Stamp {
  /** Counts from 1, without gaps: a gap in what a sink holds is what it dropped. */
  readonly seq: number;
  /** ISO 8601 in UTC with milliseconds, `2025-01-31T09:15:00.123Z`. */
  readonly time: string;
}

/** A record as its builder makes it, before the bus stamps it. */
export type Unstamped<R> = R extends unknown ? Omit<R, keyof Stamp> : never;

export type RecordedKind = HandlerKind | 'tap';
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

/** Why a handler failed: `cause` is one of the names of SEMANTICS 8, `timeout`, `bad_json` … */
export interface RecordedFailure {
  readonly cause: string;
  readonly message: string;
}

interface RunMessage extends Stamp {
  readonly type: 'system';
  /** One a run; a handler that is asked again has a new one. */
  readonly hook_id: string;
  /** `PreToolUse:Bash`, or the event's bare name where it has no subject. */
  readonly hook_name: string;
  readonly hook_event: string;
  readonly uuid: string;
  readonly session_id: string;
  readonly fire_id: string;
  readonly scope: string;
  readonly agent_id?: string;
  readonly tool_use_id?: string;
  readonly plugin?: string;
  /** The kind of handler. */
  readonly handler: RecordedKind;
  /** The handler's id and name in the fire record. */
  readonly handler_id: string;
  readonly name: string;
  readonly source: RecordedSource;
}

export interface HookStarted extends RunMessage {
  readonly subtype: 'hook_started';
}

/**
 * Output while it runs. Each message holds the **new piece** alone (the client's own repeats everything so far); joining the
 * pieces of one `hook_id` gives what the client would have sent.
 */
export interface HookProgress extends RunMessage {
  readonly subtype: 'hook_progress';
  readonly stdout: string;
  readonly stderr: string;
  /** Both, as they came; a callback's `context.progress(text)` is only here. */
  readonly output: string;
}

export interface HookResponse extends RunMessage {
  readonly subtype: 'hook_response';
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
  /** Of a process; the status of an HTTP answer; absent where neither came to be. */
  readonly exit_code?: number;
  readonly outcome: RunOutcome;
  readonly duration_ms: number;
  /** What this handler said; absent: no opinion. */
  readonly decision?: HandlerVerdict;
  readonly failure?: RecordedFailure;
}

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
}

/** Ids of two handlers that rewrote the same thing; the winner's rewrite stands. */
export interface RecordedClash {
  readonly winner: string;
  readonly loser: string;
}

/** The decision as `fire()` returned it, its own fields alone. Which are there depends on the event's fold. */
export interface RecordedDecision {
  readonly event: string;
  readonly fold: Fold;
  readonly continue: boolean;
  readonly verdict?: Verdict | undefined;
  readonly blocked?: boolean | undefined;
  readonly goesOn?: boolean | undefined;
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
  readonly clashes: readonly RecordedClash[];
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
  readonly clashes: readonly RecordedClash[];
  /** How many registrations for this event are in scopes outside the lineage. */
  readonly elsewhere: number;
}

/** Who runs, in which fire: what the three messages of one run share. */
export interface Run {
  readonly hookId: string;
  readonly hookName: string;
  readonly event: string;
  readonly sessionId: string;
  readonly fireId: string;
  readonly scope: string;
  readonly agentId?: string | undefined;
  readonly toolUseId?: string | undefined;
  readonly plugin?: string | undefined;
  readonly handler: RecordedKind;
  readonly handlerId: string;
  readonly name: string;
  readonly source: RecordedSource;
}

export interface Piece {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** Of `context.progress(text)`. */
  readonly text?: string | undefined;
}

export interface RunResult {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** Both streams as they came; default: stderr, then stdout, as the client joins them. */
  readonly output?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly durationMs: number;
  readonly decision?: HandlerVerdict | undefined;
  readonly failure?: RecordedFailure | undefined;
}

export function hookStarted(run: Run): Unstamped<HookStarted> {
  return { ...runFields(run), subtype: 'hook_started' };
}

export function hookProgress(run: Run, piece: Piece): Unstamped<HookProgress> {
  const { stdout = '', stderr = '', text = '' } = piece;
  return { ...runFields(run), subtype: 'hook_progress', stdout, stderr, output: stderr + stdout + text };
}

export function hookResponse(run: Run, result: RunResult): Unstamped<HookResponse> {
  const { stdout = '', stderr = '', exitCode, decision, failure } = result;
  return {
    ...runFields(run),
    subtype: 'hook_response',
    stdout,
    stderr,
    output: result.output ?? stderr + stdout,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    outcome: outcomeOf(run.handler, result),
    duration_ms: result.durationMs,
    ...(decision === undefined ? {} : { decision }),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** The decision may be the object `fire()` returns; only its own fields are kept, so that JSON shows them and not its wire form. */
export function fireRecord(fire: Omit<Unstamped<FireRecord>, 'type'>): Unstamped<FireRecord> {
  return { type: 'hook_fire', ...fire, decision: { ...fire.decision } };
}

function runFields(run: Run) {
  return {
    type: 'system' as const,
    hook_id: run.hookId,
    hook_name: run.hookName,
    hook_event: run.event,
    uuid: randomUUID(),
    session_id: run.sessionId,
    fire_id: run.fireId,
    scope: run.scope,
    ...(run.agentId === undefined ? {} : { agent_id: run.agentId }),
    ...(run.toolUseId === undefined ? {} : { tool_use_id: run.toolUseId }),
    ...(run.plugin === undefined ? {} : { plugin: run.plugin }),
    handler: run.handler,
    handler_id: run.handlerId,
    name: run.name,
    source: run.source,
  };
}

/** As the client names it: an exit code other than 0 is an error even where it was meant (exit 2), a timeout is a cancel. */
function outcomeOf(handler: RecordedKind, result: RunResult): RunOutcome {
  const { failure, exitCode } = result;
  if (failure !== undefined) return failure.cause === 'timeout' || failure.cause === 'aborted' ? 'cancelled' : 'error';
  return handler === 'command' && exitCode !== undefined && exitCode !== 0 ? 'error' : 'success';
}
