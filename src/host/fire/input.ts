import { HookscopeError } from '../../errors.js';
import { checkInput } from '../../events/guard.js';
import type { EventSpec } from '../../events/spec.js';
import { put } from '../../values/copies/put.js';
import type { Json } from '../../values/shape.js';

/** An event with a fast check of its input; false only means that the full check must run. */
interface CheckedEvent {
  readonly spec: EventSpec;
  accepts(input: unknown): boolean;
}

/** What the host knows of its session; filled into every input where it is missing. */
export interface SessionFields {
  readonly session_id?: string | undefined;
  readonly transcript_path?: string | undefined;
  readonly cwd?: string | undefined;
  readonly permission_mode?: string | undefined;
}

/** Parses the input once: returns it unchanged if nothing is missing, else with the session's fields added. */
export function completeInput(state: CheckedEvent, input: Json, session: SessionFields): Json | HookscopeError {
  return state.accepts(input) ? input : fillIn(state, input, session);
}

/** Not `{ ...session }`: adding properties to a literal that begins with a spread is a hundred times slower. */
function baseFields({ session_id, transcript_path, cwd, permission_mode }: SessionFields): Record<string, unknown> {
  const base = { session_id, transcript_path, cwd };
  return permission_mode === undefined ? base : { session_id, transcript_path, cwd, permission_mode };
}

function fillIn(state: CheckedEvent, input: Json, session: SessionFields): Json | HookscopeError {
  const { name } = state.spec;
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return new HookscopeError('INVALID_INPUT', { event: name, field: '(the input)', expected: 'must be an object' });
  }
  const full = baseFields(session);
  for (const key of Object.keys(input)) {
    const value = input[key];
    if (value !== undefined) put(full, key, value);
  }
  full['hook_event_name'] ??= name;
  if (state.accepts(full)) return full;
  const problem = checkInput(state.spec, full);
  return problem ? new HookscopeError('INVALID_INPUT', { event: name, ...problem }) : full;
}
