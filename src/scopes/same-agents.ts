import type { Scope } from './scope.js';

type ScopesById = ReadonlyMap<string, Scope> | undefined;

/** Whether only fires of its own session run in the scope: a session driver holds it, or an agent that it is below. */
export function isOfOneSession({ kind, heldBySession, parent }: Scope): boolean {
  for (let one = kind === 'agent' ? parent : undefined; one?.kind === 'agent'; one = one.parent)
    if (one.heldBySession) return true;
  return heldBySession;
}

/**
 * The scopes that this agent, and those above any of its scopes, have under the other of two session names: the call's
 * session, and that of hooks for all sessions. The nearest comes first. Ancestors of earlier ones are left out.
 */
export function sameAgents(scope: Scope, session: string, ofSession: ScopesById, ofAll: ScopesById): Scope[] {
  if (scope.kind !== 'agent' || (scope.session === session ? ofAll : ofSession) === undefined) return [];
  const idsOfSession = new Set<string>();
  const idsOfAll = new Set<string>();
  const counted: Scope[] = [];
  const same: Scope[] = [];
  const count = (from: Scope): void => {
    for (let one: Scope | undefined = from; one?.kind === 'agent'; one = one.parent) {
      const ids = one.session === session ? idsOfSession : idsOfAll;
      if (ids.has(one.id)) return;
      ids.add(one.id);
      counted.push(one);
    }
  };
  count(scope);
  // What the session has under the agent's own id is this scope, or an earlier one that this scope replaces.
  idsOfSession.add(scope.id);
  // The loop also reaches the scopes that it adds.
  for (const { id, session: name } of counted) {
    const open = (name === session ? ofAll : ofSession)?.get(id);
    if (open === undefined || (name === session ? idsOfAll : idsOfSession).has(id)) continue;
    if (name === session && isOfOneSession(open)) continue;
    same.push(open);
    count(open);
  }
  return same;
}
