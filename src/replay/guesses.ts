import type { Outcome } from '../events/output/outcome.js';
import { outputShape } from '../events/output/shape.js';
import { canBlock } from '../events/output/what-counts.js';
import type { EventSpec } from '../events/spec.js';
import type { Attempt } from '../host/call/attempt.js';
import type { Registration } from '../scopes/registration.js';
import { ANY_VALUE } from './look.js';

/** An answer that is assumed for every hook whose answer is not known, to see what the decision could be. */
export interface AnswerGuess {
  readonly name: string;
  /** The assumed result of a matcher or rule that reads unknown input. */
  readonly matches: boolean;
  /** The assumed answer. `again`: the hook is asked about an input that a guess has rewritten. */
  answer(r: Registration, again: boolean): Attempt;
}

const SILENT: Attempt = Object.freeze({});
const WHY = 'what it would have said is not known';

export const silence: AnswerGuess = { name: 'silence', matches: false, answer: () => SILENT };

const says = (name: string, outcome: Omit<Outcome, 'output'>): AnswerGuess => {
  const attempt: Attempt = { outcome: { output: {}, ...outcome } };
  return { name, matches: true, answer: () => attempt };
};

const GUESSES = new WeakMap<EventSpec, readonly AnswerGuess[]>();

/**
 * The possible answers of a hook on an event, except silence; the strictest first. The fold is monotone: if no answer changes the decision when
 * all unknown hooks give it, no mixture of answers changes the decision.
 */
export function guessesOn(spec: EventSpec): readonly AnswerGuess[] {
  const known = GUESSES.get(spec);
  if (known) return known;
  const all = makeGuesses(spec);
  GUESSES.set(spec, all);
  return all;
}

function makeGuesses(spec: EventSpec): readonly AnswerGuess[] {
  const shape = outputShape(spec);
  const guesses: AnswerGuess[] = [];
  if (spec.fold === 'gate')
    for (const verdict of ['deny', 'allow', 'ask'] as const) guesses.push(says(verdict, { verdict, reason: WHY }));
  if (spec.fold !== 'gate' && canBlock(spec)) guesses.push(says('block', { block: true, reason: WHY }));
  if (spec.fold === 'replace') guesses.push(says('value', { value: ANY_VALUE }));
  if (spec.rewrites !== undefined) guesses.push(rewrites());
  if (shape.hasContext) guesses.push(says('context', { additionalContext: WHY }));
  // It also keeps later hooks from being asked, whose answers could have mattered.
  if (spec.fold !== 'observe') guesses.push(says('end', { continue: false, stopReason: WHY }));
  // A list, because lists are joined; of other values, or of a list and another value, the last in plan order counts.
  const extras = Object.fromEntries(shape.extras.map((key) => [key, [ANY_VALUE]]));
  if (shape.extras.length > 0) guesses.push(says('extras', { specific: extras }));
  const failure = { cause: 'exit_code', message: WHY } as const;
  guesses.push({ name: 'failure', matches: true, answer: () => ({ failure }) });
  return guesses;
}

/** A rewrite to an unknown value. Hooks that would be asked about that value are assumed to have no opinion. */
function rewrites(): AnswerGuess {
  const attempt: Attempt = { outcome: { output: {}, rewrite: { value: ANY_VALUE } } };
  return { name: 'rewrite', matches: false, answer: (_, again) => (again ? SILENT : attempt) };
}
