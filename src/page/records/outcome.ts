import { isWithdrawn } from '../../emit/reading/answers.js';
import { isGiven } from '../../emit/reading/value.js';
import type { FireRecord } from '../../emit/record.js';
import type { RunEnd } from '../../why/background.js';
import { isBlocked, isShadow } from '../../why/meaning.js';

/** The results of a fire, the least important first: later ones are drawn over earlier ones. */
export const OUTCOMES = ['shadow', 'quiet', 'allowed', 'rewritten', 'asked', 'failed', 'denied', 'alarm'] as const;
export type FireOutcome = (typeof OUTCOMES)[number];

/** The outcomes as the page names them. */
export const OUTCOME_WORDS: Readonly<Record<FireOutcome, string>> = {
  shadow: 'not enforced',
  quiet: 'no opinion',
  allowed: 'allowed',
  rewritten: 'rewritten',
  asked: 'asked',
  failed: 'failed',
  denied: 'denied',
  alarm: 'alarm',
};

export const bitOf = (outcome: FireOutcome): number => 1 << OUTCOMES.indexOf(outcome);
export const SHADOW: number = bitOf('shadow');

/** All outcomes of a fire, as bits: it may be denied, and also have a hook that failed. `ends`: the ends of its background hooks. */
export function marksOf(fire: FireRecord, ends: readonly RunEnd[] = []): number {
  // Whatever its hook would have said, it had no effect.
  if (isShadow(fire)) return SHADOW;
  const { decision, handlers, error, unanswered } = fire;
  const hasFailed =
    handlers.some(({ status }) => status === 'failed') || ends.some(({ failure }) => failure !== undefined);
  const marks: FireOutcome[] = [
    ...(isBlocked(fire) ? ['denied' as const] : []),
    ...(error !== undefined || unanswered !== undefined || hasFailed ? ['failed' as const] : []),
    ...(decision.verdict === 'ask' || decision.verdict === 'defer' ? ['asked' as const] : []),
    ...((fire.final_input === undefined || isWithdrawn(fire)) && !isGiven(decision) ? [] : ['rewritten' as const]),
    ...(decision.verdict === 'allow' ? ['allowed' as const] : []),
  ];
  return marks.length === 0 ? bitOf('quiet') : marks.reduce((sum, mark) => sum | bitOf(mark), 0);
}

/** The text for a record that lists no hook; undefined if it lists some. */
export function noHookWords({ handlers, error, unanswered }: FireRecord): string | undefined {
  if (handlers.length > 0) return undefined;
  if (unanswered !== undefined) return 'Hookscope itself answered: which hooks are registered for it is not known.';
  return error === undefined ? 'No hook is registered for it.' : 'No hook was asked.';
}

/** The marks of a fire of which a background hook has failed. */
export const withFailure = (marks: number): number =>
  marks === SHADOW ? marks : (marks & ~bitOf('quiet')) | bitOf('failed');

/** The gravest of the marks, as an index in `OUTCOMES`. */
export const gravest = (marks: number): number => 31 - Math.clz32(marks | 1);
