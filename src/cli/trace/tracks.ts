import type { HookRecord } from '../../emit/record.js';
import { clip } from '../../plain.js';
import { agentName } from '../../why/about.js';
import { Starters } from '../../why/starters.js';
import { NEAR, RecordClock } from './clock.js';
import type { TraceEvent, TraceSlice } from './event.js';

/** A row on which one thing at a time is drawn, with what is nested in it. */
export interface Lane {
  readonly pid: number;
  readonly tid: number;
  isTaken: boolean;
  isNamed: boolean;
  /** The end of the last slice on it. */
  end: number;
}

/** An agent of a session; the main one has no id. */
export interface TraceAgent {
  readonly session: TraceSession;
  readonly id: string | undefined;
  /** Final once something of the agent is drawn. */
  depth: number;
  readonly order: number;
  readonly lanes: Lane[];
  /** Known as soon as a record mentions it. */
  type: string | undefined;
  /** Its last fire, from which an arrow can start. */
  last: TraceSlice | undefined;
}

export interface TraceSession {
  readonly id: string;
  readonly pid: number;
  readonly starters: Starters;
  readonly agents: Map<string | undefined, TraceAgent>;
  /** How many agents there were. */
  count: number;
  isNamed: boolean;
}

/** The most sessions, clocks, and agents of a session; beyond that, the one seen first is forgotten, and an agent seen again gets a new row. */
const MOST = 10_000;
/** Rows are sorted by depth, then by when their agent came; those of one agent stay together. */
const DEPTH = 10_000_000;
const ORDER = 100;

/** The rows of a trace: a process for each session, a thread for each agent, and more threads if an agent does several things at a time. */
export class Tracks {
  readonly #sessions = new Map<string, TraceSession>();
  readonly #clocks = new Map<string, RecordClock>();
  readonly #write: (event: TraceEvent) => void;
  readonly #text: (text: string) => string;
  /** Processes and threads are numbered together: viewers identify a thread by its number alone. */
  #numbers = 0;

  constructor(write: (event: TraceEvent) => void, text: (text: string) => string) {
    this.#write = write;
    this.#text = text;
  }

  /** Each host has a clock of its own; records of older versions do not name theirs. */
  clock(record: HookRecord): RecordClock {
    const { host_id: host, session_id: session = '' } = record as HookRecord & { readonly session_id?: string };
    const key = host ?? `session ${session}`;
    const clock = this.#clocks.get(key) ?? new RecordClock();
    if (!this.#clocks.has(key)) keep(this.#clocks, key, clock);
    return clock;
  }

  session(id: string): TraceSession {
    const known = this.#sessions.get(id);
    if (known) return known;
    const session: TraceSession = {
      id,
      pid: ++this.#numbers,
      starters: new Starters(),
      agents: new Map(),
      count: 0,
      isNamed: false,
    };
    keep(this.#sessions, id, session);
    return session;
  }

  /** `parent`: the agent that started it. */
  agent(session: TraceSession, id: string | undefined, parent?: TraceAgent): TraceAgent {
    const known = session.agents.get(id);
    if (known) return known;
    const order = session.count++;
    const agent: TraceAgent = {
      session,
      id,
      depth: depthBelow(id, parent),
      order,
      lanes: [],
      type: undefined,
      last: undefined,
    };
    keep(session.agents, id, agent);
    return agent;
  }

  /** The agent's first row that is free at `start`, or nearly so; otherwise a new one. */
  take({ lanes, session }: TraceAgent, start: number): Lane {
    let lane = lanes.find(({ isTaken, end }) => !isTaken && end <= start + NEAR);
    if (lane === undefined) {
      lane = { pid: session.pid, tid: ++this.#numbers, isTaken: true, isNamed: false, end: 0 };
      lanes.push(lane);
    }
    lane.isTaken = true;
    return lane;
  }

  /** Names the agent's rows. Call it before anything is drawn on them. */
  name({ session, lanes, id, depth, order, type }: TraceAgent): void {
    const { pid } = session;
    if (!session.isNamed) {
      session.isNamed = true;
      this.#tell(pid, pid, 'process_name', { name: `session ${this.#shown(session.id)}` });
      this.#tell(pid, pid, 'process_sort_index', { sort_index: pid });
    }
    const name = id === undefined ? 'main' : this.#shown(agentName(id, type));
    for (const [i, lane] of lanes.entries()) {
      if (lane.isNamed) continue;
      lane.isNamed = true;
      this.#tell(pid, lane.tid, 'thread_name', { name: i === 0 ? name : `${name}, beside (${i + 1})` });
      const place = Math.min(i, ORDER - 1) + order * ORDER;
      this.#tell(pid, lane.tid, 'thread_sort_index', { sort_index: depth * DEPTH + place });
    }
  }

  #shown(text: string): string {
    return clip(this.#text(text), 60);
  }

  #tell(pid: number, tid: number, name: string, args: Readonly<Record<string, unknown>>): void {
    this.#write({ ph: 'M', name, pid, tid, args });
  }
}

const depthBelow = (id: string | undefined, parent: TraceAgent | undefined): number =>
  id === undefined ? 0 : (parent?.depth ?? 0) + 1;

/** Puts an agent of which nothing is drawn yet below its starter, which the record of a hook's call, the first to come, does not name. */
export function placeBelow(agent: TraceAgent, parent: TraceAgent | undefined): void {
  if (!agent.lanes.some(({ isNamed }) => isNamed)) agent.depth = depthBelow(agent.id, parent);
}

/** Who started an agent: an agent of the session that is drawn, else the main one. */
export function starterIn({ starters, agents }: TraceSession, id: string | undefined): TraceAgent | undefined {
  const by = id === undefined ? undefined : starters.of(id)?.by;
  return agents.get(by) ?? agents.get(undefined);
}

function keep<K, V>(map: Map<K, V>, key: K, value: V): void {
  map.set(key, value);
  if (map.size > MOST) map.delete(map.keys().next().value as K);
}
