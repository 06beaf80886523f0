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
import { type Origin, policyWithout, type SpawnHooks, spawnOrigin } from './origin.js';
import type { AgentStanding } from './standings.js';

/** Hooks by type that an agent has not been given yet. */
export interface PendingHooks {
  /** Absent: the agent's type is unknown, so it gets no hooks by type. */
  readonly type: string | undefined;
  readonly spawnHooks: readonly SpawnHooks[];
  /** Whose hooks they are, if not those of the agent's type. */
  readonly typeOfHooks?: string;
  /** The types of the agents that were above it when its scope ended. */
  readonly before: readonly string[];
}

/** The scope of a fire, and the hooks that its agent has not been given yet. */
export interface SpawnLookup {
  readonly found: ScopeLookup;
  /** The name of its session. */
  readonly named: string;
  readonly spawn?: PendingHooks | undefined;
  /** Absent: the fire belongs to no agent, or no hooks depend on the agent's type. */
  readonly standing?: AgentStanding;
}

/** What an agent was given in its scope because of its type. */
interface InstalledHooks {
  readonly hooks: SpawnHooks[];
  readonly added: AddedHooks[];
  readonly lives: Life[];
}

/** Hooks as they were first placed for a preview, and the guard that was in force then. */
interface PreviewedHooks {
  readonly guard: AddingParts['guard'];
  readonly registrations: readonly Registration[];
}

/** An ancestor of an agent. It has no id if its scope has ended. */
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

  /** Installs the hooks in an agent's scope. If they cannot be made, every gate of the agent fails with the reason. */
  #install(scope: Scope, type: string, spawnHooks: SpawnHooks, got: InstalledHooks): void {
    const origin = quietly(type, spawnHooks);
    got.hooks.push(spawnHooks);
    let added: AddedHooks | undefined;
    let hooks: unknown;
    try {
      hooks = this.#hooksOf(spawnHooks, scope, type, got);
      // The function that makes the hooks may have ended the scope.
      if (!scope.closed) added = this.#adding.install(scope, hooks, origin);
    } catch (error) {
      const { options, report, specs } = this.#parts;
      const why = isHookscopeError(error) ? error.message : describeError(error);
      const onFailure = policyWithout(hooks, origin.onFailure ?? options.onFailure);
      report(
        `Agent "${scope.id}" has no ${makerName(type)} hooks, so its gates ${GATES[onFailure ?? 'continue']}: ${why}`,
      );
      // `apart`, because a client that does not ask about all of these events must not make this throw.
      const always = { ...origin, ...(onFailure && { onFailure }), apart: true } as const;
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

  /** The host has closed: no agent can begin. */
  get closed(): boolean {
    return this.#lives.closed;
  }

  /** Whether the scope was opened for an agent and holds only what that agent was given for its type. A scope with children holds more. */
  isAlone(scope: Scope): boolean {
    const { added, lives } = this.#gotIn(scope);
    const ids = new Set(added.flatMap(({ registrations }) => registrations.map(({ id }) => id)));
    const has = scope.events().flatMap((event) => scope.own(event));
    const isOver = scope.lives <= lives.filter(({ over }) => !over).length;
    const isOpen = scope.spawned && !scope.heldBySession && scope.children.size === 0;
    return isOpen && isOver && has.every(({ id }) => ids.has(id));
  }

  /** Removes everything that belongs to the scope's agent, which leaves it. */
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

  /** Moves what the scope's agent was given for its type to another scope. */
  move(scope: Scope, to: Scope): void {
    const got = this.#gotIn(scope);
    this.#got.delete(scope);
    this.#got.set(to, got);
    for (const added of got.added) added.moveTo(to);
  }

  #gotIn(scope: Scope): InstalledHooks {
    return this.#got.get(scope) ?? { hooks: [], added: [], lives: [] };
  }

  /** The hooks by type that the scope's agent was given, even if new agents no longer get them. */
  hooksIn(scope: Scope): readonly SpawnHooks[] {
    return this.#gotIn(scope).hooks;
  }

  installAll(scope: Scope, { type, spawnHooks: hooks, typeOfHooks = type }: Omit<PendingHooks, 'before'>): void {
    if (type !== undefined) scope.setType(type);
    const got = this.#gotIn(scope);
    this.#got.set(scope, got);
    for (const one of hooks) this.#install(scope, typeOfHooks ?? '', one, got);
  }

  /** Places the hooks in a detached scope, as a preview. No user function is called, so hooks that one would make are missing. */
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
        // `#install` reports the error when an agent starts.
      }
    }
  }

  /**
   * A detached copy of the scope that an agent would have in its session, with the hooks that it has and would get; `done` closes it. `earlier`: the scope
   * of an earlier agent with its id, which would leave that scope.
   */
  previewAgent(
    found: ScopeLookup,
    { type, spawnHooks, before, typeOfHooks = type }: PendingHooks,
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
      // The open scope may belong to another agent with this id, so its hooks by type are left out.
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
    this.preview(scope, typeOfHooks ?? '', spawnHooks);
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

/** Whether the scope was opened for its agent, so that its place is that agent's. Another agent with the same id may be elsewhere. */
export const isOpenedFor = ({ spawned, heldBySession }: Scope): boolean => spawned || heldBySession;

function addAll(from: Scope | undefined, to: Scope, but?: InstalledHooks): void {
  const out = new Set(but?.added.flatMap(({ registrations }) => registrations));
  for (const event of from?.events() ?? []) to.add((from as Scope).own(event).filter((r) => !out.has(r)));
}

/** The agent, as passed to the function that makes its hooks. */
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

/** What the gates of an agent do that has no hooks, because these could not be installed. */
const GATES = {
  continue: "let calls through (to deny them, pass { onFailure: 'block' } as the third argument of spawnHooks)",
  ask: 'ask',
  block: 'deny',
} as const;

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

/** Without warnings, which were reported when the hooks were registered. */
const quietly = (type: string, hooks: SpawnHooks): Origin => ({ ...spawnOrigin(type, hooks), warn: ignore });
