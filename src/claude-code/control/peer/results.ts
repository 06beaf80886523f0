import type { HostCore } from '../../../host/core.js';
import { isObject, isText } from '../../../values/shape.js';
import type { Json } from './wire.js';

/**
 * Records the calls that have run, from a message with their results. The message does not tell the input of a call, and for calls of
 * subagents not which agent made them, so those are skipped.
 */
export function ranBySession({ alarms, session: own }: HostCore, message: Json): void {
  const { type, session_id: session = own.session_id, message: inner, parent_tool_use_id: parent } = message;
  if (type !== 'user' || !isText(session) || isText(parent)) return;
  if (!isObject(inner) || !Array.isArray(inner['content'])) return;
  for (const block of inner['content']) {
    if (!isObject(block) || block['type'] !== 'tool_result' || block['is_error'] === true) continue;
    const id = block['tool_use_id'];
    if (isText(id)) alarms.ran({ session, agent: undefined, id, tool: undefined, scope: 'session' }, { by: 'result' });
  }
}
