import type { Outcome } from '../../events/output/outcome.js';
import type { Registration } from '../../scopes/registration.js';
import { isObject, type Json } from '../../values/shape.js';

/** The output with stderr as the reason, if the answer decides something and gives no reason; undefined otherwise. */
export function reasonFromStderr(
  registration: Registration,
  outcome: Outcome | undefined,
  stderr: string | undefined,
): Json | undefined {
  if (outcome === undefined || outcome.reason !== undefined || !decides(registration, outcome)) return undefined;
  const reason = stderr?.trim();
  return reason ? withReason(outcome.output, reason) : undefined;
}

function decides({ spec, dialect }: Registration, { verdict, block, continue: goesOn }: Outcome): boolean {
  if (verdict !== undefined || block) return true;
  if (spec.fold === 'gate') return goesOn === false && dialect === 'code';
  return spec.fold === 'stop' && (goesOn === false || (goesOn === true && dialect === 'code'));
}

/** Puts the reason where the event reads that of this answer. */
function withReason(output: Json, reason: string): Json {
  const specific = output['hookSpecificOutput'];
  if (!isObject(specific)) return { ...output, reason };
  const { decision, permissionDecision } = specific;
  if (isObject(decision) && decision['behavior'] === 'deny')
    return { ...output, hookSpecificOutput: { ...specific, decision: { ...decision, message: reason } } };
  if (permissionDecision !== undefined)
    return { ...output, hookSpecificOutput: { ...specific, permissionDecisionReason: reason } };
  return { ...output, reason };
}
