import { existsSync } from 'node:fs';
import { HookscopeError } from '../../errors.js';
import { parseJson, readNamedBytes, readStandardInput } from '../../files/json-file.js';
import { isObject } from '../../values/shape.js';

/** How messages refer to the given input. */
export function nameOfInput(given: string): string {
  return isJson(given) ? '--input' : given;
}

/** Whether the value is JSON: it begins like JSON, and there is no file of that name. */
function isJson(given: string): boolean {
  return /^\s*[{["]/.test(given) && !existsSync(given);
}

/** The event's input: JSON on the command line, the file that holds it, or `-`, standard input. Rejects with FILE. */
export async function readInput(file: string | undefined): Promise<Readonly<Record<string, unknown>>> {
  if (file === undefined) return {};
  if (file.trim() === '')
    throw new HookscopeError('FILE', {
      file: '--input',
      problem: 'expected JSON, a file, or - for standard input, got nothing',
    });
  if (isJson(file)) return objectOf(await parseJson(file, '--input'), '--input');
  const name = file === '-' ? 'standard input' : file;
  const text = await (file === '-' ? readStandardInput(name) : readNamedBytes(file).then(String));
  return objectOf(await parseJson(text, name), name);
}

/** The input, if it is an object. Throws FILE. */
function objectOf(input: unknown, name: string): Readonly<Record<string, unknown>> {
  if (isObject(input)) return input;
  const got = Array.isArray(input) ? 'an array' : JSON.stringify(input);
  throw new HookscopeError('FILE', { file: name, problem: `expected one JSON object, the event's input, got ${got}` });
}
