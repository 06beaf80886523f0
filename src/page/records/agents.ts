import type { FireRecord, ToolCallRecord } from '../../emit/record.js';
import { agentName as nameOf, roleOf, shortName } from '../../why/about.js';
import { isShadow, typeOf } from '../../why/meaning.js';
import { Starters } from '../../why/starters.js';

/** The owner of a lane: a session's main agent, or an agent that it started. */
export interface AgentOnPage {
  readonly key: string;
  readonly session: string;
  /** undefined: the main agent. */
  readonly id: string | undefined;
  type: string | undefined;
  /** The agent that started it, as far as records tell; otherwise the main agent. */
  parent: AgentOnPage | undefined;
  /** When its first and last record came, milliseconds since 1970. */
  first: number;
  last: number;
  /** When an event opened its scope, milliseconds since 1970. */
  opened: number | undefined;
}

/** The agents, and which agent started which. */
export class AgentsOnPage {
  readonly #known = new Map<string, AgentOnPage>();
  readonly #starters = new Map<string, Starters>();
  /** Ids of agents that wait for the first record of their starter, by the starter's key. */
  readonly #waiting = new Map<string, Set<string>>();
  /** Agents that have had another one placed below them. */
  readonly #above = new Set<AgentOnPage>();
  #lanes: readonly AgentOnPage[] | undefined;

  of(session: string, named: string | undefined, at: number): AgentOnPage {
    // Some records name the main agent by an empty id.
    const id = named || undefined;
    const key = keyOf(session, id);
    let agent = this.#known.get(key);
    if (agent === undefined) {
      agent = { key, session, id, type: undefined, parent: undefined, first: at, last: at, opened: undefined };
      this.#known.set(key, agent);
      this.#lanes = undefined;
      if (id !== undefined) {
        agent.parent = this.of(session, undefined, at);
        this.#above.add(agent.parent);
      }
      for (const child of this.#waiting.get(key) ?? []) this.#place(session, child, this.#startersIn(session));
      this.#waiting.delete(key);
    }
    if (at < agent.first) {
      agent.first = at;
      this.#lanes = undefined;
    }
    if (at > agent.last) agent.last = at;
    return agent;
  }

  /** Learns from a fire the types of agents, who started them, and when their scopes opened. */
  learn(fire: FireRecord, agent: AgentOnPage, at: number): void {
    agent.type ??= typeOf(fire);
    // A shadow fire tells nothing that the fire it shadows does not tell.
    if (isShadow(fire)) return;
    if (agent.id !== undefined && roleOf(fire.event) === 'open') agent.opened = at;
    const starters = this.#startersIn(agent.session);
    const named = starters.note(fire);
    this.#place(agent.session, agent.id, starters);
    this.#place(agent.session, named, starters);
  }

  /** A call that a session drove has ended. */
  ended(call: ToolCallRecord): void {
    this.#startersIn(call.session_id).ended(call);
  }

  /** Each agent below the one that started it, in the order of their first records. */
  lanes(): readonly AgentOnPage[] {
    if (this.#lanes !== undefined) return this.#lanes;
    const under = new Map<AgentOnPage | undefined, AgentOnPage[]>();
    for (const agent of [...this.#known.values()].sort((a, b) => a.first - b.first)) {
      const list = under.get(agent.parent) ?? [];
      under.set(agent.parent, list);
      list.push(agent);
    }
    const lanes: AgentOnPage[] = [];
    // A list, not a recursion: agents can be nested deeper than a program may call.
    const next = (under.get(undefined) ?? []).reverse();
    for (let agent = next.pop(); agent !== undefined; agent = next.pop()) {
      lanes.push(agent);
      for (const child of (under.get(agent) ?? []).reverse()) next.push(child);
    }
    this.#lanes = lanes;
    return lanes;
  }

  #place(session: string, id: string | undefined, starters: Starters): void {
    const found = id === undefined ? undefined : starters.of(id);
    if (found === undefined) return;
    const child = this.#known.get(keyOf(session, id));
    const above = keyOf(session, found.by);
    const parent = this.#known.get(above);
    if (child !== undefined && parent !== undefined) this.#put(child, parent);
    else if (parent === undefined) this.#waiting.set(above, (this.#waiting.get(above) ?? new Set()).add(id as string));
  }

  #startersIn(session: string): Starters {
    const starters = this.#starters.get(session) ?? new Starters();
    this.#starters.set(session, starters);
    return starters;
  }

  #put(child: AgentOnPage, parent: AgentOnPage): void {
    if (child.parent === parent) return;
    // No agent may be its own ancestor, whatever a file says. Most agents have none below them when they are placed, and need no search for that.
    if (child === parent) return;
    if (this.#above.has(child))
      for (let above: AgentOnPage | undefined = parent; above !== undefined; above = above.parent)
        if (above === child) return;
    child.parent = parent;
    this.#above.add(parent);
    this.#lanes = undefined;
  }
}

/** Its depth below the main agent. */
export function depthOf(agent: AgentOnPage): number {
  let depth = 0;
  for (let above = agent.parent; above !== undefined; above = above.parent) depth += 1;
  return depth;
}

/** The name that `hookscope history` uses; if there are several sessions, main agents are distinguished. */
export function agentName({ id, type, session }: AgentOnPage, sessions = 1): string {
  if (id !== undefined) return nameOf(id, type);
  return sessions > 1 ? `main ${shortName(session)}` : 'main';
}

const keyOf = (session: string, id: string | undefined): string => JSON.stringify([session, id ?? '']);
