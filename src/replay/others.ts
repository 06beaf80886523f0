import type { Registration } from '../scopes/registration.js';
import type { ScopeLookup } from '../scopes/tree.js';
import { agentOf } from './claims.js';
import type { RecordedFire } from './recorded.js';

/** The surroundings of a fire in which stand-ins replace the hooks. */
export interface ReplayPlace {
  readonly found: ScopeLookup;
  /** Hooks that a function makes for each agent: they are not known. */
  readonly makes: boolean;
  /** Hooks of other agents count (`merge: 'all'`), which were not asked. */
  readonly others?: boolean;
  /** Hooks for agents of a type count that may be above it. */
  readonly above?: boolean;
}

/** Agents that are remembered. */
const MOST = 10_000;

/** Agents of one type, by session and name, and what such an agent gets. */
interface OfType {
  place: ReplayPlace;
  /** By name: the life of each, as claims know it. */
  readonly agents: Map<string, string>;
}

/** Where the hooks of all agents count in every fire (`merge: 'all'`): the agents with hooks of their type that may still be running, by host. */
export class Others {
  readonly #hosts = new Map<string, Map<string, OfType>>();
  /** Those that have ended, by host and scope: what was registered by hand may keep a scope open, with the hooks of the agent's type. */
  readonly #ended = new Map<string, ReplayPlace>();
  #count = 0;
  #isFull = false;

  /** An agent of the type has begun, or goes on. */
  begin(fire: RecordedFire, type: string, place: ReplayPlace): void {
    const { host = '' } = fire;
    const types = this.#hosts.get(host) ?? new Map<string, OfType>();
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

  /** The `once` hooks of other agents that may be asked in this fire, with the lives of those agents. */
  *once(fire: RecordedFire): Generator<readonly [life: string, Registration]> {
    const own = nameOf(fire);
    for (const { place, agents } of this.#hosts.get(fire.host ?? '')?.values() ?? [])
      for (const r of place.found.scope.own(fire.event))
        if (r.once && !r.ownStop) for (const [name, life] of agents) if (name !== own) yield [life, r];
  }

  /** Whether hooks were listed of the scope of another agent, one that has ended. */
  #listsEnded(fire: RecordedFire): boolean {
    if (this.#ended.size === 0) return false;
    const own = fire.agent ?? fire.scope;
    return (fire.hooks ?? []).some(({ scope = own }) => {
      const place = scope === own ? undefined : this.#ended.get(scopeIn(fire, scope));
      return place !== undefined && hasHooks(place, fire.event);
    });
  }

  /** Whether hooks of another agent would count in this fire; where there were too many agents to remember, they may. */
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

/** A scope of the fire's host. */
const scopeIn = ({ host = '', agent, scope }: RecordedFire, name = agent ?? scope): string =>
  JSON.stringify([host, name]);

/** An agent's own Stop hooks are for its own stop. */
const hasHooks = ({ makes, found }: ReplayPlace, event: string): boolean =>
  makes || found.scope.own(event).some(({ ownStop }) => !ownStop);

const nameOf = ({ session, agent, scope }: RecordedFire): string => JSON.stringify([session, agent ?? scope]);
