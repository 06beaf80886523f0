import { HookscopeError } from '../../errors.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { McpConnection } from './client.js';
import type { McpHttpServer, McpServers, McpStdioServer } from './server-options.js';
import type { McpCall, ToolAnswer, ToolServers } from './tool-caller.js';

/** Starts a server when it is first called, keeps it, and starts it again after it has died. */
export function createMcpServers(servers: McpServers): ToolServers {
  const open = new Map<string, Promise<McpConnection>>();
  const closing = new AbortController();
  const load = () => import('./client.js');

  function connection(name: string): Promise<McpConnection> {
    if (closing.signal.aborted) return Promise.reject(new HookscopeError('CLOSED', {}));
    const known = open.get(name);
    if (known !== undefined) return known;
    // The next call has another try.
    const forget = (): void => {
      if (open.get(name) === connecting) open.delete(name);
    };
    const connecting: Promise<McpConnection> = load().then(({ connect }) =>
      connect(name, servers[name] as McpStdioServer | McpHttpServer, closing.signal, forget),
    );
    open.set(name, connecting);
    connecting.catch(forget);
    return connecting;
  }

  return {
    has: (server) => Object.hasOwn(servers, server),
    load: async () => void (await load()),
    async call(call: McpCall): Promise<ToolAnswer> {
      let connected: McpConnection;
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
