import type { Scope } from '../../scopes/scope.js';
import type { Undo } from '../types.js';
import type { SpawnHooks } from './origin.js';
import type { Remembered } from './standings.js';

/** Hooks by agent type. */
export class Spawns {
  readonly #byType = new Map<string, Set<SpawnHooks>>();
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

  /**
   * None, where a policy has hooks for agents of such a type: they hold for all below one while those live, whatever scope has ended. `has`: it has hooks
   * of a type in all sessions.
   */
  bind(agent: Remembered | undefined, has: boolean): readonly SpawnHooks[] | undefined {
    if (agent === undefined) return undefined;
    const { type, above } = agent;
    const types = has && type !== undefined ? [type, ...above] : above;
    const ofPolicy = (type: string): boolean =>
      [...(this.#byType.get(type) ?? [])].some(({ origin }) => origin.ofType !== undefined);
    return types.some(ofPolicy) ? [] : undefined;
  }
}
