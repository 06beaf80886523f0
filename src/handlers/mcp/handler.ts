import type { Handler, Reply } from '../handler.js';
import { runMcpTool } from './run.js';
import type { McpToolSpec } from './spec.js';
import type { ToolCaller } from './tool-caller.js';

/** Makes the handler that the host runs. */
export function mcpToolHandler(spec: McpToolSpec, tools: ToolCaller): Handler {
  return {
    kind: 'mcp_tool',
    name: spec.name ?? `${spec.server}/${spec.tool}`,
    load: () => tools.load(spec.server),
    run: (call): Promise<Reply> => runMcpTool(spec, tools, call),
  };
}
