/** The most texts that are kept for all agents together. */
const MOST = 1_000;

/**
 * Pending context of agents that have no scope of their own. No end of such an agent need ever be seen, so only the latest texts are kept:
 * those of the agent that was silent for longest are dropped first.
 */
export class WaitingContext {
  /** By session and agent; the agent that got a text last is the last. */
  readonly #lists = new Map<string, string[]>();

  get some(): boolean {
    return this.#lists.size > 0;
  }

  /** The list to add a text to. */
  of(session: string, agent: string): string[] {
    const list = this.take(session, agent) ?? [];
    let room = MOST - 1;
    list.splice(0, list.length - room);
    room -= list.length;
    for (const [key, other] of [...this.#lists].reverse()) {
      room -= other.length;
      if (other.length === 0 || room < 0) this.#lists.delete(key);
    }
    this.#lists.set(keyOf(session, agent), list);
    return list;
  }

  /** The list of texts that were added, if any. */
  get(session: string, agent: string): string[] | undefined {
    return this.#lists.get(keyOf(session, agent));
  }

  /** Returns the list, which is no longer kept here. */
  take(session: string, agent: string): string[] | undefined {
    const key = keyOf(session, agent);
    const list = this.#lists.get(key);
    this.#lists.delete(key);
    return list;
  }
}

const keyOf = (session: string, agent: string): string => JSON.stringify([session, agent]);
