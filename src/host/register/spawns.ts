import type { Scope } from '../../scopes/scope.js';
import type { Undo } from '../types.js';
import type { SpawnHooks } from './origin.js';

/** How many ended agents are remembered, and how many scopes of agents that went on stay open. */
const REMEMBERED = 1_000;

/** An agent that has ended: its type, and the types of the agents that it was below. */
interface Ended {
  readonly type: string | undefined;
  readonly above: readonly string[];
}

/** What the scope of an agent that went on has had since it was opened again. */
interface Again {
  readonly hooks: ReadonlySet<string>;
  readonly lives: number;
}

/** How an agent starts. */
interface Start {
  readonly type: string | undefined;
  /** It is none that had the id before; else one of the same type may be. */
  readonly isNew: boolean;
  /** Ends the scope of another that had its id. */
  end(scope: Scope): void;
}

/** Hooks by agent type, and the agents that have ended. */
export class Spawns {
  readonly #byType = new Map<string, Set<SpawnHooks>>();
  readonly #ended = new Map<string, Ended>();
  /** Scopes of agents that went on after their end, the oldest first. */
  readonly #again = new Map<Scope, Again>();
  /** Grows with every change of them. */
  changes = 0;

  get any(): boolean {
    return this.#byType.size > 0;
  }

  /** Whether hooks are made when an agent starts; those may be for any event. */
  get anything(): boolean {
    return [...this.#byType.values()].some((all) => [...all].some(({ hooks }) => typeof hooks === 'function'));
  }

  /** The hooks that an agent of the type gets in that session, below that scope; without a session, those for any. */
  of(type: string, session?: string, parent?: Scope): readonly SpawnHooks[] | undefined {
    const all = this.#byType.get(type);
    if (!all) return undefined;
    const wanted = [...all].filter(({ within }) => !within || within(session, parent));
    return wanted.length > 0 ? wanted : undefined;
  }

  all(): Iterable<[type: string, hooks: ReadonlySet<SpawnHooks>]> {
    return this.#byType;
  }

  add(type: string, spawnHooks: SpawnHooks): Undo {
    const all = this.#byType.get(type) ?? new Set();
    this.#byType.set(type, all.add(spawnHooks));
    this.changes++;
    return () => {
      this.changes++;
      all.delete(spawnHooks);
      if (all.size === 0 && this.#byType.get(type) === all) this.#byType.delete(type);
    };
  }

  /** Notes that the scope of an agent has ended, if the agent or one above it has a type. */
  remember(scope: Scope): void {
    const { session, id, agentType: type } = scope;
    this.#again.delete(scope);
    const above = scope.kind === 'agent' ? [...scope.typesAbove] : [];
    if (type === undefined && above.length === 0) return;
    const key = keyOf(session, id);
    // One that has ended before is the latest again.
    this.#ended.delete(key);
    this.#ended.set(key, { type, above });
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.keys().next().value as string);
  }

  /** An ended agent that goes on has a scope again, and may never stop: only the latest such scopes stay open. Returns the one to end instead. */
  goesOn(scope: Scope): Scope | undefined {
    const { lives } = scope;
    const [oldest] = this.#again.set(scope, { hooks: new Set(hooksOf(scope)), lives }).keys();
    return this.#again.size > REMEMBERED ? oldest : undefined;
  }

  /**
   * An agent starts: it has nothing of another one that had its id. If late events of that one have opened a scope again, it ends; but what somebody has
   * registered there since may be for the new one.
   */
  begin({ session, agent }: { session: string; agent: string }, open: Scope | undefined, start: Start): void {
    const again = open && this.#again.get(open);
    const before = again ? open?.agentType : this.ended(session, agent)?.type;
    if (!start.isNew && (before === undefined || before === start.type)) return;
    if (open && again) {
      this.#again.delete(open);
      if (open.lives <= again.lives && hooksOf(open).every((id) => again.hooks.has(id))) start.end(open);
      else open.setType(undefined);
    }
    if (open) open.typesBefore = [];
    this.#ended.delete(keyOf(session, agent));
  }

  ended(session: string, id: string): Ended | undefined {
    return this.#ended.get(keyOf(session, id));
  }

  /**
   * None, where a policy has hooks for agents of such a type: they hold for all below one while those live, whatever scope has ended. `has`: it has hooks
   * of a type in all sessions.
   */
  bind(ended: Ended | undefined, has: boolean): readonly SpawnHooks[] | undefined {
    if (ended === undefined) return undefined;
    const { type, above } = ended;
    const types = has && type !== undefined ? [type, ...above] : above;
    const ofPolicy = (type: string): boolean =>
      [...(this.#byType.get(type) ?? [])].some(({ origin }) => origin.ofType !== undefined);
    return types.some(ofPolicy) ? [] : undefined;
  }
}

const hooksOf = (scope: Scope): string[] => scope.events().flatMap((event) => scope.own(event).map(({ id }) => id));

/** Unambiguous, whatever characters the ids contain. */
function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}
