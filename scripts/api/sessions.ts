/**
 * The session driver: it fires the right event at each step of an agent's loop.
 *
 * @module sessions
 */
export type {
  Closed,
  CompactAnswer,
  CompactOptions,
  ConfigAnswer,
  Content,
  ContentBlock,
  Effect,
  ElicitAnswer,
  ElicitOptions,
  IdleAnswer,
  LoadedInstructions,
  McpServer,
  ModelAnswer,
  ModelSwitch,
  NotifyAnswer,
  OwnFields,
  PluginUse,
  PromptAnswer,
  PromptCommand,
  PromptOptions,
  Session,
  SessionMessage,
  SessionOptions,
  SessionSettings,
  SpawnOptions,
  StopAnswer,
  StopOptions,
  TaskAnswer,
  WorktreeAnswer,
} from '../../src/index.js';
