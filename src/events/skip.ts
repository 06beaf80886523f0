/** Every reason why a registered hook does not run, with the words for people. A new one is added here, and where it is decided. */
export const SKIP_REASONS = {
  matcher: 'its matcher did not match',
  if: 'its if rule did not match',
  scope: 'it belongs to another scope',
  policy: 'policy does not let it run',
  disabled: 'it is switched off',
  trust: 'its file is not trusted yet',
  duplicate: 'the same hook already ran',
  once: 'it runs once, and has',
  bailed: 'a hook before it ended the run',
  shadow: 'it is not enforced: it ran in the shadow of the decision',
  invalid: 'it cannot run as it is written',
  unsupported: 'another agent runs it, and this host cannot',
} as const;

/** Why a registration did not run in a fire; the record carries it. */
export type SkipReason = keyof typeof SKIP_REASONS;
