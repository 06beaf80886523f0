import type { Scope } from '../../scopes/scope.js';
import type { ScopeRef } from '../../scopes/tree.js';
import { type Json, textOf } from '../../values/shape.js';

/** How many ended agents are remembered, with and without hooks by type each, and how many scopes of agents that continued after their end stay open. */
const ENDED = 1_000;
/** How many agents that have started and have no scope are remembered. */
const STARTED = 10_000;
/** How many starts and stops are noted without being processed. Beyond that, the older half is dropped. */
const NOTED = 4 * STARTED;
/** Notes a stop instead of a start's type. */
export const STOPPED = Symbol('stop');

/** An agent, by its session and id. */
export interface AgentRef {
  readonly session: string;
  readonly agent: string;
}

/** An agent that has not begun in an open scope: its type, and the types of its ancestors. */
export interface RememberedAgent {
  readonly type: string | undefined;
  readonly above: readonly string[];
  readonly hasEnded: boolean;
}

/** How an agent starts. */
export interface AgentStart {
  readonly type: string | undefined;
  /** Not an earlier agent with the same id. Otherwise an earlier one of the same type may start again. */
  readonly isNew?: boolean;
}

/** What is known about the agent of an event. */
export interface AgentStanding {
  /** The scope in which an earlier agent with its id has begun, whose hooks there must be removed. */
  readonly earlier?: Scope | undefined;
  /** Absent: the agent has begun in its scope, or nothing is known about it. */
  readonly remembered?: RememberedAgent | undefined;
  /** The agent starts, and is not known to be the one that had its id before. */
  readonly isOther?: boolean;
}

/**
 * Whether the agent with an id is running, has ended or has begun again, and its type. An agent that has begun in an open scope has its state there; others
 * are remembered here. Queries change nothing.
 */
export class Standings {
  readonly #started = new Map<string, RememberedAgent>();
  /** Ended agents of types that have or had hooks. */
  readonly #ended = new Map<string, RememberedAgent>();
  /** Ended agents of other types, which may get hooks later. Kept apart, so that they never displace those in `#ended`. */
  readonly #others = new Map<string, RememberedAgent>();
  readonly #types = new Set<string>();
  /** The types whose hooks also apply to all agents below one of that type. */
  readonly #typesAbove = new Set<string>();
  /** Starts and stops not yet processed: session, agent, then the type or `STOPPED`. Without hooks by type they may never be needed. */
  #noted: (string | symbol | undefined)[] = [];
  /** Scopes of agents that have ended and may continue there, or have; oldest first. */
  readonly #over = new Set<Scope>();

  /** `open`: the agent's scope in that session. `start`: set if the agent starts with this event. */
  of(agent: AgentRef, open: Scope | undefined, start?: AgentStart): AgentStanding {
    const begun = open?.begun ? open : undefined;
    const remembered = begun ? undefined : this.#find(keyOf(agent));
    if (start === undefined || (begun?.heldBySession && !start.isNew)) return { remembered };
    const before = begun ? begun.agentType : remembered?.type;
    const isAnother = start.isNew || (before !== undefined && before !== start.type);
    if (isAnother) return { earlier: begun, isOther: true };
    return { remembered, isOther: begun === undefined && remembered === undefined };
  }

  /** Hooks for agents of that type were added. `below`: they also apply to all agents below one. */
  hasHooks(type: string, below: boolean): void {
    this.#look();
    const isKnown = this.#types.has(type) && (!below || this.#typesAbove.has(type));
    this.#types.add(type);
    if (below) this.#typesAbove.add(type);
    if (!isKnown) for (const [key, agent] of [...this.#others]) if (this.#counts(agent)) this.#put(key, agent);
  }

  #counts({ type, above }: RememberedAgent): boolean {
    return (type !== undefined && this.#types.has(type)) || above.some((one) => this.#typesAbove.has(one));
  }

  /** An agent has begun in the scope. */
  begins(scope: Scope): void {
    scope.begun = true;
    this.#over.delete(scope);
    this.#forget(keyOf({ session: scope.session, agent: scope.id }));
  }

  /** An agent has started and has no scope. */
  starts(agent: AgentRef, { type }: AgentStart, { remembered }: AgentStanding): void {
    this.#put(keyOf(agent), { type, above: remembered?.above ?? [], hasEnded: false });
  }

  /** Whether no agent type has ever had hooks. */
  get isIdle(): boolean {
    return this.#types.size === 0;
  }

  /** Notes a start, or a stop (`STOPPED`), which `#look` processes when the state is first needed. */
  note(session: string, agent: string, type: string | symbol | undefined): void {
    if (this.#noted.push(session, agent, type) >= 3 * NOTED) this.#noted.splice(0, (3 * NOTED) / 2);
  }

  #look(): void {
    const noted = this.#noted;
    if (noted.length === 0) return;
    this.#noted = [];
    for (let i = 0; i < noted.length; i += 3) {
      const agent = { session: noted[i] as string, agent: noted[i + 1] as string };
      const type = noted[i + 2];
      if (typeof type === 'symbol') this.stops(agent);
      else this.starts(agent, { type }, { remembered: this.#find(keyOf(agent)) });
    }
  }

  /** An agent without a scope has stopped. */
  stops(agent: AgentRef): void {
    this.#look();
    const known = this.#started.get(keyOf(agent));
    if (known) this.#put(keyOf(agent), { ...known, hasEnded: true });
  }

  /** An agent has ended but its scope is open (again). It may never stop again, so only the latest such scopes stay: returns one to clear, if there are too many. */
  isOver(scope: Scope): Scope | undefined {
    if (scope.closed) return undefined;
    const [oldest] = this.#over.add(scope);
    return this.#over.size > ENDED ? oldest : undefined;
  }

  /** A scope ends, or the agent that has begun in it leaves it. The agent is remembered if it or an ancestor has a type. */
  leaves(scope: Scope): void {
    this.#over.delete(scope);
    if (scope.kind !== 'agent') return;
    const key = keyOf({ session: scope.session, agent: scope.id });
    const before = scope.begun ? undefined : this.#find(key);
    const above = [...new Set([...scope.typesAbove, ...(before?.above ?? [])])];
    const type = scope.begun ? scope.agentType : before?.type;
    this.#put(key, { type, above, hasEnded: before?.hasEnded ?? true });
  }

  /** Returns and forgets what was remembered about the agent with that id. */
  take(agent: AgentRef): RememberedAgent | undefined {
    const known = this.#find(keyOf(agent));
    this.#forget(keyOf(agent));
    return known;
  }

  /** The agents that have ended and are remembered, the oldest of each kind first. */
  *ended(): Generator<AgentRef & RememberedAgent> {
    this.#look();
    for (const [key, agent] of [...this.#others, ...this.#ended]) yield { ...refOf(key), ...agent };
  }

  /** Remembers this instead of what was remembered: before another agent with its id failed to start, or by another process. */
  restore(agent: AgentRef, known: RememberedAgent | undefined): void {
    if (known) this.#put(keyOf(agent), known);
    else this.#forget(keyOf(agent));
  }

  /** Whether the scope's agent has ended. */
  hasEnded(scope: Scope): boolean {
    return this.#over.has(scope);
  }

  #find(key: string): RememberedAgent | undefined {
    this.#look();
    return this.#ended.get(key) ?? this.#started.get(key) ?? this.#others.get(key);
  }

  /** Deletes the key first, so that the latest agent comes last in its map. */
  #put(key: string, agent: RememberedAgent): void {
    this.#look();
    this.#forget(key);
    if (agent.type === undefined && agent.above.length === 0) return;
    if (agent.hasEnded && this.#counts(agent)) set(this.#ended, key, agent, ENDED, 1);
    else if (agent.hasEnded) set(this.#others, key, agent, ENDED);
    else set(this.#started, key, agent, STARTED);
  }

  #forget(key: string): void {
    this.#look();
    if (!this.#started.delete(key) && !this.#ended.delete(key)) this.#others.delete(key);
  }
}

/** Drops the oldest entries, `some` at a time: to find its first entry, a Map steps over all that were deleted before it. */
function set(all: Map<string, RememberedAgent>, key: string, agent: RememberedAgent, most: number, some = 100): void {
  all.set(key, agent);
  if (all.size < most + some) return;
  let left = some;
  for (const oldest of all.keys()) {
    if (left-- === 0) return;
    all.delete(oldest);
  }
}

/** A key that is unambiguous whatever characters the ids contain. */
export const keyOf = ({ session, agent }: AgentRef): string => `${session.length}:${session}${agent}`;

function refOf(key: string): AgentRef {
  const at = key.indexOf(':') + 1;
  const end = at + Number.parseInt(key, 10);
  return { session: key.slice(at, end), agent: key.slice(end) };
}

/** The agent that the input names, if `ref` names another one, in whose scope the event is judged: its type is not that one's, and its start and stop are its own. */
export function otherAgent(input: Json | undefined, ref: ScopeRef | undefined, session: string): AgentRef | undefined {
  const named = typeof ref === 'string' ? { agent: ref } : ref;
  const agent = textOf(input?.['agent_id']);
  if (named?.agent === undefined || agent === undefined) return undefined;
  const ofInput = textOf(input?.['session_id']);
  const judged = { session: named.session ?? ofInput ?? session, agent: named.agent };
  const own = { session: ofInput ?? judged.session, agent };
  return keyOf(own) === keyOf(judged) ? undefined : own;
}

/** The input as one of that agent alone. Its ids are not read again, because a getter may return others. */
export const inputOf = ({ session, agent }: AgentRef, input: Json | undefined): Json => ({
  session_id: session,
  agent_id: agent,
  agent_type: input?.['agent_type'],
});
