import type { SkipReason } from '../../events/skip.js';
import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';

/** One reason not to run that is looked at anew in each fire. */
interface SkipCheck {
  readonly reason: SkipReason;
  /** Whether it can ever skip this registration. */
  canSkip(r: Registration): boolean;
  /** The subject alone decides, so the memo of candidates has asked already. Absent: it is asked before every call. */
  bySubject?(r: Registration): boolean;
  skips(r: Registration, subject: string | undefined, input: Json): boolean;
}

/** In the order they are asked. A reason that is added here also keeps its registrations off the quick way, which asks nobody. */
const SKIP_CHECKS: readonly SkipCheck[] = [
  {
    reason: 'matcher',
    canSkip: (r) => !r.matcher.all,
    bySubject: (r) => r.matcher.static,
    skips: (r, subject, input) => !r.matcher.matches(subject, input),
  },
  {
    reason: 'if',
    canSkip: (r) => r.rule !== undefined,
    skips: (r, _subject, input) => !(r.spec.tool && r.rule?.matches(input)),
  },
  { reason: 'once', canSkip: (r) => r.once, skips: (r) => r.scope.claimed(r) },
];

/** In series, and only the subject decides whether it runs. */
export function isPlain(r: Registration): boolean {
  if (r.mode !== 'series' || r.gate !== undefined) return false;
  return SKIP_CHECKS.every((check) => !check.canSkip(r) || check.bySubject?.(r) === true);
}

/** Why a candidate does not run on this input as it stands now; `undefined`: it does. */
export function skipped(r: Registration, subject: string | undefined, input: Json): SkipReason | undefined {
  if (r.skip !== undefined) return r.skip;
  for (const check of SKIP_CHECKS) if (check.canSkip(r) && check.skips(r, subject, input)) return check.reason;
  return undefined;
}
