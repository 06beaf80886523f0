import { put } from '../values/copies/put.js';
import { isObject, type Json } from '../values/shape.js';
import type { Loss } from './codec.js';
import { copyOf } from './path.js';
import type { AgentTable, Tool } from './table.js';

/** The original form of a call that was translated to our names. */
export interface ToolWas {
  tool_name?: string;
  /** Keys of the input that were given our names, theirs to ours. */
  renamed?: Record<string, string>;
  /** `file_path` is the only path in its patch. */
  path?: true;
}

/** Tool and keys under the names that Claude Code has for them. */
export function toolToOurs(table: AgentTable, input: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  const name = input['tool_name'];
  if (typeof name !== 'string') return;
  const tool = toolOf(table, name);
  if (tool === undefined) return;
  if (tool.ours !== name) {
    was.tool_name = name;
    input['tool_name'] = tool.ours;
  }
  const given = input['tool_input'];
  if (!isObject(given)) return;
  const call = renamed(given, tool.fields ?? {}, was);
  addPath(tool, call, was, losses);
  input['tool_input'] = call;
}

/** The way back, in place. */
export function toolToTheirs(table: AgentTable, input: Record<string, unknown>, was: ToolWas): void {
  const call = input['tool_input'];
  if (isObject(call)) input['tool_input'] = inputToTheirs(call, was);
  const tool = was.tool_name === undefined ? undefined : toolOf(table, was.tool_name);
  if (tool && isTool(tool, input['tool_name'])) input['tool_name'] = was.tool_name;
}

/** A tool's input, or another one in its place, under the agent's own names. */
export function inputToTheirs(call: Json, was: ToolWas): Json {
  const back = Object.fromEntries(Object.entries(was.renamed ?? {}).map(([theirs, ours]) => [ours, theirs]));
  const copy = copyOf(call);
  if (was.path === true) delete copy['file_path'];
  return renamed(copy, back, {});
}

const isTool = ({ ours, also = {} }: Tool, name: unknown): boolean =>
  name === ours || (typeof name === 'string' && Object.hasOwn(also, name));

function toolOf(table: AgentTable, name: string): Tool | undefined {
  if (Object.hasOwn(table.tools, name)) return table.tools[name];
  // A payload may have Claude's name and the agent's own keys.
  return Object.values(table.tools).find((tool) => tool.ours === name && tool.fields !== undefined);
}

/** Keeps the order of the keys; a name that is taken is not used again. */
export function renamed(call: Json, names: Readonly<Record<string, string>>, was: ToolWas): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(call)) {
    const other = Object.hasOwn(names, key) ? (names[key] as string) : undefined;
    const isFree = other !== undefined && !Object.hasOwn(call, other);
    put(copy, isFree ? other : key, call[key]);
    if (isFree) was.renamed = { ...was.renamed, [key]: other };
  }
  return copy;
}

const FILE = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm;

function addPath(tool: Tool, call: Record<string, unknown>, was: ToolWas, losses: Loss[]): void {
  const patch = tool.patch === undefined ? undefined : call[tool.patch];
  if (typeof patch !== 'string' || Object.hasOwn(call, 'file_path')) return;
  const files = new Set([...patch.matchAll(FILE)].map(([, file]) => (file as string).trim()));
  const [only] = files;
  if (files.size === 1 && only !== undefined) {
    call['file_path'] = only;
    was.path = true;
  } else
    losses.push({
      what: 'tool_input.file_path',
      why: `the patch names ${files.size} files; rules about a path ask their hook`,
    });
}
