import type { EventSpec } from '../events/spec.js';
import type { HostCore } from '../host/core.js';
import { isText, type Json } from '../values/shape.js';

/** An agent at work, or one that has ended. */
export interface PassedAgent {
  readonly session: string;
  readonly agent: string;
  readonly type: string;
  readonly ended?: true;
  /** It had ended before, or was never seen to start. */
  readonly late?: true;
}

/** Agents that are open at most; beyond it the oldest, whose stop was never told, ends. */
const MOST = 10_000;

/** Opens and ends the scopes of agents in another program, from the events it sends. */
export class AgentScopes {
  readonly #services: HostCore;
  /** Open, by session and id; their order is that of their start. */
  readonly #open = new Map<string, PassedAgent>();
  /** The process that takes over; it is told of agents that start and end. */
  #next: ((agent: PassedAgent) => void) | undefined;

  constructor(services: HostCore) {
    this.#services = services;
  }

  /** Called before a fire. An agent that has ended, or never started, gets its scope again by its type; if it makes a call, that is an alarm. */
  before(spec: EventSpec, input: Json): void {
    const { session_id: session, agent_id: agent, agent_type: type } = input;
    if (!isText(session) || !isText(agent) || agent === '') return;
    const isLate = spec.scope !== 'open';
    if (isLate && this.#open.has(JSON.stringify([session, agent]))) return;
    // An agent without a type is the client's own (it compacts): nothing is registered for it.
    if (!isText(type) || type === '') return;
    this.#start({ session, agent, type, ...(isLate ? { late: true } : {}) });
    const { tool_use_id: id, tool_name: tool } = input;
    if (isLate && isText(id) && id !== '' && isText(tool))
      this.#services.alarms.reopened({ session, agent, agentType: type, id, tool, scope: agent }, spec.name);
  }

  /** Called after the fire. `goesOn`: the stop was blocked. */
  after(spec: EventSpec, input: Json, goesOn: boolean): void {
    const { session_id: session, agent_id: agent } = input;
    if (!isText(session)) return;
    if (spec.scope === 'close' && isText(agent) && !goesOn) this.#end(JSON.stringify([session, agent]));
    if (spec.claude?.bounds !== 'end') return;
    for (const [key, one] of this.#open) if (one.session === session) this.#end(key);
    void this.#services.registrar.end({ session });
  }

  /** Tells of the agents at work, and from then on of all that start and end: for the process that takes over. */
  passOn(to: (agent: PassedAgent) => void): void {
    for (const one of this.#open.values()) to(one);
    this.#next = to;
  }

  /** The process before has seen it start, or end. */
  takeOver(one: PassedAgent): void {
    const key = JSON.stringify([one.session, one.agent]);
    if (one.ended) this.#end(key);
    else this.#start(one);
  }

  #start(one: PassedAgent): void {
    const { session, agent, late } = one;
    const key = JSON.stringify([session, agent]);
    const before = this.#open.get(key);
    // One that is at work, and is told of late, has the type with which it has started.
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
