import type { HostCore } from '../../../host/core.js';
import { isObject, isText } from '../../../values/shape.js';
import type { Json } from './wire.js';

/**
 * A message with the results of calls: one that succeeded has run. Which input it had is not told; of an agent's calls, neither whose
 * they are.
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
