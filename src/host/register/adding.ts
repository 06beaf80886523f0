import type { EventSpec } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeRef, ScopeTree } from '../../scopes/tree.js';
import type { Json } from '../../values/shape.js';
import type { CallbackFunction } from '../call/work.js';
import type { PlanStore } from '../plan/plans.js';
import type { Undo } from '../types.js';
import { checkOrder } from './before.js';
import { Listeners } from './listeners.js';
import { freeNames, useNames } from './names/anonymous.js';
import { type HostParts, type Origin, registrationOptions } from './origin.js';
import { type RegistrationOptions, readRegistrations } from './register.js';

/** What adding hooks to scopes needs. */
export interface AddingParts extends HostParts {
  readonly tree: ScopeTree;
  readonly plans: PlanStore;
  /** Called when an agent that had ended continues and its scope was opened again. */
  reopened(event: EventFire, found: ScopeLookup, input: Json, scope: ScopeRef | undefined): void;
}

/** An event that is fired. `opens`: an agent starts with it. */
export interface EventFire {
  readonly spec: EventSpec;
  readonly opens: boolean;
}

/** Hooks that were added to a scope, with the function that removes them. */
export interface AddedHooks {
  readonly registrations: readonly Registration[];
  readonly undo: Undo;
  /** Moves the hooks to another scope. */
  moveTo(scope: Scope): void;
}

/** Adds hooks to scopes and keeps the plans' counts up to date. */
export class Adding {
  readonly #parts: AddingParts;
  /** Programs that were told once which events to ask about. */
  readonly listeners: Listeners;
  #ids = 0;
  /** The number of the last id that a preview used. */
  #shown = 0;

  constructor(parts: AddingParts) {
    this.#parts = parts;
    this.listeners = new Listeners(parts.tree);
  }

  /** Adds all hooks or none. The undo may be called twice. Throws INVALID_HOOKS. */
  add(scope: Scope, hooks: unknown, origin: Origin): Undo {
    return this.install(scope, hooks, origin).undo;
  }

  /** `add`, which also returns the registrations and can move them. */
  install(scope: Scope, hooks: unknown, origin: Origin): AddedHooks {
    let registrations = this.place(scope, hooks, origin);
    this.#parts.plans.count(registrations, 1);
    let at = scope;
    let done = false;
    const undo = (): void => {
      if (done || at.closed) return;
      done = true;
      at.remove(registrations);
      freeNames(at, registrations);
      this.#parts.plans.count(registrations, -1);
      this.#parts.tree.prune(at);
    };
    const moveTo = (to: Scope): void => {
      if (done || at.closed) return;
      at.remove(registrations);
      freeNames(at, registrations);
      registrations = registrations.map((r) => movedTo(to, r));
      to.add(registrations);
      useNames(to, registrations);
      at = to;
      this.#parts.plans.count([], 1);
    };
    const added = {
      get registrations() {
        return registrations;
      },
      undo,
      moveTo,
    };
    origin.given?.add(added);
    return added;
  }

  /** Adds hooks without counting them in the plans, for a scope that is not in the tree. */
  place(scope: Scope, hooks: unknown, origin: Origin): Registration[] {
    return this.#place(scope, hooks, origin, this.#options(scope, origin));
  }

  /** Starts a preview: hooks that `show` places get the ids that would be given next. */
  showAnew(): void {
    this.#shown = this.#ids;
  }

  /** Places hooks in a scope that is only a preview, without using up ids. */
  show(scope: Scope, hooks: unknown, origin: Origin): Registration[] {
    const idOf = (name: string): string => `${name}#${++this.#shown}`;
    return this.#place(scope, hooks, origin, registrationOptions(this.#parts, scope, origin, idOf));
  }

  #place(scope: Scope, hooks: unknown, { apart }: Origin, options: RegistrationOptions): Registration[] {
    const registrations = readRegistrations(hooks, options);
    checkOrder(scope, registrations, options.warn);
    if (apart !== true) this.listeners.check(scope, registrations);
    scope.add(registrations);
    useNames(scope, registrations);
    return registrations;
  }

  /** Shows hooks of another preview in this scope, too. The copies share `work`, so a `once` run that is used up in one is used up in both. */
  showAlso(scope: Scope, registrations: readonly Registration[]): void {
    const deadlines = new Map<object, object>();
    const deadlineOf = (shared: object | undefined): object | undefined => {
      if (shared !== undefined && !deadlines.has(shared)) deadlines.set(shared, {});
      return shared && deadlines.get(shared);
    };
    scope.add(
      registrations.map((r) => {
        const id = r.id.replace(/\d+$/, () => String(++this.#shown));
        return { ...r, id, scope, shared: deadlineOf(r.shared) };
      }),
    );
  }

  /** A raw tap as a registration of the host's scope; tapable decides where it runs. */
  tap(spec: EventSpec, name: string, callback: CallbackFunction, stage: number): Registration {
    const { tree, options } = this.#parts;
    const how = this.#options(tree.host, { name, source: { kind: 'tap', name } });
    const [made] = readRegistrations({ [spec.name]: [{ stage, hooks: [callback], name }] }, how) as [Registration];
    this.listeners.check(tree.host, [made]);
    return { ...made, kind: 'tap', onFailure: options.onFailure ?? 'continue' };
  }

  #options(scope: Scope, origin: Origin): RegistrationOptions {
    return registrationOptions(this.#parts, scope, origin, (name) => `${name}#${++this.#ids}`);
  }
}

/** The registration for another scope, where a `once` hook that has run does not run again. */
function movedTo(scope: Scope, r: Registration): Registration {
  const moved = { ...r, scope };
  if (!r.scope.claimed(r)) return moved;
  r.scope.giveBack(r);
  scope.claim(moved);
  return moved;
}
