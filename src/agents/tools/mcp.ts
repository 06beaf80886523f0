import { namesOfCall, SOME_SERVER } from '../../events/tool-calls.js';
import { put } from '../../values/copies/put.js';
import { isText, type Json } from '../../values/shape.js';
import type { Loss } from '../codec.js';
import { at, putAt } from '../path.js';
import type { AgentTable, EventRow } from '../table.js';

type McpRow = Pick<EventRow, 'mcp'>;

/** Whether one of our names is of an MCP server's tool. */
export const isMcp = (name: unknown): name is string => typeof name === 'string' && name.startsWith('mcp__');

/** Replaces characters that our names cannot have by "_", as Claude Code does. */
const ours = (text: string): string => text.replace(/[^\w-]/g, '_');

/** Our name of an MCP server's tool, from the payload's fields or else the agent's name; undefined for other tools. */
export function mcpToOurs(table: AgentTable, row: McpRow, input: Json, losses: Loss[]): string | undefined {
  const name = input['tool_name'];
  if (!isText(name) || table.mcp === undefined) return undefined;
  const { server, tool } = table.mcp;
  const [s, t] = [server, tool].map((path) => (path === undefined ? undefined : at(input, path)));
  if (isText(s) && isText(t) && s !== '' && t !== '') return `mcp__${ours(s)}__${ours(t)}`;
  if (isMcp(name) || (row.mcp === undefined && Object.hasOwn(table.tools, name))) return undefined;
  const forms = (row.mcp ?? table.mcp.names).filter((one) => cutsOf(one, name).length > 0);
  // The form with the longest prefix is the most specific one.
  const [form] = forms.sort((a, b) => b.indexOf('{') - a.indexOf('{'));
  return form === undefined ? undefined : readName(table, form, name, losses);
}

function readName({ title }: AgentTable, form: string, name: string, losses: Loss[]): string {
  const cuts = cutsOf(form, name);
  const [first = ['', '']] = cuts;
  const lose = (why: string): void => void losses.push({ what: 'tool_name', why: `${title} does not say ${why}` });
  if (first[0] === SOME_SERVER) lose(`which MCP server "${name}" is of; hooks and rules about any server are asked`);
  else if (cuts.length > 1) {
    lose(`where the name of the MCP server ends in "${name}"; hooks and rules about each reading are asked`);
    return `mcp__${ours(first[0] + seamOf(form) + first[1])}`;
  }
  return `mcp__${first[0] === SOME_SERVER ? SOME_SERVER : ours(first[0])}__${ours(first[1])}`;
}

/** Server and tool for each way to split a name by this form. It stops at two, which already means that the name is ambiguous. */
function cutsOf(form: string, name: string): [server: string, tool: string][] {
  const before = form.slice(0, form.indexOf('{'));
  const rest = name.slice(before.length);
  if (!name.startsWith(before) || rest === '') return [];
  if (!form.includes('{server}')) return [[SOME_SERVER, rest]];
  const seam = seamOf(form);
  const found: [string, string][] = [];
  for (let i = rest.indexOf(seam, 1); i !== -1 && found.length < 2; i = rest.indexOf(seam, i + 1))
    if (i + seam.length < rest.length) found.push([rest.slice(0, i), rest.slice(i + seam.length)]);
  return found;
}

/** The separator of a form between server and tool. */
const seamOf = (form: string): string => form.slice(form.indexOf('}') + 1, form.lastIndexOf('{'));

/** The agent's own names for one of our MCP tools, any of which its matchers may use. `wanted`: the text of a matcher. */
export function mcpToTheirs({ mcp }: AgentTable, row: McpRow, name: string, wanted = ''): string[] {
  if (mcp === undefined || !isMcp(name)) return [];
  // "mcp" is added because the agent's own names need not contain it.
  const all = (namesOfCall(name, `mcp ${wanted}`) ?? [name]).flatMap((one) => {
    const [server, tool] = partsOf(one);
    if (tool === '') return [];
    return (row.mcp ?? mcp.names).map((form) => form.replace('{server}', () => server).replace('{tool}', () => tool));
  });
  return [...new Set(all)];
}

/** Splits `mcp__server__tool`; the tool's name may contain "__". */
function partsOf(name: string): [server: string, tool: string] {
  const [, server = '', ...tool] = name.split('__');
  return [server, tool.join('__')];
}

/** Adds the payload fields in which the agent gives server and tool. */
export function addMcp({ mcp }: AgentTable, input: Record<string, unknown>): void {
  const name = input['tool_name'];
  if (mcp?.server === undefined || mcp.tool === undefined || !isMcp(name)) return;
  const [server, tool] = partsOf(name);
  const added: Record<string, unknown> = {};
  if (tool === '' || server === SOME_SERVER || !putAt(added, mcp.server, server) || !putAt(added, mcp.tool, tool))
    return;
  for (const key of Object.keys(added)) if (!Object.hasOwn(input, key)) put(input, key, added[key]);
}
