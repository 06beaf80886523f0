/** How the reason begins where hooks had answered, and nobody heard it. */
export const NOBODY_HEARS = 'standard output is closed or ignored, so nobody hears the answer';

/** Why hookscope itself answered, in general, from the `unanswered` of records. */
export function whyItself(reasons: readonly string[]): string {
  const unheard = reasons.filter((reason) => reason.startsWith(NOBODY_HEARS)).length;
  if (unheard === 0) return 'since the hooks could not be asked, or had not all answered';
  const lost = 'since the answer of the hooks could not be given';
  return unheard === reasons.length ? lost : `${lost}, or the hooks could not be asked, or had not all answered`;
}
