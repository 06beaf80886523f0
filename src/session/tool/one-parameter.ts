import { isObject } from '../../values/shape.js';

/** Fields of the call, and of a hook's input, that a function may look for in its first parameter by mistake. */
const OF_THE_CALL = [
  'name',
  'tool_name',
  'tool_input',
  'effect',
  'mcp',
  'permission_mode',
  'agent_id',
  'agent_type',
  'verdict',
  'suggestions',
] as const;

/**
 * The input for a session's function that has one parameter: reading a field of the call that the input lacks throws, because such a function takes its first
 * parameter for the call, and would let every call run. The fields are not enumerable, so the input is otherwise what it was.
 */
export function forOneParameter(input: unknown, what: string): unknown {
  if (!isObject(input)) return input;
  for (const field of OF_THE_CALL) {
    if (Object.hasOwn(input, field)) continue;
    Object.defineProperty(input, field, {
      configurable: true,
      get: () => {
        throw new TypeError(
          `${what}() looked for "${field}" in its first parameter, which is the tool's input and has no such field. The call is the second parameter: ${what}(input, call)`,
        );
      },
      set: (value: unknown) =>
        Object.defineProperty(input, field, { value, configurable: true, enumerable: true, writable: true }),
    });
  }
  return input;
}
