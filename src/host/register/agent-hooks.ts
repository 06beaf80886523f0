import { isHookscopeError } from '../../errors.js';
import type { EventSpec } from '../../events/spec.js';
import { Scope } from '../../scopes/scope.js';
import type { ScopeLookup } from '../../scopes/tree.js';
import { describeError } from '../../values/message.js';
import { ignoreRejections, isThenable } from '../../values/waiting/promises.js';
import type { SpawnedAgent, Undo } from '../types.js';
import type { Adding, AddingParts } from './adding.js';
import { wrong } from './handler-entry.js';
import type { Life, Lives } from './lives.js';
import { type Origin, type SpawnHooks, spawnOrigin } from './origin.js';

/** Hooks that an agent of this type still has to get. */
interface Waiting {
  /** Absent: it is not known, and it has none. */
  readonly type: string | undefined;
  readonly spawnHooks: readonly SpawnHooks[];
  /** The types of the agents that it was below when its scope ended. */
  readonly before: readonly string[] | undefined;
}

/** An agent above another; without an id one whose scope has ended. */
export interface Above {
  readonly agent?: string | undefined;
  readonly agentType?: string | undefined;
}

/** Gives agents the hooks of their type. */
export class AgentInstaller {
  readonly #parts: AddingParts;
  readonly #adding: Adding;
  readonly #lives: Lives;

  constructor(parts: AddingParts, adding: Adding, lives: Lives) {
    this.#parts = parts;
    this.#adding = adding;
    this.#lives = lives;
  }

  /** Installs the hooks in an agent's scope, once. If a hook cannot be made, every gate of the agent says so. */
  #install(scope: Scope, type: string, spawnHooks: SpawnHooks): void {
    const origin = quietly(type, spawnHooks);
    let undo: Undo | undefined;
    try {
      const hooks = this.#hooksOf(spawnHooks, scope, type);
      // The function that makes the hooks may have ended the scope.
      if (!scope.closed) undo = this.#adding.add(scope, hooks, origin);
    } catch (error) {
      const { report, specs } = this.#parts;
      const why = isHookscopeError(error) ? error.message : describeError(error);
      report(`Agent "${scope.id}" has no ${makerName(type)} hooks, so all of its gates fail: ${why}`);
      // Even if a client does not ask about all of these events.
      const always = { ...origin, apart: true } as const;
      if (!scope.closed) undo = this.#adding.add(scope, failingGates(specs.values(), type, { why, error }), always);
    }
    const { life } = spawnHooks;
    if (!life || !undo) return;
    const forget = life.onClose(undo);
    if (!life.over) this.#lives.begin(scope, life.name).onClose(forget);
  }

  /** Its scope in that session, opened if it is not, with these hooks and the type. */
  open(found: ScopeLookup, hooks: Iterable<SpawnHooks>, type: string | undefined, session: string): ScopeLookup {
    const { tree } = this.#parts;
    const ref = { agent: found.id, session };
    // What was registered for all sessions is none of the sessions' own, and stays when the agent ends.
    const isOwn = found.known && found.scope.session === session;
    const scope = isOwn ? found.scope : tree.open(ref, { agentType: type, spawned: true });
    this.installAll(scope, type, hooks);
    return tree.within({ scope, id: scope.id, known: true }, session);
  }

  installAll(scope: Scope, type: string | undefined, hooks: Iterable<SpawnHooks>): void {
    if (type !== undefined) scope.setType(type);
    for (const one of hooks) this.#install(scope, type ?? '', one);
  }

  /** Installs them in a detached scope, for inspection. No user function is called, so hooks that one would make are missing. */
  preview(scope: Scope, type: string, all: Iterable<SpawnHooks>): void {
    for (const spawnHooks of all) {
      if (typeof spawnHooks.hooks === 'function') continue;
      try {
        this.#adding.place(scope, spawnHooks.hooks, quietly(type, spawnHooks));
      } catch {
        // Agents are told about it by `#install`.
      }
    }
  }

  /** The scope that an agent would have in its session, with what it has there and what it would get, until it is closed by `done`. */
  previewAgent(
    found: ScopeLookup,
    { type, spawnHooks, before = [] }: Waiting,
    session: string,
    above: readonly (Above & Pick<Waiting, 'spawnHooks'>)[] = [],
  ): ScopeLookup & { done(): void } {
    const { tree } = this.#parts;
    const own = found.known && found.scope.session === session ? found.scope : undefined;
    const open = own?.parent ?? tree.get({ session });
    const base = open ?? new Scope({ id: 'session', kind: 'session', parent: tree.host, session });
    const parents = [base];
    for (const { agent: id, agentType, spawnHooks: theirs } of own?.parent?.kind === 'agent' ? [] : above) {
      if (id === undefined) continue;
      const ofType = agentType === undefined ? {} : { agentType };
      const one = new Scope({ id, kind: 'agent', parent: parents.at(-1) as Scope, session, ...ofType });
      const known = tree.get({ session, agent: id });
      addAll(known, one);
      // One with a type has the hooks of it.
      if (known?.agentType === undefined) this.preview(one, agentType ?? '', theirs);
      parents.push(one);
    }
    const parent = parents.at(-1) as Scope;
    const gone = above.flatMap(({ agent, agentType }) => (agent === undefined ? (agentType ?? []) : []));
    const of = type === undefined ? {} : { agentType: type };
    const scope = new Scope({ id: found.id, kind: 'agent', parent, session, ...of });
    scope.typesBefore = own?.typesBefore ?? [...before, ...gone];
    addAll(own, scope);
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
  #hooksOf({ hooks }: SpawnHooks, scope: Scope, type: string): unknown {
    if (typeof hooks !== 'function') return hooks;
    const made: unknown = hooks(agentOf(scope, type, this.#lives.begin(scope, makerName(type))));
    if (!isThenable(made)) return made;
    ignoreRejections(made);
    throw wrong(makerName(type), 'expected a function that returns hooks at once, got a promise of them');
  }
}

function addAll(from: Scope | undefined, to: Scope): void {
  for (const event of from?.events() ?? []) to.add((from as Scope).own(event));
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
