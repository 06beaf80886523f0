/** `hookscope/claude-code`: Claude Code's own hook files in a host of yours, and both ends of its control protocol. */
export { connectClaude } from './host/control/client.js';
export type { ClaudeClient, ClaudeInfo } from './host/control/client-info.js';
export type { ConnectOptions } from './host/control/client-options.js';
export type { ClaudeMessage, Prompt } from './host/control/conversation.js';
export type { CanUseTool, PermissionAsk, PermissionResult } from './host/control/permission.js';
export type { ControlProblemName } from './host/control/problem.js';
export type { ProgramEnd } from './host/control/process.js';
export { type CallbackMatcher, CallbackRegistry, matcherConfig } from './host/control/registry.js';
export {
  type CanUseToolCall,
  type ControlServer,
  type RequestHandler,
  type ServeOptions,
  serveControl,
} from './host/control/server.js';
export type { ControlAsk, WireMatcher } from './host/control/wire.js';
export {
  type LoadClaudeCodeOptions,
  type LoadedClaudeCode,
  type LoadedSource,
  loadClaudeCode,
} from './plugins/claude-dir.js';
export { CLAUDE_PLACES, type ClaudeFiles, type ClaudePlace } from './plugins/claude-files.js';
export type { AgentEntry, ClaudeSourceKind, PluginEntry } from './plugins/claude-source.js';
export type { Consent, ConsentSource, TrustRequest } from './plugins/consent.js';
export { type ClaudeProblem, formatProblem } from './plugins/findings.js';
export { type HeldFile, listHeld, type Trust } from './plugins/held.js';
export type { HookSettings } from './plugins/settings.js';
export { acceptTrust } from './plugins/trust-accept.js';
export { trustDiff } from './plugins/trust-diff.js';
export { createTrustStore, defaultTrustFile, type TrustStore } from './plugins/trust-store.js';
