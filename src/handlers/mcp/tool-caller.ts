import { isHookscopeError } from '../../errors.js';
import type { Failure } from '../../events/failure.js';
import type { TraceCarrier } from '../../values/trace-carrier.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';

/** A text answered by a tool, or other content (an image, say) that a hook cannot read. */
export interface McpContent {
  readonly type: string;
  readonly text?: string;
}

/** The answer of an MCP tool, as in the protocol. One that has another shape is a failure, `bad_schema`. */
export interface McpToolResult {
  /** Needed, but with `structuredContent` or `isError`. Empty: no opinion. */
  readonly content?: readonly McpContent[];
  /** The hook's output, where no text comes with it. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
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

/** What a tool answered is not looked at yet. */
export type ToolAnswer = { readonly result: unknown } | { readonly failure: Failure };

/** Where mcp_tool hooks find their tools: the harness first, then the host's own servers. Never throws. */
export interface ToolCaller {
  /** Loads what calling this server needs, before a deadline starts. */
  load(server: string): Promise<void>;
  call(call: McpCall): Promise<ToolAnswer>;
  /** Ends the servers that were started. Names those that did not end when they were told to, and were killed. */
  close(): Promise<readonly string[]>;
}

/** Servers that the host starts and ends itself. */
export interface ToolServers {
  has(server: string): boolean;
  load(): Promise<void>;
  call(call: McpCall): Promise<ToolAnswer>;
  close(): Promise<readonly string[]>;
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
        if (given !== undefined) return { result: given };
      } catch (error) {
        // Not accepted is more than failed: it asks at least.
        if (isHookscopeError(error) && error.code === 'UNTRUSTED')
          return { failure: { cause: 'untrusted', message: error.message } };
        return { failure: { cause: 'threw', message: `callTool threw: ${messageOf(error)}` } };
      }
      return ours(call.server)?.call(call) ?? { failure: notConnected(call.server) };
    },
    close: async () => (await servers?.close()) ?? [],
  };
}

function notConnected(server: string): Failure {
  const message = `MCP server "${server}" is not connected. Name it in the host option mcpServers, or give the host callTool.`;
  return { cause: 'connection', message };
}
