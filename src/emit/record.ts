import type { FireRecord } from './fire-record.js';
import type { HandlerVerdict, RecordedFailure, RecordedKind, RecordedSource, RunOutcome, Stamp } from './recorded.js';

export {
  type FireRecord,
  fireRecord,
  type HandlerRecord,
  type RecordedDecision,
  stampedFireRecord,
} from './fire-record.js';
export type {
  HandlerVerdict,
  RecordedFailure,
  RecordedKind,
  RecordedSource,
  RunOutcome,
  Unstamped,
} from './recorded.js';
export { nextId } from './stamp.js';

/**
 * What watchers are told (docs/semantics.md 10). Field names are the wire's: the first three messages are the Claude Code client's own
 * `hook_started`, `hook_progress` and `hook_response` with our fields added, the last is ours alone.
 */
export type HookRecord = HookStarted | HookProgress | HookResponse | FireRecord | ControlProblemRecord | AlarmRecord;

export interface RunMessage extends Stamp {
  readonly type: 'system';
  /**
   * Present on what another program's hooks said (`claude`, over the control protocol): then `fire_id` and `handler_id` are its
   * `hook_id`, `handler` is `unknown`, and no fire record follows. Absent: hooks of this host.
   */
  readonly origin?: string;
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

/** One handler was called. */
export interface HookStarted extends RunMessage {
  readonly subtype: 'hook_started';
  /** The hook's own word for a harness to show while it runs. */
  readonly status_message?: string;
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

/** One call of one handler has ended; of a background run when that ends. */
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

/** Something was wrong with what the other end of a control connection sent, or with the way to it. */
export interface ControlProblemRecord extends Stamp {
  readonly type: 'system';
  readonly subtype: 'control_problem';
  /** Which end: `claude`, or the peer that `serveControl` serves. */
  readonly peer: string;
  /** The problem's name: `bad_json`, `cut_off`, `duplicate_request` … */
  readonly problem: string;
  readonly message: string;
  readonly request_id?: string;
}

/** What was decided of a call and what was done are not the same. */
export interface AlarmRecord extends Stamp {
  readonly type: 'hook_alarm';
  /**
   * `not_honoured`: it was denied, and it ran. `other_input`: it ran with an input that was neither judged nor given by whoever
   * answers for the user. `unasked`: it ran, and PreToolUse was not fired for it, though this agent's is asked about every tool.
   */
  readonly alarm: 'not_honoured' | 'other_input' | 'unasked';
  /** For people. */
  readonly message: string;
  readonly session_id: string;
  readonly scope: string;
  readonly agent_id?: string;
  readonly tool_name: string;
  readonly tool_use_id: string;
  /** How it is known that it ran: an event's name, or `result`. */
  readonly evidence: string;
  /** `hook`, or who else said no: `rules`, `person`, `nobody` … */
  readonly denied_by?: string;
  /** Of the denial. */
  readonly reason?: string;
  /** The beginning of the input that was decided on, as JSON with sorted keys, and the SHA-256 of all of that JSON. */
  readonly judged_input?: string;
  readonly judged_sha256?: string;
  /** The same of the input it ran with. */
  readonly ran_input?: string;
  readonly ran_sha256?: string;
}

/** Who runs, in which fire: what the three messages of one run share. */
export interface CallInfo {
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
  readonly statusMessage?: string | undefined;
  /** Whose hooks they are, where not this host's. */
  readonly origin?: string | undefined;
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
