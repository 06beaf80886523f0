import type { Scope } from '../../scopes/scope.js';
import type { Undo } from '../types.js';
import type { SpawnHooks } from './origin.js';

/** How many ended agents are remembered, so that a late event does not open their scope again. */
const REMEMBERED = 1_000;

/** Hooks that wait for agents of a type, and the agents that have had theirs. */
export class Spawns {
  readonly #wishes = new Map<string, Set<SpawnHooks>>();
  readonly #ended = new Set<string>();

  get any(): boolean {
    return this.#wishes.size > 0;
  }

  /** What an agent of the type gets in that session; of a session nobody named, what is for any. */
  of(type: string, session?: string): readonly SpawnHooks[] | undefined {
    const wishes = this.#wishes.get(type);
    if (!wishes) return undefined;
    const wanted = [...wishes].filter(({ within }) => !within || (session !== undefined && within(session)));
    return wanted.length > 0 ? wanted : undefined;
  }

  all(): Iterable<[type: string, wishes: ReadonlySet<SpawnHooks>]> {
    return this.#wishes;
  }

  add(type: string, spawnHooks: SpawnHooks): Undo {
    const wishes = this.#wishes.get(type) ?? new Set();
    this.#wishes.set(type, wishes.add(spawnHooks));
    return () => {
      wishes.delete(spawnHooks);
      if (wishes.size === 0 && this.#wishes.get(type) === wishes) this.#wishes.delete(type);
    };
  }

  /** The agent's scope ends; what comes late of it opens no other. */
  remember(scope: Scope): void {
    this.#ended.add(keyOf(scope.session, scope.id));
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.values().next().value as string);
  }

  hasEnded(session: string, id: string): boolean {
    return this.#ended.has(keyOf(session, id));
  }
}

/** Whatever characters ids have, no two pairs have one key. */
function keyOf(session: string, id: string): string {
  return JSON.stringify([session, id]);
}
