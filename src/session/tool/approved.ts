import type { ToolCall } from './call.js';

type Pause = NonNullable<ToolCall['pause']>;

/** The user's answer from before the call is made. `told`: calling the `pause` returns it. */
export type PriorAnswer = 'allowed' | 'refused' | 'told';

/** What is known about a question to a framework's user: the inputs that it is about, and the answer. */
interface InputApproval {
  /** Whether the user sees or saw this input; the answer counts for no other. */
  readonly isShown: (input: unknown) => boolean;
  /** Absent if there is no answer yet. */
  readonly answer?: PriorAnswer | undefined;
  /** The user allowed all calls of the tool. This answers the tool's own questions about any input, but not those of hooks. */
  readonly always?: boolean | undefined;
  /** The framework asks its user in any case: no hook, mode or `ask` of the session can answer instead. */
  readonly inAnyCase?: boolean | undefined;
  /** The name of what asks, for errors. Default: `ask`. */
  readonly asker?: string | undefined;
}

/** The questions, by the call's `pause` function. */
const ABOUT = new WeakMap<Pause, InputApproval>();

/** Marks a `pause` whose user sees or saw only certain inputs. For any other input it is not called, and nobody can be asked. */
export function pauseAbout(pause: Pause, about: InputApproval): Pause {
  ABOUT.set(pause, about);
  return pause;
}

/** The `pause` of a call that the user allowed before it is made. `always`: all calls of the tool were allowed. */
export const approved = (always = false): Pause =>
  pauseAbout(() => ({ behavior: 'allow' }), { isShown: () => true, answer: 'allowed', always });

/** The `pause` of a call that the user refused before it is made. */
export const refusal = (message: string | undefined): Pause =>
  pauseAbout(() => ({ behavior: 'deny', message }), { isShown: () => true, answer: 'refused' });

/** The user's answer from before the call was made; `undefined` if there is none. */
export const priorAnswerOf = (pause: Pause | undefined): PriorAnswer | undefined => aboutOf(pause)?.answer;

/** The same `pause`, restricted to these inputs. One without a known answer returns it when it is called (`told`). */
export function answeredAbout(pause: Pause, isShown: InputApproval['isShown']): Pause {
  const { answer = 'told', always } = aboutOf(pause) ?? {};
  // A new function, because the given one may be the `pause` of other calls too.
  const own: Pause = (now, told) => pause(now, told);
  return pauseAbout(own, { isShown, answer, always });
}

/** Whether the user allowed this input before the call was made. */
export const wasApproved = (pause: Pause | undefined, input: unknown): boolean =>
  priorAnswerOf(pause) === 'allowed' && !isUnseen(pause, input);

/** Whether the user does not see, or did not see, this input. */
export const isUnseen = (pause: Pause | undefined, input: unknown): boolean => aboutOf(pause)?.isShown(input) === false;

/** Whether the user's answer is about another input. An approval of all calls of the tool is not about an input. */
export const isForAnother = (pause: Pause | undefined, input: unknown): boolean =>
  priorAnswerOf(pause) !== undefined && aboutOf(pause)?.always !== true && isUnseen(pause, input);

/** Whether the user decides about the call in every permission mode. */
export const isForUser = (pause: Pause | undefined): boolean =>
  aboutOf(pause)?.inAnyCase === true || priorAnswerOf(pause) === 'refused';

/** Whether only the user's answer counts for this input, and the `pause` returns it. */
export const answersAlone = (pause: Pause | undefined, input: unknown): boolean =>
  isForUser(pause) || (priorAnswerOf(pause) === 'told' && !isUnseen(pause, input));

/** The name of what asks the user. */
export const askerOf = (pause: Pause | undefined): string => aboutOf(pause)?.asker ?? 'ask';

const aboutOf = (pause: Pause | undefined): InputApproval | undefined =>
  pause === undefined ? undefined : ABOUT.get(pause);

/** The reason why nobody can be asked about an input that the user does not see. `by`: who rewrote it since the call was made. */
export function unseenInput(name: string, pause: Pause | undefined, by: readonly string[]): string {
  const shown = 'Give the adapter an onAsk that shows your user the input as hooks leave it.';
  const who = by.join(' and ');
  if (priorAnswerOf(pause) === undefined)
    return `Nobody was asked about ${name}: the user would not see its input as ${who} left it. ${shown}`;
  const said = `The user was asked about another input of ${name}`;
  return by.length === 0 ? `${said}.` : `${said}, before ${who} rewrote it. ${shown}`;
}
