import type { EventSpec } from '../events/spec.js';
import type { HostCore } from '../host/core.js';
import { isText, type Json } from '../values/shape.js';

/** An agent that is running or has ended, as processes pass it on. */
export interface PassedAgent {
  readonly session: string;
  readonly agent: string;
  readonly type: string;
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
    if (isLate && this.#open.has(JSON.stringify([session, agent]))) return;
    // An agent without a type is the client's own, for example for compacting; no hooks are registered for it.
    if (!isText(type) || type === '') return;
    this.#start({ session, agent, type, ...(isLate ? { late: true } : {}) });
    const { tool_use_id: id, tool_name: tool } = input;
    if (isLate && isText(id) && id !== '' && isText(tool))
      this.#services.alarms.reopened({ session, agent, agentType: type, id, tool, scope: agent }, spec.name);
  }

  /** Called after a fire. `goesOn`: the stop was blocked. */
  after(spec: EventSpec, input: Json, goesOn: boolean): void {
    const { session_id: session, agent_id: agent } = input;
    if (!isText(session)) return;
    if (spec.scope === 'close' && isText(agent) && !goesOn) this.#end(JSON.stringify([session, agent]));
    if (spec.claude?.bounds !== 'end') return;
    for (const [key, one] of this.#open) if (one.session === session) this.#end(key);
    void this.#services.registrar.end({ session });
  }

  /** Passes the running agents to the process that takes over, and from then on all that start and end. */
  passOn(to: (agent: PassedAgent) => void): void {
    for (const one of this.#open.values()) to(one);
    this.#next = to;
  }

  /** Applies the start or end of an agent that the previous process has seen. */
  takeOver(one: PassedAgent): void {
    const key = JSON.stringify([one.session, one.agent]);
    if (one.ended) this.#end(key);
    else this.#start(one);
  }

  #start(one: PassedAgent): void {
    const { session, agent, late } = one;
    const key = JSON.stringify([session, agent]);
    const before = this.#open.get(key);
    // An agent that is already running keeps the type with which it started.
    const { agentType: type = one.type } = this.#services.registrar.agents.start({ session, agent }, one.type, late);
    if (before && before.type === type && before.late === late) return;
    const known = { ...one, type };
    this.#open.delete(key);
    this.#open.set(key, known);
    this.#next?.(known);
    if (this.#open.size > MOST) this.#end(this.#open.keys().next().value as string);
  }

  get size(): number {
    return this.#open.size;
  }

  #end(key: string): void {
    const ref = this.#open.get(key);
    if (ref === undefined) return;
    this.#open.delete(key);
    this.#next?.({ ...ref, ended: true });
    void this.#services.registrar.end({ session: ref.session, agent: ref.agent });
  }
}
