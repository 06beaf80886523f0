/** `hookscope/claude-code`: Claude Code's own hook files in a host of yours. */
export {
  type LoadClaudeCodeOptions,
  type LoadedClaudeCode,
  type LoadedSource,
  loadClaudeCode,
} from './plugins/claude-dir.js';
export { CLAUDE_PLACES, type ClaudeFiles, type ClaudePlace } from './plugins/claude-files.js';
export type { AgentEntry, ClaudeSourceKind, PluginEntry } from './plugins/claude-source.js';
export { type ClaudeProblem, formatProblem } from './plugins/findings.js';
export { type HeldFile, listHeld, type Trust } from './plugins/held.js';
export type { HookSettings } from './plugins/settings.js';
export { acceptTrust, type TrustRequest } from './plugins/trust.js';
export { trustDiff } from './plugins/trust-diff.js';
export { type Consent, createTrustStore, defaultTrustFile, type TrustStore } from './plugins/trust-store.js';
