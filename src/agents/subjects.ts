import type { Json } from '../values/shape.js';
import { eventFrom, toolNamesFor } from './as-theirs.js';
import { at } from './path.js';
import type { MatcherSubject } from './running.js';
import type { AgentTable, EventRow } from './table.js';

/** What a matcher is compared with on an event; undefined if the event has no subject, so that every matcher matches. */
export const subjectOf = ({ runs }: AgentTable, event: string): MatcherSubject | undefined =>
  runs?.matching.subjects[event];

/** The names that a matcher of this agent is compared with; one match is enough. Undefined if the event has no subject. `matcher`: its text. */
export function subjectsFor(
  table: AgentTable,
  row: EventRow,
  input: Json,
  matcher?: string,
): readonly string[] | undefined {
  const subject = subjectOf(table, row.name);
  if (subject === undefined) return undefined;
  if (subject === 'tool') {
    const names = toolNamesFor(table, row, input, matcher);
    return [...new Set(names.flatMap((name) => [name, ...(table.runs?.matching.aliases?.[name] ?? [])]))];
  }
  if ('word' in subject) return [subject.word];
  const value = at(input, subject.field);
  return typeof value === 'string' ? [theirWord(table, row, subject.field, value)] : [];
}

/** The agent's own word for the value of a field, if it has one. */
export function theirWord({ fields }: AgentTable, row: EventRow, name: string, value: string): string {
  const found = [...(row.fields ?? []), ...fields].find((one) => one.ours === name && one.values !== undefined);
  return Object.entries(found?.values ?? {}).find(([, ours]) => ours === value)?.[0] ?? value;
}

/** Whether the input belongs to this row, where several of the agent's events correspond to one of ours. */
export function isAbout(table: AgentTable, row: EventRow, input: Json): boolean {
  const { tools } = table.runs ?? {};
  if (tools === undefined || row.own) return true;
  const from = eventFrom(table, input);
  if (from !== undefined) return from === row.name;
  const name = input['tool_name'];
  return tools[row.name]?.some((tool) => isTool(tool, name)) ?? true;
}

const isTool = (tool: string, name: unknown): boolean =>
  tool.endsWith('*') ? typeof name === 'string' && name.startsWith(tool.slice(0, -1)) : tool === name;

/** The environment variables that the agent sets for its hooks. */
export function hookVariables({ runs }: AgentTable, project: string, input: Json): Record<string, string> {
  const all = Object.entries(runs?.variables ?? {}).map(([name, from]) => [
    name,
    from === 'project' ? project : input[from],
  ]);
  return Object.fromEntries(all.filter(([, value]) => typeof value === 'string' && value !== ''));
}
