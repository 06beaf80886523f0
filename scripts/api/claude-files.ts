/**
 * Claude Code's own hook files, from `hookscope/claude-code`: what they say, and whether they may run.
 *
 * @module claude-files
 */

export type {
  AgentEntry,
  ClaudeFiles,
  ClaudePlace,
  ClaudeProblem,
  ClaudeSourceKind,
  Consent,
  ConsentSource,
  HeldFile,
  HookSettings,
  LoadClaudeCodeOptions,
  LoadedClaudeCode,
  LoadedSource,
  PluginFolder,
  Trust,
  TrustRequest,
  TrustStore,
} from '../../src/claude-code.js';
export {
  acceptTrust,
  CLAUDE_PLACES,
  createTrustStore,
  defaultTrustFile,
  formatProblem,
  listHeld,
  loadClaudeCode,
  trustDiff,
} from '../../src/claude-code.js';
