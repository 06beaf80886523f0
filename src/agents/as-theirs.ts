import { isObject, type Json } from '../values/shape.js';
import { payloadOf } from './decode.js';
import { copyOf } from './path.js';
import type { AgentTable, EventRow } from './table.js';
import { type ToolWas, toolToOurs } from './tools.js';

/** What a hook of the agent gets on standard input for an event of ours, as far as the agent's table says: its very own payload, where the event came from that agent. */
export function payloadFor(table: AgentTable, row: EventRow, input: Json): Json {
  const given = copyOf(input);
  // The host fills this in where it is unknown.
  if (given['transcript_path'] === '') delete given['transcript_path'];
  if (isFrom(table, row, input)) return payloadOf(table, row.name, given);
  // In another agent's payload, only our own fields are known here.
  delete given['via'];
  given['hook_event_name'] = row.ours;
  const payload = given['tool_name'] === undefined ? undefined : toolVia(table, row, given);
  if (row.ours === 'PostToolUse' && given['tool_response'] !== undefined)
    given['tool_response'] = responseFor(table, given['tool_response']);
  for (const [name, value] of Object.entries(table.runs?.adds ?? {}))
    given[name] ??= value === 'now' ? new Date().toISOString() : value;
  return payloadOf(table, row.name, payload === undefined ? given : { ...given, via: payload });
}

/** Whether an event came from that agent under that name, so that its payload is known. */
function isFrom({ name: agent }: AgentTable, { name }: EventRow, { via }: Json): boolean {
  return isObject(via) && via['agent'] === agent && via['event'] === name;
}

/** The agent's own name that an event came under; undefined: it came from another one, or from none. */
export const eventFrom = ({ name }: AgentTable, { via }: Json): unknown =>
  isObject(via) && via['agent'] === name ? via['event'] : undefined;

/** The agent's own name for a call's tool, if its hooks are given that. */
export function toolNameFor(table: AgentTable, row: EventRow, input: Json): string | undefined {
  const name = input['tool_name'];
  if (typeof name !== 'string') return undefined;
  if (isFrom(table, row, input)) {
    const { tool_name: was } = input['via'] as ToolWas;
    return was ?? name;
  }
  return ownName(table, row, name) ?? name;
}

function ownName({ tools, ...table }: AgentTable, row: EventRow, name: string): string | undefined {
  // A payload with Claude's tool names keeps them.
  const renames = row.matches === 'own' || !table.events.some(({ matches }) => matches === 'own');
  return renames ? Object.keys(tools).find((own) => tools[own]?.ours === name) : undefined;
}

/** What `payloadOf` would record about a call if it had come from this agent. */
function toolVia(table: AgentTable, row: EventRow, given: Record<string, unknown>): ToolWas | undefined {
  const name = ownName(table, row, given['tool_name'] as string);
  const tool = name === undefined ? undefined : table.tools[name];
  if (name === undefined || tool === undefined) return undefined;
  const call = given['tool_input'];
  if (tool.patch !== undefined) {
    if (!isObject(call) || typeof call[tool.patch] === 'string') return { tool_name: name };
    given['tool_input'] = { [tool.patch]: patchOf(call) };
    return { tool_name: name };
  }
  return { tool_name: name, ...(tool.fields && { renamed: { ...tool.fields } }) };
}

/** An edit as an equivalent patch. */
function patchOf({ file_path: path, old_string: before, new_string: after, content }: Json): string {
  const lines = (mark: string, text: unknown): string[] =>
    typeof text === 'string' && text !== '' ? text.split('\n').map((line) => mark + line) : [];
  const body =
    content === undefined
      ? [`*** Update File: ${String(path)}`, '@@', ...lines('-', before), ...lines('+', after)]
      : [`*** Add File: ${String(path)}`, ...lines('+', content)];
  return ['*** Begin Patch', ...body, '*** End Patch', ''].join('\n');
}

/** A hook's rewritten input, under the names that the call has here. */
export function inputToOurs(table: AgentTable, row: EventRow, input: Json, theirs: Json): Json {
  const name = toolNameFor(table, row, input);
  const call: Record<string, unknown> = { tool_name: name, tool_input: theirs };
  toolToOurs(table, call, {}, []);
  return call['tool_input'] as Json;
}

/** Whether a rewritten input cannot be handed back, since the agent has a different tool for it. */
export function isPatched(table: AgentTable, row: EventRow, input: Json): boolean {
  const name = toolNameFor(table, row, input);
  return !isFrom(table, row, input) && name !== undefined && table.tools[name]?.patch !== undefined;
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
