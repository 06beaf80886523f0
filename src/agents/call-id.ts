import { sha256 } from '../values/sha256.js';
import type { Json } from '../values/shape.js';

/**
 * A call id for agents whose calls have none. It is a hash of session, agent, tool and input, so it is equal before and after the tool runs. Two identical
 * calls get equal ids; `AgentMemory` tells them apart in a process that sees the whole session.
 */
export function callId(agent: string, { session_id, agent_id, tool_name, tool_input }: Json): string {
  const text = JSON.stringify([session_id, agent_id ?? null, tool_name, sorted(tool_input, 0)]) ?? '';
  return `${agent}_${sha256(text).slice(0, 24)}`;
}

/** Objects become sorted lists of entries, so that key order does not change the id. */
function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one, depth + 1)]);
}
