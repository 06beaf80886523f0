import { exits } from '../events/handler-kinds.js';
import { deepFreeze } from '../values/copies/freeze.js';
import type {
  CallInfo,
  HookProgress,
  HookResponse,
  HookStarted,
  OutputChunk,
  RunMessage,
  RunResult,
} from './record.js';
import type { RecordedKind, RunOutcome, UnstampedRecord } from './recorded.js';
import { nextId, unstamped } from './stamp.js';

export function startedRecord(run: CallInfo, seq: number, time: string, hostId: string): HookStarted {
  const record: RecordDraft<HookStarted> = beginning(run, 'hook_started', seq, time, hostId);
  addOptional(record, run);
  if (run.statusMessage !== undefined) record.status_message = run.statusMessage;
  return record;
}

export function progressRecord(
  run: CallInfo,
  piece: OutputChunk,
  seq: number,
  time: string,
  hostId: string,
): HookProgress {
  const { stdout = '', stderr = '', text = '' } = piece;
  const record = beginning(run, 'hook_progress', seq, time, hostId) as RecordDraft<HookProgress>;
  record.stdout = stdout;
  record.stderr = stderr;
  record.output = stderr + stdout + text;
  addOptional(record, run);
  return record;
}

export function responseRecord(
  run: CallInfo,
  result: RunResult,
  seq: number,
  time: string,
  hostId: string,
): HookResponse {
  const { stdout = '', stderr = '', exitCode, decision, failure } = result;
  const record = beginning(run, 'hook_response', seq, time, hostId) as RecordDraft<HookResponse>;
  record.stdout = stdout;
  record.stderr = stderr;
  record.output = result.output ?? stderr + stdout;
  record.outcome = outcomeOf(run.handler, result);
  record.duration_ms = result.durationMs;
  addOptional(record, run);
  if (exitCode !== undefined) record.exit_code = exitCode;
  if (decision !== undefined) record.decision = decision;
  if (result.would !== undefined) record.would = result.would;
  if (failure !== undefined) record.failure = deepFreeze(failure);
  return record;
}

type RecordDraft<R> = { -readonly [K in keyof R]: R[K] };

/**
 * The fields that the three records have in common, with the stamp. Each record is this literal with fields assigned to it: every call
 * with subscribers builds two records, and a literal that begins with a spread would cost more than all the rest.
 */
function beginning<const Subtype extends string>(
  run: CallInfo,
  subtype: Subtype,
  seq: number,
  time: string,
  hostId: string,
) {
  return {
    seq,
    time,
    host_id: hostId,
    type: 'system' as const,
    subtype,
    hook_id: run.hookId,
    hook_name: run.hookName,
    hook_event: run.event,
    uuid: nextId(),
    session_id: run.sessionId,
    fire_id: run.fireId,
    scope: run.scope,
    handler: run.handler,
    handler_id: run.handlerId,
    name: run.name,
    source: run.source,
  };
}

function addOptional(record: RecordDraft<RunMessage>, run: CallInfo): void {
  if (run.toolUseId !== undefined) record.tool_use_id = run.toolUseId;
  if (run.agentId !== undefined) record.agent_id = run.agentId;
  if (run.plugin !== undefined) record.plugin = run.plugin;
  if (run.origin !== undefined) record.origin = run.origin;
  if (run.shadow) record.shadow = true;
}

export function hookStarted(run: CallInfo): UnstampedRecord<HookStarted> {
  return unstamped(startedRecord(run, 0, '', ''));
}

export function hookProgress(run: CallInfo, piece: OutputChunk): UnstampedRecord<HookProgress> {
  return unstamped(progressRecord(run, piece, 0, '', ''));
}

export function hookResponse(run: CallInfo, result: RunResult): UnstampedRecord<HookResponse> {
  return unstamped(responseRecord(run, result, 0, '', ''));
}

/** As the client names outcomes: an exit code other than 0 is an error even if it was intended (exit 2); a timeout is `cancelled`. */
function outcomeOf(handler: RecordedKind, result: RunResult): RunOutcome {
  const { failure, exitCode } = result;
  if (failure !== undefined) return failure.cause === 'timeout' || failure.cause === 'aborted' ? 'cancelled' : 'error';
  return exitCode !== undefined && exitCode !== 0 && exits(handler) ? 'error' : 'success';
}
