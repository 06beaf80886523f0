import { HookscopeError } from '../../errors.js';
import { type EventSpec, VERDICT_FOLDS } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeTree } from '../../scopes/tree.js';
import type { Undo } from '../types.js';

/** Another program that fires events here and was told once, at the start, which events to ask about. */
export interface Listener {
  readonly name: string;
  /** The program does not ask about the event, so hooks for it would never run. */
  isDeafTo(spec: EventSpec): boolean;
  /** Whether the session belongs to this program. */
  has(session: string): boolean;
  /** Called for a hook that is registered too late and can block nothing. A late hook that could block is an error. */
  late(spec: EventSpec, hook: string): void;
}

/** The programs for which hooks can be registered too late. */
export class Listeners {
  readonly #all = new Set<Listener>();
  readonly #tree: ScopeTree;

  constructor(tree: ScopeTree) {
    this.#tree = tree;
  }

  add(listener: Listener): Undo {
    this.#all.add(listener);
    return () => void this.#all.delete(listener);
  }

  /** Checks hooks before they are added to a scope. Throws NOT_LISTENED. */
  check(scope: Scope, registrations: readonly Registration[]): void {
    if (this.#all.size === 0) return;
    const deaf = this.#of(scope).flatMap((listener) =>
      registrations.filter(({ spec }) => listener.isDeafTo(spec)).map(({ spec, name }) => ({ listener, spec, name })),
    );
    for (const { listener, spec } of deaf) {
      if (VERDICT_FOLDS.includes(spec.fold))
        throw new HookscopeError('NOT_LISTENED', { event: spec.name, peer: listener.name });
    }
    for (const { listener, spec, name } of deaf) listener.late(spec, name);
  }

  /** The listeners that fire in a scope: those in its session, if there are any; otherwise all, since any of them may open the session later. */
  #of({ kind, session }: Scope): Listener[] {
    const all = [...this.#all];
    if (kind === 'managed' || kind === 'host' || session === '') return all;
    const owners = all.filter((listener) => listener.has(session));
    if (owners.length > 0) return owners;
    return this.#tree.get({ session })?.heldBySession ? [] : all;
  }
}
