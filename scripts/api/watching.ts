/**
 * Records, sinks, alarms, and what would run.
 *
 * @module watching
 */

export type {
  AlarmRecord,
  ControlProblemRecord,
  DescribedHook,
  Description,
  ExplainedHook,
  ExplainOptions,
  Explanation,
  FireRecord,
  HandlerRecord,
  HookAlarm,
  HookProgress,
  HookRecord,
  HookResponse,
  HookStarted,
  MadeHooks,
  NdjsonOptions,
  PrintOptions,
  RecordedAnswer,
  RecordedDecision,
  RecordedPolicy,
  RecordStream,
  RedactOptions,
  Redactor,
  Sink,
  SinkOptions,
  SkipReason,
  Source,
  ToolCallRecord,
  TraceCarrier,
  Traced,
  TracedWork,
  Tracing,
} from '../../src/index.js';
export { createRedactor, createSink, formatFire, formatRecord, ndjsonSink } from '../../src/index.js';
