import type { FireRecord } from './fire-record.js';
import type { HandlerVerdict, RecordedFailure, RecordedKind, RecordedSource, RecordOf } from './recorded.js';
import type {
  alarmSchema,
  controlProblemSchema,
  progressSchema,
  responseSchema,
  runMessageSchema,
  startedSchema,
  toolCallSchema,
} from './schema.js';

export {
  type FireRecord,
  fireRecord,
  type HandlerRecord,
  type RecordedAnswer,
  type RecordedDecision,
  type RecordedPolicy,
  stampedFireRecord,
} from './fire-record.js';
export type { RecordCopy } from './record-copy.js';
export type {
  HandlerVerdict,
  RecordedFailure,
  RecordedKind,
  RecordedLoss,
  RecordedSource,
  UnstampedRecord,
} from './recorded.js';
export { isoAt, type Numbers, nextId } from './stamp.js';

/**
 * The records that subscribers get (docs/semantics.md 10). Field names are the wire's: the first three messages are the Claude Code client's own
 * `hook_started`, `hook_progress` and `hook_response` with our fields added; the others are ours.
 */
export type HookRecord =
  | HookStarted
  | HookProgress
  | HookResponse
  | FireRecord
  | ToolCallRecord
  | ControlProblemRecord
  | AlarmRecord;

/** The first fields of the three messages of one call. */
export interface RunMessage extends RecordOf<typeof runMessageSchema> {}

/** A handler was called. */
export interface HookStarted extends RecordOf<typeof startedSchema> {}

/**
 * Output while a handler runs. Each message holds only the **new piece** (the client's own repeats everything so far); joining
 * the pieces of one `hook_id` gives what the client would have sent.
 */
export interface HookProgress extends RecordOf<typeof progressSchema> {}

/** A call of a handler has ended. For a background run it is sent when that run ends. */
export interface HookResponse extends RecordOf<typeof responseSchema> {}

/** The other end of a control connection sent something invalid, or the connection to it failed. */
export interface ControlProblemRecord extends RecordOf<typeof controlProblemSchema> {}

/** A tool call that a session drove has ended: who let it run or blocked it, be it a hook, a rule or the user. */
export interface ToolCallRecord extends RecordOf<typeof toolCallSchema> {}

/** A tool call ran against the decision about it, without one, or for an agent whose scope was not open. */
export interface AlarmRecord extends RecordOf<typeof alarmSchema> {}

/** The hook and its fire: the fields that the three messages of one run share. */
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
  /** Frozen: records share it. */
  readonly source: RecordedSource;
  readonly statusMessage?: string | undefined;
  /** The program whose hook it is, if not this host's. */
  readonly origin?: string | undefined;
  readonly shadow?: boolean | undefined;
}

export interface OutputChunk {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** From `context.progress(text)`. */
  readonly text?: string | undefined;
}

export interface RunResult {
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  /** Both streams in the order of arrival; default: stderr, then stdout, as the client joins them. */
  readonly output?: string | undefined;
  readonly exitCode?: number | undefined;
  readonly durationMs: number;
  readonly decision?: HandlerVerdict | undefined;
  readonly would?: HandlerVerdict | undefined;
  readonly failure?: RecordedFailure | undefined;
}
