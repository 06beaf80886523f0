import { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeTree } from '../../scopes/tree.js';
import type { AgentInstaller, PendingHooks } from './agent-hooks.js';
import type { HooksOfStart } from './lives.js';
import type { AgentRef, AgentStanding, Standings } from './standings.js';
import type { AgentStarts, PendingStart, PriorState } from './starts.js';

interface SpawnScopesParts {
  readonly tree: ScopeTree;
  readonly installer: AgentInstaller;
  readonly standings: Standings;
  readonly starts: AgentStarts;
  end(scope: Scope): Promise<void> | undefined;
}

/** Opens the scopes in which agents begin, and clears them for later agents with the same ids. */
export class SpawnScopes {
  readonly #parts: SpawnScopesParts;

  constructor(parts: SpawnScopesParts) {
    this.#parts = parts;
  }

  open(found: ScopeLookup, spawn: PendingHooks, agent: AgentRef, isLate: boolean) {
    const { tree } = this.#parts;
    // A scope for all sessions does not belong to this session, and stays when the agent ends.
    const isOwn = found.known && found.scope.session === agent.session;
    const scope = isOwn ? found.scope : tree.open(agent, { agentType: spawn.type, spawned: true });
    this.begin(scope, spawn, isLate);
    return { scope, isOwn, opened: tree.within({ scope, id: scope.id, known: true }, agent.session) };
  }

  /** An agent begins in the scope, with these hooks. `isLate`: it had already ended. */
  begin(scope: Scope, pending: PendingHooks, isLate = false): void {
    const { before } = pending;
    this.#parts.standings.begins(scope);
    if (before.length > 0) scope.typesBefore = [...new Set([...scope.typesBefore, ...before])];
    this.#parts.installer.installAll(scope, pending);
    if (isLate) this.isOver(scope);
  }

  isOver(scope: Scope): void {
    const oldest = this.#parts.standings.isOver(scope);
    if (oldest) this.#vacate(oldest);
  }

  /** Another agent starts with that id. Clears the earlier agent's scope and returns what is needed to restore it. */
  makeWay(agent: AgentRef, { earlier, isOther = false }: AgentStanding = {}): PriorState {
    const { tree } = this.#parts;
    const context = tree.contextOf(agent.session, agent.agent);
    if (isOther) tree.setContext(agent.session, agent.agent, []);
    const hasEnded = earlier && this.#parts.standings.hasEnded(earlier);
    const { parent, spawned = false } = earlier ?? {};
    const hooks = earlier ? this.#parts.installer.hooksIn(earlier) : [];
    if (earlier) this.#parts.starts.during(agent, () => this.#vacate(earlier));
    const before = this.#parts.standings.take(agent);
    const known = before && hasEnded !== undefined ? { ...before, hasEnded } : before;
    return { before: known, hadBegun: earlier !== undefined, hooks, context, parent, spawned };
  }

  /**
   * A start in the scope has failed while agents that it started are still below it. They keep the failed agent's hooks, in a scope at the same
   * place, until they are closed, and the hooks in the scope itself are asked about them too. That scope is free for another agent with the id.
   */
  setAside(begun: PendingStart, scope: Scope, given: HooksOfStart, below: readonly Scope[]): Scope {
    const { id, kind, session, agentType, typesBefore, parent } = scope;
    const aside = new Scope({ id, kind, session, ...(parent && { parent }), ...(agentType && { agentType }) });
    aside.typesBefore = typesBefore;
    aside.beside = scope;
    // False: another agent has started there since.
    const isLast = this.#parts.starts.last(begun.agent) === begun;
    for (const one of below) if (!one.closed) one.moveTo(aside);
    if (isLast) this.#parts.installer.move(scope, aside);
    given.moveTo(aside);
    this.#returns(begun, scope);
    return aside;
  }

  endAside(aside: Scope): void {
    this.#parts.installer.clear(aside);
    aside.close();
  }

  /** A start in the scope has failed and was cleared. The scope returns to the parent that it would have without that start, or ends. */
  settle(begun: PendingStart, scope: Scope): Promise<void> | undefined {
    const { agent, wasOpen } = begun;
    const { standings, starts, end } = this.#parts;
    if (scope.closed || scope.heldBySession || wasOpen) return undefined;
    const isOver = scope.begun ? scope.spawned && standings.hasEnded(scope) : scope.empty && !starts.last(agent);
    if (isOver) return starts.during(agent, () => end(scope));
    this.#returns(begun, scope);
    return undefined;
  }

  /** Moves the scope to the parent that it would have without that start. */
  #returns({ left, wasOpen }: PendingStart, scope: Scope): void {
    if (wasOpen || scope.placed) return;
    const home = left?.parent?.closed === false ? left.parent : this.#parts.tree.get({ session: scope.session });
    if (home && home !== scope.parent) scope.moveTo(home);
  }

  /** The scope's agent leaves it. The scope ends, unless the user has registered something in it or below it. */
  #vacate(scope: Scope): void {
    if (this.#parts.installer.isAlone(scope)) void this.#parts.end(scope);
    else {
      this.#parts.standings.leaves(scope);
      this.#parts.installer.clear(scope);
    }
  }

  /** The scope in which the agent of an event has begun by now. */
  begunIn({ scope, id, known }: ScopeLookup, session: string): Scope | undefined {
    const { tree } = this.#parts;
    const own = tree.get({ session, agent: id });
    const now = own?.begun || !known ? own : tree.get({ session: scope.session, agent: id });
    return now?.begun ? now : undefined;
  }

  /** Whether the id is still that of the agent with this list of pending context. */
  isStill({ session, agent }: AgentRef, context: string[]): boolean {
    return (this.#parts.tree.pendingOf(session, agent) ?? context) === context;
  }

  /** The agent with the id has ended. A session driver still passes on what its agent's own stop has added. */
  dropContext({ session, agent }: AgentRef): void {
    const { tree } = this.#parts;
    if (!tree.get({ session, agent })?.heldBySession) tree.setContext(session, agent);
  }

  goneOf({ earlier }: AgentStanding = {}): Scope | undefined {
    return earlier && this.#parts.installer.isAlone(earlier) ? earlier : undefined;
  }
}
