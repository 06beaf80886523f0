import type { ToolCall } from './call.js';

type Pause = NonNullable<ToolCall['pause']>;

/** How the user has answered before the call is made. `told`: the `pause` gives the answer. */
export type Answer = 'allowed' | 'refused' | 'told';

/** Which inputs of a call a question to a framework's user is about, and what is known of the answer. */
interface About {
  /** Whether the user sees this input, or saw it. Nobody has a say about another. */
  readonly isShown: (input: unknown) => boolean;
  /** Absent: there is no answer yet. */
  readonly answer?: Answer | undefined;
  /** The user has allowed all calls of the tool: whichever input the tool itself asks about, but not what hooks ask about. */
  readonly always?: boolean | undefined;
  /** The framework asks its user in any case: no hook, mode or `ask` of a session answers in their place. */
  readonly inAnyCase?: boolean | undefined;
  /** What asks, for errors. Absent: `ask`. */
  readonly asker?: string | undefined;
}

/** By the function that a call has as its `pause`. */
const ABOUT = new WeakMap<Pause, About>();

/** The `pause` of a call of which the user sees, or saw, certain inputs only: for another it is not called, and nobody can be asked. */
export function askedAbout(pause: Pause, about: About): Pause {
  ABOUT.set(pause, about);
  return pause;
}

/** The `pause` of a call that the user has allowed before it is made. `always`: with all calls of its tool. */
export const approved = (always = false): Pause =>
  askedAbout(() => ({ behavior: 'allow' }), { isShown: () => true, answer: 'allowed', always });

/** The `pause` of a call that the user has refused before it is made. */
export const refusal = (message: string | undefined): Pause =>
  askedAbout(() => ({ behavior: 'deny', message }), { isShown: () => true, answer: 'refused' });

/** `undefined`: the user has not answered before the call was made. */
export const answerOf = (pause: Pause | undefined): Answer | undefined => aboutOf(pause)?.answer;

/** The same answer, about these inputs alone. What is not known to be an answer gives it when it is called. */
export function answeredAbout(pause: Pause, isShown: About['isShown']): Pause {
  const { answer = 'told', always } = aboutOf(pause) ?? {};
  // One function for the question, which is not the one that others may have.
  const own: Pause = (now, told) => pause(now, told);
  return askedAbout(own, { isShown, answer, always });
}

/** Whether the user has allowed the input before the call was made. */
export const wasApproved = (pause: Pause | undefined, input: unknown): boolean =>
  answerOf(pause) === 'allowed' && !isUnseen(pause, input);

/** Whether the user does not see the input, or did not see it. */
export const isUnseen = (pause: Pause | undefined, input: unknown): boolean => aboutOf(pause)?.isShown(input) === false;

/** Whether the user has answered about another input: a yes to all calls of the tool is no such answer. */
export const isForAnother = (pause: Pause | undefined, input: unknown): boolean =>
  answerOf(pause) !== undefined && aboutOf(pause)?.always !== true && isUnseen(pause, input);

/** Whether the user has the say about the call, in every permission mode. */
export const isForUser = (pause: Pause | undefined): boolean =>
  aboutOf(pause)?.inAnyCase === true || answerOf(pause) === 'refused';

/** Whether only the user's own answer counts about the input, and the `pause` gives it. */
export const answersAlone = (pause: Pause | undefined, input: unknown): boolean =>
  isForUser(pause) || (answerOf(pause) === 'told' && !isUnseen(pause, input));

/** What asks the user. */
export const askerOf = (pause: Pause | undefined): string => aboutOf(pause)?.asker ?? 'ask';

const aboutOf = (pause: Pause | undefined): About | undefined => (pause === undefined ? undefined : ABOUT.get(pause));

/** Why nobody can be asked about an input that the user does not see. `by`: who has rewritten it since the call was made. */
export function unseenInput(name: string, pause: Pause | undefined, by: readonly string[]): string {
  const shown = 'Give the adapter an onAsk that shows your user the input as hooks leave it.';
  const who = by.join(' and ');
  if (answerOf(pause) === undefined)
    return `Nobody was asked about ${name}: the user would not see its input as ${who} left it. ${shown}`;
  const said = `The user was asked about another input of ${name}`;
  return by.length === 0 ? `${said}.` : `${said}, before ${who} rewrote it. ${shown}`;
}
