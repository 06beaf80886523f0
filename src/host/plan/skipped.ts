import { SKIP_REASONS, type SkipReason } from '../../events/skip.js';
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

interface LookedAt {
  /** Whether it can skip a hook whose matcher accepts the subject. */
  canSkip(r: Registration): boolean;
  skips(r: Registration, facts: RunFacts): boolean;
  /** Explains a skip, with the matcher or rule that caused it. */
  words(r: Registration, facts: RunFacts): string;
}

/** The reasons that are checked again before every call. `lookAt` can return no other. */
const LOOKED_AT = {
  matcher: {
    canSkip: ({ matcher }) => !matcher.all && !matcher.static,
    // Reading `facts.view` makes a proxy, so only predicates read it.
    skips: ({ matcher }, facts) =>
      !matcher.all && !matcher.matches(facts.subject, matcher.static ? undefined : facts.view),
    words: ({ matcher }, { subject = 'an event without a subject' }) =>
      `its matcher ${matcher.text} does not match ${subject}`,
  },
  if: {
    canSkip: ({ rule }) => rule !== undefined,
    skips: ({ rule, spec }, { input }) => rule !== undefined && !(spec.tool && rule.matches(input)),
    words: ({ rule, spec }) =>
      spec.tool ? `its rule ${rule?.text} does not match` : `${spec.name} has no tool call for its rule ${rule?.text}`,
  },
  once: {
    canSkip: ({ once }) => once,
    skips: (r, _) => r.once && r.scope.claimed(r),
    words: () => 'it has run once in this scope',
  },
} as const satisfies Partial<Record<SkipReason, LookedAt>>;

// Separate names: a call by way of the table costs the walk a few percent. A row without one would never be checked, so it does not compile.
const { matcher, if: rule, once, ...unnamed } = LOOKED_AT;
unnamed satisfies Record<string, never>;
const { skips: byMatcher } = matcher;
const { skips: byRule } = rule;
const { skips: byOnce } = once;
const ALL: Partial<Record<SkipReason, LookedAt>> = LOOKED_AT;
const CAN_SKIP = Object.values(LOOKED_AT).map(({ canSkip }) => canSkip);

/** It runs after the one before it, whichever that was; it needs no trust check, and its run need not be remembered. */
export const isInSeries = (r: Registration): boolean => r.mode === 'series' && r.trustCheck === undefined && !r.once;

/** Whether it runs depends on more than the subject. */
export const isLookedAt = (r: Registration): boolean => CAN_SKIP.some((canSkip) => canSkip(r));

/** Why a candidate does not run on this input as it stands now; `undefined`: it does. */
export function skipped(r: Registration, facts: RunFacts): SkipReason | undefined {
  return r.skip?.reason ?? lookAt(r, facts);
}

/** Not a loop, because the walk checks before every call. */
function lookAt(r: Registration, facts: RunFacts): keyof typeof LOOKED_AT | undefined {
  if (byMatcher(r, facts)) return 'matcher';
  if (byRule(r, facts)) return 'if';
  return byOnce(r, facts) ? 'once' : undefined;
}

/** Explains a skip to people, naming what decided it where that is known. */
export function skipWords(r: Registration, reason: SkipReason, facts: RunFacts): string {
  return r.skip?.why ?? ALL[reason]?.words(r, facts) ?? SKIP_REASONS[reason].why;
}
