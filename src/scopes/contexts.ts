import type { ScopeTree } from './tree.js';

/** The context that waits for the next turn of sessions and agents. */
export class PendingContexts {
  readonly #tree: ScopeTree;

  constructor(tree: ScopeTree) {
    this.#tree = tree;
  }

  /** That of a session's next turn. */
  ofSession(session: string): string[] {
    return this.#tree.pendingContext(session);
  }

  /** That of an agent's next turn, to be taken; without `agent`, of the session's. */
  of(session: string, agent: unknown): string[] {
    if (agent === undefined) return this.ofSession(session);
    return (typeof agent === 'string' ? this.#tree.pendingOf(session, agent) : undefined) ?? [];
  }

  /** The list of the agent that has the id now, to be added to with `add`. */
  listOf(session: string | undefined, agent: string): string[] {
    return this.#tree.contextOf(session ?? this.#tree.session, agent);
  }

  add(list: string[], texts: readonly string[]): void {
    this.#tree.waitingFor.add(list, texts);
  }

  /** Whether anything may wait for agents that have no scope. */
  get some(): boolean {
    return this.#tree.waitingFor.some;
  }

  /** A session has ended: what waits for its agents that have no scope is dropped. */
  endSession(session: unknown): void {
    this.#tree.waitingFor.endSession(String(session));
  }
}
