import { headline } from '../../emit/reading/headline.js';
import type { AlarmRecord, FireRecord } from '../../emit/record.js';
import { clip } from '../../plain.js';
import { about } from '../../why/about.js';
import { hasRun } from '../../why/meaning.js';
import type { CountedFire, CountedHandler } from '../../why/tally.js';
import type { AgentOnPage } from './agents.js';
import { bitOf, gravest, marksOf } from './outcome.js';

/** A row of a lane and of the list: a fire or an alarm, without what only its explanation needs. */
export interface RowOnPage extends CountedFire {
  readonly alarm: boolean;
  /** When it ended and its record was made; milliseconds since 1970. */
  readonly at: number;
  /** When it began, as far as its hooks' durations show. */
  readonly start: number;
  readonly seq: number;
  readonly agent: AgentOnPage;
  readonly event: string;
  /** Its subject and its outcome, each in a few words. */
  readonly about: string;
  readonly came: string;
  /** The outcomes as bits, and the gravest as an index in `OUTCOMES`. Both change if a background hook fails. */
  marks: number;
  outcome: number;
  /** The row as it was before a background hook failed, and when that became known. */
  before?: { readonly at: number; readonly row: RowOnPage };
  readonly call: string | undefined;
  /** Hooks that ran. */
  readonly ran: readonly CountedHandler[];
  /** The record, as it came. */
  readonly text: string;
  /** The responses of its hooks, as they came; more may be added later. */
  readonly runs?: readonly string[] | undefined;
}

/** What is known of a fire besides its record. */
interface FireOnPage extends Pick<RowOnPage, 'agent' | 'at' | 'text' | 'runs'> {
  readonly hooks: readonly CountedHandler[];
}

/** The earliest moment that a Date can hold: a record may contain any number. */
const EARLIEST = -8.64e15;

const NONE: CountedFire['decision'] = { failures: [] };
const uncoloured = (_: unknown, text: string): string => text;

export function fireRow(fire: FireRecord, { agent, hooks, at, text, runs }: FireOnPage): RowOnPage {
  const marks = marksOf(fire);
  const { failures } = fire.decision;
  return {
    alarm: false,
    at,
    start: Math.min(at, Math.max(at - tookOf(fire), EARLIEST)),
    seq: fire.seq,
    agent,
    event: clip(fire.event, 60),
    about: about(fire),
    came: headline(fire, uncoloured),
    marks,
    outcome: gravest(marks),
    call: fire.tool_use_id,
    fire_id: fire.fire_id,
    decision: failures.length === 0 ? NONE : { failures },
    ...(fire.error === undefined ? {} : { error: fire.error }),
    ran: hooks.filter(hasRun).map(counted),
    text,
    runs,
  };
}

export function alarmRow(alarm: AlarmRecord, agent: AgentOnPage, at: number, text: string): RowOnPage {
  return {
    alarm: true,
    at,
    start: at,
    seq: alarm.seq,
    agent,
    event: 'alarm',
    about: clip(alarm.tool_name, 70),
    came: `${clip(alarm.alarm, 60)}: ${clip(alarm.message, 160)}`,
    marks: bitOf('alarm'),
    outcome: gravest(bitOf('alarm')),
    call: alarm.tool_use_id,
    fire_id: '',
    decision: NONE,
    ran: [],
    text,
  };
}

/** Hooks of one wave ran at the same time; waves ran one after the other. */
function tookOf({ handlers }: FireRecord): number {
  const waves = new Map<number, number>();
  for (const { wave, duration_ms: ms = 0, status } of handlers)
    if (wave !== null && wave !== undefined && status !== 'background')
      waves.set(wave, Math.max(waves.get(wave) ?? 0, ms));
  let sum = 0;
  for (const ms of waves.values()) sum += ms;
  return sum;
}

/** The row as it was known at a moment. */
export const rowAt = (row: RowOnPage, at: number): RowOnPage =>
  row.before !== undefined && row.before.at > at ? row.before.row : row;

/** Rows share the strings of hooks' names and places, since there are few and many rows. */
const NAMES = new Map<string, string>();

function shared(text: string): string {
  const known = NAMES.get(text) ?? text;
  if (NAMES.size < 10_000) NAMES.set(text, known);
  return known;
}

function counted(hook: CountedHandler): CountedHandler {
  const { id, name, key, place, status, verdict, reasked, duration_ms, phase } = hook;
  return {
    id,
    name: shared(name),
    key: shared(key),
    place: shared(place),
    status,
    ...(verdict === undefined ? {} : { verdict }),
    ...(reasked === undefined ? {} : { reasked }),
    ...(phase === undefined ? {} : { phase }),
    ...(duration_ms === undefined ? {} : { duration_ms }),
  };
}
