/** The most texts that are kept for all agents together. */
const MOST = 1_000;
/** The most agents whose lists are kept, without texts too: an answer about one that is no longer kept is dropped when it comes. */
const MOST_AGENTS = 1_000;

/**
 * Pending context of agents that have no scope of their own. A list belongs to one agent, not to its id: fires keep the list of the agent that
 * they are about, so what is added to a list that was taken away reaches nobody. No end of such an agent need ever be seen, so only the latest
 * texts are kept: those of the agent that was silent for longest are dropped first.
 */
export class WaitingContext {
  readonly #lists = new Map<string, Map<string, string[]>>();
  /** The lists here, and whose they are; the one that was made first is the first. */
  readonly #whose = new Map<string[], readonly [session: string, agent: string]>();
  /** Those with texts; the one that got a text last is the last. */
  readonly #filled = new Set<string[]>();

  /** Whether there is any list. */
  get some(): boolean {
    return this.#whose.size > 0;
  }

  /** The agent's list, if there is one. */
  get(session: string, agent: string): string[] | undefined {
    return this.#lists.get(session)?.get(agent);
  }

  /** The agent's list. */
  of(session: string, agent: string): string[] {
    return this.get(session, agent) ?? this.put(session, agent, []);
  }

  /** Sets the agent's list. */
  put(session: string, agent: string, list: string[]): string[] {
    this.take(session, agent);
    const agents = this.#lists.get(session) ?? new Map<string, string[]>();
    this.#lists.set(session, agents.set(agent, list));
    this.#whose.set(list, [session, agent]);
    if (list.length > 0) this.#filled.add(list);
    if (this.#whose.size > MOST_AGENTS) this.#dropOldest();
    return list;
  }

  /** Takes the list away: the agent gets a scope, has ended, or another one has its id. */
  take(session: string, agent: string): string[] | undefined {
    const agents = this.#lists.get(session);
    const list = agents?.get(agent);
    if (agents === undefined || list === undefined) return undefined;
    agents.delete(agent);
    if (agents.size === 0) this.#lists.delete(session);
    this.#whose.delete(list);
    this.#filled.delete(list);
    return list;
  }

  /** A session has ended, and its agents with it. */
  endSession(session: string): void {
    for (const agent of [...(this.#lists.get(session)?.keys() ?? [])]) this.take(session, agent);
  }

  /** Adds texts to a list, wherever it is by now. */
  add(list: string[], texts: readonly string[]): void {
    list.push(...texts);
    if (!this.#whose.has(list)) return;
    this.#filled.delete(list);
    this.#filled.add(list);
    list.splice(0, list.length - MOST);
    let room = MOST;
    for (const other of [...this.#filled].reverse()) {
      room -= other.length;
      if (room < 0) other.length = 0;
      if (other.length === 0) this.#filled.delete(other);
    }
  }

  #dropOldest(): void {
    for (const [list, [session, agent]] of this.#whose) {
      if (this.#filled.has(list)) continue;
      this.take(session, agent);
      return;
    }
  }
}
