import { PendingContexts } from '../../scopes/contexts.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeRef } from '../../scopes/tree.js';
import { detachedScope } from '../../scopes/tree.js';
import { append } from '../../values/append.js';
import type { Json } from '../../values/shape.js';
import { checkUseOptions } from '../options.js';
import type { Plugin, PluginUndo, UseOptions } from '../plugin-types.js';
import type { MadeHooks, Undo } from '../types.js';
import { Adding, type AddingParts, type EventFire } from './adding.js';
import { AgentInstaller } from './agent-hooks.js';
import { Agents } from './agents.js';
import { applyPlugin, readPlugin } from './apply.js';
import { type PluginUseCall, pluginScopeOf } from './handle.js';
import { wrong } from './handler-entry.js';
import type { Listener } from './listeners.js';
import { Lives } from './lives.js';
import { warnOfKeys, warnOfNames } from './names/misnamed-agent.js';
import { placeOnce } from './names/place.js';
import { describeMadeHooks, type Origin, type SpawnHooks } from './origin.js';
import { createRevision } from './revision.js';
import { SpawnRegistry } from './spawns.js';
import { type AgentRef, Standings } from './standings.js';

/** Registers hooks in scopes; keeps the scope tree, the plans' counts and hooks by agent type consistent. */
export class Registrar {
  /** Plugins and other things that end with their scope at the latest. */
  readonly lives: Lives;
  /** The configuration as one hash. */
  readonly revision: () => string;
  readonly #parts: AddingParts;
  readonly #spawns = new SpawnRegistry();
  readonly standings = new Standings();
  #waiting: { readonly changes: number; readonly scopes: readonly Scope[] } | undefined = undefined;
  /** Some agent types have hooks, so any event may open an agent's scope. */
  spawns = false;
  /** Some agent types have or had hooks, so starts of agents must be tracked. */
  hadSpawns = false;
  #hadTaps = false;
  readonly #adding: Adding;
  readonly #installer: AgentInstaller;
  /** Agents in their scopes, with the hooks of their types. */
  readonly agents: Agents;
  readonly contexts: PendingContexts;

  constructor(parts: AddingParts) {
    this.#parts = parts;
    const { options, report, tree } = parts;
    this.contexts = new PendingContexts(tree);
    this.lives = new Lives({ seconds: options.closeTimeout ?? 5, report, left: (scope) => tree.prune(scope) });
    this.#adding = new Adding(parts);
    this.#installer = new AgentInstaller(parts, this.#adding, this.lives);
    this.agents = new Agents(parts, this.#spawns, this.#installer, (scope) => this.endAgent(scope), this.standings);
    this.revision = createRevision(parts, this.#spawns, () => this.spawnScopes());
  }

  /** Adds all hooks or none to the scope (`undefined`: the host's), and opens the scope if necessary. */
  register(ref: ScopeRef | 'managed' | undefined, hooks: unknown, origin: Origin = {}, managed = false): Undo {
    const { tree } = this.#parts;
    if (managed) return this.#manage(hooks, origin);
    if (ref === undefined) return this.#adding.add(tree.host, hooks, origin);
    const open = tree.get(ref);
    // Checked in a detached scope first, because invalid hooks must not open a scope.
    if (!open) this.#adding.place(detachedScope(ref), hooks, { ...origin, warn: () => undefined });
    const scope = tree.open(ref, { parent: origin.parent });
    const undo = this.#adding.add(scope, hooks, origin);
    if (origin.parent !== undefined) scope.placed = true;
    return undo;
  }

  /** Adds managed hooks. If they are for an agent type, each such agent gets a scope that stores its type, because later inputs may have only the agent's id. */
  #manage(hooks: unknown, origin: Origin): Undo {
    const undo = this.#adding.add(this.#parts.tree.managed, hooks, origin);
    if (origin.ofType === undefined) return undo;
    const forget = this.spawnHooks(origin.ofType, {}, origin);
    return () => {
      undo();
      forget();
    };
  }

  /** Ends a scope and its children. Resolves when everything in them has cleaned up; `undefined` if it was not open. */
  end(ref: ScopeRef): Promise<void> | undefined {
    const { tree } = this.#parts;
    const scope = tree.get(ref);
    if (!scope) return undefined;
    const scopes = [...scope.tree()];
    for (const each of scopes) this.#leave(each);
    tree.close(ref);
    return this.lives.end(scopes);
  }

  /** Whether the host has or had hooks, so that something may be said late about an agent. */
  get hadHooks(): boolean {
    return this.#hadTaps || this.#parts.plans.changed;
  }

  /** Sets a guard that is called before every run of every hook that is registered from now on. */
  guardBy(guard: NonNullable<AddingParts['guard']>): void {
    this.#parts.guard = guard;
  }

  /** Calls the function when the host closes; `name` is used in messages. The undo removes it. */
  atClose(name: string, call: () => unknown): Undo {
    const life = this.lives.begin(this.#parts.tree.host, name);
    const forget = life.onClose(call);
    return () => {
      forget();
      void life.end();
    };
  }

  /** Adds hooks for every agent of that type. They are validated now, so that a mistake throws here and not when an agent starts. */
  spawnHooks(
    agentType: string,
    hooks: unknown,
    origin: Origin = {},
    of: Pick<SpawnHooks, 'within' | 'life'> = {},
  ): Undo {
    if (typeof agentType !== 'string' || agentType === '')
      throw wrong('spawnHooks', "expected an agent's type, a string that is not empty");
    const apart = of.within && !of.life ? ({ apart: true } as const) : {};
    const named = { ...origin, ...apart, place: placeOnce() };
    // A function that makes hooks is called only when an agent starts, so its place is determined now.
    if (typeof hooks === 'function') named.place();
    else this.#adding.place(this.#installer.detached(agentType, this.#spawns.of(agentType) ?? []), hooks, named);
    const undo = this.#spawns.add(agentType, { hooks, origin: named, ...of });
    this.standings.hasHooks(agentType, origin.ofType !== undefined);
    this.spawns = true;
    this.hadSpawns = true;
    return () => {
      undo();
      this.spawns = this.#spawns.any;
    };
  }

  /** The scope a fire runs in. An agent whose type has spawnHooks gets its own at its first event, and again if it continues after its end. */
  scopeOf(input: Json | undefined, ref: ScopeRef | undefined, event: EventFire): ScopeLookup {
    const { flat } = this.#parts.tree;
    if (ref === undefined && input && (this.spawns || !flat)) warnOfKeys(this.#parts, input, event.spec, this.agents);
    if (flat && ref === undefined && input?.['agent_id'] === undefined) return flat;
    return this.agents.enter(input, ref, event);
  }

  /** Warns of an agent that starts without the hooks that were probably meant for it. */
  warnOfNames(found: ScopeLookup, input: Json | undefined): void {
    warnOfNames(this.#parts, this.#spawns, found, input);
  }

  /** Throws the errors that registering the hooks in the scope, or using the plugins there, would throw synchronously. */
  check(ref: ScopeRef, hooks: unknown, plugins: readonly (readonly [Plugin, unknown?, UseOptions?])[]): void {
    if (hooks) this.#adding.place(detachedScope(ref), hooks, { warn: () => undefined });
    for (const [plugin, options, how] of plugins) {
      checkUseOptions(how);
      readPlugin(plugin, options);
    }
  }

  /** All scopes with hooks, including hooks for future agents. `anything`: a function makes hooks for each agent, which are unknown. */
  known(): { readonly anything: boolean; readonly scopes: readonly Scope[] } {
    return { anything: this.#spawns.anything, scopes: [...this.root.tree(), ...this.spawnScopes()] };
  }

  /** Adds a program that must learn of hooks that are registered too late for it. */
  listen(listener: Listener): Undo {
    return this.#adding.listeners.add(listener);
  }

  /** The outermost scope; it contains all others. */
  get root(): Scope {
    return this.#parts.tree.managed;
  }

  /** Starts a preview: hooks that are shown get the ids that would be given next, as if there had been no earlier preview. */
  showAnew(): void {
    this.#adding.showAnew();
  }

  /** The number of hooks for the event that are for agents of types other than `but`. Cached until hooks by type change. */
  waitingFor(event: string, but: string | undefined): number {
    if (!this.spawns) return 0;
    const { changes } = this.#spawns;
    if (this.#waiting?.changes !== changes) this.#waiting = { changes, scopes: this.spawnScopes() };
    return this.#waiting.scopes.reduce((sum, scope) => sum + (scope.id === but ? 0 : scope.own(event).length), 0);
  }

  /** One detached scope per agent type, with the hooks that its agents will get. `anew`: call `showAnew` first. */
  spawnScopes(anew = true): Scope[] {
    if (anew) this.showAnew();
    return [...this.#spawns.all()].map(([type, spawnHooks]) => this.#installer.detached(type, spawnHooks));
  }

  /** The functions that make hooks for each agent of a type. */
  makers(): MadeHooks[] {
    return [...this.#spawns.all()].flatMap(([type, all]) =>
      [...all]
        .filter(({ hooks }) => typeof hooks === 'function')
        .map((spawnHooks) => describeMadeHooks(type, spawnHooks)),
    );
  }

  /** An agent that has begun in a scope: its type, the other types whose hooks it has, and whether it had ended before. */
  begunAgent({ session, agent }: AgentRef) {
    const scope = this.#parts.tree.get({ session, agent });
    const type = scope?.agentType;
    if (!scope?.begun || type === undefined) return undefined;
    const others = this.#spawns.typesOf(this.#installer.hooksIn(scope)).filter((one) => one !== type);
    return { type, others, above: scope.typesBefore, hadEnded: this.standings.hasEnded(scope) };
  }

  /** The session is over: ends the scopes that the host opened for its agents. `whose`: selects a program's own agents, since another may share the session. */
  endAgentsOf(session: string, whose: (agent: string) => boolean): void {
    const ended = [...this.#parts.tree.agents()].filter((scope) => scope.session === session && whose(scope.id));
    for (const scope of ended) this.agents.ended(scope);
  }

  /** Ends an agent's scope. */
  endAgent(scope: Scope): Promise<void> | undefined {
    return scope.closed ? undefined : this.end({ session: scope.session, agent: scope.id });
  }

  /**
   * A session failed to start, and its hooks have been removed: ends its scope, unless others have registered something in it or below it. `texts`: pending
   * context that the start has added, which is removed. Resolves when everything has cleaned up.
   */
  notStarted(scope: Scope, texts: readonly string[]): Promise<void> | undefined {
    if (scope.closed) return undefined;
    const { session, pending } = scope;
    for (const text of texts) {
      const at = pending.lastIndexOf(text);
      if (at !== -1) pending.splice(at, 1);
    }
    if (!scope.empty) return void scope.hold(false);
    // Still held while it ends, so that late context of its hooks is dropped.
    const ended = this.end({ session });
    if (pending.length > 0) append(this.contexts.ofSession(session), pending);
    return ended;
  }

  /** Applies a plugin in a scope, which it opens. Leaves nothing behind if it rejects with INVALID_OPTIONS, INVALID_PLUGIN, PLUGIN_FAILED or CLOSED. */
  async use(
    ...[ref, plugin, options, how, user, trustCheckOf = user?.trustCheckOf, start]: PluginUseCall
  ): Promise<PluginUndo> {
    checkUseOptions(how);
    const read = readPlugin(plugin, options);
    const { tree } = this.#parts;
    const wasOpen = ref === undefined || tree.get(ref) !== undefined;
    const scope = ref === undefined ? tree.host : tree.open(ref);
    try {
      const life = this.lives.begin(scope, how?.name ?? plugin.name, true);
      life.trustCheckOf = trustCheckOf;
      life.given = start?.given ?? user?.given;
      user?.undo(() => void life.end());
      const until = { seconds: this.lives.seconds, cut: start };
      await applyPlugin(read, life, pluginScopeOf(this, ref, plugin, life, how?.enforce), until);
      return () => life.end();
    } catch (error) {
      // A session or an agent may have started in the scope in the meantime.
      const isOthers = wasOpen || scope.heldBySession || scope.begun;
      if (!isOthers && !scope.closed && scope.empty) void this.end(ref as ScopeRef);
      throw error;
    }
  }

  /** A raw tap as a registration of the host's scope; tapable decides where it runs. */
  tap(...tap: Parameters<Adding['tap']>): Registration {
    this.#hadTaps = true;
    return this.#adding.tap(...tap);
  }

  /** The scope of that name, or a detached one if none is open. */
  scope(ref: ScopeRef | undefined): Scope {
    const { tree } = this.#parts;
    return ref === undefined ? tree.host : (tree.get(ref) ?? detachedScope(ref));
  }

  /** A scope ends: its hooks no longer count in the plans, and its agent is remembered. */
  #leave(scope: Scope): void {
    for (const event of scope.events()) this.#parts.plans.count(scope.own(event), -1);
    this.agents.leaves(scope);
  }
}
