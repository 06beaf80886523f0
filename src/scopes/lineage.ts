import type { Scope } from './scope.js';
import type { ScopeLookup } from './tree.js';

/**
 * The scopes whose hooks count in a fire, outermost first, with their depths there. An agent has one depth under both of its names, and is
 * further in than all agents that are above it under either; of agents that are above each other, only the fire's own is further in. Left
 * out are a session that a driver holds, if it is another than the fire's, and a scope of the agent in whose place a preview has put another.
 */
export function lineageOf({ scope, both }: Pick<ScopeLookup, 'scope' | 'both'>): ReadonlyMap<Scope, number> {
  if (both === undefined) return new Map(scope.lineage.map((one) => [one, one.depth]));
  const other = both[0].lineage.find(({ kind, heldBySession }) => kind === 'session' && heldBySession);
  const isReplaced = (one: Scope): boolean =>
    one !== scope && one.kind === scope.kind && one.id === scope.id && one.session === scope.session;
  const all = new Set(both.flatMap(({ lineage }) => lineage.filter((one) => !isReplaced(one))));
  if (other !== undefined) all.delete(other);
  const depths = depthsOf(scope.id, all);
  const depthOf = ({ kind, id, depth }: Scope): number => (kind === 'agent' && depths.get(id)) || depth;
  return new Map([...all].map((one) => [one, depthOf(one)] as const).sort(([, a], [, b]) => a - b));
}

/** The depths of the agent and of those above it, by id. */
function depthsOf(agent: string, scopes: Iterable<Scope>): ReadonlyMap<string, number> {
  const parents = new Map<string, string[]>();
  for (const { kind, id, parent } of scopes) {
    if (kind !== 'agent') continue;
    const above = parents.get(id) ?? [];
    parents.set(id, above);
    if (parent?.kind === 'agent') above.push(parent.id);
  }
  const depths = new Map<string, number>();
  /** Those without a depth yet, in the order in which they were reached. */
  const open: string[] = [];
  /** For each that was reached, the place in `open` of the first that is known to be above it or the same. */
  const firsts = new Map<string, number>();
  const path = [agent];
  // A path of its own instead of recursion, because chains may be long.
  for (let id = path.at(-1); id !== undefined; id = path.at(-1)) {
    if (!firsts.has(id)) firsts.set(id, open.push(id) - 1);
    const above = parents.get(id) ?? [];
    const next = above.find((one) => !firsts.has(one));
    if (next !== undefined) {
      path.push(next);
      continue;
    }
    path.pop();
    const first = Math.min(...[id, ...above].flatMap((one) => (depths.has(one) ? [] : (firsts.get(one) as number))));
    firsts.set(id, first);
    if (open[first] !== id) continue;
    // Agents that are above each other have one depth (Tarjan's algorithm). Most are alone.
    const circle = open.splice(first);
    const outside = circle.flatMap((one) => parents.get(one) ?? []);
    const depth = 1 + Math.max(SESSION_DEPTH, ...outside.map((one) => depths.get(one) ?? 0));
    for (const one of circle) depths.set(one, one === agent && circle.length > 1 ? depth + 1 : depth);
  }
  return depths;
}

/** The depth of a session, below managed policy and the host. */
export const SESSION_DEPTH = 2;
