import type { Subject } from '../../events/spec.js';
import type { Registration } from '../../scopes/registration.js';
import { put } from '../../values/copies/put.js';
import { copyQuickly } from '../../values/copies/quick-copy.js';
import { snapshot } from '../../values/copies/snapshot.js';
import type { Json } from '../../values/shape.js';

interface DecidedFire {
  readonly plan: { readonly shadows: readonly Registration[] };
  readonly subject: Subject;
  readonly finalInput: Json;
}

/**
 * A copy of the input that was decided on, for shadow hooks, which run later: the caller may change its own object as soon as it has the
 * decision. If no shadow's matcher accepts the subject, nothing reads the input, and it is not copied.
 */
export function copyForShadows({ plan, subject, finalInput }: DecidedFire): Json {
  const isRead = plan.shadows.some(({ matcher }) => !matcher.static || matcher.matches(subject));
  if (!isRead) return finalInput;
  return copyQuickly(finalInput) ?? copyWithCare(finalInput);
}

function copyWithCare(finalInput: Json): Json {
  const copied: Record<string, unknown> = {};
  try {
    for (const key of Object.keys(finalInput)) copyKey(finalInput, key, copied);
  } catch {
    return finalInput;
  }
  return copied;
}

/** A value that cannot be copied (a function, or a getter that throws) is passed on as the caller's own property. */
function copyKey(from: Json, key: string, to: Record<string, unknown>): void {
  try {
    put(to, key, snapshot(from[key]));
  } catch {
    Object.defineProperty(to, key, Object.getOwnPropertyDescriptor(from, key) ?? {});
  }
}
