import type { ToolCall } from '../session/tool/call.js';

/** What the session is told about a tool besides its name: its effect, its MCP server, its own rules. */
export type ToolHow = Pick<ToolCall, 'effect' | 'mcp' | 'permission' | 'ask' | 'classify'>;
