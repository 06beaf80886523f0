// MCP servers that live in the driver's own process: what is said to them goes over the control protocol (`mcp_message`).

/** @typedef {(request: any, how?: { signal: AbortSignal }) => Promise<any>} Request */

/**
 * Connects to them, and makes tools of theirs: `mcp__server__tool`. One that does not answer as it should is named as failed.
 * @param {unknown} names @param {Request} request
 */
export async function connectServers(names, request) {
  /** @type {Record<string, import('./tools.mjs').Tool>} */
  const tools = {};
  /** @type {{ name: string, status: string, error?: string }[]} */
  const servers = [];
  for (const name of Array.isArray(names) ? names : []) {
    try {
      for (const tool of await listTools(name, request)) {
        tools[`mcp__${name}__${tool.name}`] = toolOf(name, tool, request);
      }
      servers.push({ name, status: 'connected' });
    } catch (error) {
      servers.push({ name, status: 'failed', error: error instanceof Error ? error.message : String(error) });
    }
  }
  return { tools, servers };
}

/** Those of other programs: this agent starts none, and says so. */
export function unsupported(/** @type {unknown} */ config) {
  if (typeof config !== 'string') return [];
  const names = config.startsWith('{') ? Object.keys(JSON.parse(config).mcpServers ?? {}) : [config];
  return names.map((name) => ({ name, status: 'failed', error: 'This agent talks to servers in its driver alone.' }));
}

let asked = 0;

/** One message of JSON-RPC, and its result. */
async function say(
  /** @type {string} */ server_name,
  /** @type {string} */ method,
  /** @type {object} */ params,
  /** @type {Request} */ request,
) {
  const notification = method.startsWith('notifications/');
  const message = { jsonrpc: '2.0', method, params, ...(notification ? {} : { id: ++asked }) };
  const { mcp_response } = await request({ subtype: 'mcp_message', server_name, message });
  if (mcp_response?.error) throw new Error(mcp_response.error.message);
  return mcp_response?.result;
}

async function listTools(/** @type {string} */ server, /** @type {Request} */ request) {
  const clientInfo = { name: 'hookscope-agent', version: '0.1.0' };
  await say(server, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, request);
  await say(server, 'notifications/initialized', {}, request);
  /** @type {any[]} */
  const all = [];
  for (let cursor; ; ) {
    const page = await say(server, 'tools/list', cursor === undefined ? {} : { cursor }, request);
    all.push(...page.tools);
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
  }
}

/** @returns {import('./tools.mjs').Tool} */
function toolOf(
  /** @type {string} */ server,
  /** @type {any} */ { name, description = '', inputSchema, annotations },
  /** @type {Request} */ request,
) {
  return {
    effect: annotations?.readOnlyHint === true ? 'read' : 'other',
    description,
    input: {},
    schema: inputSchema,
    mcp: { name: server, source: 'sdk' },
    async run(input, _place, signal) {
      const ask = (/** @type {any} */ what) => request(what, { signal });
      const { content, isError } = await say(server, 'tools/call', { name, arguments: input }, ask);
      const text = content.map((/** @type {any} */ block) => block.text ?? JSON.stringify(block)).join('\n');
      if (isError) throw new Error(text);
      return text;
    },
  };
}
