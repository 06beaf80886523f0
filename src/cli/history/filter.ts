import type { HandlerRecord, HookRecord } from '../../emit/record.js';
import { eventName } from '../../events/catalogue.js';
import type { RecordQuery, RecordStore } from '../../store/store.js';
import { hasRun, isBlocked, isMeant, isShadow, typeOf, wouldBlock } from '../../why/meaning.js';
import type { Flags, PERIOD_OPTIONS, RECORD_OPTIONS } from '../options.js';

/** Which records a command shows. */
export type FilterFlags = Flags<(typeof PERIOD_OPTIONS)[number] | (typeof RECORD_OPTIONS)[number]>;

/** `maybe`: it is of an agent whose type no record has told yet. */
export type Match = 'yes' | 'no' | 'maybe';

export interface RecordFilter {
  /** The part that a store can filter itself. */
  readonly query: RecordQuery;
  /** Milliseconds; a hook that took so long is one that is asked about. */
  readonly slow: number | undefined;
  match(record: HookRecord): Match;
  /** Before records are read in order: an agent's alarm may come before the first record that tells its type. Reads nothing where no agent is asked about. */
  learnFrom(store: RecordStore, signal: AbortSignal): Promise<void>;
  /** The name of an agent: its type and the beginning of its id; the scope of the fire, or `main`. */
  agentOf(record: HookRecord): string;
}

/** Reads the flags. */
export function readFilter(flags: FilterFlags): RecordFilter {
  const { agent, hook, blocked, alarms, shadow, slow } = flags;
  const event = flags.event === undefined ? undefined : (eventName(flags.event) ?? flags.event);
  const types = new AgentTypes();
  const period = {
    ...(flags.since === undefined ? {} : { since: flags.since }),
    ...(flags.until === undefined ? {} : { until: flags.until }),
  };
  return {
    slow,
    query: {
      ...period,
      types: alarms && !blocked ? ['hook_alarm', ...(agent === undefined ? [] : ['hook_fire' as const])] : SHOWN,
    },
    match(record) {
      types.learn(record);
      if (!isShown(record, { event, hook, slow, blocked, alarms, shadow })) return 'no';
      return agent === undefined ? 'yes' : types.match(record, agent);
    },
    async learnFrom(store, signal) {
      if (agent === undefined) return;
      for await (const record of store.records({ ...period, types: ['hook_fire', 'tool_call'] })) {
        if (signal.aborted) return;
        types.learn(record);
      }
    },
    agentOf: (record) => types.nameOf(record),
  };
}

const SHOWN: readonly HookRecord['type'][] = ['hook_fire', 'tool_call', 'hook_alarm'];

interface Asked {
  readonly event: string | undefined;
  readonly hook: string | undefined;
  readonly slow: number | undefined;
  readonly blocked: true | undefined;
  readonly alarms: true | undefined;
  readonly shadow: true | undefined;
}

function isShown(record: HookRecord, { event, hook, slow, blocked, alarms, shadow }: Asked): boolean {
  // Real and hypothetical decisions are never shown in one list.
  if (shadow ? record.type !== 'hook_fire' || record.shadow_of === undefined : isShadow(record)) return false;
  if (record.type === 'hook_alarm')
    return hook === undefined && slow === undefined && event === undefined && (alarms || !blocked) === true;
  if (alarms && !blocked) return false;
  if (record.type === 'tool_call') {
    // A call that ran is in its fires.
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

/** The types of agents, learned from records. */
class AgentTypes {
  readonly #types = new Map<string, string>();

  learn(record: HookRecord): void {
    const { agent_id: id } = record as { agent_id?: string };
    const type = typeOf(record);
    if (id === undefined || type === undefined || this.#types.has(id)) return;
    this.#types.set(id, type);
    if (this.#types.size <= REMEMBERED) return;
    const [oldest] = this.#types.keys();
    this.#types.delete(oldest as string);
  }

  match(record: HookRecord, agent: string): Match {
    const { agent_id: id } = record as { agent_id?: string };
    if (id === undefined) return agent === scopeOf(record) ? 'yes' : 'no';
    if (id.startsWith(agent) || agent === nameOf(id, this.#types.get(id))) return 'yes';
    const type = typeOf(record) ?? this.#types.get(id);
    return type === undefined ? 'maybe' : type === agent ? 'yes' : 'no';
  }

  nameOf(record: HookRecord): string {
    const { agent_id: id } = record as { agent_id?: string };
    return id === undefined ? scopeOf(record) : nameOf(id, typeOf(record) ?? this.#types.get(id));
  }
}

/** The name for a fire without an agent: the scope that was given, else the main thread. */
export function scopeOf(record: HookRecord): string {
  const { scope } = record as { scope?: string };
  return scope === undefined || scope === 'session' ? 'main' : scope;
}

const nameOf = (id: string, type: string | undefined): string => `${type ?? 'agent'} ${id.slice(0, 6)}`;
