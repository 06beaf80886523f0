import { isDeepStrictEqual } from 'node:util';
import type { Schema, Tool } from 'ai';
import { copyInput } from '../../session/tool/call.js';
import { messageOf } from '../../values/waiting/promises.js';
import { ai } from './package.js';

/** The JSON that a model wrote, by what a tool's schema made of it. */
const WRITTEN = new WeakMap<object, unknown>();

export function note(read: unknown, written: unknown): void {
  if (typeof read === 'object' && read !== null) WRITTEN.set(read, written);
}

/** A function may return what is still to be made a schema. */
export const schemaOf = (schema: Tool['inputSchema'] | undefined): Schema => ai.asSchema(ai.asSchema(schema));

/**
 * The schema of the tool, which remembers what it was given for each of the values that it makes. The SDK takes it for a function that returns a schema; whoever
 * reads a property of it, as a function that repairs calls does, reads the tool's own.
 */
export function noting({ inputSchema: schema }: Tool): Pick<Tool, 'inputSchema'> | undefined {
  if (!schema) return undefined;
  const make = (): Schema => {
    const own = schemaOf(schema);
    if (!own.validate) return own;
    return ai.jsonSchema(() => own.jsonSchema, {
      validate: async (written) => {
        const read = await (own as Required<Schema>).validate(written);
        if (read.success) note(read.value, written);
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
    // The signs by which the SDK knows a schema that is no function.
    has: (_, key) => typeof key !== 'symbol' && key !== '~standard' && Reflect.has(schema, key),
  });
  return { inputSchema };
}

/** What hooks judge: the input in the form that JSON gives it, or where it has none (a Set, a RegExp), the JSON that the model wrote. */
export type Judged = { readonly input: unknown } | { readonly wrong: string };

export function judged(name: string, input: unknown): Judged {
  try {
    return { input: copyInput(input) };
  } catch (error) {
    const written = typeof input === 'object' && input !== null && WRITTEN.has(input) && WRITTEN.get(input);
    if (written !== false) return { input: written };
    return { wrong: `No hook could judge the input of ${name}: ${messageOf(error)}` };
  }
}

/** Of those with one id, that of this very input; else of an equal one, since what was stored is parsed again. Two objects with private fields may seem equal. */
export function theOneOf<T extends { readonly id: string; readonly input: unknown }>(
  all: readonly T[],
  wanted: string,
  input: unknown,
): T | undefined {
  const own = all.filter(({ id }) => id === wanted);
  return own.findLast((one) => one.input === input) ?? own.findLast((one) => isDeepStrictEqual(one.input, input));
}
