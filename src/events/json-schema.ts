import { z } from 'zod';
import { asyncOutput, baseOutput } from './base.js';
import type { EventEntry } from './define.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (draft 2020-12) of what a hook of the event is given on stdin, or of all it may print: the base fields
 * and `hookSpecificOutput` with its `hookEventName`, or the async form.
 */
export function jsonSchema(entry: EventEntry, direction: 'input' | 'output'): JsonSchema {
  const schema = direction === 'input' ? entry.input : wholeOutput(entry);
  const title = `${entry.name}: what a hook ${direction === 'input' ? 'is given' : 'may say'}`;
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title, description: entry.about, ...rest };
}

function wholeOutput(entry: EventEntry): z.ZodType {
  const hookSpecificOutput = z.looseObject({ hookEventName: z.literal(entry.name), ...entry.output.shape });
  const synchronous = z.looseObject({ ...baseOutput().shape, hookSpecificOutput: hookSpecificOutput.optional() });
  return z.union([asyncOutput().loose(), synchronous.extend({ async: z.literal(false).optional() })]);
}
