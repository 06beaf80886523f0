import type { EventSpec } from '../../events/spec.js';
import { lineageOf } from '../../scopes/lineage.js';
import type { Registration } from '../../scopes/registration.js';
import type { Scope } from '../../scopes/scope.js';
import type { ScopeLookup, ScopeTree, SharedScopes } from '../../scopes/tree.js';
import { makePlan, type Plan } from './plan.js';

/** What the plans of all events depend on. */
interface Sources {
  readonly tree: ScopeTree;
  /** `merge: 'all'`. */
  readonly all: boolean;
  /** Grows with every change of any registration. */
  changes: number;
}

interface JoinedPlan {
  readonly stamp: number;
  /** The scopes that count beside the two. */
  readonly above: readonly Scope[];
  readonly plan: Plan;
}

/** One event's plans by scope. Each is valid until a registration in its lineage changes. */
export class EventPlans {
  /** The number of registrations for the event in all scopes. */
  total = 0;
  readonly #spec: EventSpec;
  readonly #sources: Sources;
  /** The scope of the last request: most fires are in the same scope as the previous one. */
  #scope: Scope | undefined;
  #plan: Plan | undefined;
  #changes = -1;
  /** Plans of fires in which the hooks of several scopes count, by the first and then the second. */
  readonly #joined = new WeakMap<Scope, WeakMap<Scope, JoinedPlan>>();

  constructor(spec: EventSpec, sources: Sources) {
    this.#spec = spec;
    this.#sources = sources;
  }

  /** The plan of a fire. */
  of({ scope, both }: ScopeLookup): Plan {
    return both === undefined ? this.get(scope) : this.#join(scope, both);
  }

  get(scope: Scope): Plan {
    if (scope !== this.#scope || this.#changes !== this.#sources.changes || this.#plan === undefined) {
      this.#plan = this.#find(scope);
      this.#scope = scope;
      this.#changes = this.#sources.changes;
    }
    return this.#plan;
  }

  #find(scope: Scope): Plan {
    const { all, changes } = this.#sources;
    // The sum of the versions of the scopes that the plan is made from. Versions only grow, so an equal sum means no change.
    const stamp = all ? changes : versionsOf(scope);
    const cached = scope.cached(this.#spec.name, stamp) as Plan | undefined;
    if (cached !== undefined) return cached;
    const owner = this.#ownerOf(scope);
    const scopes = all ? this.#andAllAgents(scope.lineage) : andBeside(scope.lineage);
    const plan = owner === scope ? makePlan(this.#spec, scopes, [scope]) : this.#find(owner);
    scope.cache(this.#spec.name, stamp, plan);
    return plan;
  }

  #join(scope: Scope, both: SharedScopes): Plan {
    const [one, other, ...above] = both;
    const { all, changes } = this.#sources;
    // With `merge: 'all'`, too, the versions count: a scope that a session driver holds from now on has another.
    const stamp = both.reduce((sum, each) => sum + versionsOf(each), all ? changes : 0);
    const known = this.#joined.get(one)?.get(other);
    if (
      known?.stamp === stamp &&
      known.above.length === above.length &&
      known.above.every((each, i) => each === above[i])
    )
      return known.plan;
    const depths = lineageOf({ scope, both });
    const lineage = [...depths.keys()];
    const own = both.filter(({ kind, id }) => kind === scope.kind && id === scope.id);
    const scopes = all ? this.#andAllAgents(lineage) : andBeside(lineage, depths);
    const plan = makePlan(this.#spec, scopes, own, depths);
    const plans = this.#joined.get(one) ?? new WeakMap<Scope, JoinedPlan>();
    this.#joined.set(one, plans.set(other, { stamp, above, plan }));
    return plan;
  }

  /** The scope whose plan this one has. Without its own registrations for the event it is the one above. */
  #ownerOf(scope: Scope): Scope {
    const { name } = this.#spec;
    let owner = scope;
    while (!this.#sources.all && owner.parent && !owner.beside && owner.own(name).length === 0) {
      if (owner.parent.own(name).some((r) => r.ownStop)) break;
      owner = owner.parent;
    }
    return owner;
  }

  /** `merge: 'all'`: the lineage's scopes that are not agents', then every agent's scope in creation order. */
  #andAllAgents(lineage: readonly Scope[]): Scope[] {
    const agents = [...this.#sources.tree.agents()];
    for (const scope of lineage) if (scope.kind === 'agent' && !agents.includes(scope)) putInPlace(scope, agents);
    return [...lineage.filter((s) => s.kind !== 'agent'), ...agents];
  }
}

/** A detached scope of a preview takes the place of the open scope of its agent, or the place that it would get. */
function putInPlace(scope: Scope, agents: Scope[]): void {
  const isOpen = (one: Scope): boolean => one.session === scope.session && one.id === scope.id && one !== scope.beside;
  const open = agents.findIndex(isOpen);
  if (open >= 0) agents[open] = scope;
  else agents.splice(agents.findLastIndex(({ session }) => session === scope.session) + 1 || agents.length, 0, scope);
}

function versionsOf(scope: Scope): number {
  let sum = 0;
  for (let each: Scope | undefined = scope; each !== undefined; each = each.parent) {
    sum += each.version;
    if (each.beside !== undefined) sum += each.beside.version + Number(each.beside.closed);
  }
  return sum;
}

/** The scopes, and the open ones beside them. */
function andBeside(lineage: readonly Scope[], depths?: ReadonlyMap<Scope, number>): readonly Scope[] {
  const beside = lineage.flatMap((scope) => (scope.beside?.closed === false ? scope.beside : []));
  if (beside.length === 0) return lineage;
  const depthOf = (scope: Scope): number => depths?.get(scope) ?? scope.depth;
  return [...new Set([...beside, ...lineage])].sort((a, b) => depthOf(a) - depthOf(b));
}

/** The plans of a host's events. */
export class PlanStore {
  readonly #sources: Sources;
  readonly #events = new Map<string, EventPlans>();

  constructor(tree: ScopeTree, merge: 'lineage' | 'all') {
    this.#sources = { tree, all: merge === 'all', changes: 0 };
  }

  of(spec: EventSpec): EventPlans {
    const known = this.#events.get(spec.name);
    if (known) return known;
    const plans = new EventPlans(spec, this.#sources);
    this.#events.set(spec.name, plans);
    return plans;
  }

  /** Whether any registration has been added. */
  get changed(): boolean {
    return this.#sources.changes > 0;
  }

  /** How often registrations have changed. */
  get changes(): number {
    return this.#sources.changes;
  }

  /** Must be called after every change of registrations. */
  count(registrations: readonly Registration[], by: 1 | -1): void {
    this.#sources.changes++;
    for (const { spec } of registrations) this.of(spec).total += by;
  }
}
