import { HookscopeError } from '../errors.js';
import { parseJson, readNamedText, readStandardInput } from '../files/json-file.js';
import { isObject } from '../values/shape.js';

/** The event's input as a file or standard input holds it. Rejects with FILE. */
export async function readInput(file: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (file === undefined) return {};
  const name = file === '-' ? 'standard input' : file;
  const text = await (file === '-' ? readStandardInput(name) : readNamedText(file));
  return objectOf(await parseJson(text, name), name);
}

/** Throws FILE. */
export function objectOf(input: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isObject(input)) return input;
  const got = Array.isArray(input) ? 'an array' : JSON.stringify(input);
  throw new HookscopeError('FILE', { file: name, problem: `expected one JSON object, the event's input, got ${got}` });
}
