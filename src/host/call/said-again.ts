import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import type { Attempt } from './attempt.js';
import type { FireFacts } from './facts.js';

/** Returns a hook's recorded result without running the hook. */
export type AnswerFunction = (fire: FireFacts, registration: Registration, input: Json) => Attempt;

/** The recorded answer of a hook that is not run again. */
export const answerOf = ({ work }: Registration): AnswerFunction | undefined =>
  (work as { readonly answer?: AnswerFunction }).answer;
