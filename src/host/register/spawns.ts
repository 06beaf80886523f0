import type { Scope } from '../../scopes/scope.js';
import type { Undo } from '../types.js';
import type { PendingHooks } from './agent-hooks.js';
import type { SpawnHooks } from './origin.js';
import type { RememberedAgent } from './standings.js';

/** Hooks by agent type. */
export class SpawnRegistry {
  readonly #byType = new Map<string, Set<SpawnHooks>>();
  /** The number of changes so far. */
  changes = 0;

  get any(): boolean {
    return this.#byType.size > 0;
  }

  /** Whether a function makes hooks when an agent starts: they may be for any event. */
  get anything(): boolean {
    return [...this.#byType.values()].some((all) => [...all].some(({ hooks }) => typeof hooks === 'function'));
  }

  /** The hooks that an agent of the type gets in that session, below that scope. Without a session: those for all sessions. */
  of(type: string, session?: string, parent?: Scope): readonly SpawnHooks[] | undefined {
    const all = this.#byType.get(type);
    if (!all) return undefined;
    const wanted = [...all].filter(({ within }) => !within || within(session, parent));
    return wanted.length > 0 ? wanted : undefined;
  }

  /** The hooks that an agent of the type gets in that scope. */
  forScope(type: string | undefined, { session, parent }: Scope): readonly SpawnHooks[] {
    return (type === undefined ? undefined : this.of(type, session, parent)) ?? [];
  }

  /**
   * The hooks of the type that an event names if its agent began with another type, but those that it has: another agent may have its id, whose start was
   * not seen. The agent keeps its own type and hooks, because it may also be the same agent. `scopes`: the agent's own.
   */
  ofOther(
    { type, session, parent }: { type: string | undefined; session: string; parent: Scope | undefined },
    scopes: readonly Scope[],
    installer: { hooksIn(scope: Scope): readonly SpawnHooks[] },
  ): PendingHooks | undefined {
    if (type === undefined || scopes.some((one) => one.heldBySession || one.agentType === type)) return undefined;
    const has = scopes.flatMap((one) => installer.hooksIn(one));
    const others = this.of(type, session, parent)?.filter((one) => !has.includes(one)) ?? [];
    const own = scopes.find(({ agentType }) => agentType !== undefined)?.agentType;
    return others.length > 0 ? { spawnHooks: others, type: own, typeOfHooks: type, before: [type] } : undefined;
  }

  /** The types that have one of these hooks. */
  typesOf(hooks: readonly SpawnHooks[]): string[] {
    return [...this.#byType].filter(([, all]) => hooks.some((one) => all.has(one))).map(([type]) => type);
  }

  all(): Iterable<[type: string, hooks: ReadonlySet<SpawnHooks>]> {
    return this.#byType;
  }

  add(type: string, spawnHooks: SpawnHooks): Undo {
    const all = this.#byType.get(type) ?? new Set();
    this.#byType.set(type, all.add(spawnHooks));
    this.changes++;
    return () => {
      this.changes++;
      all.delete(spawnHooks);
      if (all.size === 0 && this.#byType.get(type) === all) this.#byType.delete(type);
    };
  }

  /**
   * An empty list if managed policy has hooks for the agent's type or for a type above it, so that a scope is opened which stores those types: such hooks
   * apply to all agents below, even after the scopes above have ended. `has`: the agent has hooks by type in a scope for all sessions.
   */
  bind(agent: RememberedAgent | undefined, has: boolean): readonly SpawnHooks[] | undefined {
    if (agent === undefined) return undefined;
    const { type, above } = agent;
    const types = has && type !== undefined ? [type, ...above] : above;
    const ofPolicy = (type: string): boolean =>
      [...(this.#byType.get(type) ?? [])].some(({ origin }) => origin.ofType !== undefined);
    return types.some(ofPolicy) ? [] : undefined;
  }
}
