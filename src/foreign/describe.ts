import { dirname } from 'node:path';
import type { HookRuntime } from '../agents/running.js';
import type { AgentTable } from '../agents/table.js';
import type { HandlerDescription } from '../handlers/handler.js';
import { isObject, isText, type Json } from '../values/shape.js';
import { hookVariable } from '../values/user-folders.js';
import type { ForeignHook } from './parse.js';

/** A hook as one of our handlers, or why no handler of ours can do what it does. */
export type ConvertedHook = { readonly description: HandlerDescription } | { readonly unsupported: string };

/** The hook's file, and the kind of its place: `user`, `project` and so on. */
export interface HookPlace {
  readonly file: string;
  readonly place: string;
}

/** Translates an agent's hook to one of our handlers, as far as possible. */
export function describeForeign(table: AgentTable, { handler }: ForeignHook, where: HookPlace): ConvertedHook {
  const shared = { ...timeoutOf(table, handler), ...textAt(handler, 'statusMessage') };
  switch (handler['type']) {
    case 'command':
      return commandOf(table, handler, where, shared);
    case 'http':
      if (!isText(handler['url'])) return { unsupported: 'it has no "url"' };
      return {
        description: {
          type: 'http',
          url: handler['url'],
          ...shared,
          ...objectAt(handler, 'headers'),
          ...listAt(handler, 'allowedEnvVars'),
        },
      };
    case 'mcp_tool':
      if (!isText(handler['server']) || !isText(handler['tool']))
        return { unsupported: 'it has no "server" or "tool"' };
      return {
        description: {
          type: 'mcp_tool',
          server: handler['server'],
          tool: handler['tool'],
          ...shared,
          ...objectAt(handler, 'input'),
        },
      };
    case 'prompt':
      if (table.name !== 'cursor')
        return { unsupported: `${table.title} puts this prompt before its own model, and nobody here can` };
      if (!isText(handler['prompt'])) return { unsupported: 'it has no "prompt"' };
      return {
        description: {
          type: 'prompt',
          prompt: handler['prompt'],
          ...shared,
          continueOnBlock: true,
          ...textAt(handler, 'model'),
        },
      };
    default:
      return { unsupported: `no hook of the type "${String(handler['type'])}" runs here` };
  }
}

function commandOf(table: AgentTable, handler: Json, where: HookPlace, shared: Json): ConvertedHook {
  const found = programOf(table, handler, process.platform === 'win32');
  if (found === undefined) return { unsupported: `it has no command for ${process.platform}` };
  const env = variablesOf(handler['env']);
  // With `userFolder`, the user's hooks run in the folder of their file.
  const cwd = table.runs?.userFolder && where.place === 'user' ? dirname(where.file) : handler['cwd'];
  return {
    description: {
      type: 'command',
      ...found,
      ...shared,
      ...(isText(cwd) && cwd !== '' ? { cwd } : {}),
      ...(Object.keys(env).length > 0 ? { env } : {}),
      ...(table.runs?.background && handler['async'] === true ? { async: true } : {}),
    },
  };
}

type ProgramLine = { readonly command: string; readonly args?: readonly string[]; readonly shell?: string };

function programOf({ runs }: AgentTable, handler: Json, windows: boolean): ProgramLine | undefined {
  const { unix, windows: theirs, shell = {} } = (runs as HookRuntime).program;
  const key = (windows ? theirs : unix).find((name) => isText(handler[name]) && handler[name].trim() !== '');
  if (key === undefined) return undefined;
  const command = handler[key] as string;
  const { args } = handler;
  if (key === 'exec') return { command, args: Array.isArray(args) ? args.filter(isText) : [] };
  const reader = shell[key] === 'user' ? usersShell(windows) : shell[key];
  return reader === undefined ? { command } : { command, shell: reader };
}

/** The user's shell; an empty SHELL names none. */
function usersShell(windows: boolean): string | undefined {
  return windows ? undefined : process.env['SHELL'] || undefined;
}

/** The `env` of a hook. Its values may contain variables of the agent's environment, which are replaced here. */
function variablesOf(env: unknown): Record<string, string> {
  const texts = isObject(env) ? Object.entries(env).filter((one): one is [string, string] => isText(one[1])) : [];
  return Object.fromEntries(
    texts.map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced, plain) => hookVariable(braced ?? plain) ?? ''),
    ]),
  );
}

/** The time limit in seconds. */
export function timeoutOf({ files }: AgentTable, handler: Json): { timeout: number } {
  const { key, unit, usual } = files.timeout;
  const given = handler[key] ?? handler['timeout'];
  const value = typeof given === 'number' && given > 0 ? given : usual;
  return { timeout: unit === 'ms' ? value / 1000 : value };
}

const textAt = (handler: Json, key: string): Json =>
  isText(handler[key]) && handler[key] !== '' ? { [key]: handler[key] } : {};
const objectAt = (handler: Json, key: string): Json => (isObject(handler[key]) ? { [key]: handler[key] } : {});
const listAt = (handler: Json, key: string): Json =>
  Array.isArray(handler[key]) ? { [key]: handler[key].filter(isText) } : {};
