import { createRequire } from 'node:module';
import { checkOptions, wrongOption } from '../../values/options.js';
import { checks, isObject, oneOf, type Shape } from '../../values/shape.js';
import { TEXT, TEXTS_BY_NAME } from '../options.js';

/** A server that the host starts as a process and talks to over stdin and stdout. It inherits this process's environment. */
export interface McpStdioServer {
  readonly type?: 'stdio';
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Default: this process's directory. */
  readonly cwd?: string;
}

/** A server at a URL. `sse` is the older transport. */
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

/** Throws INVALID_OPTIONS for a wrong description of a server, and if the MCP package is not installed. */
export function checkMcpServers(servers: McpServers): void {
  for (const [name, server] of Object.entries(servers)) {
    const at = `mcpServers.${name}`;
    if (!isObject(server)) throw wrongOption(at, `expected ${checks.object.expected}`);
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
