import type { Schema, Tool } from 'ai';
import { copyInput } from '../../session/tool/call.js';
import { messageOf } from '../../values/waiting/promises.js';
import { ai } from './package.js';

/** The JSON that a model wrote, by what a tool's schema made of it. */
const WRITTEN = new WeakMap<object, unknown>();

export function note(read: unknown, written: unknown): void {
  if (typeof read === 'object' && read !== null) WRITTEN.set(read, written);
}

/** The schema of the tool, which remembers what it was given for each of the values that it makes. */
export function noting({ inputSchema: schema }: Tool): Pick<Tool, 'inputSchema'> | undefined {
  if (!schema) return undefined;
  const inputSchema = (): Schema => {
    const own = ai.asSchema(schema);
    const { validate } = own;
    if (!validate) return own;
    return ai.jsonSchema(() => own.jsonSchema, {
      validate: async (written) => {
        const read = await validate(written);
        if (read.success) note(read.value, written);
        return read;
      },
    });
  };
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
