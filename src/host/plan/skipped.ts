import type { SkipReason } from '../../events/skip.js';
import type { Registration } from '../../scopes/registration.js';

/** What decides who runs, as it stands now. */
export interface RunFacts {
  readonly subject: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input as predicates get it. */
  readonly view: Readonly<Record<string, unknown>>;
  /** It was called in this very fire. */
  hasRun(r: Registration): boolean;
  /** It ran in an earlier fire about the same call: a `once` hook may be asked again, as within one fire. */
  ranBefore(r: Registration): boolean;
}

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
export function skipped(r: Registration, facts: RunFacts): SkipReason | undefined {
  return r.skip ?? asked(r, facts);
}

/** Not a loop over checks: the walk asks before every call. */
function asked(r: Registration, facts: RunFacts): keyof typeof CAN_SKIP | undefined {
  const { matcher, rule } = r;
  if (!matcher.all && !matcher.matches(facts.subject, matcher.static ? undefined : facts.view)) return 'matcher';
  if (rule !== undefined && !(r.spec.tool && rule.matches(facts.input))) return 'if';
  if (r.once && r.scope.claimed(r)) return 'once';
  return undefined;
}
