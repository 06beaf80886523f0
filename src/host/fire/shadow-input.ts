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
 * The input as it was decided about, for the hooks that are asked later: the caller may use its own object for something else as soon as it has
 * the decision. Where no matcher lets it through, nobody reads it, and it is not copied.
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

/** What cannot be copied (a function, what throws when it is read) stays the caller's. */
function copyKey(from: Json, key: string, to: Record<string, unknown>): void {
  try {
    put(to, key, snapshot(from[key]));
  } catch {
    Object.defineProperty(to, key, Object.getOwnPropertyDescriptor(from, key) ?? {});
  }
}
