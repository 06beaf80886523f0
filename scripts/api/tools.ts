/**
 * Tool calls and permissions in a session.
 *
 * @module tools
 */
export type {
  AnswerFunction,
  BatchResult,
  ClassifierAnswer,
  DeniedBy,
  PermissionAnswer,
  PermissionCall,
  PermissionMode,
  PersonAnswer,
  ToolCall,
  ToolContext,
  ToolResult,
} from '../../src/index.js';
