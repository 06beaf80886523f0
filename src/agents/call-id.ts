import { sha256 } from '../values/sha256.js';
import type { Json } from '../values/shape.js';

/**
 * An id for a call of an agent whose calls have none: the same before and after the tool, since it is made of session, agent, tool and input. The same call made
 * twice has it twice; `AgentMemory` tells them apart where one process sees all of a session.
 */
export function callId(agent: string, { session_id, agent_id, tool_name, tool_input }: Json): string {
  const text = JSON.stringify([session_id, agent_id ?? null, tool_name, sorted(tool_input, 0)]) ?? '';
  return `${agent}_${sha256(text).slice(0, 24)}`;
}

/** The order of keys makes no difference. */
function sorted(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > 100) return value;
  if (Array.isArray(value)) return value.map((one) => sorted(one, depth + 1));
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => [key, sorted(one, depth + 1)]);
}
