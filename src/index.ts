export { createHost, type Host } from './create-host.js';
export { formatFire, formatRecord, type PrintOptions } from './emit/reading/print.js';
export type {
  AlarmRecord,
  ControlProblemRecord,
  FireRecord,
  HandlerRecord,
  HookProgress,
  HookRecord,
  HookResponse,
  HookStarted,
  RecordedAnswer,
  RecordedDecision,
  RecordedPolicy,
  ToolCallRecord,
} from './emit/record.js';
export type { RedactOptions } from './emit/redact/options.js';
export { createRedactor, type Redactor } from './emit/redact/redactor.js';
export { createSink, type RecordStream, type Sink, type SinkOptions } from './emit/sink.js';
export { type NdjsonOptions, ndjsonSink } from './emit/sinks/ndjson.js';
export type { Traced, TracedWork, Tracing } from './emit/tracing.js';
export { ERROR_CODES, type ErrorCode, HookscopeError } from './errors.js';
export {
  type AnyHookOutput,
  CATALOGUE,
  type CustomEvents,
  type EventName,
  EXIT_REASONS,
  eventName,
  type FireInput,
  HOOK_EVENTS,
  type HookEvent,
  type HookInput,
  type HookOutput,
} from './events/catalogue.js';
export type { EventOptions } from './events/define.js';
export type { Cause, OnFailure } from './events/failure.js';
export type { HandlerKind } from './events/handler-kinds.js';
export {
  addContext,
  allow,
  ask,
  block,
  combine,
  defer,
  deny,
  type HelperOutput,
  rewrite,
  stop,
} from './events/output/helpers.js';
export { defineEvent } from './events/own-event.js';
export type { BackgroundTask, HookValues, PermissionUpdate, SessionCron } from './events/received.js';
export type { EventDefinition, EventSpec, Fold, Verdict } from './events/spec.js';
export type { ToolInputs } from './events/tool-inputs.js';
export { type CommandOptions, type CommandSpec, command } from './handlers/command/spec.js';
export { type HttpOptions, type HttpSpec, http } from './handlers/http/spec.js';
export type { HandlerSpec } from './handlers/kinds.js';
export type { McpHttpServer, McpServers, McpStdioServer } from './handlers/mcp/server-options.js';
export { type McpToolOptions, type McpToolSpec, mcpTool } from './handlers/mcp/spec.js';
export type { CallTool, McpContent, McpToolResult } from './handlers/mcp/tool-caller.js';
export type { HookModel, ModelRequest, ModelVerdict } from './handlers/model/model.js';
export { type AgentSpec, agent, type PromptHookOptions, type PromptSpec, prompt } from './handlers/model/spec.js';
export { type RuleDecision, type RuleOptions, type RuleSpec, rule } from './handlers/rule/spec.js';
export type { HookAlarm } from './host/alarms/alarms.js';
export type { HookContext } from './host/call/context.js';
export type {
  BaseDecision,
  Conflict,
  DecisionFailure,
  EndedBy,
  FoldFields,
  HandlerOutcome,
} from './host/decide/decision.js';
export type { SessionFields } from './host/fire/input.js';
export type { FireOptions } from './host/fire-options.js';
export type { RawFire, RawHook } from './host/hooks.js';
export type { HostOptions } from './host/options.js';
export type {
  HookScope,
  NoOptions,
  OptionsReader,
  Plugin,
  PluginScope,
  PluginUndo,
  Registers,
  UseArguments,
  UseOptions,
} from './host/plugin-types.js';
export type { ExplainedHook, ExplainOptions, Explanation } from './host/tell/explain.js';
export type {
  AgentHooks,
  CallbackSpec,
  Decision,
  DescribedHook,
  Description,
  HookCallback,
  HookGroup,
  HookHandler,
  HookResult,
  Hooks,
  HostHandle,
  MadeHooks,
  OnOptions,
  RegisterOptions,
  SpawnedAgent,
  Undo,
  Wake,
} from './host/types.js';
export { filesOf } from './matching/files-of.js';
export {
  type ApplyConfigOptions,
  applyConfig,
  defineConfig,
  type HookscopeConfig,
  type PluginEntry,
} from './plugins/config.js';
export { type LoadedConfig, loadConfig } from './plugins/config-file.js';
export { definePlugin, type PluginDefinition } from './plugins/define.js';
export { loadHooksFile } from './plugins/hooks-file.js';
export { type LoadPluginOptions, loadPlugin } from './plugins/load.js';
export {
  type HooksProblem,
  type ValidatedOutput,
  type ValidateOptions,
  validateHooks,
  validateOutput,
} from './plugins/validate.js';
export type { Mode, Phase, Source } from './scopes/registration.js';
export type { SkipReason } from './scopes/skip.js';
export type { ScopeRef } from './scopes/tree.js';
export type {
  AnswerFunction,
  ClassifierAnswer,
  Effect,
  LoadedInstructions,
  McpServer,
  OwnFields,
  PermissionAnswer,
  PermissionCall,
  PermissionMode,
  PersonAnswer,
  PluginUse,
  SessionMessage,
  SessionOptions,
  SessionSettings,
  SpawnOptions,
} from './session/options.js';
export type { Closed } from './session/steps/close.js';
export type { CompactAnswer, CompactOptions } from './session/steps/compact.js';
export type { ElicitAnswer, ElicitOptions } from './session/steps/elicit.js';
export type { PromptAnswer, PromptCommand, PromptOptions } from './session/steps/prompt.js';
export type { StopAnswer } from './session/steps/stop.js';
export type { StopOptions } from './session/steps/stop-event.js';
export type { IdleAnswer, TaskAnswer } from './session/steps/team.js';
export type { ModelAnswer, ModelSwitch, NotifyAnswer } from './session/steps/turn.js';
export type { ConfigAnswer, WorktreeAnswer } from './session/steps/workspace.js';
export type { BatchResult } from './session/tool/batch.js';
export type { ToolCall, ToolContext, ToolResult } from './session/tool/call.js';
export type { Content, ContentBlock } from './session/tool/content.js';
export type { DeniedBy } from './session/tool/judgement.js';
export type { Session } from './session/types.js';
export { snapshot } from './values/copies/snapshot.js';
export type { TraceCarrier } from './values/trace-carrier.js';
