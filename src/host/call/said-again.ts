import type { Registration } from '../../scopes/registration.js';
import type { Json } from '../../values/shape.js';
import type { Attempt } from './attempt.js';
import type { FireFacts } from './facts.js';

/** Returns a hook's recorded result without running the hook. */
export type AnswerSource = (fire: FireFacts, registration: Registration, input: Json) => Attempt;

/** The recorded answer of a hook that is not run again. */
export const recordedAnswerOf = ({ work }: Registration): AnswerSource | undefined =>
  (work as { readonly answer?: AnswerSource }).answer;
