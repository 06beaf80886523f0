/**
 * Both ends of Claude Code's control protocol, from `hookscope/claude-code`.
 *
 * @module claude-control
 */

export type {
  CallbackMatcher,
  CanUseTool,
  CanUseToolCall,
  ClaudeClient,
  ClaudeInfo,
  ClaudeMessage,
  ConnectOptions,
  ControlAsk,
  ControlProblemName,
  ControlServer,
  PermissionAsk,
  PermissionResult,
  ProgramEnd,
  Prompt,
  RequestHandler,
  ServeOptions,
  WireMatcher,
} from '../../src/claude-code.js';
export { CallbackRegistry, connectClaude, matcherConfig, serveControl } from '../../src/claude-code.js';
