import { specOf } from '../../../events/catalogue.js';
import type { HandlerRecord, HookResponse, HookStarted } from '../../record.js';
import type { TracedWork } from '../../tracing.js';

/** The key of a tool call. Its id is unique only within its agent; hosts may share session ids. */
export function keyOf({
  host_id,
  session_id,
  agent_id,
  tool_use_id,
}: {
  readonly host_id?: string | undefined;
  readonly session_id: string;
  readonly agent_id?: string | undefined;
  readonly tool_use_id: string;
}): string {
  return JSON.stringify([host_id ?? null, session_id, agent_id ?? null, tool_use_id]);
}

export const handlerOf = ({ work }: { readonly work: TracedWork }): string =>
  work.kind === 'call' ? work.handler_id : '';

/** False for a user's own event: its fold is known only when its fire has ended. */
export function isGate(event: string): boolean {
  return specOf(event)?.fold === 'gate';
}

/** Scopes that a record names by their kind; any other name is an agent's id. */
const KINDS: readonly string[] = ['managed', 'host', 'session'];

/** The kind of the scope that a hook is registered in. */
export const scopeKindOf = ({ scope }: HandlerRecord): string => (KINDS.includes(scope) ? scope : 'agent');

/** When the recorded call began, in milliseconds since 1970. */
export function startOf(record: HookStarted | HookResponse): number {
  const time = Date.parse(record.time);
  return record.subtype === 'hook_response' ? time - record.duration_ms : time;
}
