import { isDeepStrictEqual } from 'node:util';
import type { Schema, Tool } from 'ai';
import { copyInput } from '../../session/tool/call.js';
import { messageOf } from '../../values/waiting/promises.js';
import { ai } from './package.js';

/** The JSON that a model wrote, by the value that the tool's schema parsed from it. */
const WRITTEN = new WeakMap<object, unknown>();

export function rememberWritten(read: unknown, written: unknown): void {
  if (typeof read === 'object' && read !== null) WRITTEN.set(read, written);
}

/** The SDK's schema of a tool. `asSchema` is applied twice, because a schema given as a function may return a raw schema. */
export const schemaOf = (schema: Tool['inputSchema'] | undefined): Schema => ai.asSchema(ai.asSchema(schema));

/**
 * The tool's schema, which also remembers the JSON from which it parsed each value. The SDK treats it as a function that returns a schema. Reading one of
 * its properties, as functions that repair calls do, reads the original schema's.
 */
export function noting({ inputSchema: schema }: Tool): Pick<Tool, 'inputSchema'> | undefined {
  if (!schema) return undefined;
  const make = (): Schema => {
    const own = schemaOf(schema);
    if (!own.validate) return own;
    return ai.jsonSchema(() => own.jsonSchema, {
      validate: async (written) => {
        const read = await (own as Required<Schema>).validate(written);
        if (read.success) rememberWritten(read.value, written);
        return read;
      },
    });
  };
  const inputSchema = new Proxy(make, {
    get: (_, key) => {
      const value: unknown = Reflect.get(schema, key);
      return typeof value === 'function' && key !== 'constructor' ? value.bind(schema) : value;
    },
    getPrototypeOf: () => Object.getPrototypeOf(schema),
    // Hide the marks by which the SDK recognises a schema object, so that it calls this as a function.
    has: (_, key) => typeof key !== 'symbol' && key !== '~standard' && Reflect.has(schema, key),
  });
  return { inputSchema };
}

/** The input that hooks judge: as JSON or, if it cannot be converted (a Set, a RegExp), the JSON that the model wrote. */
export type JudgedInput = { readonly input: unknown } | { readonly wrong: string };

export function judged(name: string, input: unknown): JudgedInput {
  try {
    return { input: copyInput(input) };
  } catch (error) {
    const written = typeof input === 'object' && input !== null && WRITTEN.has(input) && WRITTEN.get(input);
    if (written !== false) return { input: written };
    return { wrong: `No hook could judge the input of ${name}: ${messageOf(error)}` };
  }
}

/** The entry with this id and the identical input; otherwise an equal one, since stored inputs are parsed anew. Objects with private fields may seem equal. */
export function theOneOf<T extends { readonly id: string; readonly input: unknown }>(
  all: readonly T[],
  wanted: string,
  input: unknown,
): T | undefined {
  const own = all.filter(({ id }) => id === wanted);
  return own.findLast((one) => one.input === input) ?? own.findLast((one) => isDeepStrictEqual(one.input, input));
}
