import { HookscopeError } from '../errors.js';
import { specOf } from '../events/catalogue.js';
import type { EventSpec, Fold } from '../events/spec.js';
import { nearest } from '../values/nearest.js';
import { asName } from '../values/shape.js';
import { at } from './path.js';
import type { AgentTable, EventRow, Instead } from './table.js';

/** Our event for a row; undefined if we do not have the event. */
export const builtInOf = (row: EventRow): EventSpec | undefined => (row.own ? undefined : specOf(row.ours));

export const foldOf = (row: EventRow): Fold => row.own?.fold ?? (builtInOf(row) as EventSpec).fold;

/** The stricter answer that replaces `defer` where the agent does not have it. */
export const inPlaceOfDefer = ({ says }: EventRow, title: string): Instead => ({
  as: says.ask !== undefined && 'say' in says.ask ? 'ask' : 'deny',
  why: `${title} has no word for it`,
});

/** The row of an event by the agent's own name, else by ours. */
export function findRow(table: AgentTable, name: string): EventRow | undefined {
  return table.events.find((row) => row.name === name) ?? table.events.find((row) => row.ours === name);
}

/** Like `findRow`, but throws UNKNOWN_EVENT with the nearest name. */
export function rowOf(table: AgentTable, name: string): EventRow {
  const row = findRow(table, name);
  if (row) return row;
  const known = [...new Set(table.events.map((one) => one.name))];
  throw new HookscopeError('UNKNOWN_EVENT', {
    event: asName(name),
    nearest: nearest(name, namesOf(table)),
    agent: table.title,
    known: known.join(', '),
  });
}

/** The row of a payload: of several with this name, the first whose `when` field the payload has. */
export function rowOfPayload(table: AgentTable, name: string, payload: unknown): EventRow | undefined {
  const rows = table.events.filter((row) => row.name === name);
  return rows.find((row) => row.when === undefined || at(payload, row.when) !== undefined);
}

/** Every name that `rowOf` knows. */
export const namesOf = (table: AgentTable): string[] => [
  ...new Set(table.events.flatMap(({ name, ours }) => [name, ours])),
];
