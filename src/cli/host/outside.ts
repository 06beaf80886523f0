import { resolve } from 'node:path';
import { type JudgedServers, judgeMcpServers } from '../../claude-code/trust/mcp-servers.js';
import type { Host } from '../../create-host.js';
import { HookscopeError } from '../../errors.js';
import { MODEL_KINDS } from '../../events/handler-kinds.js';
import type { ExternalHostOptions } from '../../handlers/external.js';
import type { HookModel } from '../../handlers/model/model.js';
import type { Description } from '../../host/types.js';
import { wrongOption } from '../../values/options.js';
import { homeFolder } from '../../values/user-folders.js';
import type { Flags } from '../options.js';
import type { ClaudeFlags } from './claude-flags.js';

/** Options for hooks that need a model or an MCP server. */
export type OutsideFlags = ClaudeFlags & Flags<'model'>;

/** The named model, with key and address from this process's environment alone. Throws INVALID_OPTIONS. */
export async function modelOf({ model }: OutsideFlags): Promise<HookModel | undefined> {
  if (model === undefined) return undefined;
  const wrong = (expected: string): HookscopeError => wrongOption('--model', expected);
  const [, name] = /^anthropic:(\S+)$/.exec(model) ?? [];
  if (name === undefined) throw wrong(`expected anthropic:NAME, as in anthropic:claude-haiku-4-5, got "${model}"`);
  const { ANTHROPIC_API_KEY: key, ANTHROPIC_AUTH_TOKEN: token } = process.env;
  if (!key && !token) throw wrong('it needs a key in the environment: ANTHROPIC_API_KEY');
  const { anthropicModel } = await import('../../adapters/anthropic.js');
  return anthropicModel({ model: name });
}

/** The MCP servers of this project and of the user. Nothing is started before a hook calls it. */
export function serversOf({ claudeCode, settings = [], trust }: OutsideFlags): JudgedServers {
  const projectDir = resolve(typeof claudeCode === 'string' ? claudeCode : '.');
  const places = { projectDir, home: homeFolder(), settings, user: claudeCode !== undefined };
  return judgeMcpServers(places, trust === 'all' ? 'all' : undefined);
}

/** The host's options for model and MCP servers. A configuration's servers win over those of files; `--model` wins over its model. */
export function outsideOptions(
  own: ExternalHostOptions,
  model: HookModel | undefined,
  { servers, refused }: JudgedServers,
): ExternalHostOptions {
  const mcpServers = { ...servers, ...own.mcpServers };
  const given = model ?? own.model;
  return {
    ...(given ? { model: given } : {}),
    ...(Object.keys(mcpServers).length > 0 ? { mcpServers } : {}),
    ...(refused.size > 0 || own.callTool
      ? {
          callTool: (server, tool, input, how) => {
            const why = Object.hasOwn(mcpServers, server) ? undefined : refused.get(server);
            if (why !== undefined)
              throw new HookscopeError('UNTRUSTED', {
                file: `MCP server "${server}"`,
                why,
                remedy: 'See hookscope trust',
              });
            return own.callTool?.(server, tool, input, how);
          },
        }
      : {}),
  };
}

/** Why some of the host's hooks cannot run as they are registered. */
export function whatCannotRun(
  host: Host,
  options: ExternalHostOptions,
  { held, problems, servers }: JudgedServers,
): string[] {
  const kinds = new Set(kindsOf(host.describe()));
  const models = MODEL_KINDS.filter((kind) => kinds.has(kind));
  const without =
    models.length > 0 && !options.model
      ? [`${models.join(' and ')} hooks cannot run: there is no model to ask; name one with --model anthropic:NAME`]
      : [];
  if (!kinds.has('mcp_tool')) return without;
  const none =
    Object.keys({ ...servers, ...options.mcpServers }).length === 0 && held.length === 0 && !options.callTool;
  return [
    ...without,
    ...held.map(({ why }) => `mcp_tool hooks cannot run: ${why}`),
    ...problems,
    ...(none ? ['mcp_tool hooks cannot run: no MCP server is known here; .mcp.json names them'] : []),
  ];
}

function kindsOf({ hooks, children }: Description): string[] {
  return [...hooks.map(({ handler }) => handler as string), ...children.flatMap(kindsOf)];
}
