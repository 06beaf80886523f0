import { HookscopeError } from '../errors.js';
import type { CustomEvents } from '../events/catalogue.js';
import type { EventEntry } from '../events/define.js';
import type { OnFailure, Registration, Source } from '../scopes/registration.js';
import { Scope } from '../scopes/scope.js';
import type { Found, ScopeRef, ScopeTree } from '../scopes/tree.js';
import { labelOf } from '../scopes/tree.js';
import { applyPlugin } from './apply.js';
import { checkBefore } from './before.js';
import type { CallbackFunction } from './call.js';
import type { Cleanup } from './close.js';
import { describeScope } from './describe.js';
import { wrong } from './handler-entry.js';
import type { Outside } from './handlers/outside.js';
import type { HostOptions } from './options.js';
import { type Origin, spawnOrigin, type Wish } from './origin.js';
import type { Plan } from './plan.js';
import type { PlanStore } from './plans.js';
import { readHooks } from './register.js';
import type { Plugin, RegisterOptions, Undo } from './types.js';

interface Parts {
  readonly tree: ScopeTree;
  readonly plans: PlanStore;
  readonly options: HostOptions<CustomEvents>;
  readonly entries: ReadonlyMap<string, EventEntry>;
  readonly outside: Outside;
  report(message: string): void;
}

/** How many ended agents are remembered, so that a late event does not open their scope again. */
const REMEMBERED = 1_000;
const CODE: Source = { kind: 'code' };

/** Who is registered where: keeps the scope tree, the plans' counts and the agents' own hooks in step. */
export class Registrar {
  /** What plugins left to be called at close. */
  readonly cleanups: Cleanup[] = [];
  readonly #parts: Parts;
  readonly #spawn = new Map<string, Set<Wish>>();
  readonly #ended = new Set<Scope['id']>();
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
    // Read against a stand-in first: hooks that are wrong open no scope.
    if (!open) readHooks(hooks, this.#how(new Scope({ id: labelOf(ref), kind: kindOf(ref) }), origin));
    return this.#add(tree.open(ref, { parent: origin.parent }), hooks, origin);
  }

  end(ref: ScopeRef): boolean {
    const { tree } = this.#parts;
    const scope = tree.get(ref);
    if (!scope) return false;
    this.#uncount(scope);
    return tree.close(ref);
  }

  /** Hooks for every agent of that type. They are read at once, so that a mistake is an error here and not at a spawn. */
  spawnHooks(agentType: string, hooks: unknown, origin: Origin = {}): Undo {
    if (typeof agentType !== 'string' || agentType === '')
      throw wrong('spawnHooks', "expected an agent's type, a string that is not empty");
    readHooks(hooks, this.#how(new Scope({ id: agentType, kind: 'agent' }), origin));
    const wish = { hooks, origin };
    const wishes = this.#spawn.get(agentType) ?? new Set();
    this.#spawn.set(agentType, wishes.add(wish));
    this.spawns = true;
    return () => {
      wishes.delete(wish);
      if (wishes.size === 0) this.#spawn.delete(agentType);
      this.spawns = this.#spawn.size > 0;
    };
  }

  /**
   * The scope a fire runs in; an agent whose type has spawnHooks gets its own at its first event. One that has ended gets none for
   * an event that comes late, but does when it is started again (`starts`).
   */
  scopeOf(input: Readonly<Record<string, unknown>> | undefined, ref: ScopeRef | undefined, starts: boolean): Found {
    const { tree } = this.#parts;
    const session = textOf(input?.['session_id']);
    const agent = textOf(input?.['agent_id']);
    const found = tree.find(ref, session, agent);
    const type = !this.spawns ? undefined : textOf(input?.['agent_type']);
    const wishes = type === undefined ? undefined : this.#spawn.get(type);
    if (!wishes || found.id === 'session') return found;
    if (found.known && found.scope.agentType !== undefined) return found;
    const named = (typeof ref === 'object' ? ref.session : undefined) ?? session ?? tree.session;
    if (!found.known && !starts && this.#ended.has(`${named} ${found.id}`)) return found;
    return this.#spawned(found, wishes, type as string, named);
  }

  /** As `scopeOf`, but nothing is opened: an agent's own scope that would be is a stand-in, which `done` takes away. */
  preview(input: Readonly<Record<string, unknown>>, ref: ScopeRef | undefined): Found & { done(): void } {
    const found = this.#parts.tree.find(ref, textOf(input['session_id']), textOf(input['agent_id']));
    const type = textOf(input['agent_type']);
    const wishes = type === undefined ? undefined : this.#spawn.get(type);
    if (!wishes || found.id === 'session' || (found.known && found.scope.agentType !== undefined)) {
      return { ...found, done: () => undefined };
    }
    const parent = (found.known ? found.scope.parent : found.scope) as Scope;
    const scope = new Scope({
      id: found.id,
      kind: 'agent',
      parent,
      session: parent.session,
      agentType: type as string,
    });
    if (found.known) for (const event of found.scope.events()) scope.add(found.scope.own(event));
    for (const wish of wishes) scope.add(readHooks(wish.hooks, this.#how(scope, spawnOrigin(type as string, wish))));
    return { scope, id: found.id, known: true, done: () => scope.close() };
  }

  /** Every registration for the event that the scope's plan does not hold: of other scopes, and of agents' types that are not there. */
  outside(entry: EventEntry, plan: Plan, { agentType }: Scope): Registration[] {
    const within = new Set(plan.registrations);
    const all = function* (scope: Scope): Generator<Registration> {
      yield* scope.own(entry.name);
      for (const child of scope.children) yield* all(child);
    };
    const waiting = this.waiting().flatMap((scope) => (scope.id === agentType ? [] : scope.own(entry.name)));
    return [...[...all(this.#parts.tree.managed)].filter((r) => !within.has(r)), ...waiting];
  }

  /** Context that waits for the next turn of a session. */
  waitingFor(session: string): string[] {
    return this.#parts.tree.waiting(session);
  }

  /** What agents of each type will get: scopes that nobody is in. */
  waiting(): Scope[] {
    return [...this.#spawn].map(([type, wishes]) => {
      const scope = new Scope({ id: type, kind: 'agent', agentType: type });
      for (const wish of wishes) scope.add(readHooks(wish.hooks, this.#how(scope, spawnOrigin(type, wish))));
      return scope;
    });
  }

  /** Opens a scope for a session driver, the hooks of the agent's type in it. Throws UNKNOWN_SCOPE (the parent), SCOPE_CONFLICT. */
  drive(ref: { session: string; agent?: string }, how: { parent?: ScopeRef | undefined; agentType?: string }): Scope {
    const scope = this.#parts.tree.open(ref, { parent: how.parent });
    scope.driven = true;
    const wishes = how.agentType === undefined ? undefined : (this.#spawn.get(how.agentType) ?? new Set());
    if (!wishes || scope.agentType !== undefined) return scope;
    return this.#spawned({ scope, id: scope.id, known: true }, wishes, how.agentType as string, ref.session).scope;
  }

  /** A stop that was allowed ended the agent: the scope the host opened for it goes. */
  agentEnded(scope: Scope): void {
    if (scope.spawned && !scope.driven) this.endAgent(scope);
  }

  /** Ends an agent's scope; an event of it that comes late does not open it again. */
  endAgent(scope: Scope): void {
    if (scope.closed) return;
    this.#ended.add(`${scope.session} ${scope.id}`);
    if (this.#ended.size > REMEMBERED) this.#ended.delete(this.#ended.values().next().value as string);
    this.end({ session: scope.session, agent: scope.id });
  }

  async use(ref: ScopeRef | undefined, plugin: Plugin, options: unknown): Promise<Undo> {
    const { undo, cleanup } = await applyPlugin(plugin, options, {
      id: ref === undefined ? 'host' : labelOf(ref),
      register: (hooks, how) =>
        this.register(ref, hooks, { ...how, plugin: plugin.name, source: { kind: 'plugin', name: plugin.name } }),
      spawnHooks: (type, hooks, how) =>
        this.spawnHooks(type, hooks, { ...how, plugin: plugin.name, source: { kind: 'plugin', name: plugin.name } }),
      use: (inner, innerOptions) => this.use(ref, inner, innerOptions),
      describe: () => describeScope(this.#scope(ref)),
    });
    if (cleanup) this.cleanups.push({ plugin: plugin.name, cleanup });
    return undo;
  }

  /** A scope by name, opened by the first thing registered in it. */
  handle(ref: ScopeRef | undefined) {
    return {
      id: ref === undefined ? 'host' : labelOf(ref),
      register: (hooks: unknown, origin?: RegisterOptions): Undo => this.register(ref, hooks, origin),
      use: (plugin: Plugin, options?: unknown): Promise<Undo> => this.use(ref, plugin, options),
      close: (): boolean => (ref === undefined ? false : this.end(ref)),
      describe: () => describeScope(this.#scope(ref)),
    };
  }

  /** A raw tap as a registration of the host's scope; tapable decides where it runs. */
  tap(entry: EventEntry, name: string, callback: CallbackFunction, stage: number): Registration {
    const { tree, options } = this.#parts;
    const how = this.#how(tree.host, { name, source: { kind: 'tap', name } });
    const [made] = readHooks({ [entry.name]: [{ stage, hooks: [callback] }] }, how) as [Registration];
    return { ...made, kind: 'tap', onFailure: options.onFailure ?? 'continue' };
  }

  #scope(ref: ScopeRef | undefined): Scope {
    const { tree } = this.#parts;
    if (ref === undefined) return tree.host;
    return tree.get(ref) ?? new Scope({ id: labelOf(ref), kind: kindOf(ref) });
  }

  #spawned(found: Found, wishes: ReadonlySet<Wish>, type: string, session: string | undefined): Found {
    const ref = { agent: found.id, ...(session === undefined ? {} : { session }) };
    const scope = found.known ? found.scope : this.#parts.tree.open(ref, { agentType: type, spawned: true });
    scope.agentType = type;
    for (const wish of wishes) this.#add(scope, wish.hooks, spawnOrigin(type, wish));
    return { scope, id: scope.id, known: true };
  }

  #add(scope: Scope, hooks: unknown, origin: Origin): Undo {
    const registrations = readHooks(hooks, this.#how(scope, origin));
    checkBefore(scope, registrations);
    try {
      scope.add(registrations);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw wrong(`before: ${error.message}`, 'the order goes round in a circle', undefined);
    }
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

  #uncount(scope: Scope): void {
    for (const event of scope.events()) this.#parts.plans.count(scope.own(event), -1);
    for (const child of scope.children) this.#uncount(child);
  }

  #how(scope: Scope, origin: Origin) {
    const { options, entries, outside, report } = this.#parts;
    return {
      scope,
      source: origin.source ?? CODE,
      name: origin.name,
      plugin: origin.plugin,
      dialect: origin.dialect,
      onFailure: origin.onFailure ?? options.onFailure ?? 'continue',
      timeoutFor: origin.timeoutFor ?? options.timeoutFor,
      timeout: origin.timeout ?? options.timeout ?? 60,
      skip: origin.skip,
      gate: origin.gate,
      context: origin.context,
      outside,
      root: origin.root,
      family: origin.family,
      entry: (name: string) => entries.get(name),
      events: [...entries.keys()],
      nextId: (name: string) => `${name}#${++this.#ids}`,
      warn: origin.warn ?? report,
    } as const satisfies { onFailure: OnFailure } & Record<string, unknown>;
  }
}

function kindOf(ref: ScopeRef): 'agent' | 'session' {
  return typeof ref === 'string' || ref.agent !== undefined ? 'agent' : 'session';
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function unknownScope(ref: ScopeRef): HookscopeError {
  return new HookscopeError('UNKNOWN_SCOPE', { scope: labelOf(ref) });
}
