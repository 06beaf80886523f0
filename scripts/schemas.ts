import { z } from 'zod';
import { hookRecord } from '../src/emit/schema.js';
import { asyncOutput, baseOutput } from '../src/events/base.js';
import { CATALOGUE, HOOK_EVENTS } from '../src/events/catalogue.js';
import type { EventEntry } from '../src/events/define.js';

export type JsonSchema = Record<string, unknown>;

/** As a program reads it that checks what a hook is given or says: what goes in, before any default. */
export function jsonSchema(title: string, schema: z.ZodType): JsonSchema {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title, ...rest };
}

/** Everything a hook of the event may print on stdout. */
export function outputOf(entry: EventEntry): z.ZodType {
  const specific = z.looseObject({ hookEventName: z.literal(entry.name), ...entry.output.shape });
  return z.union([z.looseObject({ ...baseOutput.shape, hookSpecificOutput: specific.optional() }), asyncOutput]);
}

/** Every file under schemas/, by its path there. */
export function schemaFiles(): Map<string, JsonSchema> {
  const files = new Map<string, JsonSchema>([['record.json', jsonSchema('A record of events$', hookRecord)]]);
  for (const name of HOOK_EVENTS) {
    const entry: EventEntry = CATALOGUE[name];
    files.set(`input/${name}.json`, jsonSchema(`${name}: what a hook is given`, entry.input));
    files.set(`output/${name}.json`, jsonSchema(`${name}: what a hook may answer`, outputOf(entry)));
  }
  return files;
}
