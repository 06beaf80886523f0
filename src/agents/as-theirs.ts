import { isObject, type Json } from '../values/shape.js';
import { payloadOf } from './decode.js';
import { copyOf } from './path.js';
import type { AgentTable, EventRow, ToolRow } from './table.js';
import { addMcp, mcpToTheirs } from './tools/mcp.js';
import { renamed, type ToolWas, toolToOurs } from './tools/tools.js';

/** Whether the hook's matcher accepts this tool name. */
export type ToolNameTest = (name: string) => boolean;

/**
 * The payload that a hook of the agent gets on standard input for one of our events. An event that came from this agent gets its original payload back;
 * for any other, the payload is built from the agent's table. If the agent has several tools for ours, the first that the matcher accepts is named.
 */
export function payloadFor(table: AgentTable, row: EventRow, input: Json, isMeant: ToolNameTest = () => true): Json {
  const given = copyOf(input);
  // The host sets an empty path if it does not know the transcript.
  if (given['transcript_path'] === '') delete given['transcript_path'];
  if (isFrom(table, row, input)) return payloadOf(table, row.name, given);
  // In another agent's payload, only our own fields are known here.
  delete given['via'];
  given['hook_event_name'] = row.ours;
  const payload = given['tool_name'] === undefined ? undefined : toolVia(table, row, given, isMeant);
  if (row.ours === 'PostToolUse' && given['tool_response'] !== undefined)
    given['tool_response'] = responseFor(table, given['tool_response']);
  for (const [name, value] of Object.entries(table.runs?.adds ?? {}))
    given[name] ??= value === 'now' ? new Date().toISOString() : value;
  const told = payloadOf(table, row.name, payload === undefined ? given : { ...given, via: payload });
  return row.fills?.['tool_name'] === undefined ? told : withoutFills(row, told);
}

/** On an event about a single tool, the payload has neither the tool's name nor the other fields that `decode` fills in. */
function withoutFills({ fills = {} }: EventRow, payload: Json): Json {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !Object.hasOwn(fills, key)));
}

/** Whether an event came from that agent under that name, so that its payload is known. */
function isFrom({ name: agent }: AgentTable, { name }: EventRow, { via }: Json): boolean {
  return isObject(via) && via['agent'] === agent && via['event'] === name;
}

/** The agent's own name of the event; undefined if the event did not come from this agent. */
export const eventFrom = ({ name }: AgentTable, { via }: Json): unknown =>
  isObject(via) && via['agent'] === name ? via['event'] : undefined;

/** The tool names that a matcher with this text is compared with: the agent's own names for the call's tool, where its hooks get them. */
export function toolNamesFor(table: AgentTable, row: EventRow, input: Json, matcher?: string): string[] {
  const name = input['tool_name'];
  if (typeof name !== 'string') return [];
  if (isFrom(table, row, input)) {
    const { tool_name: was } = input['via'] as ToolWas;
    return [was ?? name];
  }
  const mcp = mcpToTheirs(table, row, name, matcher);
  if (mcp.length > 0) return mcp;
  const own = ownTools(table, row, name);
  const isKnown = own.some(({ tool }) => tool.ours === name);
  // A tool that the agent does not have is known by our name only.
  return [...new Set([...own.map((one) => one.name), ...(isKnown ? [] : [name])])];
}

/** Whether hooks on this event get the agent's own tool names. Where they do not, the payload keeps Claude Code's names. */
export const renamesTools = ({ events }: AgentTable, { matches }: Pick<EventRow, 'matches'>): boolean =>
  matches === 'own' || !events.some((row) => row.matches === 'own');

/** The tool's name in a payload that uses Claude Code's names. */
export const claudeName = ({ ours, meant }: ToolRow): string => meant ?? ours;

/** A tool of the agent, with the names of its input fields for one of our tools. */
interface OwnTool {
  /** The name in the payload. */
  readonly name: string;
  readonly tool: ToolRow;
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/** The agent's tools that correspond to one of ours. The input has the agent's fields even where the payload keeps Claude Code's tool name. */
function ownTools(table: AgentTable, row: EventRow, name: string): OwnTool[] {
  const renames = renamesTools(table, row);
  const all = Object.entries(table.tools)
    .filter(([, { oneWay }]) => !oneWay)
    .map(([own, tool]) => ({ name: renames ? own : claudeName(tool), tool }));
  const same = all.filter(({ tool }) => tool.ours === name).map((one) => ({ ...one, fields: one.tool.fields }));
  if (same.length > 0) return same;
  return all.flatMap((one) => {
    const { also = {} } = one.tool;
    if (!Object.hasOwn(also, name)) return [];
    return [{ ...one, fields: also[name] }];
  });
}

/** The `via` that `decode` would have recorded for this call had it come from this agent, under the first tool name that the matcher accepts. */
function toolVia(table: AgentTable, row: EventRow, given: Record<string, unknown>, isMeant: ToolNameTest) {
  const mcp = mcpToTheirs(table, row, given['tool_name'] as string);
  if (mcp.length > 0) {
    addMcp(table, given);
    return { tool_name: mcp.find(isMeant) ?? mcp[0] };
  }
  const all = ownTools(table, row, given['tool_name'] as string);
  const own = all.find((one) => isMeant(one.name)) ?? all[0];
  if (own === undefined) return undefined;
  const { name, tool, fields } = own;
  if (!renamesTools(table, row)) given['tool_name'] = name;
  const call = given['tool_input'];
  if (tool.patch !== undefined) {
    if (isObject(call) && typeof call[tool.patch] !== 'string') given['tool_input'] = { [tool.patch]: patchOf(call) };
    return { tool_name: name };
  }
  return { tool_name: name, ...(fields && { renamed: { ...fields } }) } satisfies ToolWas;
}

/** Edits as an equivalent patch. */
function patchOf(call: Json): string {
  const path = String(call['file_path'] ?? call['notebook_path']);
  const { content, edits } = call;
  const all: readonly unknown[] = Array.isArray(edits) ? edits : [call];
  const body =
    content === undefined
      ? [`*** Update File: ${path}`, ...all.flatMap((edit) => (isObject(edit) ? hunkOf(edit) : []))]
      : [`*** Add File: ${path}`, ...marked('+', content)];
  return ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n');
}

const hunkOf = ({ old_string: before, new_string: after, new_source: cell }: Json): string[] => [
  '@@',
  ...marked('-', before),
  ...marked('+', after ?? cell),
];

const marked = (mark: string, text: unknown): string[] =>
  typeof text === 'string' && text !== '' ? text.split('\n').map((line) => mark + line) : [];

/** A hook's rewritten input, with the agent's names translated to the names that the call uses here. */
export function inputToOurs(table: AgentTable, row: EventRow, input: Json, theirs: Json): Json {
  const own = isFrom(table, row, input) ? undefined : ownTools(table, row, String(input['tool_name']))[0];
  if (own) return renamed(theirs, own.fields ?? {});
  const call: Record<string, unknown> = { tool_name: toolNamesFor(table, row, input)[0], tool_input: theirs };
  toolToOurs(table, row, call, {}, []);
  return call['tool_input'] as Json;
}

/** Whether a rewritten input cannot be translated back: the agent has a patch tool where ours takes single edits. */
export function isPatched(table: AgentTable, row: EventRow, input: Json): boolean {
  if (isFrom(table, row, input)) return false;
  return ownTools(table, row, String(input['tool_name'])).some(({ tool }) => tool.patch !== undefined);
}

function responseFor({ textKey, runs }: AgentTable, response: unknown): unknown {
  if (!runs?.textResponse) return response;
  if (textKey !== undefined && isObject(response) && textKey in response) return response;
  const text = textIn(response);
  return textKey === undefined ? text : { [textKey]: text, returnDisplay: text };
}

function textIn(response: unknown): string {
  if (typeof response === 'string') return response;
  const parts = isObject(response) ? [response['stdout'], response['stderr']] : [];
  const found = parts.filter((part) => typeof part === 'string' && part !== '');
  return found.length > 0 ? found.join('\n') : (JSON.stringify(response) ?? '');
}
