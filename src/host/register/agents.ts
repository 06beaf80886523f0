import type { Scope } from '../../scopes/scope.js';
import { type ScopeLookup, type ScopeRef, scopesOf } from '../../scopes/tree.js';
import { type Json, textOf } from '../../values/shape.js';
import type { AddingParts, FiredEvent } from './adding.js';
import type { Above, AgentInstaller, Looked, Waiting } from './agent-hooks.js';
import type { SpawnHooks } from './origin.js';
import type { Spawns } from './spawns.js';
import { type AgentRef, type Begun, type Left, STOP, type Standing, type Standings } from './standings.js';

type Started = { readonly found: ScopeLookup; readonly begun?: Begun };

/** Agents in their scopes, with the hooks of their types. What a fire would find (`find`) is what it then does, and what a preview shows. */
export class Agents {
  readonly #parts: AddingParts;
  readonly #spawns: Spawns;
  readonly #installer: AgentInstaller;
  readonly #end: (scope: Scope) => Promise<void> | undefined;
  readonly #standings: Standings;
  /** By their scopes, the latest starts. */
  readonly #begun = new WeakMap<Scope, Begun>();

  constructor(
    parts: AddingParts,
    spawns: Spawns,
    installer: AgentInstaller,
    end: (scope: Scope) => Promise<void> | undefined,
    standings: Standings,
  ) {
    this.#standings = standings;
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
    const { found, named: session, spawn, standing } = this.find(input, ref);
    if (standing === undefined || spawn === undefined) return found;
    const isLate = standing.remembered?.hasEnded === true;
    const { opened } = this.#open(found, spawn, { session, agent: found.id }, isLate);
    if (isLate) this.#parts.reopened(event, opened, input as Json, ref);
    return opened;
  }

  /** The same for the event with which an agent starts, perhaps with the id of one before it. `mayFail`: it may be taken back. */
  starts(input: Json | undefined, ref: ScopeRef | undefined, mayFail = true): Started {
    if (!mayFail && this.#standings.isIdle) {
      const found = this.#parts.tree.find(ref, textOf(input?.['session_id']), textOf(input?.['agent_id']));
      if (!found.known) {
        this.#standings.note(found.session ?? this.#parts.tree.session, found.id, textOf(input?.['agent_type']));
        return { found };
      }
    }
    const { found, named: session, spawn, standing } = this.find(input, ref, true);
    if (standing === undefined) return { found };
    const agent = { session, agent: found.id };
    const { earlier } = standing;
    const left = this.#makeWay(agent, earlier);
    if (spawn === undefined) {
      const open = this.#parts.tree.get(agent);
      if (open?.begun) return { found, ...this.#goesOn(open, agent) };
      this.#standings.starts(agent, { type: textOf(input?.['agent_type']) }, standing);
      const begun = this.#starting({ agent, ...left, scope: open, wasOpen: true });
      return { found: earlier ? this.find(input, ref).found : found, begun };
    }
    const { opened, scope, isOwn } = this.#open(found, spawn, agent, false);
    return { found: opened, begun: this.#starting({ agent, ...left, scope, wasOpen: isOwn }) };
  }

  /** Where it had ended, it begins again there; else a session has started it, or it is told once more. */
  #goesOn(open: Scope, agent: AgentRef): { readonly begun?: Begun } {
    const hadEnded = this.#standings.hasEnded(open);
    this.#standings.begins(open);
    if (!open.heldBySession) this.#begun.delete(open);
    return hadEnded ? { begun: this.#starting({ agent, scope: open, goesOn: true }) } : {};
  }

  /** The latest start in its scope. */
  #starting(begun: Begun): Begun {
    if (begun.scope) this.#begun.set(begun.scope, begun);
    return begun;
  }

  #open(found: ScopeLookup, spawn: Waiting, agent: AgentRef, isLate: boolean) {
    const { tree } = this.#parts;
    // What was registered for all sessions is none of the sessions' own, and stays when the agent ends.
    const isOwn = found.known && found.scope.session === agent.session;
    const scope = isOwn ? found.scope : tree.open(agent, { agentType: spawn.type, spawned: true });
    this.#begin(scope, spawn, isLate);
    return { scope, isOwn, opened: tree.within({ scope, id: scope.id, known: true }, agent.session) };
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
    const gone = this.#goneOf(standing);
    tree.check(ref, parent, gone);
    const left = agent === undefined ? undefined : this.#makeWay({ session, agent }, standing?.earlier);
    const scope = tree.open(ref, { parent });
    scope.hold();
    if (agent === undefined) return scope;
    this.#starting({ agent: { session, agent }, ...left, scope, wasOpen: scope === known });
    this.#begin(scope, { type, spawnHooks: this.#hooksOf(type, scope), before: [] });
    return scope;
  }

  /** An agent has begun in the scope of that name. What another needs there cannot be tried without ending that one. */
  isTaken(ref: ScopeRef): boolean {
    return this.#parts.tree.get(ref)?.begun === true;
  }

  /** An agent that a session was to start has not. What the session has given it is gone from its scope. Resolves when all has cleaned up. */
  notStarted(scope: Scope): Promise<void> | undefined {
    scope.hold(false);
    const begun = this.#begun.get(scope);
    return begun && this.takeBack(begun);
  }

  /**
   * A start has failed: what was registered by hand stays, and the agent before it with its id may still go on. What that one had in its scope begins
   * anew at once: agents may be below it.
   */
  takeBack(begun: Begun): Promise<void> | undefined {
    const { agent, scope, before, hadBegun, wasOpen, pending } = begun;
    const { tree } = this.#parts;
    // Another has started since, or the agent has ended.
    if (scope ? scope.closed || this.#begun.get(scope) !== begun : tree.get(agent)?.begun) return undefined;
    if (begun.goesOn) return void (scope && this.#isOver(scope));
    const isIn = scope?.begun === true;
    if (isIn) this.#installer.clear(scope);
    const ended = isIn && !wasOpen && scope.empty ? this.#end(scope) : undefined;
    this.#standings.restore(agent, before);
    if (hadBegun && before && !this.#installer.closed) {
      const { found, spawn } = this.find({}, agent);
      this.#open(found, spawn ?? { type: before.type, spawnHooks: [], before: before.above }, agent, before.hasEnded);
    }
    const open = isIn || hadBegun ? tree.get(agent) : undefined;
    if (open) open.pending = pending && [...pending];
    return ended;
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
    if (!known && this.#standings.isIdle) this.#standings.note(session, id, STOP);
    else if (!known || !scope.begun) this.#standings.stops({ session, agent: id });
    else if (!scope.heldBySession) this.ended(scope);
  }

  /** The agent has ended. A scope that was there before it stays, until another agent with its id starts. */
  ended(scope: Scope): void {
    if (scope.spawned && !scope.heldBySession) void this.#end(scope);
    else if (scope.begun && !scope.heldBySession) this.#isOver(scope);
  }

  /** The scope ends. Its agent is remembered. */
  leaves(scope: Scope): void {
    this.#standings.leaves(scope);
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

  /** Another agent starts with that id. Returns what there was of the one before. */
  #makeWay(agent: AgentRef, earlier: Scope | undefined): Left {
    const pending = [...(this.#parts.tree.get(agent)?.pending ?? [])];
    const hasEnded = earlier && this.#standings.hasEnded(earlier);
    if (earlier) this.#vacate(earlier);
    const before = this.#standings.take(agent);
    const known = before && hasEnded !== undefined ? { ...before, hasEnded } : before;
    return { before: known, hadBegun: earlier !== undefined, pending };
  }

  /** Its agent leaves the scope, which ends, unless somebody has registered anything in it or below it. */
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
