import type { Scope } from '../../scopes/scope.js';
import { type ScopeLookup, type ScopeRef, scopesOf } from '../../scopes/tree.js';
import { type Json, textOf } from '../../values/shape.js';
import type { AddingParts, FiredEvent } from './adding.js';
import type { Above, AgentInstaller, Waiting } from './agent-hooks.js';
import type { SpawnHooks } from './origin.js';
import type { Spawns } from './spawns.js';
import { type AgentRef, type Remembered, type Standing, Standings, type Start } from './standings.js';

/** The scope of a fire, and what its agent still has to get there. */
export interface Looked {
  readonly found: ScopeLookup;
  /** Its session, by name. */
  readonly named: string;
  readonly spawn?: Waiting | undefined;
  /** Absent: it is of no agent, or nothing depends on its type. */
  readonly standing?: Standing;
}

/** Agents in their scopes, with the hooks of their types. What a fire would find (`find`) is what it then does, and what a preview shows. */
export class Agents {
  readonly #parts: AddingParts;
  readonly #spawns: Spawns;
  readonly #installer: AgentInstaller;
  readonly #end: (scope: Scope) => Promise<void> | undefined;
  readonly #standings = new Standings();
  /** By the scopes of agents that a session has started: the earlier ones with their ids. */
  readonly #earlier = new WeakMap<Scope, Remembered>();

  constructor(
    parts: AddingParts,
    spawns: Spawns,
    installer: AgentInstaller,
    end: (scope: Scope) => Promise<void> | undefined,
  ) {
    this.#parts = parts;
    this.#spawns = spawns;
    this.#installer = installer;
    this.#end = end;
  }

  /**
   * What a fire would find. Changes nothing. `starts`: an agent starts with its event, perhaps with the id of one before it. `anew`: it is of none that is
   * known here.
   */
  find(input: Json | undefined, ref: ScopeRef | undefined, starts: boolean | 'anew' = false): Looked {
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
    const gone = this.#goneOf(standing);
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
  enter(input: Json | undefined, ref: ScopeRef | undefined, event: FiredEvent): ScopeLookup {
    const { found, named: session, spawn, standing } = this.find(input, ref, event.opens);
    if (standing === undefined) return found;
    const { tree } = this.#parts;
    const agent = { session, agent: found.id };
    if (standing.earlier) this.#makeWay(agent, standing.earlier);
    if (spawn === undefined) {
      if (event.opens) this.#starts(agent, { type: textOf(input?.['agent_type']) }, standing);
      return standing.earlier ? this.find(input, ref).found : found;
    }
    const isLate = standing.remembered?.hasEnded === true && !event.opens;
    // What was registered for all sessions is none of the sessions' own, and stays when the agent ends.
    const isOwn = found.known && found.scope.session === session;
    const scope = isOwn ? found.scope : tree.open(agent, { agentType: spawn.type, spawned: true });
    this.#begin(scope, spawn, isLate);
    const opened = tree.within({ scope, id: scope.id, known: true }, session);
    if (isLate) this.#parts.reopened(event, opened, input as Json, ref);
    return opened;
  }

  /** Like `enter`, but nothing is opened: a scope that would be opened is a detached one, closed by `done`. */
  preview(
    input: Json,
    ref: ScopeRef | undefined,
    { above = [], starts = false }: { readonly above?: readonly Above[]; readonly starts?: boolean | 'anew' } = {},
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
  hooksAbove(above: readonly Above[], session: string): readonly SpawnHooks[] {
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
    tree.check(ref, parent, this.#goneOf(standing));
    const before = agent === undefined ? undefined : this.#makeWay({ session, agent }, standing?.earlier);
    const scope = tree.open(ref, { parent });
    scope.hold();
    if (agent === undefined) return scope;
    if (before) this.#earlier.set(scope, before);
    this.#begin(scope, { type, spawnHooks: this.#hooksOf(type, scope), before: [] });
    return scope;
  }

  /** An agent that a session has started could not begin: the one before it with its id may still go on. Its own scope has ended. */
  notStarted(scope: Scope): void {
    const before = this.#earlier.get(scope);
    const agent = { session: scope.session, agent: scope.id };
    this.#standings.take(agent);
    if (before) this.#standings.restore(agent, before);
  }

  /** Opens the scope of an agent of another program, whether or not hooks wait for its type; its stop ends it. `isLate`: with no start of it. */
  start(agent: AgentRef, type: string, isLate = false): Scope {
    const { tree } = this.#parts;
    const open = tree.get(agent);
    const standing = this.#standings.of(agent, open, isLate ? undefined : { type });
    if (standing.earlier) this.#makeWay(agent, standing.earlier);
    else if (open?.begun) {
      if (!isLate) this.#standings.begins(open);
      return open;
    }
    const scope = tree.open(agent, { spawned: true });
    this.#begin(
      scope,
      { type, spawnHooks: this.#hooksOf(type, scope), before: standing.remembered?.above ?? [] },
      isLate,
    );
    return scope;
  }

  /** A stop that was allowed ended the agent: the scope the host opened for it goes. */
  stopped({ scope, id, known }: ScopeLookup, session: string = this.#parts.tree.session): void {
    if (id === 'session') return;
    if (!known || !scope.begun) this.#standings.stops({ session, agent: id });
    else if (!scope.heldBySession) this.ended(scope);
  }

  /** The agent has ended. A scope that was there before it stays, until another agent with its id starts. */
  ended(scope: Scope): void {
    if (scope.spawned && !scope.heldBySession) void this.#end(scope);
    else if (scope.begun && !scope.heldBySession) this.#isOver(scope);
  }

  /** There are hooks for agents of that type, by a policy also for all below one: those that have ended are remembered as such. */
  hasHooks(type: string, ofPolicy: boolean): void {
    this.#standings.hasHooks(type, ofPolicy);
  }

  /** The scope ends. Its agent is remembered. */
  leaves(scope: Scope): void {
    this.#standings.leaves(scope);
  }

  #starts(agent: AgentRef, start: Start, standing: Standing): void {
    const open = this.#parts.tree.get(agent);
    if (open?.begun) this.#standings.begins(open);
    else this.#standings.starts(agent, start, standing);
  }

  /** Begins in that scope, with these hooks. `isLate`: it had ended. */
  #begin(scope: Scope, { type, spawnHooks, before }: Waiting, isLate = false): void {
    this.#standings.begins(scope);
    if (before.length > 0) scope.typesBefore = [...new Set([...scope.typesBefore, ...before])];
    this.#installer.installAll(scope, type, spawnHooks);
    if (isLate) this.#isOver(scope);
  }

  #isOver(scope: Scope): void {
    const oldest = this.#standings.isOver(scope);
    if (oldest) this.#vacate(oldest);
  }

  /** Another agent starts with that id. Returns what is known of the one before. */
  #makeWay(agent: AgentRef, earlier: Scope | undefined): Remembered | undefined {
    if (earlier) this.#vacate(earlier);
    return this.#standings.take(agent);
  }

  /** Its agent leaves the scope, which ends, unless it has anything that somebody has registered. */
  #vacate(scope: Scope): void {
    if (this.#installer.isAlone(scope)) void this.#end(scope);
    else {
      this.#standings.leaves(scope);
      this.#installer.clear(scope);
    }
  }

  #goneOf({ earlier }: Standing = {}): Scope | undefined {
    return earlier && this.#installer.isAlone(earlier) ? earlier : undefined;
  }

  #hooksOf(type: string | undefined, { session, parent }: Scope): readonly SpawnHooks[] {
    return (type === undefined ? undefined : this.#spawns.of(type, session, parent)) ?? [];
  }
}
