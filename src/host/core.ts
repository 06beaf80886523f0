import type { HookscopeError } from '../errors.js';
import type { ScopeLookup } from '../scopes/tree.js';
import type { Background } from './call/background.js';
import type { Registrar } from './register/registrar.js';
import type { EventState, Services } from './services.js';

/** A host's internals: what a fire needs, including what finds its event and its scope. */
export interface HostCore extends Services {
  readonly background: Background;
  /** By name, in an object without a prototype, because lookups are faster than in a Map. */
  readonly events: Readonly<Record<string, EventState>>;
  readonly registrar: Registrar;
  unknownEvent(name: unknown): HookscopeError;
}

/** The list in which late context waits for the next turn; `undefined` once the agent, or the session that a driver holds, has ended. */
export function pendingContextOf(
  { registrar }: HostCore,
  { scope, session, id, known }: ScopeLookup,
  input: Readonly<Record<string, unknown>>,
): string[] | undefined {
  if (scope.closed && (scope.kind === 'agent' || scope.heldBySession)) return undefined;
  if (scope.kind === 'agent') return scope.pending;
  const of = session ?? String(input['session_id']);
  return known ? registrar.pendingContext(of) : registrar.lateOf(of, id);
}
