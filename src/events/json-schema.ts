import type { z } from 'zod';
import { zod } from '../values/zod.js';
import { asyncOutput, baseOutput } from './base.js';
import type { EventSpec } from './spec.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The JSON Schema (draft 2020-12) of the input that a hook of the event gets on stdin, or of the output that it may print: the base
 * fields and `hookSpecificOutput` with its `hookEventName`, or the async form.
 */
export function jsonSchema(spec: EventSpec, direction: 'input' | 'output'): JsonSchema {
  const schema = direction === 'input' ? spec.input : wholeOutput(spec);
  const title = `${spec.name}: what a hook ${direction === 'input' ? 'is given' : 'may say'}`;
  const { $schema, ...rest } = zod().toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return { $schema, title, description: spec.about, ...rest };
}

function wholeOutput(spec: EventSpec): z.ZodType {
  const hookSpecificOutput = zod().looseObject({ hookEventName: zod().literal(spec.name), ...spec.output.shape });
  const synchronous = zod().looseObject({ ...baseOutput().shape, hookSpecificOutput: hookSpecificOutput.optional() });
  return zod().union([asyncOutput().loose(), synchronous.extend({ async: zod().literal(false).optional() })]);
}
