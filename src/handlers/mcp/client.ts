import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport, StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import type { Cause } from '../../events/failure.js';
import { unlessAborted } from '../../values/waiting/abort.js';
import { messageOf } from '../../values/waiting/promises.js';
import { LONGEST_TIMER } from '../../values/waiting/timer.js';
import { limitedFetch } from './limited-fetch.js';
import type { McpHttpServer, McpStdioServer } from './server-options.js';
import { StdioTransport } from './stdio.js';
import type { McpCall, ToolAnswer } from './tool-caller.js';

/** Milliseconds that connecting to a server may take. */
const CONNECT = 30_000;
/** The most bytes of one message. A text may be several times as long in JSON, and images may come with it. */
const LIMIT = 4 * 1024 * 1024;

/** `forgotten`: the server no longer knows this session. It has not run the tool and needs a new connection. */
export type McpAnswer = ToolAnswer & { readonly forgotten?: true };

/** A connected server. */
export interface McpConnection {
  call(call: McpCall): Promise<McpAnswer>;
  close(): Promise<void>;
}

export interface McpConnectOptions {
  readonly name: string;
  readonly server: McpStdioServer | McpHttpServer;
  readonly signal: AbortSignal;
  /** Called when the connection has ended or is ending. */
  readonly gone: () => void;
  /** Called when the server does not end on request and is killed. */
  readonly onKill: () => void;
}

/** Connects to a server. Rejects with the server's last output if it does not answer. */
export async function connect({ name, server, signal, gone, onKill }: McpConnectOptions): Promise<McpConnection> {
  const client = new Client({ name: 'hookscope', version: '1' });
  let ended: ConnectionEnd = false;
  let closing: Promise<void> | undefined;
  // Only once: each close() of an SDK transport reports an end, and every reported end closes again.
  const close = (): Promise<void> => {
    closing ??= transport.close();
    return closing;
  };
  const onTooLarge = (): void => {
    ended = 'too_large';
    void close();
  };
  client.onclose = () => {
    ended ||= 'connection';
    gone();
  };
  const transport = transportTo(server, { limit: LIMIT, onTooLarge, onKill });
  try {
    // The SDK's SSE transport has neither a timeout nor a signal while it waits for the server's endpoint. Two nested waits, because
    // in Node 20 a signal from AbortSignal.any() may be garbage collected before its timeout.
    const late = AbortSignal.timeout(CONNECT);
    const connecting = () => client.connect(transport, { timeout: CONNECT, signal });
    const met = await unlessAborted(signal, () => unlessAborted(late, connecting));
    if (met?.value === undefined) throw new Error('it did not answer in time');
  } catch (error) {
    await close();
    const said = transport instanceof StdioTransport ? transport.words() : '';
    throw new Error(`${reasonOf(error)}${said === '' ? '' : `; it said: ${said}`}`, { cause: error });
  }
  let calls = 0;
  let forgotten = false;
  return {
    async call(call) {
      calls += 1;
      try {
        return { result: await callTool(client, call) };
      } catch (error) {
        const { cause, message } = failureOf(error, ended);
        const failure = { cause, message: `MCP server "${name}", tool "${call.tool}": ${message}` };
        if (!isForgotten(error, transport)) return { failure };
        forgotten = true;
        return { failure, forgotten };
      } finally {
        calls -= 1;
        // Not while other calls wait: they may also fail as forgotten and have to be sent again.
        if (forgotten && calls === 0) void close();
      }
    },
    close,
  };
}

type ConnectionEnd = false | 'too_large' | 'connection';

function transportTo(
  server: McpStdioServer | McpHttpServer,
  options: ConstructorParameters<typeof StdioTransport>[1],
): Transport {
  if ('command' in server) return new StdioTransport(server, options);
  const url = new URL(server.url);
  const how = { requestInit: { headers: { ...server.headers } }, fetch: limitedFetch(options) };
  // The SDK's own types do not match under exactOptionalPropertyTypes: the session id may be undefined.
  if (server.type === 'sse') return new SSEClientTransport(url, how);
  return new StreamableHTTPClientTransport(url, how) as Transport;
}

/** For an unknown session the protocol prescribes 404; many servers answer 400. */
function isForgotten(error: unknown, { sessionId }: Transport): boolean {
  return error instanceof StreamableHTTPError && sessionId !== undefined && (error.code === 404 || error.code === 400);
}

/** Calls the tool without checking the result: `readToolResult` does that for all answers. */
async function callTool(client: Client, { tool, input, signal, trace }: McpCall): Promise<unknown> {
  const params = { name: tool, arguments: { ...input }, ...(trace && { _meta: { ...trace } }) };
  // The hook sets the deadline, through its signal.
  return client.request({ method: 'tools/call', params }, z.unknown(), { signal, timeout: LONGEST_TIMER });
}

function failureOf(error: unknown, ended: ConnectionEnd): { cause: Cause; message: string } {
  if (ended === 'too_large') return { cause: 'too_large', message: `it sent a message of more than ${LIMIT} bytes.` };
  if (ended !== false) return { cause: 'connection', message: reasonOf(error) };
  // The server's own error, whatever its code.
  if (error instanceof McpError) return { cause: 'threw', message: messageOf(error) };
  return { cause: isNoMessage(error) ? 'bad_schema' : 'connection', message: reasonOf(error) };
}

function reasonOf(error: unknown): string {
  return isNoMessage(error) ? 'it answered what is no message of the protocol.' : messageOf(error);
}

/** Whether the answer was no valid message. Tested by name, because the SDK has its own copy of zod. */
function isNoMessage(error: unknown): boolean {
  return error instanceof SyntaxError || (error instanceof Error && error.name.endsWith('ZodError'));
}
