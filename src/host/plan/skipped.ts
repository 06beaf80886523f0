import type { SkipReason } from '../../events/skip.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';

/**
 * The reasons that are looked at anew before each call, and whom each of them can skip although the subject is matched: such hooks
 * are kept off the quick way, which asks nobody. A reason that is not here cannot be given below.
 */
const CAN_SKIP = {
  matcher: (r) => !r.matcher.all && !r.matcher.static,
  if: (r) => r.rule !== undefined,
  once: (r) => r.once,
} satisfies Partial<Record<SkipReason, (r: Registration) => boolean>>;

const ASKED = Object.values(CAN_SKIP);

/** In series, and only the subject decides whether it runs. */
export function isPlain(r: Registration): boolean {
  return r.mode === 'series' && r.trustCheck === undefined && !ASKED.some((canSkip) => canSkip(r));
}

/** Why a candidate does not run on this input as it stands now; `undefined`: it does. */
export function skipped(r: Registration, subject: string | undefined, input: Json): SkipReason | undefined {
  return r.skip ?? asked(r, subject, input);
}

/** Not a loop over checks: the walk asks before every call. */
function asked(r: Registration, subject: string | undefined, input: Json): keyof typeof CAN_SKIP | undefined {
  if (!r.matcher.all && !r.matcher.matches(subject, input)) return 'matcher';
  if (r.rule !== undefined && !(r.spec.tool && r.rule.matches(input))) return 'if';
  if (r.once && r.scope.claimed(r)) return 'once';
  return undefined;
}
