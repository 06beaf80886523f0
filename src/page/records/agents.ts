import type { FireRecord } from '../../emit/record.js';
import { isObject } from '../../values/shape.js';
import { roleOf } from '../../why/about.js';
import { isShadow, typeOf } from '../../why/meaning.js';

/** The owner of a lane: a session's main agent, or an agent that it started. */
export interface Agent {
  readonly key: string;
  readonly session: string;
  /** undefined: the main agent. */
  readonly id: string | undefined;
  type: string | undefined;
  /** The agent that started it, as far as records tell; otherwise the main agent. */
  parent: Agent | undefined;
  /** When its first and last record came, milliseconds since 1970. */
  first: number;
  last: number;
  /** Its scope was opened by an event, and when. */
  opened: number | undefined;
}

/** A call that asks for an agent of a type. */
interface Wish {
  readonly type: string;
  readonly by: Agent;
}

/** The agents, and which agent started which: records do not say it, but the calls that start agents do. */
export class Agents {
  readonly #known = new Map<string, Agent>();
  readonly #wishes = new Map<string, Wish>();
  #lanes: readonly Agent[] | undefined;

  of(session: string, id: string | undefined, at: number): Agent {
    const key = JSON.stringify([session, id ?? '']);
    let agent = this.#known.get(key);
    if (agent === undefined) {
      agent = { key, session, id, type: undefined, parent: undefined, first: at, last: at, opened: undefined };
      this.#known.set(key, agent);
      this.#lanes = undefined;
      if (id !== undefined) agent.parent = this.of(session, undefined, at);
    }
    if (at < agent.first) {
      agent.first = at;
      this.#lanes = undefined;
    }
    if (at > agent.last) agent.last = at;
    return agent;
  }

  /** Facts about agents in a fire. */
  learn(fire: FireRecord, agent: Agent, at: number): void {
    agent.type ??= typeOf(fire);
    // The fire that it shadows has provided this already.
    if (isShadow(fire)) return;
    if (agent.id !== undefined && roleOf(fire.event) === 'open') {
      agent.opened = at;
      this.#startedBy(agent);
    }
    this.#wish(fire, agent);
  }

  /** Each agent below the one that started it, in the order of their first records. */
  lanes(): readonly Agent[] {
    if (this.#lanes !== undefined) return this.#lanes;
    const under = new Map<Agent | undefined, Agent[]>();
    for (const agent of [...this.#known.values()].sort((a, b) => a.first - b.first)) {
      const list = under.get(agent.parent) ?? [];
      under.set(agent.parent, list);
      list.push(agent);
    }
    const lanes: Agent[] = [];
    const add = (parent: Agent | undefined): void => {
      for (const agent of under.get(parent) ?? []) {
        lanes.push(agent);
        add(agent);
      }
    };
    add(undefined);
    this.#lanes = lanes;
    return lanes;
  }

  /** A call that names a type of agent, and a result that names the agent that it started. */
  #wish(fire: FireRecord, by: Agent): void {
    const { tool_input: call, tool_response: response } = fire.input;
    const id = fire.tool_use_id;
    if (id === undefined || !isObject(call)) return;
    const type = call['subagent_type'];
    if (typeof type !== 'string') return;
    const key = JSON.stringify([fire.session_id, id]);
    const started = isObject(response) ? (response['agentId'] ?? response['agent_id']) : undefined;
    if (typeof started === 'string' && started !== by.id) {
      this.#wishes.delete(key);
      const child = this.#known.get(JSON.stringify([fire.session_id, started]));
      if (child !== undefined) this.#put(child, by);
    } else if (response === undefined) this.#wishes.set(key, { type, by });
  }

  #startedBy(agent: Agent): void {
    for (const [key, wish] of this.#wishes) {
      if (wish.type !== agent.type || wish.by.session !== agent.session || wish.by === agent) continue;
      this.#wishes.delete(key);
      this.#put(agent, wish.by);
      return;
    }
  }

  #put(child: Agent, parent: Agent): void {
    // No agent is its own ancestor, whatever a file says.
    for (let above: Agent | undefined = parent; above !== undefined; above = above.parent) if (above === child) return;
    if (child.parent === parent) return;
    child.parent = parent;
    this.#lanes = undefined;
  }
}

/** Its depth below the main agent. */
export function depthOf(agent: Agent): number {
  let depth = 0;
  for (let above = agent.parent; above !== undefined; above = above.parent) depth += 1;
  return depth;
}

/** The name that `hookscope history` uses; if there are several sessions, main agents are distinguished. */
export function agentName({ id, type, session }: Agent, sessions = 1): string {
  if (id !== undefined) return `${type ?? 'agent'} ${id.slice(0, 6)}`;
  return sessions > 1 ? `main ${session.slice(0, 6)}` : 'main';
}
