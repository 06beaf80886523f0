import type { EventSpec } from '../../../events/spec.js';
import { type ScopeLookup, type ScopeRef, type ScopeTree, scopesOf, typesAbove } from '../../../scopes/tree.js';
import { nearestSpelling } from '../../../values/nearest.js';
import { type Json, textOf } from '../../../values/shape.js';
import type { ParentAgent, SpawnLookup } from '../agent-hooks.js';
import type { HostParts } from '../origin.js';

/** The agent types that have hooks. */
type HookedTypes = { all(): Iterable<readonly [type: string, hooks: unknown]> };

/**
 * Warns of an agent that starts without the hooks that were probably meant for it: its type has none, but another spelling of the type has, or hooks are
 * registered for an agent whose id is the type.
 */
export function warnOfNames(
  { tree, report }: Pick<HostParts, 'report'> & { readonly tree: ScopeTree },
  types: HookedTypes,
  { id, session = tree.session }: ScopeLookup,
  input: Json | undefined,
): void {
  const type = textOf(input?.['agent_type']);
  if (type === undefined || type === id) return;
  const meant = misspelt(
    type,
    [...types.all()].map(([one]) => one),
  );
  if (meant !== undefined)
    report(
      `There are no hooks for agents of type "${type}". Did you mean "${meant}"?`,
      undefined,
      `agent type ${type}`,
    );
  const waiting = tree.get({ session, agent: type });
  if (waiting === undefined || waiting.begun || waiting.empty) return;
  const why = `Agent "${id}" has started without the hooks that are registered for the agent id "${type}", which is its type`;
  report(`${why}. Hooks for every agent of a type: spawnHooks("${type}", …)`, undefined, `agent id ${type}`);
}

/** Warns of hooks for an agent whose id is the word for a session's scope. */
export function warnOfSession(ref: ScopeRef, report: HostParts['report']): void {
  if (ref !== 'session') return;
  const why = 'Hooks in the scope "session" are for an agent with that id';
  report(`${why}. The scope of a session is named { session: "…" }, by its id`, undefined, 'scope session');
}

/** What a fire of that input would find. */
interface AgentFinder {
  find(input: Json, ref: undefined): SpawnLookup;
  /** The hooks that agents of those types have in that session. */
  hooksAbove(agents: readonly ParentAgent[], session: string): readonly unknown[];
}

/** Warns of an input that names its agent by a key that nobody reads, if hooks are not asked for that reason. Runs in every fire outside scopes. */
export function warnOfKeys(parts: Pick<HostParts, 'report'>, input: Json, spec: EventSpec, agents: AgentFinder): void {
  if (input['agentId'] !== undefined || input['agentType'] !== undefined) lookAtKeys(parts, input, spec, agents);
}

function lookAtKeys({ report }: Pick<HostParts, 'report'>, input: Json, spec: EventSpec, agents: AgentFinder): void {
  const { session_id, agent_id, agent_type } = input;
  // An event of the user's own may have a field of that name.
  const meant = (key: string): string | undefined =>
    Object.hasOwn(spec.input.shape, key) ? undefined : textOf(input[key]);
  const id = agent_id === undefined ? meant('agentId') : undefined;
  const type = agent_type === undefined ? meant('agentType') : undefined;
  const find = (agentType: unknown) =>
    agents.find({ session_id, agent_id: id ?? agent_id, agent_type: agentType }, undefined);
  const right = find(type ?? agent_type);
  if (id !== undefined && (right.spawn !== undefined || hasHooks(right, agents)))
    warnOfKey(report, 'agent_id', 'agentId');
  if (type !== undefined && right.spawn !== undefined && find(undefined).spawn === undefined)
    warnOfKey(report, 'agent_type', 'agentType');
}

/** Whether hooks are asked about that agent: in its scopes, or those of managed policy for its type or for a type above it. */
function hasHooks({ found, named }: SpawnLookup, agents: AgentFinder): boolean {
  const { own, all } = typesAbove(found);
  const types = [...own, ...all].map((agentType) => ({ agent: found.id, agentType }));
  const isInScope = scopesOf(found).some(({ lineage }) =>
    lineage.some(({ kind, empty }) => kind === 'agent' && !empty),
  );
  return isInScope || (found.known && agents.hooksAbove(types, named).length > 0);
}

function warnOfKey(report: HostParts['report'], key: string, other: string): void {
  const why = `An input has "${other}" and no "${key}", so hooks for that agent are not asked`;
  report(`${why}: write "${key}"`, undefined, `key ${other}`);
}

/** The type that was probably meant. Names that differ only in digits, such as `worker-1`, differ on purpose. */
function misspelt(type: string, types: readonly string[]): string | undefined {
  const letters = (name: string): string => name.replace(/\d+/g, '');
  if (types.includes(type)) return undefined;
  return nearestSpelling(
    type,
    types.filter((other) => letters(other) !== letters(type)),
  );
}
