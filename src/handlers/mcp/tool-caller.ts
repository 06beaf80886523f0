import { isHookscopeError } from '../../errors.js';
import type { Failure } from '../../events/failure.js';
import type { TraceCarrier } from '../../values/trace-carrier.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';

/** A text answered by a tool, or other content (an image, say) that a hook cannot read. */
export interface McpContent {
  readonly type: string;
  readonly text?: string;
}

/** The answer of an MCP tool, as in the protocol. */
export interface McpToolResult {
  readonly content?: readonly McpContent[];
  /** The tool itself says that it failed. */
  readonly isError?: boolean;
}

/**
 * Calls a tool of an MCP server that the harness is connected to: the host option `callTool`. A string stands for one text;
 * `undefined`: no such server is connected. What it throws is the hook's failure.
 */
export type CallTool = (
  server: string,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  how: { readonly signal: AbortSignal },
) => Promise<McpToolResult | string | undefined> | McpToolResult | string | undefined;

/** One call of one tool. */
export interface McpCall {
  readonly server: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** Goes into the request's `_meta`. */
  readonly trace?: TraceCarrier | undefined;
}

export type ToolAnswer = { readonly result: McpToolResult } | { readonly failure: Failure };

/** Where mcp_tool hooks find their tools: the harness first, then the host's own servers. Never throws. */
export interface ToolCaller {
  /** Loads what calling this server needs, before a deadline starts. */
  load(server: string): Promise<void>;
  call(call: McpCall): Promise<ToolAnswer>;
  /** Ends the servers that were started. */
  close(): Promise<void>;
}

/** Servers that the host starts and ends itself. */
export interface ToolServers {
  has(server: string): boolean;
  load(): Promise<void>;
  call(call: McpCall): Promise<ToolAnswer>;
  close(): Promise<void>;
}

export function createToolCaller(callTool: CallTool | undefined, servers: ToolServers | undefined): ToolCaller {
  const ours = (server: string): ToolServers | undefined => (servers?.has(server) ? servers : undefined);
  return {
    load: async (server) => {
      if (!callTool) await ours(server)?.load();
    },
    async call(call) {
      try {
        const { server, tool, input, signal } = call;
        const given = await resultOf(() => callTool?.(server, tool, input, { signal }));
        if (given !== undefined) return { result: asResult(given as McpToolResult | string) };
      } catch (error) {
        // Not accepted is more than failed: it asks at least.
        if (isHookscopeError(error) && error.code === 'UNTRUSTED')
          return { failure: { cause: 'untrusted', message: error.message } };
        return { failure: { cause: 'threw', message: `callTool threw: ${messageOf(error)}` } };
      }
      return ours(call.server)?.call(call) ?? { failure: notConnected(call.server) };
    },
    close: async () => servers?.close(),
  };
}

const asResult = (given: McpToolResult | string): McpToolResult =>
  typeof given === 'string' ? { content: [{ type: 'text', text: given }] } : given;

function notConnected(server: string): Failure {
  const message = `MCP server "${server}" is not connected. Name it in the host option mcpServers, or give the host callTool.`;
  return { cause: 'connection', message };
}
