import type { Keys } from '../values/options.js';
import { checks, KEYED, type OptionCheck } from '../values/shape.js';
import type { HttpRules } from './http/rules.js';
import type { McpServers } from './mcp/server-options.js';
import { createMcpServers } from './mcp/servers.js';
import { type CallTool, createToolCaller, type ToolCaller } from './mcp/tool-caller.js';
import type { HookModel } from './model/model.js';
import { NAMES } from './options.js';

/** What a host provides to hooks that run outside its process. */
export interface ExternalHostOptions {
  /** Answers prompt and agent hooks. Without it they fail. */
  readonly model?: HookModel;
  /** Calls tools of MCP servers that the harness is connected to; asked before `mcpServers`. */
  readonly callTool?: CallTool;
  /** Servers that the host connects to itself when a hook first calls them, and ends when it closes. */
  readonly mcpServers?: McpServers;
  /** Patterns of URLs that http hooks may request, such as `https://hooks.example.com/*`. Default: any; an empty list: none. */
  readonly allowedHttpHookUrls?: readonly string[];
  /** Environment variables that http hooks may use in headers, if the hooks list them too. Default: any. */
  readonly httpHookAllowedEnvVars?: readonly string[];
  /** Whether http hooks may reach private networks; loopback is always allowed. Default false. */
  readonly httpHookPrivateAddresses?: boolean;
}

const URL_PATTERNS: OptionCheck = {
  expected: 'an array of URL patterns, such as "https://hooks.example.com/*"',
  accepts: (v) => NAMES.accepts(v) && (v as string[]).every((p) => p === '*' || p.includes('://')),
};

/** The check for each option. */
export const EXTERNAL_OPTIONS = {
  model: checks.fn,
  callTool: checks.fn,
  mcpServers: KEYED,
  allowedHttpHookUrls: URL_PATTERNS,
  httpHookAllowedEnvVars: NAMES,
  httpHookPrivateAddresses: checks.flag,
} satisfies Keys<ExternalHostOptions>;

/** `ExternalHostOptions`, prepared for handlers. */
export interface ExternalServices {
  readonly model: HookModel | undefined;
  readonly tools: ToolCaller;
  readonly http: HttpRules;
}

export function createExternalServices(options: ExternalHostOptions): ExternalServices {
  const { model, callTool, mcpServers, allowedHttpHookUrls, httpHookAllowedEnvVars } = options;
  return {
    model,
    tools: createToolCaller(callTool, mcpServers && createMcpServers(mcpServers)),
    http: {
      allowedUrls: allowedHttpHookUrls,
      allowedEnvVars: httpHookAllowedEnvVars,
      lookup: options.httpHookPrivateAddresses ? undefined : 'public',
    },
  };
}
