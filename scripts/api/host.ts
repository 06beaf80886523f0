/**
 * A host: it is created, given hooks, and fires events.
 *
 * @module host
 */

export type {
  AgentHooks,
  ErrorCode,
  FireOptions,
  HookScope,
  Host,
  HostHandle,
  HostOptions,
  OnOptions,
  RawFire,
  RawHook,
  RegisterOptions,
  Registers,
  ScopeRef,
  SessionFields,
  SpawnedAgent,
  Undo,
  Wake,
} from '../../src/index.js';
export { createHost, ERROR_CODES, HookscopeError } from '../../src/index.js';
