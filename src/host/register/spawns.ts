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

/** Hooks by agent type, and the agents that have ended. */
export class Spawns {
  readonly #byType = new Map<string, Set<SpawnHooks>>();
  readonly #ended = new Map<string, Ended>();
  /** Scopes of agents that went on after their end, the oldest first. */
  readonly #again = new Set<Scope>();
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
    const [oldest] = this.#again.add(scope);
    return this.#again.size > REMEMBERED ? oldest : undefined;
  }

  ended(session: string, id: string): Ended | undefined {
    return this.#ended.get(keyOf(session, id));
  }

  /** None, where a policy has hooks for agents of such a type: they hold for all below one while those live, whatever scope has ended. */
  bind(types: readonly string[] = []): readonly SpawnHooks[] | undefined {
    const ofPolicy = (type: string): boolean =>
      [...(this.#byType.get(type) ?? [])].some(({ origin }) => origin.ofType !== undefined);
    return types.some(ofPolicy) ? [] : undefined;
  }
}

/** Unambiguous, whatever characters the ids contain. */
function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}
