import { type AgentRef, keyOf } from '../host/register/standings.js';
import type { Scope } from '../scopes/scope.js';
import type { ScopeTree } from '../scopes/tree.js';

/** How many agents are remembered whose hooks have ended with them. */
const MOST = 1_000;

/** Warns of hooks that were registered by hand for an agent's id, and that an agent with that id does not have: they end with the agent that a session drives, and with the session. */
export class HooksByHand {
  readonly #tree: ScopeTree;
  readonly #report: (message: string) => void;
  /** Scopes with such hooks whose agents a session drives. */
  readonly #taken = new WeakSet<Scope>();
  /** Agents whose hooks have ended, the latest last. */
  readonly #ended = new Map<string, AgentRef>();
  #hasWarned = false;

  constructor(tree: ScopeTree, report: (message: string) => void) {
    this.#tree = tree;
    this.#report = report;
  }

  /** Whether such hooks wait for the agent, which no session drives yet. */
  waitFor(agent: AgentRef): boolean {
    const scope = this.#tree.get(agent);
    return scope !== undefined && this.#isIn(scope);
  }

  /** A session spawns an agent in the scope. `waited`: what `waitFor` said. */
  spawns(scope: Scope, type: string, waited: boolean): void {
    const hadEnded = this.#ended.delete(keyOf(refOf(scope)));
    if (waited) this.#taken.add(scope);
    else if (hadEnded)
      this.#report(
        `Agent "${scope.id}" starts without the hooks that were registered for its id: they ended with an earlier agent. Register them again, or for every agent of its type: spawnHooks("${type}", …)`,
      );
  }

  /** A session opens. Hooks without a session are for all sessions, until one that was opened without an id spawns the agent or ends. */
  opens(session: string): void {
    const { nameOfAll } = this.#tree;
    if (nameOfAll === undefined || this.#hasWarned) return;
    const first = session === nameOfAll ? undefined : this.#tree.get({ session: nameOfAll });
    const open = first?.heldBySession ? first.tree().filter((scope) => this.#isIn(scope)) : [];
    const ended = [...this.#ended.values()].filter((one) => one.session === nameOfAll);
    const agents = new Set([...ended, ...open.map(refOf)].map(({ agent }) => `"${agent}"`));
    if (agents.size === 0) return;
    this.#hasWarned = true;
    this.#report(
      `Hooks were registered without a session for ${[...agents].join(', ')}. The first session without an id takes them when it spawns such an agent, and they end with it, so agents with that id in further sessions, such as "${session}", go without. Register them for { session, agent }, or with spawnHooks, or give every session an id from the start`,
    );
  }

  /** A session, or an agent that it drives, ends. */
  ends(scope: Scope): void {
    for (const one of scope.closed ? [] : scope.tree()) if (this.#isIn(one)) this.#remember(refOf(one));
  }

  #remember(agent: AgentRef): void {
    this.#ended.set(keyOf(agent), agent);
    if (this.#ended.size > MOST) this.#ended.delete(this.#ended.keys().next().value as string);
  }

  #isIn(scope: Scope): boolean {
    if (scope.kind !== 'agent' || scope.events().length === 0) return false;
    return this.#taken.has(scope) || (!scope.spawned && !scope.heldBySession);
  }
}

const refOf = ({ session, id }: Scope): AgentRef => ({ session, agent: id });
