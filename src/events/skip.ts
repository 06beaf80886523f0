/** What a reason says to people. */
interface SkipWords {
  /** Why the hook did not run. */
  readonly why: string;
  /** What would have to change so that it does. `place`: its file, as text that is safe to print. */
  change(place: string): string;
}

/** Every reason why a registered hook does not run, with the words for people. A new one is added here, and where it is decided. */
export const SKIP_REASONS = {
  matcher: {
    why: 'its matcher did not match',
    change: (place) => `Widen its matcher in ${place}.`,
  },
  if: {
    why: 'its if rule did not match',
    change: (place) => `Change the rule in ${place} so that it matches, or remove it.`,
  },
  scope: {
    why: 'it belongs to another scope',
    change: (place) =>
      `Register it for the session or the host (in ${place}), or for this agent's type with spawnHooks.`,
  },
  policy: {
    why: 'a policy does not let it run',
    change: (place) => `Whoever manages the policy must let hooks of ${place} run.`,
  },
  disabled: {
    why: 'it is switched off',
    change: (place) => `Remove what switches off hooks of ${place}.`,
  },
  trust: {
    why: 'its file is not trusted yet',
    change: (place) => `Look at ${place} and accept it: hookscope trust.`,
  },
  duplicate: {
    why: 'the same hook already ran',
    change: () => 'Nothing, unless you want both: then they must differ in command, arguments or if rule.',
  },
  once: {
    why: 'it runs only once, and has already run',
    change: (place) => `Remove "once" in ${place}.`,
  },
  bailed: {
    why: 'a hook before it ended the run',
    change: () => 'That hook must not answer continue: false, or this one needs an earlier stage.',
  },
  shadow: {
    why: 'it is not enforced: it was asked after the decision, which it cannot change',
    change: (place) =>
      `Remove "enforce" in ${place}, so that what it says counts; hookscope history --shadow has what it would have said.`,
  },
  invalid: {
    why: 'it cannot run as it is written',
    change: (place) => `Correct it in ${place}: hookscope check says what is wrong.`,
  },
  unsupported: {
    why: 'only the agent that it was written for can run it',
    change: (place) => `Write it in ${place} as a command, or leave it to that agent.`,
  },
} as const satisfies Readonly<Record<string, SkipWords>>;

/** Why a registration did not run in a fire; the record carries it. */
export type SkipReason = keyof typeof SKIP_REASONS;

/** Why a hook did not run, as a record says it, which a later version may have written; not safe to print. */
export function skipWords(reason: string | undefined): string {
  if (reason === undefined) return 'no reason given';
  return Object.hasOwn(SKIP_REASONS, reason) ? SKIP_REASONS[reason as SkipReason].why : reason;
}
