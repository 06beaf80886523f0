import type { HookRecord } from '../emit/record.js';

/** A query for records; a record must match all keys that are given. */
export interface RecordQuery {
  /** Made at this time or later; milliseconds since 1970. */
  readonly since?: number | undefined;
  /** Made at this time or earlier; milliseconds since 1970. */
  readonly until?: number | undefined;
  readonly types?: readonly HookRecord['type'][] | undefined;
  /** An agent's id. */
  readonly agent?: string | undefined;
  readonly event?: string | undefined;
  readonly fire?: string | undefined;
  readonly toolUse?: string | undefined;
  readonly session?: string | undefined;
  /** The most records to return: the first ones, or the newest. */
  readonly limit?: number | undefined;
  /** Newest first. Default: oldest first. */
  readonly newest?: boolean | undefined;
}

/** Stored records, for reading. */
export interface RecordStore {
  /** The file or address, as messages show it. */
  readonly place: string;
  records(query?: RecordQuery): AsyncIterable<HookRecord>;
  /** Records written from now on, until the signal fires. Waits for a file that does not exist yet. */
  follow(signal: AbortSignal): AsyncIterable<HookRecord>;
  /** Asks a server that did not answer once more, if its records are being followed; resolves when it has answered or has not. */
  tryAgain?(): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  /** Reports what could not be read, with its place. `isNoRecord`: it is whole, and not a record. */
  readonly note?: (text: string, isNoRecord?: boolean) => void;
  /** Called with the share of a file that has been read, from 0 to 1. */
  readonly progress?: (share: number) => void;
}

/** Whether a record matches; `limit` and `newest` apply to the list and are not checked here. */
export function isWanted(record: HookRecord, query: RecordQuery): boolean {
  const { since, until, types, agent, event, fire, toolUse, session } = query;
  if (types !== undefined && !types.includes(record.type)) return false;
  if (since !== undefined && Date.parse(record.time) < since) return false;
  if (until !== undefined && Date.parse(record.time) > until) return false;
  const { agent_id, fire_id, tool_use_id, session_id } = record as {
    readonly [K in 'agent_id' | 'fire_id' | 'tool_use_id' | 'session_id']?: string;
  };
  const same = (wanted: string | undefined, found: string | undefined): boolean =>
    wanted === undefined || wanted === found;
  return (
    same(agent, agent_id) &&
    same(event, eventOf(record)) &&
    same(fire, fire_id) &&
    same(toolUse, tool_use_id) &&
    same(session, session_id)
  );
}

/** The event that a record is about; undefined: none. */
export function eventOf(record: HookRecord): string | undefined {
  if (record.type === 'hook_fire') return record.event;
  return record.type === 'system' && record.subtype !== 'control_problem' ? record.hook_event : undefined;
}
