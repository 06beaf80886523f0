import type { Registration } from '../scopes/registration.js';
import type { ScopeLookup } from '../scopes/tree.js';
import { agentOf } from './claims.js';
import type { RecordedFire } from './recorded.js';

/** The scope of a replayed fire, and which hooks of it are not known. */
export interface ReplayPlace {
  readonly found: ScopeLookup;
  /** A function makes the hooks for each agent, so they are not known. */
  readonly makes: boolean;
  /** Hooks of other agents count (`merge: 'all'`), but the plan does not have them. */
  readonly others?: boolean;
  /** Hooks of agents that may be above the fire's own count, but who is above was not recorded. */
  readonly above?: boolean;
  /** The agent's events name several types, whose hooks count together. */
  readonly several?: boolean;
}

/** The most agents that are remembered. */
const MOST = 10_000;

/** The agents of one type, and the scope that such an agent gets. */
interface TypedAgents {
  place: ReplayPlace;
  /** The life of each agent (see `Claims`), by session and agent id. */
  readonly agents: Map<string, string>;
}

/** For `merge: 'all'`, where hooks of all agents count in every fire: the agents with type hooks that may still be running, by host. */
export class OtherAgents {
  readonly #hosts = new Map<string, Map<string, TypedAgents>>();
  /** Ended agents by host and scope. Hooks that were registered by hand can keep such a scope open, and its type hooks with it. */
  readonly #ended = new Map<string, ReplayPlace>();
  #count = 0;
  #isFull = false;

  /** Notes that an agent of this type is running. */
  begin(fire: RecordedFire, type: string, place: ReplayPlace): void {
    const { host = '' } = fire;
    const types = this.#hosts.get(host) ?? new Map<string, TypedAgents>();
    const of = types.get(type) ?? { place, agents: new Map() };
    of.place = place;
    if (!of.agents.has(nameOf(fire))) this.#count += 1;
    this.#isFull ||= this.#count > MOST;
    if (this.#isFull) return;
    of.agents.set(nameOf(fire), agentOf(fire, fire.scope));
    this.#hosts.set(host, types.set(type, of));
  }

  end(fire: RecordedFire): void {
    const { host = '' } = fire;
    const types = this.#hosts.get(host);
    for (const [type, { agents, place }] of types ?? []) {
      if (agents.delete(nameOf(fire))) {
        this.#count -= 1;
        this.#ended.set(scopeIn(fire), place);
        if (this.#ended.size > MOST) this.#ended.delete(this.#ended.keys().next().value as string);
      }
      if (agents.size === 0) types?.delete(type);
    }
    if (types?.size === 0) this.#hosts.delete(host);
  }

  /** The `once` hooks of other agents that may be asked in this fire, with the life of each agent. */
  *once(fire: RecordedFire): Generator<readonly [life: string, Registration]> {
    const own = nameOf(fire);
    for (const { place, agents } of this.#hosts.get(fire.host ?? '')?.values() ?? [])
      for (const r of place.found.scope.own(fire.event))
        if (r.once && !r.ownStop) for (const [name, life] of agents) if (name !== own) yield [life, r];
  }

  /** Whether the fire lists hooks of another agent that has ended. */
  #listsEnded(fire: RecordedFire): boolean {
    if (this.#ended.size === 0) return false;
    const own = fire.agent ?? fire.scope;
    return (fire.hooks ?? []).some(({ scope = own }) => {
      const place = scope === own ? undefined : this.#ended.get(scopeIn(fire, scope));
      return place !== undefined && hasHooks(place, fire.event);
    });
  }

  /** Whether hooks of another agent count in this fire, or may count because there were too many agents to remember. */
  isAmong(fire: RecordedFire): boolean {
    const own = nameOf(fire);
    return (
      this.#isFull ||
      this.#listsEnded(fire) ||
      [...(this.#hosts.get(fire.host ?? '')?.values() ?? [])].some(
        ({ place, agents }) => agents.size > Number(agents.has(own)) && hasHooks(place, fire.event),
      )
    );
  }
}

/** A key for a scope in the fire's host. */
const scopeIn = ({ host = '', agent, scope }: RecordedFire, name = agent ?? scope): string =>
  JSON.stringify([host, name]);

/** Whether another agent's hooks are asked on the event. Its own Stop hooks are not: they are only for its own stop. */
const hasHooks = ({ makes, found }: ReplayPlace, event: string): boolean =>
  makes || found.scope.own(event).some(({ ownStop }) => !ownStop);

const nameOf = ({ session, agent, scope }: RecordedFire): string => JSON.stringify([session, agent ?? scope]);
