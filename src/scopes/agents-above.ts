import type { Scope } from './scope.js';
import type { ScopeLookup, SharedScopes } from './tree.js';

/** An ancestor of an agent. It has no id if its scope has ended. */
export interface AgentAbove {
  readonly agent_id?: string;
  readonly agent_type?: string;
}

const NONE_ABOVE: readonly AgentAbove[] = Object.freeze([]);
/** With more ancestors than this, none are listed. */
const MOST_ABOVE = 100;

/** The last result of `agentsAbove` for each scope. Valid for the same `other` scope while no agent type has changed. */
const FOUND = new WeakMap<
  Scope,
  { readonly other: Scope; readonly types: number; readonly above: readonly AgentAbove[] }
>();

/** The ancestors of the fire's agent, outermost first; undefined if the fire is in no agent's scope or there are too many ancestors. */
export function agentsAbove({ scope, known, both }: ScopeLookup): readonly AgentAbove[] | undefined {
  if (!known || scope.kind !== 'agent' || scope.depth > MOST_ABOVE) return undefined;
  const other = both === undefined || both[0] !== scope ? (both?.[0] ?? scope) : both[1];
  const types = scope.typeChanges + other.typeChanges;
  const found = FOUND.get(scope);
  if (found?.other === other && found.types === types) return found.above;
  const above = findAbove(scope, both);
  FOUND.set(scope, { other, types, above });
  return above;
}

function findAbove(scope: Scope, both: SharedScopes = [scope, scope]): readonly AgentAbove[] {
  const own = [...new Set(both)].filter(({ id }) => id === scope.id);
  if (own.every(({ parent, typesBefore }) => parent?.kind !== 'agent' && typesBefore.length === 0)) return NONE_ABOVE;
  const above: AgentAbove[] = [];
  const types = new Set(own.flatMap((one) => [...one.typesAbove]));
  for (const { id: agent_id, kind, agentType } of own.flatMap(({ lineage }) => lineage.slice(0, -1))) {
    if (kind !== 'agent') continue;
    above.push(Object.freeze({ agent_id, ...(agentType === undefined ? {} : { agent_type: agentType }) }));
    if (agentType !== undefined) types.delete(agentType);
  }
  return Object.freeze([...[...types].map((agent_type) => Object.freeze({ agent_type })), ...above]);
}
