import { append } from '../values/append.js';

/** The most texts that are kept for all agents together. */
const MOST = 1_000;
/** The most agents without texts whose lists are kept: an answer about one that is no longer kept is dropped when it comes. */
const MOST_SILENT = 1_000;

/**
 * Pending context of agents that have no scope of their own. A list belongs to one agent, not to its id: fires keep the list of the agent that
 * they are about, so what is added to a list that was taken away reaches nobody. No end of such an agent need ever be seen, so only the latest
 * texts are kept, and the lists of those agents without texts that a fire was about last.
 */
export class WaitingContext {
  readonly #lists = new Map<string, Map<string, string[]>>();
  /** The lists here, and whose they are. */
  readonly #whose = new Map<string[], readonly [session: string, agent: string]>();
  /** Those with texts, and those whose texts were just delivered; the one that got a text last is the last. */
  readonly #filled = new Set<string[]>();
  /** The others; the one that was used last is the last. */
  readonly #silent = new Set<string[]>();

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
    const list = this.get(session, agent);
    if (list === undefined) return this.put(session, agent, []);
    if (this.#silent.delete(list)) this.#silent.add(list);
    return list;
  }

  /** Sets the agent's list. */
  put(session: string, agent: string, list: string[]): string[] {
    this.take(session, agent);
    const agents = this.#lists.get(session) ?? new Map<string, string[]>();
    this.#lists.set(session, agents.set(agent, list));
    this.#whose.set(list, [session, agent]);
    if (list.length > 0) this.#fill(list);
    else this.#silence(list);
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
    this.#silent.delete(list);
    return list;
  }

  /** A session has ended, and its agents with it. */
  endSession(session: string): void {
    for (const agent of [...(this.#lists.get(session)?.keys() ?? [])]) this.take(session, agent);
  }

  /** Adds texts to a list, wherever it is by now. */
  add(list: string[], texts: readonly string[]): void {
    append(list, texts);
    if (this.#whose.has(list)) this.#fill(list);
  }

  /** Keeps the latest texts of all lists, this one's as the latest of them. */
  #fill(latest: string[]): void {
    this.#silent.delete(latest);
    this.#filled.delete(latest);
    this.#filled.add(latest);
    latest.splice(0, latest.length - MOST);
    let room = MOST;
    for (const list of [...this.#filled].reverse()) {
      room -= list.length;
      if (room < 0) list.length = 0;
      if (list.length > 0) continue;
      this.#filled.delete(list);
      this.#silence(list);
    }
  }

  #silence(list: string[]): void {
    this.#silent.add(list);
    if (this.#silent.size <= MOST_SILENT) return;
    const [longest] = this.#silent;
    const [session, agent] = this.#whose.get(longest as string[]) as readonly [string, string];
    this.take(session, agent);
  }
}
