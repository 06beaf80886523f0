import type { EventEntry } from '../events/define.js';
import type { Registration } from '../scopes/registration.js';
import type { Scope } from '../scopes/scope.js';
import type { ScopeTree } from '../scopes/tree.js';
import { makePlan, type Plan } from './plan.js';

interface Cached {
  readonly plan: Plan;
  /** The sum of the versions it was made from; versions only grow. */
  readonly stamp: number;
}

/** Plans by scope and event, each good for as long as no registration in its lineage changed. */
export class PlanStore {
  readonly #tree: ScopeTree;
  readonly #all: boolean;
  readonly #totals = new Map<string, number>();

  constructor(tree: ScopeTree, merge: 'lineage' | 'all') {
    this.#tree = tree;
    this.#all = merge === 'all';
  }

  get(entry: EventEntry, scope: Scope): Plan {
    const scopes = this.#all ? this.#everyScope(scope) : scope.lineage;
    let stamp = this.#all ? this.#tree.version : 0;
    for (const s of scopes) stamp += s.version;
    const cached = scope.cache.get(entry.name) as Cached | undefined;
    if (cached && cached.stamp === stamp) return cached.plan;
    const plan = this.#inherited(entry, scope) ?? makePlan(entry, scopes, scope);
    scope.cache.set(entry.name, { plan, stamp });
    return plan;
  }

  /** All registrations for an event, in whatever scope. */
  total(event: string): number {
    return this.#totals.get(event) ?? 0;
  }

  count(registrations: readonly Registration[], by: 1 | -1): void {
    for (const { entry } of registrations) this.#totals.set(entry.name, this.total(entry.name) + by);
  }

  /** A scope without registrations of its own for the event shares its parent's plan. */
  #inherited(entry: EventEntry, scope: Scope): Plan | undefined {
    if (this.#all || !scope.parent || scope.own(entry.name).length > 0) return undefined;
    const parentHasOwnStop = scope.parent.own(entry.name).some((r) => r.ownStop);
    return parentHasOwnStop ? undefined : this.get(entry, scope.parent);
  }

  /** `merge: 'all'`: the base of the fire's session, then every agent's scope in creation order. */
  #everyScope(scope: Scope): Scope[] {
    return [...scope.lineage.filter((s) => s.kind !== 'agent'), ...this.#tree.agents()];
  }
}
