import { put } from '../values/copies/put.js';
import type { Json } from '../values/shape.js';

/** The fields that the host itself reads: they say whose hooks are asked, and about what. */
const READ_BY_HOST = ['session_id', 'agent_id', 'agent_type', 'tool_use_id', 'tool_name'] as const;

/**
 * The input as everything of a fire sees it: the choice of the scope, hooks and records. An input that is a plain object is returned as it is. Of one that inherits from
 * another object or a class a shallow copy is made: it has the own fields, and of those that the host reads also inherited ones, and each getter is called once.
 */
export function ownInput<I extends Json | undefined>(input: I): I {
  if (typeof input !== 'object' || input === null || isPlain(input) || Array.isArray(input)) return input;
  const own: Record<string, unknown> = {};
  for (const key of Object.keys(input)) put(own, key, input[key]);
  for (const key of READ_BY_HOST) {
    if (Object.hasOwn(own, key)) continue;
    const value = input[key];
    if (value !== undefined) own[key] = value;
  }
  return own as I;
}

function isPlain(input: Json): boolean {
  const prototype: unknown = Object.getPrototypeOf(input);
  return prototype === Object.prototype || prototype === null;
}
