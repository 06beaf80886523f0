import type { Attempt } from '../../host/call/attempt.js';
import type { Registration } from '../../scopes/registration.js';
import type { KnownAnswer } from '../recorded.js';

const RANK: Readonly<Record<string, number>> = { none: 0, allow: 1, ask: 2, defer: 3, deny: 4, block: 4 };

/** Whether a recorded answer was damaged: it gives another verdict than the recorded one. A failure may have been stricter than its output. */
export function isOtherwise(
  { verdict, failure }: Pick<KnownAnswer, 'verdict' | 'failure'>,
  { outcome = { output: {} } }: Attempt,
  { phase }: Pick<Registration, 'phase'>,
): boolean {
  if (verdict === undefined || phase !== 'decide') return false;
  const { verdict: word, block, value, continue: goesOn } = outcome;
  const said = word ?? (block ? 'block' : 'none');
  // What these two decide depends on the registration, so any verdict is possible.
  const isOpen = goesOn !== undefined || value !== undefined;
  if (said === verdict || (isOpen && said === 'none')) return false;
  // An allow is dropped if its own rewrite did not run, and `continue: false` can become a deny.
  if ((said === 'allow' && verdict === 'none') || (goesOn === false && verdict === 'deny')) return false;
  return failure === undefined || (RANK[said] ?? 0) > (RANK[verdict] ?? 0);
}
