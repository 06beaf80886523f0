import { HookscopeError } from '../../errors.js';
import { messageOf } from '../../values/waiting/promises.js';
import type { McpAnswer, McpConnection } from './client.js';
import type { McpHttpServer, McpServers, McpStdioServer } from './server-options.js';
import type { McpCall, ToolAnswer, ToolServers } from './tool-caller.js';

/** Starts a server on its first call and keeps it. Starts it again after it has died or lost its session. */
export function createMcpServers(servers: McpServers): ToolServers {
  const open = new Map<string, Promise<McpConnection>>();
  /** The open connections and those that are still ending. */
  const running = new Set<Promise<McpConnection>>();
  const killed = new Set<string>();
  const closing = new AbortController();
  const load = () => import('./client.js');

  function connection(name: string): Promise<McpConnection> {
    if (closing.signal.aborted) return Promise.reject(new HookscopeError('CLOSED', {}));
    const known = open.get(name);
    if (known !== undefined) return known;
    const gone = (): void => {
      // The next call connects again.
      if (open.get(name) === connecting) open.delete(name);
      void end(connecting).then(() => running.delete(connecting));
    };
    const server = servers[name] as McpStdioServer | McpHttpServer;
    const onKill = (): void => {
      if (closing.signal.aborted) killed.add(`MCP server "${name}"`);
    };
    const connecting: Promise<McpConnection> = load().then(({ connect }) =>
      connect({ name, server, signal: closing.signal, gone, onKill }),
    );
    open.set(name, connecting);
    running.add(connecting);
    connecting.catch(gone);
    return connecting;
  }

  async function callOnce(call: McpCall): Promise<McpAnswer> {
    const connecting = connection(call.server);
    let connected: McpConnection;
    try {
      connected = await connecting;
    } catch (error) {
      const message = `MCP server "${call.server}" is not connected: ${messageOf(error)}`;
      return { failure: { cause: 'connection', message } };
    }
    const answer = await connected.call(call);
    if (answer.forgotten && open.get(call.server) === connecting) open.delete(call.server);
    return answer;
  }

  return {
    has: (server) => Object.hasOwn(servers, server),
    load: async () => void (await load()),
    async call(call: McpCall): Promise<ToolAnswer> {
      const answer = await callOnce(call);
      return answer.forgotten ? callOnce(call) : answer;
    },
    async close() {
      closing.abort();
      await Promise.all([...running].map(end));
      return [...killed];
    },
  };
}

/** Settles when the server and its processes are gone. Also ends a server to which connecting failed. */
async function end(connecting: Promise<McpConnection>): Promise<void> {
  await connecting.then((connected) => connected.close()).catch(() => undefined);
}
