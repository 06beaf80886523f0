import type { z } from 'zod';
import { compilePredicate } from '../../values/predicate.js';
import { asyncOutput, baseOutput, FOLD_OUTPUT } from '../base.js';
import { once } from '../once.js';
import type { EventSpec } from '../spec.js';

/** A known key: its schema, and the compiled fast check. */
export interface OutputField {
  readonly schema: z.core.$ZodType;
  readonly accepts: (value: unknown) => boolean;
}

/** The keys that an event's output accepts, compiled once per event. */
export interface OutputShape {
  /** Keys of `hookSpecificOutput`. */
  readonly specific: ReadonlyMap<string, OutputField>;
  /** Whether the event has keys for a verdict and for context. If not, such keys in an output are neither checked nor read. */
  readonly hasVerdict: boolean;
  readonly hasContext: boolean;
  /** Keys of `specific` that the fold does not use. Their values are passed on. */
  readonly extras: readonly string[];
  /** Keys that carry a rewrite, strongest first. */
  readonly rewrites: readonly string[];
  readonly mcpRewrites: readonly string[];
  /** On replace events: the keys that make up the value. */
  readonly value: readonly string[];
  /** On events with a nested decision: the keys of `decision`, by its `behavior`. */
  readonly nested: ReadonlyMap<string, readonly string[]> | undefined;
}

function compileFields(shape: Readonly<Record<string, z.core.$ZodType>>): ReadonlyMap<string, OutputField> {
  return new Map(Object.entries(shape).map(([key, schema]) => [key, field(schema)]));
}

/** Compiles the check once, on first use, even if `accepts` is called without its object. */
function field(schema: z.core.$ZodType): OutputField {
  let compiled: OutputField['accepts'] | undefined;
  return {
    schema,
    accepts(value) {
      compiled ??= compilePredicate(schema);
      return compiled(value);
    },
  };
}

/** The top-level keys of every event, except `hookSpecificOutput`. */
export const topFields = once(() => compileFields(baseOutput().shape));
export const asyncFields = once(() => compileFields(asyncOutput().shape));

const shapes = new WeakMap<EventSpec, OutputShape>();

/** The keys of an event's output, compiled when the first output is read. */
export function outputShape(spec: EventSpec): OutputShape {
  let shape = shapes.get(spec);
  if (!shape) {
    shape = compileShape(spec);
    shapes.set(spec, shape);
  }
  return shape;
}

const FOLDED = ['permissionDecision', 'permissionDecisionReason', 'additionalContext'];

function compileShape(spec: EventSpec): OutputShape {
  const nested = spec.nestedDecision ? nestedKeys(spec.output.shape['decision']) : undefined;
  const fields = fieldsOf(spec);
  const has = (key: string): boolean => Object.hasOwn(fields, key);
  const rewrites = (spec.rewrites?.keys ?? []).filter((key) => nested !== undefined || has(key));
  const mcpRewrites = (spec.rewrites?.mcpKeys ?? []).filter(has);
  const value = (spec.value ?? []).filter(has);
  const read = [...FOLDED, ...rewrites, ...mcpRewrites, ...value, ...(nested ? ['decision'] : [])];
  return {
    specific: compileFields(fields),
    hasVerdict: has('permissionDecision'),
    hasContext: has('additionalContext'),
    extras: Object.keys(fields).filter((key) => !read.includes(key)),
    rewrites,
    mcpRewrites,
    value,
    nested,
  };
}

/** An event of one's own with an output of its own takes the words of a verdict too. */
function fieldsOf({ fold, nestedDecision, output }: EventSpec): EventSpec['output']['shape'] {
  if (fold !== 'gate' || nestedDecision) return output.shape;
  const { permissionDecision, permissionDecisionReason } = FOLD_OUTPUT.gate().shape;
  return { permissionDecision, permissionDecisionReason, ...output.shape };
}

/** The keys of a union's members, by their `behavior`. */
function nestedKeys(schema: z.core.$ZodType | undefined): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, readonly string[]>();
  const def = (schema as z.core.$ZodTypes | undefined)?._zod.def;
  if (def?.type === 'optional') return nestedKeys(def.innerType);
  for (const option of def?.type === 'union' ? def.options : []) {
    const { shape } = (option as z.ZodObject)._zod.def;
    for (const behavior of shape['behavior']?._zod.values ?? []) keys.set(String(behavior), Object.keys(shape));
  }
  return keys;
}
