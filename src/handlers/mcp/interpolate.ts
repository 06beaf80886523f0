import { wellFormed } from '../../plain.js';
import { isObject } from '../../values/shape.js';

const PLACE = /\$\{([^{}]*)\}/g;

/**
 * Copies plain data and replaces every `${path}` in its strings by that field of the input, such as `${tool_input.file_path}` or
 * `${tool_calls.0.tool_name}`. A value that is not a string is inserted as JSON, a missing one as nothing.
 */
export function interpolate(value: unknown, input: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string')
    return wellFormed(value.replace(PLACE, (_, path: string) => asText(fieldAt(input, path))));
  if (Array.isArray(value)) return value.map((item) => interpolate(item, input));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, interpolate(item, input)]));
}

function fieldAt(input: unknown, path: string): unknown {
  return path.split('.').reduce((at, key) => {
    const name = key.trim();
    return typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined;
  }, input);
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
