import { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeTree } from '../../scopes/tree.js';
import type { AgentInstaller, Waiting } from './agent-hooks.js';
import type { Given } from './lives.js';
import type { AgentRef, Standing, Standings } from './standings.js';
import type { Begun, Left, Starts } from './starts.js';

interface Parts {
  readonly tree: ScopeTree;
  readonly installer: AgentInstaller;
  readonly standings: Standings;
  readonly starts: Starts;
  end(scope: Scope): Promise<void> | undefined;
}

/** Some agent. */
export const ANYONE: object = Object.freeze({});

/** The scopes in which agents begin, and which they leave to others with their ids. */
export class Places {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  open(found: ScopeLookup, spawn: Waiting, agent: AgentRef, isLate: boolean) {
    const { tree } = this.#parts;
    // What was registered for all sessions is none of the sessions' own, and stays when the agent ends.
    const isOwn = found.known && found.scope.session === agent.session;
    const scope = isOwn ? found.scope : tree.open(agent, { agentType: spawn.type, spawned: true });
    this.begin(scope, spawn, isLate);
    return { scope, isOwn, opened: tree.within({ scope, id: scope.id, known: true }, agent.session) };
  }

  /** Begins in that scope, with these hooks. `isLate`: it had ended. */
  begin(scope: Scope, { type, spawnHooks, before }: Waiting, isLate = false): void {
    this.#parts.standings.begins(scope);
    if (before.length > 0) scope.typesBefore = [...new Set([...scope.typesBefore, ...before])];
    this.#parts.installer.installAll(scope, type, spawnHooks);
    if (isLate) this.isOver(scope);
  }

  isOver(scope: Scope): void {
    const oldest = this.#parts.standings.isOver(scope);
    if (oldest) this.#vacate(oldest);
  }

  /** Another agent starts with that id. Returns what there was of the one before. */
  makeWay(agent: AgentRef, earlier: Scope | undefined): Left {
    const pending = [...(this.#parts.tree.get(agent)?.pending ?? [])];
    const hasEnded = earlier && this.#parts.standings.hasEnded(earlier);
    const { parent, spawned = false } = earlier ?? {};
    const gone = earlier && this.#parts.installer.whoIn(earlier);
    const hooks = earlier ? this.#parts.installer.hooksIn(earlier) : [];
    if (earlier) this.#parts.starts.during(agent, () => this.#vacate(earlier));
    const before = this.#parts.standings.take(agent);
    const who = gone ?? before;
    const known = before && hasEnded !== undefined ? { ...before, hasEnded } : before;
    return { before: known, hadBegun: earlier !== undefined, hooks, pending, parent, spawned, who };
  }

  /**
   * A start in that scope has failed while agents that it has started are below: those keep its hooks until they are closed, in a scope
   * between, while the scope is there for whoever has the id. `isLast`: no other has started there since.
   */
  setAside(scope: Scope, given: Given, below: readonly Scope[], isLast: boolean): Scope {
    const { id, kind, session, agentType, typesBefore } = scope;
    const aside = new Scope({ id, kind, session, parent: scope, ...(agentType === undefined ? {} : { agentType }) });
    aside.typesBefore = typesBefore;
    for (const one of below) if (!one.closed) one.moveTo(aside);
    if (isLast) this.#parts.installer.move(scope, aside);
    given.moveTo(aside);
    return aside;
  }

  /** A start in that scope has failed and has nothing there any more: the scope is where it would be without it, or ends. */
  settle({ agent, left, wasOpen }: Begun, scope: Scope): Promise<void> | undefined {
    const { tree, standings, starts, end } = this.#parts;
    if (scope.closed || scope.heldBySession || wasOpen) return undefined;
    const isOver = scope.begun ? scope.spawned && standings.hasEnded(scope) : scope.empty && !starts.last(agent);
    if (isOver) return starts.during(agent, () => end(scope));
    const home = left?.parent?.closed === false ? left.parent : tree.get({ session: scope.session });
    if (!scope.placed && home && home !== scope.parent) scope.moveTo(home);
    return undefined;
  }

  /** Its agent leaves the scope, which ends, unless somebody has registered anything in it or below it. */
  #vacate(scope: Scope): void {
    if (this.#parts.installer.isAlone(scope)) void this.#parts.end(scope);
    else {
      this.#parts.standings.leaves(scope);
      this.#parts.installer.clear(scope);
    }
  }

  /** What stands for the agent of an event until another has its id; `ANYONE`: it is not known. */
  whoOf({ scope, id, known }: ScopeLookup, session: string): object | undefined {
    const { tree, standings, installer } = this.#parts;
    if (standings.isIdle) return ANYONE;
    const now = known ? tree.get({ session: scope.session, agent: id }) : undefined;
    return now?.begun ? installer.whoIn(now) : standings.of({ session, agent: id }, undefined).remembered;
  }

  goneOf({ earlier }: Standing = {}): Scope | undefined {
    return earlier && this.#parts.installer.isAlone(earlier) ? earlier : undefined;
  }
}
