import type { Scope } from '../../scopes/scope.js';
import { type ScopeLookup, type ScopeRef, scopesOf } from '../../scopes/tree.js';
import { type Json, textOf } from '../../values/shape.js';
import type { AddingParts, EventFire } from './adding.js';
import type { AgentInstaller, ParentAgent, SpawnLookup } from './agent-hooks.js';
import type { HooksOfStart } from './lives.js';
import type { SpawnHooks } from './origin.js';
import { SpawnScopes } from './places.js';
import type { SpawnRegistry } from './spawns.js';
import { type AgentRef, inputOf, otherAgent, STOPPED, type Standings } from './standings.js';
import { AgentStarts, type PendingStart } from './starts.js';

/** `isElsewhere`: the event is judged in another agent's scope. */
type StartedAgent = { readonly found: ScopeLookup; readonly begun?: PendingStart; readonly isElsewhere?: boolean };

/** Agents in their scopes, with the hooks of their types. Fires and previews both use `find`, so a preview shows what a fire would do. */
export class Agents {
  readonly #parts: AddingParts;
  readonly #spawns: SpawnRegistry;
  readonly #installer: AgentInstaller;
  readonly #end: (scope: Scope) => Promise<void> | undefined;
  readonly #standings: Standings;
  readonly #starts = new AgentStarts();
  readonly #places: SpawnScopes;
  /** Starts by session drivers, by scope. */
  readonly #driven = new WeakMap<Scope, PendingStart>();
  /** The scope to which the hooks of a failed start were moved, by the scope of that start. */
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

  /** What a fire would find. Changes nothing. `starts`: the event starts an agent, whose id may have been used before; with `anew`, by another agent. */
  find(input: Json | undefined, ref: ScopeRef | undefined, starts: boolean | 'anew' = false): SpawnLookup {
    const { tree } = this.#parts;
    const session = textOf(input?.['session_id']);
    const agent = textOf(input?.['agent_id']);
    const named = (typeof ref === 'object' ? ref.session : undefined) ?? session ?? tree.session;
    const now = tree.find(ref, session, agent);
    if (now.id === 'session' || !(starts || this.#spawns.any)) return { found: now, named };
    const isOther = otherAgent(input, ref, tree.session) !== undefined;
    const type = isOther ? undefined : textOf(input?.['agent_type']);
    // An agent begins and ends in the scope of its own session, not in one that holds for all sessions.
    const own = now.known && now.scope.session === named ? now.scope : undefined;
    const start = starts && !isOther ? { type, isNew: starts === 'anew' } : undefined;
    const standing = this.#standings.of({ session: named, agent: now.id }, own, start);
    const { earlier, remembered } = standing;
    const gone = this.#places.goneOf(standing);
    const found = gone ? tree.find(ref, session, agent, gone) : now;
    const known = type ?? remembered?.type;
    const parent = found.known ? found.scope.parent : found.scope;
    const scopes = found.known ? scopesOf(found).filter((one) => one !== earlier) : [];
    // Whether the agent has the hooks of its type, be it in a scope that holds for all sessions.
    const has = scopes.some((one) => one.agentType !== undefined);
    const other = has && this.#spawns.ofOther({ type, session: named, parent }, scopes, this.#installer);
    const ofType = known === undefined || has ? undefined : this.#spawns.of(known, named, parent);
    const spawnHooks = ofType ?? this.#spawns.bind(remembered, has);
    const spawn = other || (spawnHooks && { spawnHooks, type: known, before: remembered?.above ?? [] });
    return { found, named, spawn, standing };
  }

  /** The scope a fire runs in. An agent whose type has hooks gets a scope of its own, and again if it continues after its end. */
  enter(input: Json | undefined, ref: ScopeRef | undefined, event: EventFire): ScopeLookup {
    const { found, named: session, spawn, standing } = this.find(input, ref);
    if (standing === undefined || spawn === undefined) return found;
    const isLate = standing.remembered?.hasEnded === true;
    const { opened } = this.#places.open(found, spawn, { session, agent: found.id }, isLate);
    if (isLate) this.#parts.reopened(event, opened, input as Json, ref);
    return opened;
  }

  /** `enter` for the event that starts an agent, which may have the id of an earlier one. `mayFail`: `takeBack` may be called. */
  starts(input: Json | undefined, ref: ScopeRef | undefined, mayFail = true): StartedAgent {
    const { tree } = this.#parts;
    const other = otherAgent(input, ref, tree.session);
    if (other) return { ...this.starts(inputOf(other, input), other, mayFail), isElsewhere: true };
    if (!mayFail && this.#standings.isIdle) {
      const found = tree.find(ref, textOf(input?.['session_id']), textOf(input?.['agent_id']));
      const session = found.session ?? tree.session;
      if (!found.known && tree.pendingOf(session, found.id) === undefined) {
        this.#starts.forget({ session, agent: found.id });
        this.#standings.note(session, found.id, textOf(input?.['agent_type']));
        return { found };
      }
    }
    const { found, named: session, spawn, standing } = this.find(input, ref, true);
    if (standing === undefined) return { found };
    const agent = { session, agent: found.id };
    const left = this.#places.makeWay(agent, standing);
    if (spawn === undefined) {
      const open = tree.get(agent);
      if (open?.begun) return { found, ...this.#goesOn(open, agent) };
      this.#standings.starts(agent, { type: textOf(input?.['agent_type']) }, standing);
      const begun = this.#starts.add({ agent, left, scope: open, wasOpen: true });
      return { found: standing.earlier ? this.find(input, ref).found : found, begun };
    }
    const { opened, scope, isOwn } = this.#places.open(found, spawn, agent, false);
    return { found: opened, begun: this.#starts.add({ agent, left, scope, wasOpen: isOwn }) };
  }

  /** A start in an open scope of the same agent: it had ended and begins again, or a session driver started it, or the event is a repeat. */
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

  /** The hooks by type that the given ancestors of an agent have in that session. */
  hooksAbove(above: readonly ParentAgent[], session: string): readonly SpawnHooks[] {
    return above.flatMap(({ agent, agentType: type }) => (agent && type && this.#spawns.of(type, session)) || []);
  }

  /** Opens a scope for a session driver, with the hooks of the agent's type. Changes nothing if it throws UNKNOWN_SCOPE (the parent) or SCOPE_CONFLICT. */
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
    const left = agent === undefined ? undefined : this.#places.makeWay({ session, agent }, standing);
    const scope = tree.open(ref, { parent });
    scope.hold();
    if (agent === undefined) return scope;
    const start = { agent: { session, agent }, ...(left && { left }), scope, wasOpen: scope === known };
    this.#driven.set(scope, this.#starts.add(start));
    this.#places.begin(scope, { type, spawnHooks: this.#spawns.forScope(type, scope), before: [] });
    return scope;
  }

  /** Whether an agent has begun in the scope of that name. Installing another's hooks there would end that agent. */
  isTaken(ref: ScopeRef): boolean {
    return this.#parts.tree.get(ref)?.begun === true;
  }

  /** A session driver's agent failed to start, but agents below it must be closed first. An earlier agent with its id gets its hooks back at once. */
  failing(scope: Scope, given: HooksOfStart, below: readonly Scope[]): void {
    const begun = this.#driven.get(scope);
    if (begun === undefined || scope.closed) return;
    this.#aside.set(scope, this.#places.setAside(begun, scope, given, below));
    scope.hold(false);
    void this.takeBack(begun);
  }

  /** A session driver's agent failed to start, and what the driver registered for it has been removed. Resolves when everything has cleaned up. */
  notStarted(scope: Scope): Promise<void> | undefined {
    scope.hold(false);
    const begun = this.#driven.get(scope);
    if (begun === undefined) return undefined;
    const aside = this.#aside.get(scope);
    if (aside) this.#places.endAside(aside);
    const ended = aside ? undefined : this.takeBack(begun);
    const settled = this.#places.settle(begun, scope);
    this.#parts.plans.count([], 1);
    return ended ?? settled;
  }

  /** A start has succeeded, by an event or by a session driver: it can no longer be taken back. */
  started(what: PendingStart | Scope): void {
    const begun = 'agent' in what ? what : this.#driven.get(what);
    if (begun) this.#starts.succeeds(begun);
  }

  /**
   * A start has failed. Hooks that the user registered stay, and an earlier agent with its id may continue, unless a later start replaces it. The earlier
   * agent's hooks are installed again at once, because agents may be below it.
   */
  takeBack(begun: PendingStart): Promise<void> | undefined {
    const { agent, left, wasOpen, goesOn } = begun;
    if (!this.#starts.fails(begun)) return undefined;
    if (left === undefined) return void (goesOn && begun.scope && this.#places.isOver(begun.scope));
    const { before, hadBegun, hooks, context } = left;
    const { tree } = this.#parts;
    const open = tree.get(agent);
    // The agent has since begun with another event, and no agent had begun before.
    if (begun.scope === undefined && open?.begun && !hadBegun) return void open.pending.unshift(...context);
    const isIn = open?.begun === true;
    if (isIn) this.#installer.clear(open);
    const isLeft = isIn && !wasOpen && open.empty && !this.#aside.has(open);
    const ended = isLeft ? this.#starts.during(agent, () => this.#end(open)) : undefined;
    this.#standings.restore(agent, before);
    if (hadBegun && before && !this.#installer.closed) {
      const found = tree.find(agent, agent.session, agent.agent);
      const spawnHooks = hooks.filter(({ life }) => !life?.over);
      const waiting = { type: before.type, spawnHooks, before: before.above };
      const { scope } = this.#places.open(found, waiting, agent, before.hasEnded);
      if (!wasOpen) scope.spawned = left.spawned;
    }
    tree.setContext(agent.session, agent.agent, context);
    const last = this.#starts.last(agent);
    if (last) last.scope = tree.get(agent);
    return ended;
  }

  /** Opens the scope of another program's agent, whether or not its type has hooks; its stop ends the scope. `isLate`: its start was not seen. */
  start(agent: AgentRef, type: string, isLate = false): Scope {
    const { tree } = this.#parts;
    const open = tree.get(agent);
    const standing = this.#standings.of(agent, open, isLate ? undefined : { type });
    if (!isLate) this.#starts.forget(agent);
    if (standing.earlier === undefined && open?.begun) {
      if (!isLate) this.#standings.begins(open);
      return open;
    }
    if (standing.isOther) this.#places.makeWay(agent, standing);
    const scope = tree.open(agent, { spawned: true });
    const before = standing.remembered?.above ?? [];
    this.#places.begin(scope, { type, spawnHooks: this.#spawns.forScope(type, scope), before }, isLate);
    return scope;
  }

  /** An agent stops. The caller calls the returned function if that is allowed: it ends the scope opened for the agent, whose id another may have by then. */
  stops(judged: ScopeLookup, input: Json | undefined, ref: ScopeRef | undefined): () => void {
    const { tree } = this.#parts;
    if (judged.id === 'session') return () => undefined;
    const other = otherAgent(input, ref, tree.session);
    const found = other ? tree.find(other, undefined, undefined) : judged;
    const { id, known } = found;
    const session = other?.session ?? found.session ?? textOf(input?.['session_id']) ?? tree.session;
    const type = textOf(input?.['agent_type']);
    const agent = { session, agent: id };
    const before = this.#places.begunIn(found, session);
    const context = tree.contextOf(session, id);
    return () => {
      const scope = this.#places.begunIn(found, session);
      this.#starts.ends(agent, context);
      // An event of an agent that is not known may be of another one.
      const isOther = scope !== before && type !== undefined && (scope?.agentType ?? type) !== type;
      if (isOther || !this.#places.isStill(agent, context)) return;
      this.#places.dropContext(agent);
      if (!known && this.#standings.isIdle) this.#standings.note(session, id, STOPPED);
      else if (scope === undefined) this.#standings.stops(agent);
      else if (!scope.heldBySession) this.ended(scope);
    };
  }

  /** The agent has ended. A scope that was open before it stays, until another agent with its id starts. */
  ended(scope: Scope): void {
    const hasAside = this.#aside.get(scope)?.closed === false;
    if (scope.spawned && !scope.heldBySession && !hasAside) void this.#end(scope);
    else if (scope.begun && !scope.heldBySession) this.#places.isOver(scope);
  }

  /** The scope ends; its agent is remembered, except where the scope holds the hooks of a failed start: another has that agent's name. */
  leaves(scope: Scope): void {
    if (scope.beside) return;
    const agent = { session: scope.session, agent: scope.id };
    if (scope.begun || this.#starts.last(agent)?.scope === scope) this.#starts.forget(agent);
    this.#standings.leaves(scope);
  }
}
