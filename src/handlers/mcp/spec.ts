import { checkOption, checkOptions } from '../../values/options.js';
import { BACKGROUND, type BackgroundOptions, DATA, type ExternalOptions, frozen, OUTSIDE, TEXT } from '../options.js';

/** Options of `mcpTool()`. All times are seconds. */
export interface McpToolOptions extends ExternalOptions, BackgroundOptions {}

export const MCP_TOOL = { ...OUTSIDE, ...BACKGROUND };

/** An MCP tool hook as plain frozen data, returned by `mcpTool()`. */
export interface McpToolSpec extends McpToolOptions {
  readonly type: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  readonly input?: Readonly<Record<string, unknown>>;
}

/**
 * A tool of an MCP server as a hook. `${path}` in any string of `input` is replaced by that field of the event, such as
 * `${tool_input.file_path}`. The text that the tool answers is read like a command's stdout. The server is one of the host
 * option `mcpServers`, or one that the host option `callTool` knows.
 *
 * ```ts
 * host.register({ PostToolUse: [{ hooks: [mcpTool('scanner', 'scan', { file: '${tool_input.file_path}' })] }] });
 * ```
 *
 * @throws HookscopeError INVALID_OPTIONS: an unknown option or one of the wrong type.
 */
export function mcpTool(
  server: string,
  tool: string,
  input?: Readonly<Record<string, unknown>>,
  options: McpToolOptions = {},
): McpToolSpec {
  checkOption('mcpTool(): server', server, TEXT);
  checkOption('mcpTool(): tool', tool, TEXT);
  if (input !== undefined) checkOption('mcpTool(): input', input, DATA);
  checkOptions('mcpTool(): ', options, MCP_TOOL);
  return Object.freeze({
    type: 'mcp_tool',
    server,
    tool,
    ...(input && { input: frozen(input) }),
    ...frozen(options),
  });
}
