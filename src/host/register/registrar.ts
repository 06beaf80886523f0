import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeRef } from '../../scopes/tree.js';
import { detachedScope } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import { checkUseOptions } from '../options.js';
import type { Plugin, PluginUndo, UseOptions } from '../plugin-types.js';
import type { MadeHooks, Undo } from '../types.js';
import { Adding, type AddingParts, type FiredEvent } from './adding.js';
import { AgentInstaller } from './agent-hooks.js';
import { Agents } from './agents.js';
import { applyPlugin, readPlugin } from './apply.js';
import { pluginScopeOf, type Use } from './handle.js';
import { wrong } from './handler-entry.js';
import type { Listener } from './listeners.js';
import { Lives } from './lives.js';
import { madeBy, type Origin, type SpawnHooks } from './origin.js';
import { placeOnce } from './place.js';
import { createRevision } from './revision.js';
import { Spawns } from './spawns.js';
import { Standings } from './standings.js';

/** Registers hooks in scopes; keeps the scope tree, the plans' counts and hooks by agent type consistent. */
export class Registrar {
  /** Plugins and other things that end with their scope at the latest. */
  readonly lives: Lives;
  /** The configuration as one hash. */
  readonly revision: () => string;
  readonly #parts: AddingParts;
  readonly #spawns = new Spawns();
  readonly #standings = new Standings();
  #waiting: { readonly changes: number; readonly scopes: readonly Scope[] } | undefined = undefined;
  /** Some agent types have hooks, so any event may open an agent's scope. */
  spawns = false;
  /** Some have, or have had: which agents start counts from then on. */
  hadSpawns = false;
  readonly #adding: Adding;
  readonly #installer: AgentInstaller;
  /** Agents in their scopes, with the hooks of their types. */
  readonly agents: Agents;

  constructor(parts: AddingParts) {
    this.#parts = parts;
    const { options, report, tree } = parts;
    this.lives = new Lives({ seconds: options.closeTimeout ?? 5, report, left: (scope) => tree.prune(scope) });
    this.#adding = new Adding(parts);
    this.#installer = new AgentInstaller(parts, this.#adding, this.lives);
    this.agents = new Agents(parts, this.#spawns, this.#installer, (scope) => this.endAgent(scope), this.#standings);
    this.revision = createRevision(parts, this.#spawns, () => this.spawnScopes());
  }

  /** Adds hooks to the scope (`undefined`: the host's), all or none; it is opened by what is registered in it. */
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

  /** Managed hooks. If they are for agents of a type, such an agent gets a scope that knows its type, since later calls may name the agent alone. */
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

  /** Asks it before every run of every hook that is registered from now on. */
  guardBy(guard: NonNullable<AddingParts['guard']>): void {
    this.#parts.guard = guard;
  }

  /** Calls it when the host closes, under that name; the undo forgets it. */
  atClose(name: string, call: () => unknown): Undo {
    const life = this.lives.begin(this.#parts.tree.host, name);
    const forget = life.onClose(call);
    return () => {
      forget();
      void life.end();
    };
  }

  /** Hooks for every agent of that type. They are validated now, so that a mistake throws here and not when an agent starts. */
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
    // A function that makes them is not called until there is an agent.
    if (typeof hooks === 'function') named.place();
    else this.#adding.place(this.#installer.detached(agentType, this.#spawns.of(agentType) ?? []), hooks, named);
    const undo = this.#spawns.add(agentType, { hooks, origin: named, ...of });
    this.#standings.hasHooks(agentType, origin.ofType !== undefined);
    this.spawns = true;
    this.hadSpawns = true;
    return () => {
      undo();
      this.spawns = this.#spawns.any;
    };
  }

  /** The scope a fire runs in; an agent whose type has spawnHooks gets its own at its first event, and again if it goes on after its end. */
  scopeOf(input: Json | undefined, ref: ScopeRef | undefined, event: FiredEvent): ScopeLookup {
    const { flat } = this.#parts.tree;
    if (flat && ref === undefined && input?.['agent_id'] === undefined) return flat;
    return this.agents.enter(input, ref, event);
  }

  /** Throws what registering them in that scope, or using these plugins there, would throw at once. */
  check(ref: ScopeRef, hooks: unknown, plugins: readonly (readonly [Plugin, unknown?, UseOptions?])[]): void {
    if (hooks) this.#adding.place(detachedScope(ref), hooks, { warn: () => undefined });
    for (const [plugin, options, how] of plugins) {
      checkUseOptions(how);
      readPlugin(plugin, options);
    }
  }

  /** All hooks, including those that wait for agents; hooks that a function makes for each agent are unknown (`anything`). */
  known(): { readonly anything: boolean; readonly scopes: readonly Scope[] } {
    return { anything: this.#spawns.anything, scopes: [...this.root.tree(), ...this.spawnScopes()] };
  }

  /** It is asked whenever hooks come too late for it. */
  listen(listener: Listener): Undo {
    return this.#adding.listeners.add(listener);
  }

  /** The outermost scope; it contains all others. */
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

  /** What is placed to be looked at from here on has the ids that it would be given next, as if nobody had looked before. */
  showAnew(): void {
    this.#adding.showAnew();
  }

  /** How many hooks for an event wait for agents of other types than that. Counted when it is first asked after a change. */
  waitingFor(event: string, but: string | undefined): number {
    if (!this.spawns) return 0;
    const { changes } = this.#spawns;
    if (this.#waiting?.changes !== changes) this.#waiting = { changes, scopes: this.spawnScopes() };
    return this.#waiting.scopes.reduce((sum, scope) => sum + (scope.id === but ? 0 : scope.own(event).length), 0);
  }

  /** One detached scope per agent type, with the hooks that its agents will get. `anew`: as `showAnew`. */
  spawnScopes(anew = true): Scope[] {
    if (anew) this.showAnew();
    return [...this.#spawns.all()].map(([type, spawnHooks]) => this.#installer.detached(type, spawnHooks));
  }

  /** The functions that make hooks for each agent of a type. */
  makers(): MadeHooks[] {
    return [...this.#spawns.all()].flatMap(([type, all]) =>
      [...all].filter(({ hooks }) => typeof hooks === 'function').map((spawnHooks) => madeBy(type, spawnHooks)),
    );
  }

  /** The session is over: the scopes that the host opened for those of its agents go. Another program may be in it, too. */
  endAgentsOf(session: string, whose: (agent: string) => boolean): void {
    const ended = [...this.#parts.tree.agents()].filter((scope) => scope.session === session && whose(scope.id));
    for (const scope of ended) this.agents.ended(scope);
  }

  /** Ends an agent's scope. */
  endAgent(scope: Scope): Promise<void> | undefined {
    return scope.closed ? undefined : this.end({ session: scope.session, agent: scope.id });
  }

  /**
   * A session has not started, and what it was given is undone: its scope goes, unless others have registered anything there or below. `texts`: what it has
   * put to what waits for the next turn. Resolves when all has cleaned up.
   */
  notStarted(scope: Scope, texts: readonly string[]): Promise<void> | undefined {
    if (scope.closed) return undefined;
    const { session, pending } = scope;
    for (const text of texts) {
      const at = pending.lastIndexOf(text);
      if (at !== -1) pending.splice(at, 1);
    }
    if (!scope.empty) return void scope.hold(false);
    // Held until it has ended: what its hooks say later waits for nobody.
    const ended = this.end({ session });
    if (pending.length > 0) this.pendingContext(session).push(...pending);
    return ended;
  }

  /** Opens the scope. Rejects with INVALID_OPTIONS, INVALID_PLUGIN, PLUGIN_FAILED, CLOSED; then it leaves nothing behind. */
  async use(...[ref, plugin, options, how, user, trustCheckOf = user?.trustCheckOf, start]: Use): Promise<PluginUndo> {
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
      const cut = start && { signal: start.signal, seconds: this.lives.seconds };
      await applyPlugin(read, life, pluginScopeOf(this, ref, plugin, life, how?.enforce), cut);
      return () => life.end();
    } catch (error) {
      // A session or an agent may have started there meanwhile.
      const isOthers = wasOpen || scope.heldBySession || scope.begun;
      if (!isOthers && !scope.closed && scope.empty) void this.end(ref as ScopeRef);
      throw error;
    }
  }

  /** A raw tap as a registration of the host's scope; tapable decides where it runs. */
  tap(...tap: Parameters<Adding['tap']>): Registration {
    return this.#adding.tap(...tap);
  }

  /** The scope of that name; where none is open, one that is in no tree. */
  scope(ref: ScopeRef | undefined): Scope {
    const { tree } = this.#parts;
    return ref === undefined ? tree.host : (tree.get(ref) ?? detachedScope(ref));
  }

  /** Its hooks end with a scope. Agents that hooks by type are for are remembered. */
  #leave(scope: Scope): void {
    for (const event of scope.events()) this.#parts.plans.count(scope.own(event), -1);
    this.agents.leaves(scope);
  }
}
