import type { Scope } from '../../scopes/scope.js';
import { type ScopeLookup, type ScopeRef, scopesOf } from '../../scopes/tree.js';
import { type Json, textOf } from '../../values/shape.js';
import type { AddingParts, EventFire } from './adding.js';
import type { AgentInstaller, ParentAgent, SpawnLookup } from './agent-hooks.js';
import type { HooksOfStart } from './lives.js';
import type { SpawnHooks } from './origin.js';
import { ANYONE, SpawnScopes } from './places.js';
import type { SpawnRegistry } from './spawns.js';
import { type AgentRef, STOP, type Standings } from './standings.js';
import { AgentStarts, type PendingStart } from './starts.js';

type StartedAgent = { readonly found: ScopeLookup; readonly begun?: PendingStart };

/** Agents in their scopes, with the hooks of their types. What a fire would find (`find`) is what it then does, and what a preview shows. */
export class Agents {
  readonly #parts: AddingParts;
  readonly #spawns: SpawnRegistry;
  readonly #installer: AgentInstaller;
  readonly #end: (scope: Scope) => Promise<void> | undefined;
  readonly #standings: Standings;
  readonly #starts = new AgentStarts();
  readonly #places: SpawnScopes;
  /** Those by sessions, by their scopes. */
  readonly #driven = new WeakMap<Scope, PendingStart>();
  /** Where the hooks of one that has not started are, by its scope. */
  readonly #aside = new WeakMap<Scope, Scope>();

  constructor(
    parts: AddingParts,
    spawns: SpawnRegistry,
    installer: AgentInstaller,
    end: (scope: Scope) => Promise<void> | undefined,
    standings: Standings,
  ) {
    this.#standings = standings;
    this.#places = new SpawnScopes({ tree: parts.tree, installer, standings, starts: this.#starts, end });
    this.#parts = parts;
    this.#spawns = spawns;
    this.#installer = installer;
    this.#end = end;
  }

  /**
   * What a fire would find. Changes nothing. `starts`: an agent starts with its event, perhaps with an id that was used before. `anew`: it is none that is known.
   */
  find(input: Json | undefined, ref: ScopeRef | undefined, starts: boolean | 'anew' = false): SpawnLookup {
    const { tree } = this.#parts;
    const session = textOf(input?.['session_id']);
    const agent = textOf(input?.['agent_id']);
    const named = (typeof ref === 'object' ? ref.session : undefined) ?? session ?? tree.session;
    const now = tree.find(ref, session, agent);
    if (now.id === 'session' || !(starts || this.#spawns.any)) return { found: now, named };
    const type = textOf(input?.['agent_type']);
    // A scope that it has in all sessions is not the one in which it begins and ends.
    const own = now.known && now.scope.session === named ? now.scope : undefined;
    const standing = this.#standings.of(
      { session: named, agent: now.id },
      own,
      starts ? { type, isNew: starts === 'anew' } : undefined,
    );
    const { earlier, remembered } = standing;
    const gone = this.#places.goneOf(standing);
    const found = gone ? tree.find(ref, session, agent, gone) : now;
    const known = type ?? remembered?.type;
    const parent = found.known ? found.scope.parent : found.scope;
    // Whether it has the hooks of its type, also where it has them in all sessions.
    const has = found.known && scopesOf(found).some((one) => one !== earlier && one.agentType !== undefined);
    const ofType = known === undefined || has ? undefined : this.#spawns.of(known, named, parent);
    const spawnHooks = ofType ?? this.#spawns.bind(remembered, has);
    const spawn = spawnHooks && { spawnHooks, type: known, before: remembered?.above ?? [] };
    return { found, named, spawn, standing };
  }

  /** The scope a fire runs in; an agent whose type has hooks begins in its own, and again if it goes on after its end. */
  enter(input: Json | undefined, ref: ScopeRef | undefined, event: EventFire): ScopeLookup {
    const { found, named: session, spawn, standing } = this.find(input, ref);
    if (standing === undefined || spawn === undefined) return found;
    const isLate = standing.remembered?.hasEnded === true;
    const { opened } = this.#places.open(found, spawn, { session, agent: found.id }, isLate);
    if (isLate) this.#parts.reopened(event, opened, input as Json, ref);
    return opened;
  }

  /** The same for the event with which an agent starts, perhaps with the id of one before it. `mayFail`: it may be taken back. */
  starts(input: Json | undefined, ref: ScopeRef | undefined, mayFail = true): StartedAgent {
    if (!mayFail && this.#standings.isIdle) {
      const found = this.#parts.tree.find(ref, textOf(input?.['session_id']), textOf(input?.['agent_id']));
      if (!found.known) {
        const session = found.session ?? this.#parts.tree.session;
        this.#starts.forget({ session, agent: found.id });
        this.#standings.note(session, found.id, textOf(input?.['agent_type']));
        return { found };
      }
    }
    const { found, named: session, spawn, standing } = this.find(input, ref, true);
    if (standing === undefined) return { found };
    const agent = { session, agent: found.id };
    const { earlier } = standing;
    const left = this.#places.makeWay(agent, earlier);
    if (spawn === undefined) {
      const open = this.#parts.tree.get(agent);
      if (open?.begun) return { found, ...this.#goesOn(open, agent) };
      this.#standings.starts(agent, { type: textOf(input?.['agent_type']) }, standing);
      const begun = this.#starts.add({ agent, left, scope: open, wasOpen: true });
      return { found: earlier ? this.find(input, ref).found : found, begun };
    }
    const { opened, scope, isOwn } = this.#places.open(found, spawn, agent, false);
    return { found: opened, begun: this.#starts.add({ agent, left, scope, wasOpen: isOwn }) };
  }

  /** Where it had ended, it begins again there; else a session has started it, or it is told once more. */
  #goesOn(open: Scope, agent: AgentRef): { readonly begun?: PendingStart } {
    const goesOn = this.#standings.hasEnded(open);
    this.#standings.begins(open);
    return open.heldBySession ? {} : { begun: this.#starts.add({ agent, scope: open, goesOn }) };
  }

  /** Like `enter`, but nothing is opened: a scope that would be opened is a detached one, closed by `done`. */
  preview(
    input: Json,
    ref: ScopeRef | undefined,
    {
      above = [],
      starts = false,
    }: { readonly above?: readonly ParentAgent[]; readonly starts?: boolean | 'anew' } = {},
  ): ScopeLookup & { done(): void } {
    const { found, named, spawn, standing } = this.find(input, ref, starts);
    const earlier = standing?.earlier === found.scope ? standing.earlier : undefined;
    if (!spawn && above.length === 0 && !earlier) return { ...found, done: () => undefined };
    const waiting = spawn ?? { spawnHooks: [], type: textOf(input['agent_type']), before: [] };
    const types = above.map((one) => ({ ...one, spawnHooks: this.hooksAbove([one], named) }));
    const shown = this.#installer.previewAgent(found, waiting, named, { above: types, earlier });
    return this.#parts.tree.within(shown, named);
  }

  /** The hooks by type of agents above another in that session. */
  hooksAbove(above: readonly ParentAgent[], session: string): readonly SpawnHooks[] {
    return above.flatMap(({ agent, agentType: type }) => (agent && type && this.#spawns.of(type, session)) || []);
  }

  /** Opens a scope for a session driver, the hooks of the agent's type in it. Throws UNKNOWN_SCOPE (the parent), SCOPE_CONFLICT; then nothing has changed. */
  openForSession(
    { session, agent }: { session: string; agent?: string },
    { parent, agentType: type }: { parent?: ScopeRef | undefined; agentType?: string },
  ): Scope {
    const { tree } = this.#parts;
    const ref = agent === undefined ? { session } : { session, agent };
    const known = tree.get(ref);
    const standing =
      agent === undefined ? undefined : this.#standings.of({ session, agent }, known, { type, isNew: true });
    const gone = this.#places.goneOf(standing);
    tree.check(ref, parent, gone);
    const left = agent === undefined ? undefined : this.#places.makeWay({ session, agent }, standing?.earlier);
    const scope = tree.open(ref, { parent });
    scope.hold();
    if (agent === undefined) return scope;
    this.#driven.set(
      scope,
      this.#starts.add({ agent: { session, agent }, ...(left && { left }), scope, wasOpen: scope === known }),
    );
    this.#places.begin(scope, { type, spawnHooks: this.#hooksOf(type, scope), before: [] });
    return scope;
  }

  /** An agent has begun in the scope of that name. What another needs there cannot be tried without ending that one. */
  isTaken(ref: ScopeRef): boolean {
    return this.#parts.tree.get(ref)?.begun === true;
  }

  /** An agent that a session was to start has not, but agents that it has started must be closed first: whoever had the id has its hooks again at once. */
  failing(scope: Scope, given: HooksOfStart, below: readonly Scope[]): void {
    const begun = this.#driven.get(scope);
    if (begun === undefined || scope.closed) return;
    const isLast = this.#starts.last(begun.agent) === begun;
    this.#aside.set(scope, this.#places.setAside(scope, given, below, isLast));
    scope.hold(false);
    void this.takeBack(begun);
  }

  /** An agent that a session was to start has not. What the session has given it is gone from its scope. Resolves when all has cleaned up. */
  notStarted(scope: Scope): Promise<void> | undefined {
    scope.hold(false);
    const begun = this.#driven.get(scope);
    if (begun === undefined) return undefined;
    const aside = this.#aside.get(scope);
    if (aside) {
      this.#installer.clear(aside);
      aside.close();
    }
    const ended = aside ? undefined : this.takeBack(begun);
    const settled = this.#places.settle(begun, scope);
    this.#parts.plans.count([], 1);
    return ended ?? settled;
  }

  /** A start has not failed, or an agent that a session was to start has started: it is not taken back any more. */
  started(what: PendingStart | Scope): void {
    const begun = 'agent' in what ? what : this.#driven.get(what);
    if (begun) this.#starts.succeeds(begun);
  }

  /**
   * A start has failed: what was registered by hand stays, and the agent before it with its id may still go on, unless another start goes on instead. What
   * that one had in its scope begins anew at once: agents may be below it.
   */
  takeBack(begun: PendingStart): Promise<void> | undefined {
    const { agent, left, wasOpen, goesOn } = begun;
    if (!this.#starts.fails(begun)) return undefined;
    if (left === undefined) return void (goesOn && begun.scope && this.#places.isOver(begun.scope));
    const { before, hadBegun, hooks, pending } = left;
    const { tree } = this.#parts;
    const open = tree.get(agent);
    // It has begun with another event since, and none had before.
    if (begun.scope === undefined && open?.begun && !hadBegun) return undefined;
    const isIn = open?.begun === true;
    if (isIn) this.#installer.clear(open);
    const ended = isIn && !wasOpen && open.empty ? this.#starts.during(agent, () => this.#end(open)) : undefined;
    this.#standings.restore(agent, before);
    if (hadBegun && before && !this.#installer.closed) {
      const found = tree.find(agent, agent.session, agent.agent);
      const spawnHooks = hooks.filter(({ life }) => !life?.over);
      const waiting = { type: before.type, spawnHooks, before: before.above };
      const { scope } = this.#places.open(found, waiting, agent, before.hasEnded);
      this.#installer.whoIn(scope, left.who);
      if (!wasOpen) scope.spawned = left.spawned;
    }
    const now = tree.get(agent);
    if (now && (isIn || hadBegun)) now.pending = [...pending];
    const last = this.#starts.last(agent);
    if (last) last.scope = now;
    return ended;
  }

  /** Opens the scope of an agent of another program, whether or not hooks wait for its type; its stop ends it. `isLate`: with no start of it. */
  start(agent: AgentRef, type: string, isLate = false): Scope {
    const { tree } = this.#parts;
    const open = tree.get(agent);
    const standing = this.#standings.of(agent, open, isLate ? undefined : { type });
    if (!isLate) this.#starts.forget(agent);
    if (standing.earlier) this.#places.makeWay(agent, standing.earlier);
    else if (open?.begun) {
      if (!isLate) this.#standings.begins(open);
      return open;
    }
    const scope = tree.open(agent, { spawned: true });
    const before = standing.remembered?.above ?? [];
    this.#places.begin(scope, { type, spawnHooks: this.#hooksOf(type, scope), before }, isLate);
    return scope;
  }

  /** An agent stops. The returned function is called if that was allowed, which ended it: the scope the host opened for it goes. Another may have its id by then. */
  stops(found: ScopeLookup, session: string = this.#parts.tree.session): () => void {
    const { scope, id, known } = found;
    if (id === 'session') return () => undefined;
    const agent = { session, agent: id };
    const who = this.#places.whoOf(found, session);
    return () => {
      const now = this.#places.whoOf(found, session);
      if (!known && this.#standings.isIdle) this.#standings.note(session, id, STOP);
      else if (who !== now && who !== ANYONE) this.#starts.ends(agent, who ?? ANYONE);
      else if (!known || !scope.begun) this.#standings.stops(agent);
      else if (!scope.heldBySession) this.ended(this.#parts.tree.get({ ...agent, session: scope.session }) ?? scope);
    };
  }

  /** The agent has ended. A scope that was there before it stays, until another agent with its id starts. */
  ended(scope: Scope): void {
    const hasAside = this.#aside.get(scope)?.closed === false;
    if (scope.spawned && !scope.heldBySession && !hasAside) void this.#end(scope);
    else if (scope.begun && !scope.heldBySession) this.#places.isOver(scope);
  }

  /** The scope ends. Its agent is remembered. */
  leaves(scope: Scope): void {
    const agent = { session: scope.session, agent: scope.id };
    if (scope.begun || this.#starts.last(agent)?.scope === scope) this.#starts.forget(agent);
    this.#standings.leaves(scope);
  }

  #hooksOf(type: string | undefined, { session, parent }: Scope): readonly SpawnHooks[] {
    return (type === undefined ? undefined : this.#spawns.of(type, session, parent)) ?? [];
  }
}
