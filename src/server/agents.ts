import type { EventSpec } from '../events/spec.js';
import type { HostCore } from '../host/core.js';
import type { AgentRef } from '../host/register/standings.js';
import type { EventState } from '../host/services.js';
import { isText, type Json } from '../values/shape.js';

/** An agent that is running or has ended, as processes pass it on. */
export interface PassedAgent {
  readonly session: string;
  readonly agent: string;
  readonly type: string;
  /** Other types that its events have named, and whose hooks it has too. */
  readonly others?: readonly string[];
  /** The types that count as those of agents above it. */
  readonly above?: readonly string[];
  readonly ended?: true;
  /** The agent had already ended, or its start was never seen. */
  readonly late?: true;
}

/** The most open agents; beyond it, the oldest is ended, whose stop was probably never reported. */
const MOST = 10_000;

/** Opens and ends the scopes of another program's agents, by the events that the program sends. */
export class AgentScopes {
  readonly #services: HostCore;
  /** Open agents by session and id, in the order of their start. */
  readonly #open = new Map<string, PassedAgent>();
  /** Agents whose start or stop this process has seen itself, so that it knows more of them than the previous process. */
  readonly #seen = new Set<string>();
  /** Tells the process that takes over about agents that start and end. */
  #next: ((agent: PassedAgent) => void) | undefined;

  constructor(services: HostCore) {
    this.#services = services;
  }

  /** Called before a fire. An agent that has ended, or whose start was not seen, gets a scope by its type; a call of it is an alarm. */
  before(spec: EventSpec, input: Json): void {
    const { session_id: session, agent_id: agent, agent_type: type } = input;
    if (!isText(session) || !isText(agent) || agent === '') return;
    const isLate = spec.scope !== 'open';
    if (!isLate) this.#sees(JSON.stringify([session, agent]));
    if (isLate && this.#open.has(JSON.stringify([session, agent]))) return;
    // An agent without a type is the client's own, for example for compacting; no hooks are registered for it.
    if (!isText(type) || type === '') return;
    this.#start({ session, agent, type, ...(isLate ? { late: true } : {}) });
    const { tool_use_id: id, tool_name: tool } = input;
    if (isLate && isText(id) && id !== '' && isText(tool))
      this.#services.alarms.reopened({ session, agent, agentType: type, id, tool, scope: agent }, spec.name);
  }

  /** Called after a fire, which may have opened the scope of an agent again, or attached hooks. `goesOn`: the stop was blocked. */
  after(spec: EventSpec, input: Json, goesOn: boolean): void {
    const { session_id: session, agent_id: agent } = input;
    if (!isText(session)) return;
    if (isText(agent)) {
      const key = JSON.stringify([session, agent]);
      if (spec.scope === 'close' && !goesOn) this.#end(this.#sees(key));
      else this.#note({ session, agent });
    }
    if (spec.claude?.bounds !== 'end') return;
    for (const [key, one] of this.#open) if (one.session === session) this.#end(this.#sees(key));
    void this.#services.registrar.end({ session });
  }

  /** Passes all agents that are known to the process that takes over, and from then on every change. */
  passOn(to: (agent: PassedAgent) => void): void {
    for (const { session, agent, type, above } of this.#services.registrar.standings.ended())
      if (type !== undefined) to({ session, agent, type, ...listed({ above }), ended: true });
    for (const one of this.#open.values()) to(one);
    this.#next = to;
  }

  /** Applies what the previous process knows of an agent, even later, when an event that was under way there is answered. */
  takeOver({ session, agent, type, others = [], above = [], ended, late }: PassedAgent): void {
    const { registrar, events } = this.#services;
    const key = JSON.stringify([session, agent]);
    if (this.#seen.has(key)) return;
    const isOpen = this.#open.has(key);
    const hasEnded = ended ?? late ?? false;
    if (ended && isOpen) this.#end(key);
    else if (!isOpen) registrar.standings.restore({ session, agent }, { type, above, hasEnded });
    if (ended) return;
    registrar.agents.start({ session, agent }, type, late);
    const event = events['SubagentStart'] as EventState;
    for (const other of others)
      registrar.agents.enter({ session_id: session, agent_id: agent, agent_type: other }, undefined, event);
    this.#note({ session, agent });
  }

  #start({ session, agent, type, late }: PassedAgent): void {
    // An agent that is already running keeps the type with which it started.
    this.#services.registrar.agents.start({ session, agent }, type, late);
    this.#note({ session, agent });
  }

  /** Notes what hooks an agent has, and passes it on if that has changed. */
  #note({ session, agent }: AgentRef): void {
    const begun = this.#services.registrar.begunAgent({ session, agent });
    if (begun === undefined) return;
    const { type, others, above, hadEnded } = begun;
    const known: PassedAgent = { session, agent, type, ...listed({ others, above }), ...(hadEnded && { late: true }) };
    const key = JSON.stringify([session, agent]);
    if (JSON.stringify(this.#open.get(key)) === JSON.stringify(known)) return;
    this.#open.delete(key);
    this.#open.set(key, known);
    this.#next?.(known);
    if (this.#open.size > MOST) this.#end(this.#open.keys().next().value as string);
  }

  get size(): number {
    return this.#open.size;
  }

  /** Notes that an event in this process has started or ended the agent. */
  #sees(key: string): string {
    this.#seen.delete(key);
    this.#seen.add(key);
    if (this.#seen.size > MOST) this.#seen.delete(this.#seen.values().next().value as string);
    return key;
  }

  #end(key: string): void {
    const ref = this.#open.get(key);
    if (ref === undefined) return;
    this.#open.delete(key);
    this.#next?.({ ...ref, ended: true });
    void this.#services.registrar.end({ session: ref.session, agent: ref.agent });
  }
}

/** The lists that are not empty. */
function listed(lists: Pick<PassedAgent, 'others' | 'above'>): Pick<PassedAgent, 'others' | 'above'> {
  return Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0));
}
