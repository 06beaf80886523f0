import type { ToolCall } from '../session/tool/call.js';

/** What the session should know of a tool beside its name: its effect, its MCP server, rules of its own. */
export type ToolHow = Pick<ToolCall, 'effect' | 'mcp' | 'permission' | 'ask' | 'classify'>;
