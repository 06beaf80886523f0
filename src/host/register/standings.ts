import type { Scope } from '../../scopes/scope.js';

/** How many agents that have ended are remembered, with and without hooks by type, and how many scopes of agents that went on stay open. */
const ENDED = 1_000;
/** How many agents are remembered that have started and have no scope. */
const STARTED = 10_000;
/** How many starts and stops wait for a look at most; half of them go then. */
const NOTED = 4 * STARTED;
/** An agent has stopped. */
export const STOP = Symbol('stop');

/** An agent, by its session and id. */
export interface AgentRef {
  readonly session: string;
  readonly agent: string;
}

/** An agent that has begun in no scope that is open: its type, and the types of the agents that it is below. */
export interface Remembered {
  readonly type: string | undefined;
  readonly above: readonly string[];
  readonly hasEnded: boolean;
}

/** How an agent starts. */
export interface Start {
  readonly type: string | undefined;
  /** It is none that had the id before; else one of the same type may be. */
  readonly isNew?: boolean;
}

/** What is known about the agent of an event. */
export interface Standing {
  /** The scope in which an earlier agent with its id has begun: what that one had there goes. */
  readonly earlier?: Scope | undefined;
  /** Absent: it has begun in its scope, or nothing is known of it. */
  readonly remembered?: Remembered | undefined;
}

/**
 * Whether an agent of an id lives, has ended or has begun again, and its type: either it has begun in an open scope, which knows the rest, or it is
 * remembered here. Looking changes nothing.
 */
export class Standings {
  readonly #started = new Map<string, Remembered>();
  /** Of types for which there are hooks, or were. */
  readonly #ended = new Map<string, Remembered>();
  /** Of others: however many end, they take no place of those. Hooks for them may come. */
  readonly #others = new Map<string, Remembered>();
  readonly #types = new Set<string>();
  /** Those of them whose hooks hold for all agents below one. */
  readonly #typesAbove = new Set<string>();
  /** Starts (with the type) and stops (`STOP`) that nobody has looked at, as session, agent and type: where no hooks were by type, nobody may ever. */
  #noted: (string | symbol | undefined)[] = [];
  /** Scopes of agents that have ended and may go on in them, or did: the oldest first. */
  readonly #over = new Set<Scope>();

  /** `open`: its scope in that session. `start`: it starts with this event. */
  of(agent: AgentRef, open: Scope | undefined, start?: Start): Standing {
    const begun = open?.begun ? open : undefined;
    const remembered = begun ? undefined : this.#find(keyOf(agent));
    if (start === undefined || (begun?.heldBySession && !start.isNew)) return { remembered };
    const before = begun ? begun.agentType : remembered?.type;
    const isAnother = start.isNew || (before !== undefined && before !== start.type);
    return isAnother ? { earlier: begun } : { remembered };
  }

  /** There are hooks for agents of that type. `below`: and for all agents below one. */
  hasHooks(type: string, below: boolean): void {
    this.#look();
    const isKnown = this.#types.has(type) && (!below || this.#typesAbove.has(type));
    this.#types.add(type);
    if (below) this.#typesAbove.add(type);
    if (!isKnown) for (const [key, agent] of [...this.#others]) if (this.#counts(agent)) this.#put(key, agent);
  }

  #counts({ type, above }: Remembered): boolean {
    return (type !== undefined && this.#types.has(type)) || above.some((one) => this.#typesAbove.has(one));
  }

  /** It has begun in that scope. */
  begins(scope: Scope): void {
    scope.begun = true;
    this.#over.delete(scope);
    this.#forget(keyOf({ session: scope.session, agent: scope.id }));
  }

  /** It has started and has no scope. */
  starts(agent: AgentRef, { type }: Start, { remembered }: Standing): void {
    this.#put(keyOf(agent), { type, above: remembered?.above ?? [], hasEnded: false });
  }

  /** Whether no hooks have been by type. */
  get isIdle(): boolean {
    return this.#types.size === 0;
  }

  /** Like `starts` and `stops` (`STOP`), for when somebody looks. */
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

  /** One without a scope has stopped. */
  stops(agent: AgentRef): void {
    this.#look();
    const known = this.#started.get(keyOf(agent));
    if (known) this.#put(keyOf(agent), { ...known, hasEnded: true });
  }

  /** It has ended, and its scope is open, or again. Such an agent may never stop: only the latest such scopes stay. Returns the one to leave instead. */
  isOver(scope: Scope): Scope | undefined {
    if (scope.closed) return undefined;
    const [oldest] = this.#over.add(scope);
    return this.#over.size > ENDED ? oldest : undefined;
  }

  /** A scope ends, or the agent that has begun in it leaves it. Remembers it if it or an agent above it has a type. */
  leaves(scope: Scope): void {
    this.#over.delete(scope);
    if (scope.kind !== 'agent') return;
    const key = keyOf({ session: scope.session, agent: scope.id });
    const before = scope.begun ? undefined : this.#find(key);
    const above = [...new Set([...scope.typesAbove, ...(before?.above ?? [])])];
    const type = scope.begun ? scope.agentType : before?.type;
    this.#put(key, { type, above, hasEnded: before?.hasEnded ?? true });
  }

  /** What was remembered of the agents with that id. */
  take(agent: AgentRef): Remembered | undefined {
    const known = this.#find(keyOf(agent));
    this.#forget(keyOf(agent));
    return known;
  }

  /** Another one with its id has not started after all: as much is known as before. */
  restore(agent: AgentRef, known: Remembered | undefined): void {
    if (known) this.#put(keyOf(agent), known);
    else this.#forget(keyOf(agent));
  }

  /** Whether the agent of that scope has ended. */
  hasEnded(scope: Scope): boolean {
    return this.#over.has(scope);
  }

  #find(key: string): Remembered | undefined {
    this.#look();
    return this.#ended.get(key) ?? this.#started.get(key) ?? this.#others.get(key);
  }

  /** The latest comes last, also if it was remembered before. */
  #put(key: string, agent: Remembered): void {
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

/** The oldest go, `some` at a time: a map looks at all that were deleted before its first. */
function set(all: Map<string, Remembered>, key: string, agent: Remembered, most: number, some = 100): void {
  all.set(key, agent);
  if (all.size < most + some) return;
  let left = some;
  for (const oldest of all.keys()) {
    if (left-- === 0) return;
    all.delete(oldest);
  }
}

/** Unambiguous, whatever characters the ids contain. */
export const keyOf = ({ session, agent }: AgentRef): string => `${session.length}:${session}${agent}`;
