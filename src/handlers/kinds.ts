import { HookscopeError } from '../errors.js';
import { EXTERNAL_KINDS, type ExternalKind } from '../events/handler-kinds.js';
import type { EventSpec } from '../events/spec.js';
import { nearest } from '../values/nearest.js';
import type { Json } from '../values/shape.js';
import { commandHandler } from './command/handler.js';
import { COMMAND, type CommandContext, type CommandOptions, type CommandSpec, command } from './command/spec.js';
import type { ExternalServices } from './external.js';
import type { Handler } from './handler.js';
import { httpHandler } from './http/handler.js';
import { HTTP, type HttpOptions, type HttpSpec, http } from './http/spec.js';
import { mcpToolHandler } from './mcp/handler.js';
import { MCP_TOOL, type McpToolOptions, type McpToolSpec, mcpTool } from './mcp/spec.js';
import { promptHandler } from './model/handler.js';
import { type AgentSpec, agent, PROMPT, type PromptHookOptions, type PromptSpec, prompt } from './model/spec.js';
import { checkNames } from './options.js';
import { type RuleSpec, takesRules } from './rule/spec.js';

/** Every handler that is plain data, as `command()`, `http()` and the other makers return it. */
export type HandlerSpec = CommandSpec | HttpSpec | McpToolSpec | PromptSpec | AgentSpec | RuleSpec;

/** A handler made from its description, with the options that the registration reads. */
export interface BuiltHandler {
  readonly handler: Handler;
  readonly options: Readonly<Record<string, unknown>>;
}

/** What a description's source adds to its handlers. */
export interface HandlerContext extends CommandContext {
  /** Returns why no request may be sent to this URL, or undefined if one may. */
  readonly refuseUrl?: (url: string) => string | undefined;
}

type Needs = ExternalServices & { readonly source: HandlerContext };
type Maker<Kind extends ExternalKind> = (
  description: Json,
  needs: Needs,
) => { handler: Handler; spec: Extract<HandlerSpec, { type: Kind }> };

/** Makes the handler from its description, for each type. The casts are safe: the public makers refuse values of the wrong type. */
const HANDLER_MAKERS: { readonly [Kind in ExternalKind]: Maker<Kind> } = {
  command(description, { source }) {
    checkNames('command(): ', description, COMMAND, 'command');
    const { type: _, command: line, ...options } = description;
    const spec = command(line as string, options as CommandOptions);
    return { spec, handler: commandHandler(spec, source) };
  },
  http(description, { http: rules, source }) {
    checkNames('http(): ', description, HTTP, 'url');
    const { type: _, url, ...options } = description;
    const spec = http(url as string, options as HttpOptions);
    return { spec, handler: httpHandler(spec, { ...rules, refusal: source.refuseUrl?.(spec.url) }) };
  },
  mcp_tool(description, { tools }) {
    checkNames('mcpTool(): ', description, MCP_TOOL, 'server', 'tool', 'input');
    const { type: _, server, tool, input, ...options } = description;
    const spec = mcpTool(server as string, tool as string, input as Json | undefined, options as McpToolOptions);
    return { spec, handler: mcpToolHandler(spec, tools) };
  },
  prompt(description, { model }) {
    checkNames('prompt(): ', description, PROMPT, 'prompt');
    const { type: _, prompt: text, ...options } = description;
    const spec = prompt(text as string, options as PromptHookOptions);
    return { spec, handler: promptHandler(spec, model) };
  },
  agent(description, { model }) {
    checkNames('agent(): ', description, PROMPT, 'prompt');
    const { type: _, prompt: text, ...options } = description;
    const spec = agent(text as string, options as PromptHookOptions);
    return { spec, handler: promptHandler(spec, model) };
  },
};

/** The options that the registration reads; only the handler reads the others. */
const SHARED = [
  'timeout',
  'async',
  'asyncTimeout',
  'asyncRewake',
  'rewakeMessage',
  'rewakeSummary',
  'name',
  'if',
  'onFailure',
  'once',
  'statusMessage',
];

/** Makes the handler from its description. `known` are the allowed types. Throws INVALID_HOOKS with the place. */
export function handlerFor(
  description: Json,
  where: string,
  spec: EventSpec,
  external: ExternalServices,
  source: HandlerContext = {},
  known: readonly string[] = EXTERNAL_KINDS,
): BuiltHandler {
  const type = String(description['type']);
  const make =
    known.includes(type) && Object.hasOwn(HANDLER_MAKERS, type) ? HANDLER_MAKERS[type as ExternalKind] : undefined;
  if (!make) {
    const expected = `"${type}" is not a known handler type; there are ${known.join(', ')}`;
    throw new HookscopeError('INVALID_HOOKS', { where: `${where}.type`, expected, nearest: nearest(type, known) });
  }
  if (!(spec.types as readonly string[]).includes(type)) {
    const expected = `${spec.name} does not take "${type}" hooks; it takes ${takenBy(spec, known)}`;
    throw new HookscopeError('INVALID_HOOKS', { where: `${where}.type`, expected });
  }
  return inHooks(where, () => {
    const { handler, spec } = make(description, { ...external, source });
    return { handler, options: sharedOptions(spec) };
  });
}

/** The hook types that an event accepts. Where rules are known types, the hooks come from code and may be functions too. */
function takenBy(spec: EventSpec, known: readonly string[]): string {
  const isOurs = known.includes('rule');
  const types = spec.types.filter((type) => known.includes(type));
  return listed([...types, ...(isOurs && takesRules(spec) ? ['rule'] : []), ...(isOurs ? ['functions'] : [])]);
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;

/** Picks the options that the registration reads. */
export function sharedOptions(spec: object): BuiltHandler['options'] {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => SHARED.includes(key)));
}

/** Calls `make` and turns its INVALID_OPTIONS into INVALID_HOOKS with the place among the hooks. */
export function inHooks<T>(where: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof HookscopeError) || error.code !== 'INVALID_OPTIONS') throw error;
    const {
      where: option,
      expected,
      nearest: near,
    } = error.details as { where: string; expected: string; nearest?: string };
    throw new HookscopeError(
      'INVALID_HOOKS',
      { where: `${where}: ${option}`, expected, nearest: near },
      { cause: error },
    );
  }
}
