import { isHookscopeError } from '../../errors.js';
import type { Failure } from '../../events/failure.js';
import type { TraceCarrier } from '../../values/trace-carrier.js';
import { messageOf, resultOf } from '../../values/waiting/promises.js';

/** One part of a tool's answer: a text, or other content (such as an image) that a hook cannot read. */
export interface McpContent {
  readonly type: string;
  readonly text?: string;
}

/** The answer of an MCP tool, as in the protocol. An answer of another shape is the failure `bad_schema`. */
export interface McpToolResult {
  /** Required unless `structuredContent` or `isError` is given. Empty: no opinion. */
  readonly content?: readonly McpContent[];
  /** The hook's output if `content` has no text. */
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  /** Set when the tool itself reports a failure. */
  readonly isError?: boolean;
}

/**
 * The host option `callTool`: calls a tool of an MCP server to which the harness is connected. It may return a string for a single
 * text, or `undefined` if no such server is connected. An error that it throws is the hook's failure.
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
  /** Sent in the request's `_meta`. */
  readonly trace?: TraceCarrier | undefined;
}

/** `result` is the tool's answer, not yet checked. */
export type ToolAnswer = { readonly result: unknown } | { readonly failure: Failure };

/** Calls tools for mcp_tool hooks: it asks the harness first, then the host's own servers. Never throws. */
export interface ToolCaller {
  /** Loads what a call to this server needs, before a deadline starts. */
  load(server: string): Promise<void>;
  call(call: McpCall): Promise<ToolAnswer>;
  /** Ends the servers that were started. Returns the names of those that did not end on request and were killed. */
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
        // An untrusted server is stricter than a failed one: the decision is at least `ask`.
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
