/**
 * Hooks that run outside the program: commands, requests, MCP tools, questions to a model.
 *
 * @module handlers
 */

export type {
  AgentSpec,
  CallTool,
  CommandOptions,
  CommandSpec,
  HandlerSpec,
  HookModel,
  HttpOptions,
  HttpSpec,
  McpContent,
  McpHttpServer,
  McpServers,
  McpStdioServer,
  McpToolOptions,
  McpToolResult,
  McpToolSpec,
  ModelRequest,
  ModelVerdict,
  PromptHookOptions,
  PromptSpec,
  RuleDecision,
  RuleOptions,
  RuleSpec,
} from '../../src/index.js';
export { agent, command, http, mcpTool, prompt, rule } from '../../src/index.js';
