import { isHookscopeError } from '../../errors.js';
import type { EventSpec } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import { Scope } from '../../scopes/scope.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import { describeError } from '../../values/message.js';
import { ignoreRejections, isThenable } from '../../values/waiting/promises.js';
import type { SpawnedAgent } from '../types.js';
import type { AddedHooks, Adding, AddingParts } from './adding.js';
import { wrong } from './handler-entry.js';
import type { Life, Lives } from './lives.js';
import { type Origin, type SpawnHooks, spawnOrigin } from './origin.js';
import type { AgentStanding } from './standings.js';

/** Hooks that an agent of this type still has to get. */
export interface PendingHooks {
  /** Absent: it is not known, and it has none. */
  readonly type: string | undefined;
  readonly spawnHooks: readonly SpawnHooks[];
  /** The types of the agents that it was below when its scope ended. */
  readonly before: readonly string[];
}

/** The scope of a fire, and what its agent still has to get there. */
export interface SpawnLookup {
  readonly found: ScopeLookup;
  /** Its session, by name. */
  readonly named: string;
  readonly spawn?: PendingHooks | undefined;
  /** Absent: it is of no agent, or nothing depends on its type. */
  readonly standing?: AgentStanding;
}

/** What an agent has got in its scope for its type. */
interface InstalledHooks {
  /** Stands for that agent. */
  who: object;
  readonly hooks: SpawnHooks[];
  readonly added: AddedHooks[];
  readonly lives: Life[];
}

/** Hooks as they were placed first, for inspection, and the guard that they were placed under. */
interface PreviewedHooks {
  readonly guard: AddingParts['guard'];
  readonly registrations: readonly Registration[];
}

/** An agent above another; without an id one whose scope has ended. */
export interface ParentAgent {
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
}

/** Gives agents the hooks of their type. */
export class AgentInstaller {
  readonly #parts: AddingParts;
  readonly #adding: Adding;
  readonly #lives: Lives;
  readonly #got = new WeakMap<Scope, InstalledHooks>();
  readonly #placed = new WeakMap<SpawnHooks, PreviewedHooks>();

  constructor(parts: AddingParts, adding: Adding, lives: Lives) {
    this.#parts = parts;
    this.#adding = adding;
    this.#lives = lives;
  }

  /** Installs the hooks in an agent's scope, once. If a hook cannot be made, every gate of the agent says so. */
  #install(scope: Scope, type: string, spawnHooks: SpawnHooks, got: InstalledHooks): void {
    const origin = quietly(type, spawnHooks);
    got.hooks.push(spawnHooks);
    let added: AddedHooks | undefined;
    try {
      const hooks = this.#hooksOf(spawnHooks, scope, type, got);
      // The function that makes the hooks may have ended the scope.
      if (!scope.closed) added = this.#adding.install(scope, hooks, origin);
    } catch (error) {
      const { report, specs } = this.#parts;
      const why = isHookscopeError(error) ? error.message : describeError(error);
      report(`Agent "${scope.id}" has no ${makerName(type)} hooks, so all of its gates fail: ${why}`);
      // Even if a client does not ask about all of these events.
      const always = { ...origin, apart: true } as const;
      const gates = failingGates(specs.values(), type, { why, error });
      if (!scope.closed) added = this.#adding.install(scope, gates, always);
    }
    if (!added) return;
    got.added.push(added);
    const { life } = spawnHooks;
    if (!life) return;
    const forget = life.onClose(added.undo);
    if (life.over) return;
    const own = this.#lives.begin(scope, life.name);
    own.onClose(forget);
    got.lives.push(own);
  }

  /** The host has closed: nothing begins any more. */
  get closed(): boolean {
    return this.#lives.closed;
  }

  /** Whether the scope was opened for an agent, and has nothing but what that one has got for its type. What is below it was registered by hand. */
  isAlone(scope: Scope): boolean {
    const { added, lives } = this.#gotIn(scope);
    const ids = new Set(added.flatMap(({ registrations }) => registrations.map(({ id }) => id)));
    const has = scope.events().flatMap((event) => scope.own(event));
    const isOver = scope.lives <= lives.filter(({ over }) => !over).length;
    const isOpen = scope.spawned && !scope.heldBySession && scope.children.size === 0;
    return isOpen && isOver && has.every(({ id }) => ids.has(id));
  }

  /** Its agent leaves the scope, which has nothing of it afterwards. */
  clear(scope: Scope): void {
    const { added, lives } = this.#gotIn(scope);
    this.#got.delete(scope);
    for (const { undo, registrations } of added) {
      undo();
      for (const r of registrations) scope.giveBack(r);
    }
    for (const life of lives) void life.end();
    scope.begun = false;
    scope.pending = undefined;
    scope.typesBefore = [];
    scope.setType(undefined);
  }

  /** What its agent has got there for its type goes to another scope. */
  move(scope: Scope, to: Scope): void {
    const got = this.#gotIn(scope);
    this.#got.delete(scope);
    this.#got.set(to, got);
    for (const added of got.added) {
      for (const r of added.registrations) scope.giveBack(r);
      added.moveTo(to);
    }
  }

  /** Tells the agent that has begun there from those before and after it. `is`: it is that one again. */
  whoIn(scope: Scope, is?: object): object | undefined {
    const got = this.#got.get(scope);
    if (got && is) got.who = is;
    return got?.who;
  }

  #gotIn(scope: Scope): InstalledHooks {
    return this.#got.get(scope) ?? { who: {}, hooks: [], added: [], lives: [] };
  }

  /** The hooks by type that its agent has got there, whether or not further agents get them. */
  hooksIn(scope: Scope): readonly SpawnHooks[] {
    return this.#gotIn(scope).hooks;
  }

  installAll(scope: Scope, type: string | undefined, hooks: Iterable<SpawnHooks>): void {
    if (type !== undefined) scope.setType(type);
    const got = this.#gotIn(scope);
    this.#got.set(scope, got);
    for (const one of hooks) this.#install(scope, type ?? '', one, got);
  }

  /** Installs them in a detached scope, for inspection. No user function is called, so hooks that one would make are missing. */
  preview(scope: Scope, type: string, all: Iterable<SpawnHooks>): void {
    for (const spawnHooks of all) {
      if (typeof spawnHooks.hooks === 'function') continue;
      const { guard } = this.#parts;
      const known = this.#placed.get(spawnHooks);
      try {
        if (known && known.guard === guard) this.#adding.showAlso(scope, known.registrations);
        else {
          const registrations = this.#adding.show(scope, spawnHooks.hooks, quietly(type, spawnHooks));
          this.#placed.set(spawnHooks, { guard, registrations });
        }
      } catch {
        // Agents are told about it by `#install`.
      }
    }
  }

  /** The scope that an agent would have in its session, with what it has there and what it would get, until it is closed by `done`. `earlier`: it would be the first one's no more. */
  previewAgent(
    found: ScopeLookup,
    { type, spawnHooks, before }: PendingHooks,
    session: string,
    {
      above,
      earlier,
    }: {
      readonly above: readonly (ParentAgent & Pick<PendingHooks, 'spawnHooks'>)[];
      readonly earlier: Scope | undefined;
    },
  ): ScopeLookup & { done(): void } {
    const { tree } = this.#parts;
    const own = found.known && found.scope.session === session ? found.scope : undefined;
    const placed = earlier && isOpenedFor(earlier) ? undefined : own;
    const open = placed?.parent ?? tree.get({ session });
    const base = open ?? new Scope({ id: 'session', kind: 'session', parent: tree.host, session });
    const parents = [base];
    for (const { agent: id, agentType, spawnHooks: theirs } of placed?.parent?.kind === 'agent' ? [] : above) {
      if (id === undefined) continue;
      const ofType = agentType === undefined ? {} : { agentType };
      const one = new Scope({ id, kind: 'agent', parent: parents.at(-1) as Scope, session, ...ofType });
      const known = tree.get({ session, agent: id });
      // The one that is open may be another.
      addAll(known, one, known && this.#gotIn(known));
      this.preview(one, agentType ?? '', theirs);
      parents.push(one);
    }
    const parent = parents.at(-1) as Scope;
    const gone = above.flatMap(({ agent, agentType }) => (agent === undefined ? (agentType ?? []) : []));
    const of = type === undefined ? {} : { agentType: type };
    const scope = new Scope({ id: found.id, kind: 'agent', parent, session, ...of });
    const below = own === undefined || own === earlier ? [] : own.typesBefore;
    scope.typesBefore = [...new Set([...below, ...before, ...gone])];
    addAll(own, scope, earlier && this.#gotIn(earlier));
    this.preview(scope, type ?? '', spawnHooks);
    return { scope, id: found.id, known: true, done: () => (open ? (parents[1] ?? scope) : base).close() };
  }

  /** A scope in no tree with the hooks that agents of the type will get. */
  detached(type: string, all: Iterable<SpawnHooks>): Scope {
    const scope = new Scope({ id: type, kind: 'agent', agentType: type });
    this.preview(scope, type, all);
    return scope;
  }

  /** The hooks as given, or as their function makes them for this agent. */
  #hooksOf({ hooks }: SpawnHooks, scope: Scope, type: string, got: InstalledHooks): unknown {
    if (typeof hooks !== 'function') return hooks;
    const life = this.#lives.begin(scope, makerName(type));
    got.lives.push(life);
    const made: unknown = hooks(agentOf(scope, type, life));
    if (!isThenable(made)) return made;
    ignoreRejections(made);
    throw wrong(makerName(type), 'expected a function that returns hooks at once, got a promise of them');
  }
}

/** An agent's scope that was opened where that agent is: another one with its id may be elsewhere. */
export const isOpenedFor = ({ spawned, heldBySession }: Scope): boolean => spawned || heldBySession;

function addAll(from: Scope | undefined, to: Scope, but?: InstalledHooks): void {
  const out = new Set(but?.added.flatMap(({ registrations }) => registrations));
  for (const event of from?.events() ?? []) to.add((from as Scope).own(event).filter((r) => !out.has(r)));
}

/** The agent as the function that makes its hooks sees it. */
function agentOf(scope: Scope, type: string, life: Life): SpawnedAgent {
  return {
    id: scope.id,
    agent_id: scope.id,
    agent_type: type,
    session_id: scope.session,
    get signal() {
      return life.signal;
    },
    onClose: (fn) => life.onClose(fn),
  };
}

const makerName = (type: string): string => `spawnHooks("${type}")`;

/** Stands in for hooks that could not be installed: a failing hook on every gate. */
function failingGates(
  specs: Iterable<EventSpec>,
  type: string,
  { why, error }: { readonly why: string; readonly error: unknown },
): Record<string, unknown> {
  const fail = (): never => {
    throw new Error(`${makerName(type)} gave this agent no hooks: ${why}`, { cause: error });
  };
  const group = { name: makerName(type), hooks: [fail] };
  return Object.fromEntries([...specs].filter(({ fold }) => fold === 'gate').map(({ name }) => [name, [group]]));
}

const ignore = (): void => undefined;

/** Their warnings were reported when they were registered. */
const quietly = (type: string, hooks: SpawnHooks): Origin => ({ ...spawnOrigin(type, hooks), warn: ignore });
