import { HookscopeError } from '../errors.js';
import type { AgentTypes } from '../matching/known-agent.js';
import { isOfOneSession, sameAgents } from './same-agents.js';
import { Scope } from './scope.js';
import { WaitingContext } from './waiting-context.js';

/** Names a scope: the id of an agent, or a session, or an agent of a given session. */
export type ScopeRef = string | { readonly session?: string; readonly agent?: string };

/** The scope in which a fire runs. `id` is the id that was asked for, and `known` tells whether a scope with that id is open. */
export interface ScopeLookup {
  readonly scope: Scope;
  readonly id: string;
  readonly known: boolean;
  /** The session that the scope belongs to. Absent: the session of the input. */
  readonly session?: string;
  /** Set if hooks for this agent, or for one above it, were registered both without a session and with the call's session: all of these scopes count. `scope` is one of the first two. */
  readonly both?: SharedScopes;
}

/** `above`: scopes of agents above it that are no ancestors of the first two. */
export type SharedScopes = readonly [anySession: Scope, ofSession: Scope, ...above: Scope[]];

/** The scopes of the fire's own agent: one, or both of `both`. */
export const scopesOf = ({ scope, both }: ScopeLookup): readonly Scope[] =>
  both === undefined ? [scope] : both.filter(({ id }) => id === scope.id);

/** The type of the fire's own agent, if known. */
export function agentTypeOf(found: ScopeLookup): string | undefined {
  return found.scope.agentType ?? scopesOf(found).find(({ agentType }) => agentType !== undefined)?.agentType;
}

/** The types of the fire's agent and of its ancestors. Hooks for an agent type also run for all agents below it, except on the agent's own end. */
export function typesAbove(found: ScopeLookup): AgentTypes {
  const scopes = found.both ?? [found.scope];
  const own = scopesOf(found).flatMap(({ agentType }) => agentType ?? []);
  const others = scopes.filter(({ id }) => id !== found.scope.id).flatMap(({ agentType }) => agentType ?? []);
  return { own, all: [...own, ...others, ...scopes.flatMap((one) => [...one.typesAbove])] };
}

/** The tree of managed policy, the host, its sessions and their agents. A session's scope exists while something is registered in it. */
export class ScopeTree {
  readonly managed = new Scope({ id: 'managed', kind: 'managed' });
  readonly host = new Scope({ id: 'host', kind: 'host', parent: this.managed });
  /** The session of a name without a session: the host's own session id, or '' if it has none. */
  readonly session: string;
  readonly #anySession: boolean;
  readonly #sessions = new Map<string, Scope>();
  readonly #agents = new Map<string, Map<string, Scope>>();
  /** Pending context of sessions that have no scope now. */
  readonly #waiting = new Map<string, string[]>();
  /** Pending context of agents that have no scope. */
  readonly waitingFor = new WaitingContext();
  readonly #byHost: ScopeLookup = { scope: this.host, id: 'session', known: true };

  /** `anySession`: the user did not choose `session`, so scopes named without a session apply to all sessions. */
  constructor(session: string, anySession = session === '') {
    this.session = session;
    this.#anySession = anySession;
  }

  /** The name of the session that hooks without a session are registered under, if they are for all sessions. */
  get nameOfAll(): string | undefined {
    return this.#anySession ? this.session : undefined;
  }

  /** While no session is open, the scope of all fires outside agents. */
  get flat(): ScopeLookup | undefined {
    return this.#sessions.size === 0 ? this.#byHost : undefined;
  }

  /** Finds the scope in which a fire runs. Never fails: for an agent without a scope, it is that of the session. `gone`: a scope to treat as ended. */
  find(
    ref: ScopeRef | undefined,
    inputSession: string | undefined,
    inputAgent: string | undefined,
    gone?: Scope,
  ): ScopeLookup {
    const agent = ref === undefined ? inputAgent : typeof ref === 'string' ? ref : ref.agent;
    if (agent === undefined && typeof ref !== 'object' && this.flat) return this.flat;
    const session = (typeof ref === 'object' ? ref.session : undefined) ?? inputSession ?? this.session;
    const base = this.#sessions.get(session) ?? this.#shared(this.#sessions.get(this.session)) ?? this.host;
    if (agent === undefined) return this.within({ scope: base, id: 'session', known: true, session }, session);
    const open = (session: string): Scope | undefined => {
      const scope = this.#agents.get(session)?.get(agent);
      return scope === gone ? undefined : scope;
    };
    const scope = open(session) ?? this.#shared(open(this.session));
    const found = scope ? { scope, id: scope.id, known: true } : { scope: base, id: agent, known: false, session };
    return this.within(found, session);
  }

  /** Adds the other scopes whose hooks count in that session, if there are any. */
  within<L extends ScopeLookup>(found: L, session: string): L {
    if (!this.#anySession || session === this.session || found.scope.depth < 2) return found;
    const { scope } = found;
    const isOfSession = scope.session === session;
    const anySession = this.#sessions.get(this.session);
    const [agent, ...rest] = sameAgents(scope, session, this.#agents.get(session), this.#agents.get(this.session));
    const other = isOfSession
      ? (agent ?? this.#shared(anySession))
      : (agent ?? this.#sessions.get(session) ?? (anySession?.heldBySession ? this.host : undefined));
    if (other === undefined) return found;
    return { ...found, both: isOfSession ? [other, scope, ...rest] : [scope, other, ...rest] };
  }

  /** Hooks registered without a session apply to all sessions, except in scopes that a session driver holds, and in those of agents below. */
  #shared(scope: Scope | undefined): Scope | undefined {
    return this.#anySession && !(scope && isOfOneSession(scope)) ? scope : undefined;
  }

  /** The open scope with this name, if any. */
  get(ref: ScopeRef): Scope | undefined {
    const { session, agent } = this.#name(ref);
    return agent === undefined ? this.#sessions.get(session) : this.#agents.get(session)?.get(agent);
  }

  /** Throws what `open` would throw: INVALID_OPTIONS (the parent's session), UNKNOWN_SCOPE (the parent), SCOPE_CONFLICT. `gone`: a scope to treat as ended. */
  check(ref: ScopeRef, parent: ScopeRef | undefined, gone?: Scope): void {
    const { session, agent } = this.#name(ref);
    if (parent === undefined) return;
    if (typeof parent === 'object' && (parent.session ?? session) !== session) {
      const expected = `expected an agent of the same session as "${labelOf(ref)}", got one of ${JSON.stringify(parent.session)}: name the session of both`;
      throw new HookscopeError('INVALID_OPTIONS', { where: 'parent', expected });
    }
    const known = this.get(ref);
    const above = this.#parent(parent, session);
    const asked = labelOf(parent);
    const kind = typeof parent === 'string' || parent.agent !== undefined ? 'agent' : 'session';
    const about = { kind, ...(session !== this.session && { session }) } as const;
    if (known && known !== gone) {
      if (above === known.parent) return;
      throw new HookscopeError('SCOPE_CONFLICT', {
        scope: known.id,
        parent: known.parent?.id ?? 'host',
        asked,
        ...about,
      });
    }
    const isOpen = above !== undefined && (gone === undefined || !above.lineage.includes(gone));
    if (agent !== undefined && !isOpen) throw new HookscopeError('UNKNOWN_SCOPE', { scope: asked, ...about });
  }

  /** Opens the scope unless it is open. The parent is an open agent of the same session, otherwise the session. */
  open(
    ref: ScopeRef,
    options: { parent?: ScopeRef | undefined; agentType?: string | undefined; spawned?: boolean } = {},
  ): Scope {
    this.check(ref, options.parent);
    const known = this.get(ref);
    if (known) return known;
    const { session, agent } = this.#name(ref);
    if (agent === undefined) return this.#openSession(session);
    const parent = options.parent === undefined ? undefined : this.#parent(options.parent, session);
    const scope = new Scope({
      id: agent,
      kind: 'agent',
      parent: parent ?? this.#openSession(session),
      session,
      spawned: options.spawned ?? false,
      ...(options.agentType === undefined ? {} : { agentType: options.agentType }),
    });
    scope.pending = this.waitingFor.take(session, agent);
    const agents = this.#agents.get(session) ?? new Map<string, Scope>();
    this.#agents.set(session, agents.set(agent, scope));
    return scope;
  }

  /** Ends a scope and its children. Does nothing if it is not open. */
  close(ref: ScopeRef): boolean {
    const scope = this.get(ref);
    if (!scope) return false;
    const parent = scope.parent;
    this.#forget(scope);
    scope.close();
    if (parent?.kind === 'session') this.prune(parent);
    return true;
  }

  /** The pending context for a session's next turn, whether or not its scope is open. */
  pendingContext(session: string): string[] {
    const open = this.#sessions.get(session)?.pending ?? this.#waiting.get(session);
    if (open) return open;
    const list: string[] = [];
    this.#waiting.set(session, list);
    return list;
  }

  /** The pending context for an agent's next turn, whether or not its scope is open. */
  pendingOf(session: string, agent: string): string[] | undefined {
    return this.#agents.get(session)?.get(agent)?.pending ?? this.waitingFor.get(session, agent);
  }

  /** The list of the agent that has the id now. It stays that agent's: another one with the id gets another list. */
  contextOf(session: string, agent: string): string[] {
    return this.#agents.get(session)?.get(agent)?.pending ?? this.waitingFor.of(session, agent);
  }

  /** Gives the agent that has the id a list; without one, a new one. */
  setContext(session: string, agent: string, list?: string[]): void {
    const open = this.#agents.get(session)?.get(agent);
    if (open) open.pending = list;
    else if (list) this.waitingFor.put(session, agent, list);
    else this.waitingFor.take(session, agent);
  }

  /** A scope's pending context, to be read or taken; without `ref`, that of the default session. */
  pending(ref: ScopeRef | undefined): string[] {
    const { session, agent } = ref === undefined ? { session: this.session, agent: undefined } : this.#name(ref);
    if (agent !== undefined) return this.pendingOf(session, agent) ?? [];
    return this.#sessions.get(session)?.pending ?? this.#waiting.get(session) ?? [];
  }

  /** Drops the scope of an empty session, but keeps its pending context. */
  prune(session: Scope): void {
    if (session.kind !== 'session' || session.heldBySession || !session.empty) return;
    if (this.#sessions.get(session.session) !== session) return;
    this.#sessions.delete(session.session);
    if (session.pending.length > 0) this.#waiting.set(session.session, session.pending);
    session.close();
  }

  /** Every agent's scope, in creation order. */
  *agents(): Generator<Scope> {
    for (const agents of this.#agents.values()) yield* agents.values();
  }

  #openSession(session: string): Scope {
    let scope = this.#sessions.get(session);
    if (!scope) {
      scope = new Scope({ id: 'session', kind: 'session', parent: this.host, session });
      scope.pending = this.#waiting.get(session);
      this.#waiting.delete(session);
      this.#sessions.set(session, scope);
    }
    return scope;
  }

  #parent(ref: ScopeRef, session: string): Scope | undefined {
    return this.get(typeof ref === 'string' ? { session, agent: ref } : { ...ref, session });
  }

  #forget(ended: Scope): void {
    for (const scope of ended.tree()) this.#forgetOne(scope);
  }

  #forgetOne(scope: Scope): void {
    if (scope.kind === 'session') this.#sessions.delete(scope.session);
    const agents = this.#agents.get(scope.session);
    // The hooks of a failed start are in another scope with its agent's id.
    if (scope.kind !== 'agent' || agents?.get(scope.id) !== scope) return;
    agents.delete(scope.id);
    if (agents.size === 0) this.#agents.delete(scope.session);
  }

  #name(ref: ScopeRef): { session: string; agent: string | undefined } {
    if (typeof ref === 'string') return { session: this.session, agent: ref };
    return { session: ref.session ?? this.session, agent: ref.agent };
  }
}

/** Creates a scope with this name outside the tree. */
export function detachedScope(ref: ScopeRef): Scope {
  const agent = typeof ref === 'string' || ref.agent !== undefined;
  const session = typeof ref === 'string' ? undefined : ref.session;
  return new Scope({ id: labelOf(ref), kind: agent ? 'agent' : 'session', session: session ?? '' });
}

export function labelOf(ref: ScopeRef): string {
  if (typeof ref === 'string') return ref;
  return ref.agent ?? (ref.session === undefined ? 'session' : `session ${ref.session}`);
}
