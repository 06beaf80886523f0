import { createRequire } from 'node:module';
import { HookscopeError } from '../../errors.js';
import { messageOf } from '../message.js';
import { isObject, oneOf, rules, type Shape } from '../shape.js';
import type { Connection } from './mcp-client.js';
import { checkOptions, TEXT, TEXTS_BY_NAME, wrongOption } from './options.js';
import type { ToolAnswer, ToolCall, ToolServers } from './tool-caller.js';

/** A server that is started as a process and spoken to over its stdin and stdout. It inherits our environment. */
export interface McpStdioServer {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: the process's directory. */
  readonly cwd?: string;
}

/** A server at a URL. `sse` is the older of the two transports. */
export interface McpHttpServer {
  readonly type: 'http' | 'sse';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** MCP servers that the host connects to when a hook first calls them, and ends when it closes: `{ scanner: { command: 'npx', … } }`. */
export type McpServers = Readonly<Record<string, McpStdioServer | McpHttpServer>>;

const PACKAGE = '@modelcontextprotocol/sdk';

const STDIO: Shape = {
  type: oneOf('stdio'),
  command: TEXT,
  args: { expected: 'an array of strings', accepts: (v) => Array.isArray(v) && v.every((x) => typeof x === 'string') },
  env: TEXTS_BY_NAME,
  cwd: TEXT,
};
const HTTP: Shape = { type: oneOf('http', 'sse'), url: TEXT, headers: TEXTS_BY_NAME };

/** Throws INVALID_OPTIONS for a wrong description of a server, and where the package that speaks to servers is missing. */
export function checkMcpServers(servers: McpServers): void {
  for (const [name, server] of Object.entries(servers)) {
    const at = `mcpServers.${name}`;
    if (!isObject(server)) throw wrongOption(at, `expected ${rules.object.expected}`);
    const remote = server['type'] !== undefined && server['type'] !== 'stdio';
    checkOptions(`${at}.`, server, remote ? HTTP : STDIO);
    const needed = remote ? 'url' : 'command';
    if (server[needed] === undefined) throw wrongOption(`${at}.${needed}`, 'is missing');
  }
  if (Object.keys(servers).length > 0 && !installed())
    throw wrongOption('mcpServers', `needs the package ${PACKAGE}: npm install ${PACKAGE}`);
}

function installed(): boolean {
  try {
    createRequire(import.meta.url).resolve(`${PACKAGE}/client/index.js`);
    return true;
  } catch {
    return false;
  }
}

/** Starts a server when it is first called, keeps it, and starts it again after it has died. */
export function createMcpServers(servers: McpServers): ToolServers {
  const open = new Map<string, Promise<Connection>>();
  const closing = new AbortController();
  const load = () => import('./mcp-client.js');

  function connection(name: string): Promise<Connection> {
    if (closing.signal.aborted) return Promise.reject(new HookscopeError('CLOSED', {}));
    const known = open.get(name);
    if (known !== undefined) return known;
    // The next call has another try.
    const forget = (): void => {
      if (open.get(name) === connecting) open.delete(name);
    };
    const connecting: Promise<Connection> = load().then(({ connect }) =>
      connect(name, servers[name] as McpStdioServer | McpHttpServer, closing.signal, forget),
    );
    open.set(name, connecting);
    connecting.catch(forget);
    return connecting;
  }

  return {
    has: (server) => Object.hasOwn(servers, server),
    load: async () => void (await load()),
    async call(call: ToolCall): Promise<ToolAnswer> {
      let connected: Connection;
      try {
        connected = await connection(call.server);
      } catch (error) {
        const message = `MCP server "${call.server}" is not connected: ${messageOf(error)}`;
        return { failure: { cause: 'connection', message } };
      }
      return connected.call(call);
    },
    async close() {
      closing.abort();
      const all = [...open.values()];
      await Promise.all(all.map((c) => c.then((connected) => connected.close()).catch(() => undefined)));
    },
  };
}
