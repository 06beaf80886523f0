import type { HandlerRecord, HookRecord } from '../../emit/record.js';
import { isHookscopeError } from '../../errors.js';
import { eventName, HOOK_EVENTS } from '../../events/catalogue.js';
import type { RecordQuery, RecordStore } from '../../store/store.js';
import { nearest } from '../../values/nearest.js';
import { wrongOption } from '../../values/options.js';
import { agentName, shortName } from '../../why/about.js';
import { agentIdOf, hasRun, isBlocked, isMeant, isShadow, typeOf, wouldBlock } from '../../why/meaning.js';
import type { Flags, PERIOD_OPTIONS, RECORD_OPTIONS } from '../options.js';
import { DeciderNames } from './deciders.js';

/** Which records a command shows. */
export type FilterFlags = Flags<(typeof PERIOD_OPTIONS)[number] | (typeof RECORD_OPTIONS)[number]>;

/** `maybe`: the record is of an agent whose type is not known yet. */
export type Match = 'yes' | 'no' | 'maybe';

export interface RecordFilter {
  /** The part that a store can filter itself. */
  readonly query: RecordQuery;
  /** In milliseconds: only hooks that took at least this long are asked about. */
  readonly slow: number | undefined;
  match(record: HookRecord): Match;
  /** Learns agents' types before records are read in order: an alarm may precede the first record with its agent's type. Reads nothing unless an agent or alarms are asked about, or `always`. */
  learnFrom(store: RecordStore, signal: AbortSignal, always?: boolean): Promise<void>;
  /** Rejects with INVALID_OPTIONS if neither hookscope nor any record knows the event. `soon`: records may still come, so only a likely misspelling counts. */
  checkEvent(store: RecordStore, soon?: boolean): Promise<void>;
  /** Reads the newest records until the type of every agent in `records` is known. Reads nothing unless alarms are asked about, or an agent within a period. */
  learnTypes(records: readonly HookRecord[], store: RecordStore, signal: AbortSignal): Promise<void>;
  /** A message if no record that was seen lists the hook, with the nearest name among those that were. */
  unknownHook(): string | undefined;
  /** Whether an older record may have the name of a hook that decided about a call that was let through. */
  seeksDecider(): boolean;
  /** The name of the hook that decided about a call, if a record that was seen has it. */
  deciderOf(record: HookRecord): string | undefined;
  /** The name of the record's agent: its type and the beginning of its id; without an agent, the scope of the fire or `main`. */
  agentOf(record: HookRecord): string;
}

/** The period that is asked about. Throws INVALID_OPTIONS if it ends before it begins. */
export function periodOf({ since, until }: Pick<FilterFlags, 'since' | 'until'>): Pick<RecordQuery, 'since' | 'until'> {
  if (since !== undefined && until !== undefined && until < since)
    throw wrongOption('--until', 'expected a time after that of --since');
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) };
}

/** About how many hook names are kept for suggestions. */
const MOST_NAMES = 2000;

/** Reads the flags. Throws INVALID_OPTIONS. */
export function readFilter(flags: FilterFlags): RecordFilter {
  const { agent, hook, blocked, unanswered, alarms, shadow, slow } = flags;
  for (const key of ['agent', 'hook', 'event'] as const)
    if (flags[key]?.trim() === '') throw wrongOption(`--${key}`, 'expected a name, got nothing');
  const event = flags.event === undefined ? undefined : (eventName(flags.event) ?? flags.event);
  const types = new AgentTypeIndex();
  const deciders = new DeciderNames();
  const period = periodOf(flags);
  const names = new Set<string>();
  let isListed = false;
  return {
    slow,
    query: {
      ...period,
      types: alarms ? ['hook_alarm', ...(agent === undefined ? [] : ['hook_fire' as const])] : SHOWN,
    },
    match(record) {
      types.learn(record);
      if (hook !== undefined && record.type === 'hook_fire' && !isListed) {
        isListed = record.handlers.some((handler) => isMeant(handler, hook));
        for (const { name } of names.size < MOST_NAMES ? record.handlers : []) names.add(name);
      }
      const isAsked = isShown(record, { event, hook, slow, blocked, unanswered, alarms, shadow });
      const match = !isAsked ? 'no' : agent === undefined ? 'yes' : types.match(record, agent);
      deciders.learn(record, match !== 'no');
      return match;
    },
    async learnFrom(store, signal, always = false) {
      if (agent === undefined && !alarms && !always) return;
      // A type may have been told before the period.
      const { since: _, ...all } = period;
      for await (const record of store.records({ ...all, types: ['hook_fire', 'tool_call'] })) {
        if (signal.aborted) return;
        types.learn(record);
      }
    },
    async learnTypes(records, store, signal) {
      // Otherwise the fires that give the types are read anyway.
      if (!alarms && (agent === undefined || period.since === undefined)) return;
      const unknown = () => records.some((record) => !types.knows(record));
      if (!unknown()) return;
      for await (const record of store.records({ types: ['hook_fire', 'tool_call'], newest: true })) {
        if (signal.aborted) return;
        if (types.learn(record) && !unknown()) return;
      }
    },
    async checkEvent(store, soon = false) {
      if (event === undefined || eventName(event) !== undefined) return;
      const near = nearest(event, HOOK_EVENTS);
      if (soon && near === undefined) return;
      for await (const _ of soon ? storedOf(store, event) : store.records({ event, limit: 1 })) return;
      throw wrongOption('--event', `no record is about an event ${event}, and hookscope has none of that name`, near);
    },
    unknownHook() {
      if (hook === undefined || isListed) return undefined;
      const near = nearest(hook, names);
      return `no record of that kind lists a hook ${hook}${near === undefined ? '' : `; did you mean ${near}?`}`;
    },
    seeksDecider: () => deciders.seeks,
    deciderOf: (record) => deciders.nameFor(record),
    agentOf: (record) => types.nameOf(record),
  };
}

/** Yields nothing if there is nothing to read yet. */
async function* storedOf(store: RecordStore, event: string): AsyncGenerator<HookRecord> {
  try {
    yield* store.records({ event, limit: 1 });
  } catch (error) {
    if (!isHookscopeError(error) || error.code !== 'FILE') throw error;
  }
}

const SHOWN: readonly HookRecord['type'][] = ['hook_fire', 'tool_call', 'hook_alarm'];

interface FilterCriteria {
  readonly event: string | undefined;
  readonly hook: string | undefined;
  readonly slow: number | undefined;
  readonly blocked: true | undefined;
  readonly unanswered: true | undefined;
  readonly alarms: true | undefined;
  readonly shadow: true | undefined;
}

function isShown(record: HookRecord, asked: FilterCriteria): boolean {
  const { event, hook, slow, blocked, unanswered, alarms, shadow } = asked;
  // Real and hypothetical decisions are never shown in one list.
  if (shadow ? record.type !== 'hook_fire' || record.shadow_of === undefined : isShadow(record)) return false;
  if (unanswered && (record.type !== 'hook_fire' || record.unanswered === undefined)) return false;
  // An alarm is about a call that hooks denied, but is itself not denied and belongs to no event.
  if (record.type === 'hook_alarm') return hook === undefined && slow === undefined && event === undefined && !blocked;
  if (alarms) return false;
  if (record.type === 'tool_call') {
    // A call that ran is shown by its fires.
    const denied = record.status === 'denied' || record.status === 'interrupted';
    return denied && hook === undefined && slow === undefined && event === undefined;
  }
  if (record.type !== 'hook_fire') return false;
  if (event !== undefined && record.event !== event) return false;
  if (blocked && !(shadow ? wouldBlock(record) : isBlocked(record))) return false;
  if (hook === undefined && slow === undefined) return true;
  return record.handlers.some((handler) => isMeant(handler, hook) && hasRun(handler) && isSlow(handler, slow));
}

export function isSlow({ duration_ms: took }: HandlerRecord, slow: number | undefined): boolean {
  return slow === undefined || (took !== undefined && took >= slow);
}

/** How many agents are remembered; the types of older ones are forgotten. */
const REMEMBERED = 10_000;

/** The types of agents, learned from records. Two sessions may use the same id. */
class AgentTypeIndex {
  readonly #types = new Map<string, string>();

  /** Returns whether the record gave a type that was not known. */
  learn(record: HookRecord): boolean {
    const type = typeOf(record);
    if (type === undefined) return false;
    let isNew = false;
    for (const key of keysOf(record)) {
      if (this.#types.has(key)) continue;
      isNew = true;
      this.#types.set(key, type);
      const [oldest] = this.#types.keys();
      if (this.#types.size > REMEMBERED) this.#types.delete(oldest as string);
    }
    return isNew;
  }

  knows(record: HookRecord): boolean {
    return agentIdOf(record) === undefined || this.#of(record) !== undefined;
  }

  match(record: HookRecord, agent: string): Match {
    const id = agentIdOf(record);
    if (id === undefined) return agent === scopeOf(record) ? 'yes' : 'no';
    const type = this.#of(record);
    if (id.startsWith(agent) || agent === shortName(id) || agent === agentName(id, type)) return 'yes';
    return type === undefined ? 'maybe' : type === agent ? 'yes' : 'no';
  }

  nameOf(record: HookRecord): string {
    const id = agentIdOf(record);
    return id === undefined ? scopeOf(record) : agentName(id, this.#of(record));
  }

  #of(record: HookRecord): string | undefined {
    const [key] = keysOf(record).filter((one) => this.#types.has(one));
    return typeOf(record) ?? (key === undefined ? undefined : this.#types.get(key));
  }
}

/** Of its host, and then of its session: every event of that may come to another host. Empty if the record is of no agent. */
function keysOf(record: HookRecord): string[] {
  const id = agentIdOf(record);
  const { session_id: session, host_id: host } = record as Partial<Record<'session_id' | 'host_id', string>>;
  if (id === undefined) return [];
  return [[host, session, id], ...(session ? [[session, id]] : [])].map((key) => JSON.stringify(key));
}

/** The name for a fire without an agent: the scope that was given, else the main thread. */
export function scopeOf(record: HookRecord): string {
  const { scope } = record as { scope?: string };
  return scope === undefined || scope === 'session' ? 'main' : scope;
}
