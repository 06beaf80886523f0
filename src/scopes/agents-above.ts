import { lineageOf } from './lineage.js';
import type { Scope } from './scope.js';
import type { ScopeLookup } from './tree.js';

/** An ancestor of an agent. It has no id if its scope has ended. */
export interface AgentAbove {
  readonly agent_id?: string;
  readonly agent_type?: string;
}

const NONE_ABOVE: readonly AgentAbove[] = Object.freeze([]);
/** With more ancestors than this, none are listed. */
const MOST_ABOVE = 100;

/** The last result of `agentsAbove` for each scope. Valid for the same scopes while no agent type has changed. */
const FOUND = new WeakMap<
  Scope,
  { readonly scopes: readonly Scope[]; readonly types: number; readonly above: readonly AgentAbove[] }
>();

/** The ancestors of the fire's agent, outermost first; undefined if the fire is in no agent's scope or there are too many ancestors. */
export function agentsAbove(lookup: ScopeLookup): readonly AgentAbove[] | undefined {
  const { scope, known, both } = lookup;
  if (!known || scope.kind !== 'agent' || scope.depth > MOST_ABOVE) return undefined;
  const scopes = both ?? [scope];
  let types = 0;
  for (const { typeChanges } of scopes) types += typeChanges;
  const found = FOUND.get(scope);
  const isSame = found?.types === types && found.scopes.length === scopes.length;
  if (isSame && scopes.every((one, i) => one === found.scopes[i])) return found.above;
  const above = findAbove(lookup, scopes);
  FOUND.set(scope, { scopes, types, above });
  return above;
}

function findAbove(lookup: ScopeLookup, scopes: readonly Scope[]): readonly AgentAbove[] {
  const types = new Set(scopes.flatMap((one) => [...one.typesAbove]));
  const above = new Map<string, string | undefined>();
  for (const one of lineageOf(lookup).keys()) {
    if (one.kind !== 'agent' || one.id === lookup.scope.id) continue;
    const type = above.get(one.id) ?? one.agentType;
    above.set(one.id, type);
    if (one.agentType !== undefined) types[type === one.agentType ? 'delete' : 'add'](one.agentType);
  }
  if (above.size + types.size === 0) return NONE_ABOVE;
  const ended = [...types].map((agent_type) => ({ agent_type }));
  const open = [...above].map(([agent_id, agent_type]) => (agent_type ? { agent_id, agent_type } : { agent_id }));
  return Object.freeze([...ended, ...open].map(Object.freeze) as AgentAbove[]);
}
