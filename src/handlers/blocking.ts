import { baseOutput } from '../events/base.js';
import { canRefuse, isRefusal, LEGACY } from '../events/output/what-counts.js';
import type { Dialect, EventSpec } from '../events/spec.js';
import type { Json } from '../values/shape.js';

/** The event for which an output is read. `eventName` is the name that the output must carry as `hookEventName`. */
export interface OutputTarget {
  readonly spec: EventSpec;
  readonly eventName: string;
  readonly dialect?: Dialect | undefined;
}

/** The reason if a printed output denies or blocks, in any spelling that the event accepts; undefined if it does not. */
export function printedBlock(target: OutputTarget, json: Json | undefined): { reason?: string } | undefined {
  if (!json) return undefined;
  const { spec } = target;
  const specific = specificOf(target, json);
  if (!specific) return undefined;
  const legacy = LEGACY[json['decision'] as string];
  // The reason of an allow beside a deny is not that of the deny.
  const said = legacy === 'allow' ? [json['stopReason']] : [json['reason'], json['stopReason']];
  if (spec.nestedDecision) {
    const decision = asObject(specific['decision']);
    return decision['behavior'] === 'deny' ? reasonOf(decision['message'], ...said) : undefined;
  }
  const denied = spec.fold === 'gate' && specific['permissionDecision'] === 'deny';
  const refused = isRefusal(spec, specific) || (legacy === 'deny' && canRefuse(spec));
  if (!denied && !refused) return undefined;
  return reasonOf(denied ? specific['permissionDecisionReason'] : undefined, ...said);
}

/** The deny or block in the event's own format, with the fields of the printed output that are not part of its verdict. */
export function blockOutput(target: OutputTarget, reason: string | undefined, json: Json | undefined): Json {
  const { spec, eventName } = target;
  const said = reason === undefined ? {} : { reason };
  const beside = { ...besideVerdict(json) };
  const specific = { hookEventName: eventName, ...specificBeside(target, json) };
  if (spec.nestedDecision) {
    const decision = { behavior: 'deny', ...(reason === undefined ? {} : { message: reason }), ...interruptOf(json) };
    return { ...beside, hookSpecificOutput: { ...specific, decision } };
  }
  if (spec.fold === 'gate') {
    const why = reason === undefined ? {} : { permissionDecisionReason: reason };
    return { ...beside, hookSpecificOutput: { ...specific, permissionDecision: 'deny', ...why } };
  }
  return { ...beside, decision: 'block', ...said, hookSpecificOutput: specific };
}

/** A deny that is nested may also interrupt. */
function interruptOf(json: Json | undefined): Json {
  const { behavior, interrupt } = asObject(asObject(json?.['hookSpecificOutput'])['decision']) as Json;
  return behavior === 'deny' && interrupt === true ? { interrupt } : {};
}

const VERDICT_KEYS = ['decision', 'reason', 'continue', 'preventContinuation'];

/** The fields of an output that still count beside a block: those of the right type that are not another verdict. */
function besideVerdict(json: Json | undefined): Json {
  const kept = rightlyTyped(baseOutput(), json ?? {}, VERDICT_KEYS);
  // On a stop event it ends the loop, although a block keeps the loop going.
  const ends = json?.['continue'] === false || json?.['preventContinuation'] === true;
  return ends ? { ...kept, continue: false } : kept;
}

function specificBeside(target: OutputTarget, json: Json | undefined): Json {
  const { spec } = target;
  const verdict = ['permissionDecision', 'permissionDecisionReason', 'decision', ...(spec.value ?? [])];
  const rewrite = [...(spec.rewrites?.keys ?? []), ...(spec.rewrites?.mcpKeys ?? [])];
  return rightlyTyped(spec.output, specificOf(target, json ?? {}) ?? {}, [...verdict, ...rewrite]);
}

function rightlyTyped(schema: EventSpec['output'], json: Json, without: readonly string[]): Json {
  const kept: Record<string, unknown> = {};
  for (const key of Object.keys(schema.shape)) {
    if (!(key in json) || without.includes(key)) continue;
    // Parsed one key at a time, so that a key of the wrong type does not discard the others.
    Object.assign(kept, schema.pick({ [key]: true } as Record<string, true>).safeParse(json).data);
  }
  return kept;
}

/**
 * The `hookSpecificOutput`: empty if there is none, undefined if it is for another event. An output with another event's name is refused as a
 * whole, but on a gate the rest of it counts all the same, and elsewhere too unless the hook is of Claude Code's own files.
 */
function specificOf({ spec, eventName, dialect }: OutputTarget, json: Json): Json | undefined {
  const specific = json['hookSpecificOutput'];
  if (specific === undefined) return {};
  const counts = spec.fold === 'gate' || dialect !== 'claude';
  return counts || asObject(specific)['hookEventName'] === eventName ? asObject(specific) : undefined;
}

/** Whether the output is an answer to this event, and not one in the background, beside which nothing counts. */
export const isMeant = (target: OutputTarget, json: Json): boolean =>
  json['async'] !== true && specificOf(target, json) !== undefined;

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

function reasonOf(...candidates: readonly unknown[]): { reason?: string } {
  const reason = candidates.find((c): c is string => typeof c === 'string' && c.trim() !== '');
  return reason === undefined ? {} : { reason };
}
