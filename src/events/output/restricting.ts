import { isObject, type Json } from '../../values/shape.js';
import type { EventSpec } from '../spec.js';
import { acceptedOf } from './check.js';
import { isStrictest, strictness } from './helper-keys.js';
import { type OutputField, outputShape, topFields } from './shape.js';
import { canRefuse, isRefusal } from './what-counts.js';

/** The flags of all events that restrict, each with the value that does. */
export const RESTRICTS: Readonly<Record<string, boolean>> = {
  continue: false,
  preventContinuation: true,
  suppressOutput: true,
  suppressOriginalPrompt: true,
  interrupt: true,
};
const FLAGS = Object.keys(RESTRICTS);

/**
 * What counts of an answer whose hook has failed: what restricts (a deny, an ask, a block, a refusal, the end of the loop, what hides) and texts. Nothing that allows or changes data does.
 * A key of a wrong type is left out.
 */
export function restricting(spec: EventSpec, eventName: string, { hookSpecificOutput, ...words }: Json): Json {
  const inner = isObject(hookSpecificOutput) ? hookSpecificOutput : {};
  const flat = strictness(inner['permissionDecision']) > 0 ? ['permissionDecision', 'permissionDecisionReason'] : [];
  const refusal = isRefusal(spec, inner) ? Object.keys(spec.blockValue ?? {}) : [];
  // Where context alone keeps the loop going, it counts only beside a block.
  const context = spec.fold === 'stop' && !isStrictest(words['decision']) ? [] : ['additionalContext'];
  const specific = {
    ...taken(outputShape(spec).specific, inner, [...context, ...flat, ...refusal]),
    ...denial(spec, inner['decision']),
  };
  const top = taken(topFields(), words, ['stopReason', 'systemMessage', ...ofBlock(spec, words['decision'], inner)]);
  return Object.keys(specific).length === 0
    ? top
    : { ...top, hookSpecificOutput: { hookEventName: eventName, ...specific } };
}

/** A nested denial, without what is wrong in it. */
function denial(spec: EventSpec, decision: unknown): Json {
  const { specific, nested } = outputShape(spec);
  const [field, keys] = [specific.get('decision'), nested?.get('deny')];
  if (!field || !keys || !isObject(decision) || decision['behavior'] !== 'deny') return {};
  return { decision: acceptedOf(field, decision, keys) };
}

/** A reason is no text of its own where it is that of an allow. */
function ofBlock(spec: EventSpec, decision: unknown, inner: Json): readonly string[] {
  const { permissionDecision: flat, decision: nested } = inner;
  if (isStrictest(decision) && canRefuse(spec) && !spec.nestedDecision) return ['decision', 'reason'];
  const said = [decision, flat, isObject(nested) ? nested['behavior'] : undefined];
  return said.some((word) => strictness(word) === 0) ? [] : ['reason'];
}

/** The keys and the flags that restrict, where the event has them and takes their value. */
function taken(fields: ReadonlyMap<string, OutputField>, from: Json, keys: readonly string[]): Json {
  const flags = FLAGS.filter((key) => from[key] === RESTRICTS[key]);
  const said = [...keys, ...flags].filter(
    (key) => from[key] !== undefined && fields.get(key)?.accepts(from[key]) === true,
  );
  return Object.fromEntries(said.map((key) => [key, from[key]]));
}
