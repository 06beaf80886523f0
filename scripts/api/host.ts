/**
 * A host: it is created, given hooks, and fires events.
 *
 * @module host
 */

export type {
  ErrorCode,
  FireOptions,
  HookScope,
  Host,
  HostHandle,
  HostOptions,
  RawFire,
  RawHook,
  RegisterOptions,
  ScopeRef,
  Undo,
  Wake,
} from '../../src/index.js';
export { createHost, ERROR_CODES, HookscopeError } from '../../src/index.js';
