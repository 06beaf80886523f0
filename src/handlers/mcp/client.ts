import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CallToolResultSchema, ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { ending } from '../../emit/redact/part.js';
import { messageOf } from '../../values/waiting/promises.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import type { McpHttpServer, McpStdioServer } from './server-options.js';
import type { McpCall, McpToolResult, ToolAnswer } from './tool-caller.js';

/** Milliseconds until a server must have answered the first message. */
const CONNECT = 30_000;
/** Characters of a server's last words that an error repeats. */
const TAIL = 500;

/** A server that has answered. */
export interface McpConnection {
  call(call: McpCall): Promise<ToolAnswer>;
  close(): Promise<void>;
}

/** Connects to a server. Rejects with the server's last output if it does not answer; `gone` is called when it ends. */
export async function connect(
  name: string,
  server: McpStdioServer | McpHttpServer,
  signal: AbortSignal,
  gone: () => void,
): Promise<McpConnection> {
  const client = new Client({ name: 'hookscope', version: '1' });
  const transport = transportTo(server);
  const words = listen(transport);
  client.onclose = gone;
  try {
    await client.connect(transport, { timeout: CONNECT, signal });
  } catch (error) {
    await client.close();
    const said = words();
    throw new Error(`${messageOf(error)}${said === '' ? '' : `; it said: ${said}`}`, { cause: error });
  }
  return {
    call: (call) => callTool(client, name, call),
    close: () => client.close(),
  };
}

function transportTo(server: McpStdioServer | McpHttpServer): Transport {
  if ('command' in server) {
    const { command, args = [], env, cwd } = server;
    return new StdioClientTransport({
      command,
      args: [...args],
      env: { ...inherited(), ...env },
      stderr: 'pipe',
      ...(cwd === undefined ? {} : { cwd }),
    });
  }
  const url = new URL(server.url);
  const options = { requestInit: { headers: { ...server.headers } } };
  // The SDK's own types do not agree under exactOptionalPropertyTypes: its session id may be undefined.
  if (server.type === 'sse') return new SSEClientTransport(url, options);
  return new StreamableHTTPClientTransport(url, options) as Transport;
}

function inherited(): Record<string, string> {
  const set = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set);
}

/** Reads a process's stderr, so that it never waits for a reader; returns the last of it. */
function listen(transport: Transport): () => string {
  let tail = '';
  if (transport instanceof StdioClientTransport) {
    transport.stderr?.on('data', (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-2 * TAIL);
    });
  }
  return () => ending(tail, TAIL).trim();
}

async function callTool(client: Client, name: string, { tool, input, signal, trace }: McpCall): Promise<ToolAnswer> {
  try {
    const params = { name: tool, arguments: { ...input }, ...(trace && { _meta: { ...trace } }) };
    // The deadline is the hook's, and comes by its signal.
    const result = await client.callTool(params, CallToolResultSchema, { signal, timeout: LONGEST_TIMER });
    return { result: result as McpToolResult };
  } catch (error) {
    const gone = error instanceof McpError ? error.code === ErrorCode.ConnectionClosed : !signal.aborted;
    const message = `MCP server "${name}", tool "${tool}": ${messageOf(error)}`;
    return { failure: { cause: gone ? 'connection' : 'threw', message } };
  }
}
