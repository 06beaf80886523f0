import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import { isStrictest, strictness } from './helper-keys.js';
import { type OutputField, outputShape, topFields } from './shape.js';
import { canRefuse, isRefusal } from './what-counts.js';

const LOUD = ['continue', 'preventContinuation', 'stopReason', 'systemMessage'];

/**
 * What counts of an answer whose hook has failed: what restricts (a deny, an ask, a block, a refusal, the end of the loop) and texts. Nothing that allows or changes data does.
 * A key of a wrong type is left out.
 */
export function restricting(spec: EventSpec, eventName: string, { hookSpecificOutput, ...words }: Json): Json {
  const inner = isObject(hookSpecificOutput) ? hookSpecificOutput : {};
  const flat = strictness(inner['permissionDecision']) > 0 ? ['permissionDecision', 'permissionDecisionReason'] : [];
  const refusal = isRefusal(spec, inner) ? Object.keys(spec.blockValue ?? {}) : [];
  const specific = taken(outputShape(spec).specific, inner, ['additionalContext', ...flat, ...refusal]);
  const top = taken(topFields(), words, [...LOUD, ...ofBlock(spec, words['decision'], inner)]);
  return Object.keys(specific).length === 0
    ? top
    : { ...top, hookSpecificOutput: { hookEventName: eventName, ...specific } };
}

/** A reason is no text of its own where it is that of an allow. */
function ofBlock(spec: EventSpec, decision: unknown, inner: Json): readonly string[] {
  const { permissionDecision: flat, decision: nested } = inner;
  if (isStrictest(decision) && canRefuse(spec) && !spec.nestedDecision) return ['decision', 'reason'];
  const said = [decision, flat, isObject(nested) ? nested['behavior'] : undefined];
  return said.some((word) => strictness(word) === 0) ? [] : ['reason'];
}

function taken(fields: ReadonlyMap<string, OutputField>, from: Json, keys: readonly string[]): Json {
  const said = keys.filter((key) => from[key] !== undefined && fields.get(key)?.accepts(from[key]) === true);
  return Object.fromEntries(said.map((key) => [key, from[key]]));
}
