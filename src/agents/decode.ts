import { HookscopeError } from '../errors.js';
import { put } from '../values/copies/put.js';
import { asName, isObject, type Json } from '../values/shape.js';
import { callId } from './call-id.js';
import type { Decoded, Loss } from './codec.js';
import { at, copyOf, putAt, takeAt } from './path.js';
import { builtInOf, namesOf, rowOf, rowOfPayload } from './rows.js';
import type { AgentTable, EventRow, Field } from './table.js';
import { type ToolWas, toolToOurs, toolToTheirs } from './tools/tools.js';
import { toOurs, toTheirs } from './units.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The parts of a payload that our fields cannot hold, kept in the input's `via` so that `payloadOf` can restore the payload. */
interface PayloadRest extends ToolWas {
  readonly agent: string;
  readonly event: string;
  /** The payload field that names the event, if it is not the agent's usual one; null: no field names it. */
  named?: readonly [field: string, value: unknown] | null;
  /** Original values that cannot be computed from ours, by their path in the payload. */
  was?: Record<string, unknown>;
  /** Payload fields whose names are taken by fields of ours with another meaning. */
  more?: Record<string, unknown>;
  /** Payload fields that already had our name, so they are not translated back. */
  kept?: string[];
  /** `transcript_path` was null. */
  noTranscript?: true;
  /** Fields that we added, and that the payload does not have. */
  made?: string[];
  session_id?: unknown;
}

/** Translates one agent's payload to an event of ours. */
export function decode(table: AgentTable, stdin: string, env: Environment, argv: readonly string[]): Decoded {
  const payload = parse(table, stdin, argv[0]);
  const losses: Loss[] = [];
  const row = chooseRow(table, payload, argv[0], losses);
  const via: PayloadRest = { agent: table.name, event: row.name };
  const rest = copyOf(payload);
  takeName(table, row, rest, via);
  const input: Record<string, unknown> = {};
  for (const field of fieldsOf(table, row)) takeField(field, payload, rest, input, via);
  takeRest(table, row, rest, input, via);
  if (input['transcript_path'] === null) {
    delete input['transcript_path'];
    via.noTranscript = true;
  }
  takeSession(table, input, via);
  fill(table, row, input, env, via, losses);
  toolToOurs(table, row, input, via, losses);
  const spec = builtInOf(row);
  if (table.makesIds && spec?.tool && !spec.nestedDecision && input['tool_use_id'] === undefined)
    make(via, input, 'tool_use_id', callId(table.name, input));
  if (row.maybe !== undefined) losses.push({ what: 'event', why: row.maybe });
  input['hook_event_name'] = row.ours;
  input['via'] = via;
  return { event: row.ours, as: row.name, own: row.own !== undefined, input, losses };
}

/** Restores the agent's payload from one of our inputs. */
export function payloadOf(table: AgentTable, as: string, given: Json): Json {
  const input = copyOf(given);
  const via: Partial<PayloadRest> = isObject(input['via']) ? (input['via'] as Partial<PayloadRest>) : {};
  const row = rowFor(table, as, input);
  delete input['via'];
  delete input['hook_event_name'];
  toolToTheirs(table, input, via);
  for (const name of via.made ?? []) takeAt(input, name);
  if (via.noTranscript) input['transcript_path'] = null;
  if (via.session_id !== undefined) put(input, 'session_id', via.session_id);
  const was = via.was ?? {};
  const found: [path: string, value: unknown][] = [];
  for (const field of fieldsOf(table, row)) {
    const value = at(input, field.ours);
    if (value === undefined || via.kept?.includes(head(field.ours))) continue;
    found.push([field.theirs, toTheirs(field, value, was[field.theirs])]);
    takeAt(input, field.ours);
  }
  // The remaining fields keep their names. They go first, because a translated field may belong inside one of their objects.
  const out = copyOf(input);
  for (const [path, value] of found) putAt(out, path, value);
  for (const [key, value] of Object.entries(via.more ?? {})) put(out, key, value);
  const named = via.named === undefined ? nameOf(table, row) : via.named;
  return named === null ? out : { [named[0]]: named[1], ...out };
}

function parse(table: AgentTable, stdin: string, event: string | undefined): Json {
  let payload: unknown;
  try {
    payload = JSON.parse(stdin.replace(/^\uFEFF/, ''));
  } catch {
    payload = undefined;
  }
  if (isObject(payload)) return payload;
  const expected = `expected one JSON object, as ${table.title} writes it`;
  throw new HookscopeError('INVALID_INPUT', { event: asName(event ?? table.title), field: 'standard input', expected });
}

/** The row for a payload. The payload decides which event it is; the command line decides between rows for the same event. */
function chooseRow(table: AgentTable, payload: Json, asked: string | undefined, losses: Loss[]): EventRow {
  const said = table.eventFields.map((field) => at(payload, field)).find((name) => typeof name === 'string');
  const bySaid = said === undefined ? undefined : rowOfPayload(table, said as string, payload);
  const byAsked =
    asked === undefined ? undefined : (rowOfPayload(table, asked, payload) ?? byOurs(table, asked, payload));
  if (byAsked && bySaid && byAsked.ours !== bySaid.ours) {
    // If two rows have the same name, the payload decides.
    if (byAsked.name === bySaid.name) return bySaid;
    losses.push({ what: 'event', why: `the command line says ${byAsked.name}, the payload ${bySaid.name}` });
    return bySaid;
  }
  // The caller used our name, for which there are several rows: the payload decides which.
  const row = byAsked !== undefined && byAsked.name === asked ? byAsked : (bySaid ?? byAsked);
  if (row) return row;
  const name = asked ?? (said as string | undefined);
  if (name !== undefined) return rowOf(table, name);
  const expected = `no field names the event (${table.eventFields.join(', ')}); name it on the command line, one of ${namesOf(table).join(', ')}`;
  throw new HookscopeError('INVALID_INPUT', { event: table.title, field: 'standard input', expected });
}

const head = (path: string): string => path.split('.')[0] as string;

const byOurs = (table: AgentTable, name: string, payload: unknown): EventRow | undefined =>
  table.events.find((row) => row.ours === name && (row.when === undefined || at(payload, row.when) !== undefined));

const rowFor = (table: AgentTable, as: string, input: Json): EventRow =>
  table.events.find((row) => row.name === as && row.ours === input['hook_event_name']) ?? rowOf(table, as);

/** All fields of a row. Of several names for one of our fields, the first in the payload counts, so the event's fields come first. */
const fieldsOf = (table: AgentTable, row: EventRow): readonly Field[] => [...(row.fields ?? []), ...table.fields];

function nameOf(table: AgentTable, row: EventRow): readonly [string, unknown] | null {
  return row.named === undefined ? [table.eventFields[0] as string, row.name] : row.named;
}

function takeName(table: AgentTable, row: EventRow, rest: Record<string, unknown>, via: PayloadRest): void {
  const usual = nameOf(table, row);
  const field = table.eventFields.find((name) => Object.hasOwn(rest, name));
  if (field === undefined) {
    if (usual !== null) via.named = null;
    return;
  }
  if (usual === null || usual[0] !== field || usual[1] !== rest[field]) via.named = [field, rest[field]];
  delete rest[field];
}

function takeField(
  field: Field,
  payload: Json,
  rest: Record<string, unknown>,
  input: Record<string, unknown>,
  via: PayloadRest,
): void {
  const value = at(payload, field.theirs);
  if (value === undefined) return;
  const ours = toOurs(field, value);
  if (!putAt(input, field.ours, ours)) return;
  takeAt(rest, field.theirs);
  // Keep the original where our value cannot be translated back to it.
  if (toTheirs(field, ours, undefined) !== value) keep(via, field.theirs, value);
}

function takeRest(
  table: AgentTable,
  row: EventRow,
  rest: Record<string, unknown>,
  input: Record<string, unknown>,
  via: PayloadRest,
): void {
  const taken = new Set(fieldsOf(table, row).map(({ ours }) => head(ours)));
  for (const key of Object.keys(rest)) {
    if (key === 'via' || key === 'hook_event_name' || Object.hasOwn(input, key)) {
      via.more ??= {};
      put(via.more, key, rest[key]);
    } else {
      put(input, key, rest[key]);
      if (taken.has(key)) via.kept = [...(via.kept ?? []), key];
    }
  }
}

function takeSession(table: AgentTable, input: Record<string, unknown>, via: PayloadRest): void {
  const parent = table.sessionOf === undefined ? undefined : input[table.sessionOf];
  if (typeof parent !== 'string' || parent === '') return;
  if (input['session_id'] === undefined) make(via, input, 'session_id', parent);
  else {
    via.session_id = input['session_id'];
    input['session_id'] = parent;
  }
}

function fill(
  table: AgentTable,
  row: EventRow,
  input: Record<string, unknown>,
  env: Environment,
  via: PayloadRest,
  losses: Loss[],
): void {
  for (const [name, { from, counted, value, loses }] of Object.entries({ ...table.fills, ...row.fills })) {
    if (input[name] !== undefined) continue;
    const given = from === undefined ? undefined : at(input, from);
    const said = counted ? (typeof given === 'number' ? given > 0 : undefined) : given;
    const found = said ?? value;
    if (found === undefined) continue;
    make(via, input, name, found);
    if (loses !== undefined && (said ?? undefined) === undefined) losses.push({ what: name, why: loses });
  }
  for (const [name, variable] of Object.entries(table.env)) {
    const value = env[variable];
    if (input[name] === undefined && typeof value === 'string' && value !== '') make(via, input, name, value);
  }
}

function make(via: PayloadRest, input: Record<string, unknown>, name: string, value: unknown): void {
  input[name] = value;
  via.made = [...(via.made ?? []), name];
}

function keep(via: PayloadRest, theirs: string, value: unknown): void {
  via.was ??= {};
  via.was[theirs] = value;
}
