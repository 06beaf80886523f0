import { z } from 'zod';
import { hookRecord } from '../src/emit/fire-schema.js';
import { CATALOGUE, HOOK_EVENTS } from '../src/events/catalogue.js';
import { type JsonSchema, jsonSchema } from '../src/events/json-schema.js';

/** Every file under schemas/, by its path there. */
export function schemaFiles(): Map<string, JsonSchema> {
  const { $schema, ...record } = z.toJSONSchema(hookRecord, { io: 'input', unrepresentable: 'any' });
  return new Map([['record.json', { $schema, title: 'A record of events$', ...record }], ...eventSchemas()]);
}

/** What hooks are given and may say, two files an event. */
export function eventSchemas(): Map<string, JsonSchema> {
  const files = HOOK_EVENTS.flatMap((name) => [
    [`${name}.input.json`, jsonSchema(CATALOGUE[name], 'input')] as const,
    [`${name}.output.json`, jsonSchema(CATALOGUE[name], 'output')] as const,
  ]);
  return new Map(files);
}
