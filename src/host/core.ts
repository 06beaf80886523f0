import type { HookscopeError } from '../errors.js';
import type { ScopeLookup, ScopeRef } from '../scopes/tree.js';
import { append } from '../values/append.js';
import { type Json, textOf } from '../values/shape.js';
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

/**
 * The list in which late context about an agent waits for its next turn. A fire keeps it from the start, because another agent may have the id
 * when the context comes. `undefined`: the fire is about no agent.
 */
export function contextOf(
  { registrar }: HostCore,
  { scope, session, id, known }: ScopeLookup,
  input: Json,
  ref: ScopeRef | undefined,
): string[] | undefined {
  if (known && scope.kind !== 'agent') return undefined;
  const named = typeof ref === 'object' ? ref.session : undefined;
  return registrar.contexts.listOf(named ?? session ?? textOf(input['session_id']), id);
}

/** Keeps late context for the next turn. Does nothing once the agent, or the session that a driver holds, has ended. */
export function keepContext({ services, found, input, options, waiting }: FireOfContext, texts: string[]): void {
  const { contexts } = services.registrar;
  if (options.shadowOf !== undefined) return;
  if (waiting !== undefined) contexts.add(waiting, texts);
  else if (!found.scope.closed || !found.scope.heldBySession)
    append(contexts.ofSession(found.session ?? String(input['session_id'])), texts);
}

interface FireOfContext {
  readonly services: HostCore;
  readonly found: ScopeLookup;
  readonly input: Json;
  readonly options: { readonly shadowOf?: string | undefined };
  readonly waiting: string[] | undefined;
}
