/** `hookscope/claude-code`: Claude Code's own hook files in a host of yours, and both ends of its control protocol. */
export { connectClaude } from './claude-code/control/client/client.js';
export type { ClaudeMessage } from './claude-code/control/client/conversation.js';
export type { ClaudeClient, ClaudeInfo } from './claude-code/control/client/info.js';
export type { ConnectOptions } from './claude-code/control/client/options.js';
export type { CanUseTool, PermissionAsk, PermissionResult } from './claude-code/control/client/permission.js';
export type { ProgramEnd } from './claude-code/control/client/process.js';
export type { Prompt } from './claude-code/control/client/prompt.js';
export { type CallbackMatcher, CallbackRegistry, matcherConfig } from './claude-code/control/client/registry.js';
export type { ControlProblemName } from './claude-code/control/peer/problem.js';
export type { ControlAsk, WireMatcher } from './claude-code/control/peer/wire.js';
export {
  type CanUseToolCall,
  type ControlServer,
  type RequestHandler,
  type ServeOptions,
  serveControl,
} from './claude-code/control/server/server.js';
export { type ClaudeProblem, formatProblem } from './claude-code/files/findings.js';
export { CLAUDE_PLACES, type ClaudeFiles, type ClaudePlace } from './claude-code/files/places.js';
export type { HookSettings } from './claude-code/files/settings-keys.js';
export type { AgentEntry, ClaudeSourceKind, PluginFolder } from './claude-code/files/source.js';
export {
  type LoadClaudeCodeOptions,
  type LoadedClaudeCode,
  type LoadedSource,
  loadClaudeCode,
} from './claude-code/load.js';
export { type HeldFile, listHeld, type Trust } from './claude-code/trust/held.js';
export { acceptTrust } from './trust/accept.js';
export type { Consent, ConsentSource, TrustRequest } from './trust/consent.js';
export { trustDiff } from './trust/diff.js';
export { createTrustStore, defaultTrustFile, type TrustStore } from './trust/store.js';
