import type { EventSpec } from '../../events/define.js';
import type { Registration } from '../../scopes/registration.js';
import { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeRef, ScopeTree } from '../../scopes/tree.js';
import { detachedScope, labelOf } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { CallbackFunction } from '../call/work.js';
import type { Cleanup } from '../close.js';
import { checkRegisterOptions } from '../options.js';
import type { PlanStore } from '../plan/plans.js';
import { describeScope } from '../tell/describe.js';
import type { Plugin, Undo } from '../types.js';
import { applyPlugin } from './apply.js';
import { checkBefore } from './before.js';
import { wrong } from './handler-entry.js';
import { type HostParts, type Origin, registrationOptions, type SpawnHooks, spawnOrigin } from './origin.js';
import { placeOnce } from './place.js';
import { type RegistrationOptions, readRegistrations } from './register.js';
import { Spawns } from './spawns.js';

interface Parts extends HostParts {
  readonly tree: ScopeTree;
  readonly plans: PlanStore;
}

/** Registers hooks in scopes; keeps the scope tree, the plans' counts and hooks by agent type consistent. */
export class Registrar {
  /** What plugins left to be called at close. */
  readonly cleanups: Cleanup[] = [];
  readonly #parts: Parts;
  readonly #spawns = new Spawns();
  /** Some agents get scopes of their own, so any event may open one. */
  spawns = false;
  #ids = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Adds hooks to the scope (`undefined`: the host's), all or none; it is opened by what is registered in it. */
  register(ref: ScopeRef | 'managed' | undefined, hooks: unknown, origin: Origin = {}, managed = false): Undo {
    const { tree } = this.#parts;
    if (managed) return this.#add(tree.managed, hooks, origin);
    if (ref === undefined) return this.#add(tree.host, hooks, origin);
    const open = tree.get(ref);
    // Checked in a detached scope first: invalid hooks must open no scope.
    if (!open) this.#place(detachedScope(ref), hooks, { ...origin, warn: ignore });
    return this.#add(tree.open(ref, { parent: origin.parent }), hooks, origin);
  }

  end(ref: ScopeRef): boolean {
    const { tree } = this.#parts;
    const scope = tree.get(ref);
    if (!scope) return false;
    this.#leave(scope);
    return tree.close(ref);
  }

  /** Hooks for every agent of that type. They are read at once, so that a mistake is an error here and not at a spawn. */
  spawnHooks(agentType: string, hooks: unknown, origin: Origin = {}, within?: SpawnHooks['within']): Undo {
    if (typeof agentType !== 'string' || agentType === '')
      throw wrong('spawnHooks', "expected an agent's type, a string that is not empty");
    const named = { ...origin, place: placeOnce() };
    this.#place(this.#detachedAgent(agentType, this.#spawns.of(agentType) ?? []), hooks, named);
    const undo = this.#spawns.add(agentType, { hooks, origin: named, within });
    this.spawns = true;
    return () => {
      undo();
      this.spawns = this.#spawns.any;
    };
  }

  /**
   * The scope a fire runs in; an agent whose type has spawnHooks gets its own at its first event. One that has ended gets none for
   * an event that comes late, but does when it is started again (`starts`).
   */
  scopeOf(input: Json | undefined, ref: ScopeRef | undefined, starts: boolean): ScopeLookup {
    const { flat } = this.#parts.tree;
    if (flat && ref === undefined && input?.['agent_id'] === undefined) return flat;
    return this.#lookUp(input, ref, starts);
  }

  #lookUp(input: Json | undefined, ref: ScopeRef | undefined, starts: boolean): ScopeLookup {
    const { found, named, spawn } = this.#find(input, ref);
    if (!spawn || (!found.known && !starts && this.#spawns.hasEnded(named, found.id))) return found;
    return this.#spawned(found, spawn.spawnHooks, spawn.type, named);
  }

  /** The current scope, and the hooks of its agent's type that are still to be installed. */
  #find(input: Json | undefined, ref: ScopeRef | undefined) {
    const { tree } = this.#parts;
    const session = textOf(input?.['session_id']);
    const found = tree.find(ref, session, textOf(input?.['agent_id']));
    const named = (typeof ref === 'object' ? ref.session : undefined) ?? session ?? tree.session;
    const type = this.spawns ? textOf(input?.['agent_type']) : undefined;
    const spawnHooks = type === undefined ? undefined : this.#spawns.of(type, named);
    const has = found.id === 'session' || (found.known && found.scope.agentType !== undefined);
    return { found, named, spawn: spawnHooks && !has ? { spawnHooks, type: type as string } : undefined };
  }

  /** As `scopeOf`, but nothing is opened: an agent scope that would be opened is a detached one, closed by `done`. */
  preview(input: Json, ref: ScopeRef | undefined): ScopeLookup & { done(): void } {
    const { found, spawn } = this.#find(input, ref);
    if (!spawn) return { ...found, done: () => undefined };
    const { type: agentType, spawnHooks } = spawn;
    const parent = (found.known ? found.scope.parent : found.scope) as Scope;
    const scope = new Scope({ id: found.id, kind: 'agent', parent, session: parent.session, agentType });
    if (found.known) for (const event of found.scope.events()) scope.add(found.scope.own(event));
    this.#install(scope, agentType, spawnHooks, false);
    return { scope, id: found.id, known: true, done: () => scope.close() };
  }

  /** The outermost scope, which all others are in. */
  get root(): Scope {
    return this.#parts.tree.managed;
  }

  /** Pending context of a session's next turn. */
  pendingContext(session: string): string[] {
    return this.#parts.tree.pendingContext(session);
  }

  /** The same for one of its agents; an agent without a scope of its own has none. */
  pendingOf(session: string, agent: unknown): string[] {
    if (agent === undefined) return this.pendingContext(session);
    return (typeof agent === 'string' ? this.#parts.tree.get({ session, agent })?.pending : undefined) ?? [];
  }

  /** One detached scope per agent type, with the hooks that its agents will get. */
  spawnScopes(): Scope[] {
    return [...this.#spawns.all()].map(([type, spawnHooks]) => this.#detachedAgent(type, spawnHooks));
  }

  /** Opens a scope for a session driver, the hooks of the agent's type in it. Throws UNKNOWN_SCOPE (the parent), SCOPE_CONFLICT. */
  openForSession(
    ref: { session: string; agent?: string },
    how: { parent?: ScopeRef | undefined; agentType?: string },
  ): Scope {
    const scope = this.#parts.tree.open(ref, { parent: how.parent });
    scope.hold();
    const spawnHooks = how.agentType === undefined ? undefined : (this.#spawns.of(how.agentType, ref.session) ?? []);
    if (!spawnHooks || scope.agentType !== undefined) return scope;
    return this.#spawned({ scope, id: scope.id, known: true }, spawnHooks, how.agentType as string, ref.session).scope;
  }

  /** Opens the scope of an agent that starts in another program, whether or not hooks wait for its type; its stop ends it. */
  start(ref: { session: string; agent: string }, agentType: string): void {
    const { tree } = this.#parts;
    if (tree.get(ref)) return;
    const scope = tree.open(ref, { spawned: true });
    const spawnHooks = this.#spawns.of(agentType, ref.session) ?? [];
    this.#spawned({ scope, id: scope.id, known: true }, spawnHooks, agentType, ref.session);
  }

  /** A stop that was allowed ended the agent: the scope the host opened for it goes. */
  agentEnded(scope: Scope): void {
    if (scope.spawned && !scope.heldBySession) this.endAgent(scope);
  }

  /** The session is over: the scopes that the host opened for those of its agents go. Another program may be in it, too. */
  endAgentsOf(session: string, whose: (agent: string) => boolean): void {
    const ended = [...this.#parts.tree.agents()].filter((scope) => scope.session === session && whose(scope.id));
    for (const scope of ended) this.agentEnded(scope);
  }

  /** Ends an agent's scope; an event of it that comes late does not open it again. */
  endAgent(scope: Scope): void {
    if (!scope.closed) this.end({ session: scope.session, agent: scope.id });
  }

  async use(ref: ScopeRef | undefined, plugin: Plugin, options: unknown): Promise<Undo> {
    const ofPlugin = { plugin: plugin?.name, source: { kind: 'plugin', name: plugin?.name } };
    const { undo, cleanup } = await applyPlugin(plugin, options, {
      id: ref === undefined ? 'host' : labelOf(ref),
      register: (hooks, how) => this.register(ref, hooks, { ...checkRegisterOptions(how, 'register'), ...ofPlugin }),
      spawnHooks: (type, hooks, how) =>
        this.spawnHooks(type, hooks, { ...checkRegisterOptions(how, 'spawnHooks'), ...ofPlugin }),
      use: (inner, innerOptions) => this.use(ref, inner, innerOptions),
      describe: () => describeScope(this.scope(ref)),
    });
    if (cleanup) this.cleanups.push({ plugin: plugin.name, cleanup });
    return undo;
  }

  /** A raw tap as a registration of the host's scope; tapable decides where it runs. */
  tap(spec: EventSpec, name: string, callback: CallbackFunction, stage: number): Registration {
    const { tree, options } = this.#parts;
    const how = this.#options(tree.host, { name, source: { kind: 'tap', name } });
    const [made] = readRegistrations({ [spec.name]: [{ stage, hooks: [callback] }] }, how) as [Registration];
    return { ...made, kind: 'tap', onFailure: options.onFailure ?? 'continue' };
  }

  /** The scope of that name; where none is open, one that is in no tree. */
  scope(ref: ScopeRef | undefined): Scope {
    const { tree } = this.#parts;
    if (ref === undefined) return tree.host;
    return tree.get(ref) ?? detachedScope(ref);
  }

  #spawned(
    found: ScopeLookup,
    spawnHooks: Iterable<SpawnHooks>,
    type: string,
    session: string | undefined,
  ): ScopeLookup {
    const ref = { agent: found.id, ...(session === undefined ? {} : { session }) };
    const scope = found.known ? found.scope : this.#parts.tree.open(ref, { agentType: type, spawned: true });
    scope.setType(type);
    this.#install(scope, type, spawnHooks, true);
    return { scope, id: scope.id, known: true };
  }

  /** A detached scope with the hooks that agents of the type will get. */
  #detachedAgent(type: string, spawnHooks: Iterable<SpawnHooks>): Scope {
    const scope = new Scope({ id: type, kind: 'agent', agentType: type });
    this.#install(scope, type, spawnHooks, false);
    return scope;
  }

  /** Their warnings were given when they came. What they named in `before` may be gone since: that is no agent's fault. */
  #install(scope: Scope, type: string, spawnHooks: Iterable<SpawnHooks>, counted: boolean): void {
    for (const hooks of spawnHooks) {
      try {
        const registrations = this.#place(scope, hooks.hooks, { ...spawnOrigin(type, hooks), warn: ignore });
        if (counted) this.#parts.plans.count(registrations, 1);
      } catch (error) {
        this.#parts.report(`Hooks for agents of type "${type}" were left out: ${String(error)}`);
      }
    }
  }

  /** Puts hooks into a scope, all or none. Throws INVALID_HOOKS. */
  #place(scope: Scope, hooks: unknown, origin: Origin): Registration[] {
    const registrations = readRegistrations(hooks, this.#options(scope, origin));
    checkBefore(scope, registrations);
    scope.add(registrations);
    return registrations;
  }

  #add(scope: Scope, hooks: unknown, origin: Origin): Undo {
    const registrations = this.#place(scope, hooks, origin);
    this.#parts.plans.count(registrations, 1);
    let done = false;
    return () => {
      if (done || scope.closed) return;
      done = true;
      scope.remove(registrations);
      this.#parts.plans.count(registrations, -1);
      if (scope.kind === 'session') this.#parts.tree.prune(scope);
    };
  }

  /** What ends with a scope: its hooks and its children. Agents with hooks of their type are remembered. */
  #leave(scope: Scope): void {
    for (const event of scope.events()) this.#parts.plans.count(scope.own(event), -1);
    for (const child of scope.children) this.#leave(child);
    if (scope.agentType !== undefined) this.#spawns.remember(scope);
  }

  #options(scope: Scope, origin: Origin): RegistrationOptions {
    return registrationOptions(this.#parts, scope, origin, (name) => `${name}#${++this.#ids}`);
  }
}

const ignore = (): void => undefined;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
