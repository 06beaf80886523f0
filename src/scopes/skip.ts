import type { EventSpec, Subject } from '../events/spec.js';
import { shownName } from '../events/tool-calls.js';
import type { KnownAgent } from '../matching/known-agent.js';
import type { Matcher } from '../matching/matcher.js';
import type { Rule } from '../matching/rule.js';

/** The fields of a registration that the checks read. A check that needs another field adds it here. */
interface SkippableHook {
  readonly spec: EventSpec;
  readonly matcher: Matcher;
  readonly rule?: Rule | undefined;
  readonly once: boolean;
  readonly scope: { claimed(registration: SkippableHook): boolean };
  readonly skip?: { readonly reason: SkipReason; readonly why: string } | undefined;
}

/** The call in its present state, as the checks see it. */
export interface SkipFacts extends KnownAgent {
  readonly subject: Subject;
  readonly input: Readonly<Record<string, unknown>>;
  /** The input that predicates get. */
  readonly view: Readonly<Record<string, unknown>>;
}

interface Reason {
  /** Why the hook did not run, in words. */
  readonly why: string;
  /** Whether something other than the hook's own conditions and the course of a fire keeps it from running: a problem of the hook, whatever is called. */
  readonly inTheWay: boolean;
  /** How to make the hook run. `place`: its file, as text that is safe to print. `records`: the option by which commands read the same records. */
  change(place: string, records?: string): string;
  /** Runs before every call. A reason without a check is found when the hook is registered or planned, or by the walk. */
  readonly check?: SkipCheck;
}

interface SkipCheck {
  /** Whether the check can skip a hook whose matcher accepts the subject. */
  canSkip(r: SkippableHook): boolean;
  skips(r: SkippableHook, facts: SkipFacts): boolean;
  /** Explains a skip and names the matcher or rule that caused it. */
  words(r: SkippableHook, facts: SkipFacts): string;
}

/** Every reason why a registered hook does not run, with its wording and, if it depends on the call, its check. */
export const SKIP_REASONS = {
  matcher: {
    why: 'its matcher did not match',
    inTheWay: false,
    change: (place) => `Widen its matcher in ${place}.`,
    check: {
      canSkip: ({ matcher }) => !matcher.all && !matcher.static,
      // Reading `facts.view` makes a proxy, so only predicates read it.
      skips: ({ matcher }, facts) =>
        !matcher.all && !matcher.matches(facts.subject, matcher.static ? undefined : facts.view, facts),
      words: ({ matcher, spec }, { subject }) =>
        `its matcher ${matcher.text} does not match ${subject == null ? `an input without ${spec.subjectField ?? 'a subject'}` : shownName(subject)}`,
    },
  },
  if: {
    why: 'its if rule did not match',
    inTheWay: false,
    change: (place) => `Change the rule in ${place} so that it matches, or remove it.`,
    check: {
      canSkip: ({ rule }) => rule !== undefined,
      skips: ({ rule, spec }, { input }) => rule !== undefined && !(spec.tool && rule.matches(input)),
      words: ({ rule, spec }) =>
        spec.tool
          ? `its rule ${rule?.text} ${rule?.permits ? 'is not known to cover all of the call, as one that allows must' : 'does not match'}`
          : `${spec.name} has no tool call for its rule ${rule?.text}`,
    },
  },
  scope: {
    why: 'it belongs to another scope',
    inTheWay: false,
    change: (place) =>
      `Register it for the session or the host (in ${place}), or for this agent's type with spawnHooks.`,
  },
  policy: {
    why: 'a policy does not let it run',
    inTheWay: true,
    change: (place) => `Whoever manages the policy must let hooks of ${place} run.`,
  },
  disabled: {
    why: 'it is switched off',
    inTheWay: true,
    change: (place) => `Remove what switches off hooks of ${place}.`,
  },
  trust: {
    why: 'its file is not trusted yet',
    inTheWay: true,
    change: (place) => `Look at ${place} and accept it: hookscope trust.`,
  },
  duplicate: {
    why: 'the same hook already ran',
    inTheWay: false,
    change: () => 'Nothing, unless you want both: then they must differ in what they run, or in their if rule.',
  },
  once: {
    why: 'it runs only once, and has already run',
    inTheWay: false,
    change: (place) => `Remove "once" in ${place}.`,
    check: {
      canSkip: ({ once }) => once,
      skips: (r, _) => r.once && r.scope.claimed(r),
      words: () => 'it has run once in this scope',
    },
  },
  bailed: {
    why: 'a hook before it ended the run',
    inTheWay: false,
    change: () => 'That hook must not answer continue: false, or this one needs an earlier stage.',
  },
  cancelled: {
    why: 'the fire was cancelled before its turn',
    inTheWay: false,
    change: () => 'The fire must go on until its turn comes.',
  },
  shadow: {
    why: 'it is not enforced: where its matcher and rule match, it is asked after the decision, which it cannot change',
    inTheWay: false,
    change: (place, records = '') =>
      `Remove "enforce" in ${place}, so that what it says counts; hookscope history --shadow${records} has what it would have said.`,
  },
  invalid: {
    why: 'it cannot run as it is written',
    inTheWay: true,
    change: (place) => `Correct it in ${place}: hookscope check says what is wrong.`,
  },
  unsupported: {
    why: 'only the agent that it was written for can run it',
    inTheWay: true,
    change: (place) => `Write it in ${place} as a command, or leave it to that agent.`,
  },
} as const satisfies Readonly<Record<string, Reason>>;

/** Why a registration did not run in a fire; the record carries it. */
export type SkipReason = keyof typeof SKIP_REASONS;

type WithCheck = {
  [Name in SkipReason]: (typeof SKIP_REASONS)[Name] extends { check: SkipCheck } ? Name : never;
}[SkipReason];

const ALL: Readonly<Record<SkipReason, Reason>> = SKIP_REASONS;
const CAN_SKIP = Object.values(ALL).flatMap(({ check }) => check?.canSkip ?? []);
const CHECKS = Object.fromEntries(Object.entries(ALL).map(([name, { check }]) => [name, check?.skips])) as {
  readonly [Name in WithCheck]: SkipCheck['skips'];
};
// Separate constants, because looking the checks up in the table makes the walk a few percent slower. A check that has no constant does not compile.
const { matcher: byMatcher, if: byRule, once: byOnce, ...unnamed } = CHECKS;
unnamed satisfies Record<string, never>;

/** Whether more than the subject decides if the hook runs. */
export const isLookedAt = (r: SkippableHook): boolean => CAN_SKIP.some((canSkip) => canSkip(r));

/** Why a candidate does not run on the input in its present state; `undefined` if it runs. */
export function skipped(r: SkippableHook, facts: SkipFacts): SkipReason | undefined {
  return r.skip?.reason ?? lookAt(r, facts);
}

/** Written out instead of a loop for speed: the walk calls it before every hook. */
function lookAt(r: SkippableHook, facts: SkipFacts) {
  if (byMatcher(r, facts)) return 'matcher';
  if (byRule(r, facts)) return 'if';
  return byOnce(r, facts) ? 'once' : undefined;
}
// A check that `lookAt` does not make does not compile.
[] as Exclude<WithCheck, ReturnType<typeof lookAt>>[] satisfies never[];

/** Explains a skip in words and, where possible, names what caused it. */
export function explainSkip(r: SkippableHook, reason: SkipReason, facts: SkipFacts): string {
  return r.skip?.why ?? ALL[reason].check?.words(r, facts) ?? ALL[reason].why;
}

/** Why a hook with a matcher runs if the subject is null. */
export const unknownSubject = ({ matcher }: { readonly matcher: Matcher }): string =>
  `the subject of the event could not be computed, so it runs whatever its matcher ${matcher.text} says`;

/** The words for a skip reason from a record. A later version may have written the record, so the result may be any text and is not safe to print. */
export function skipWords(reason: string | undefined): string {
  if (reason === undefined) return 'no reason given';
  return Object.hasOwn(SKIP_REASONS, reason) ? SKIP_REASONS[reason as SkipReason].why : reason;
}

/** Whether a skip reason from a record means that something is in the hook's way. */
export const isInTheWay = (reason: string): boolean =>
  Object.hasOwn(SKIP_REASONS, reason) && SKIP_REASONS[reason as SkipReason].inTheWay;
