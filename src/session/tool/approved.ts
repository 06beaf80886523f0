import type { ToolCall } from './call.js';

type Pause = NonNullable<ToolCall['pause']>;

/** Which inputs of a call a question to a framework's user is about. */
interface About {
  /** Whether the user sees this input, or saw it. Nobody has a say about another. */
  readonly isShown: (input: unknown) => boolean;
  /** The user has answered before the call is made: whether the answer lets the input run that was shown. Absent: there is no answer yet. */
  readonly isAllowed?: ((input: unknown) => boolean) | undefined;
}

/** By the function that a call has as its `pause`. */
const ABOUT = new WeakMap<Pause, About>();

/** The `pause` of a call of which the user sees, or saw, certain inputs only: for another it is not called, and nobody can be asked. */
export function askedAbout(pause: Pause, about: About): Pause {
  ABOUT.set(pause, about);
  return pause;
}

/** The `pause` of a call that the user has allowed before it is made. */
export const approved = (): Pause =>
  askedAbout(() => ({ behavior: 'allow' }), { isShown: () => true, isAllowed: () => true });

/** Whether the user has answered before the call was made. */
export const isAnswered = (pause: Pause | undefined): boolean => aboutOf(pause)?.isAllowed !== undefined;

/** Whether the user has allowed the input before the call was made. */
export const wasApproved = (pause: Pause | undefined, input: unknown): boolean => {
  const about = aboutOf(pause);
  return about?.isAllowed !== undefined && about.isShown(input) && about.isAllowed(input);
};

/** Whether the user does not see the input, or did not see it. */
export const isUnseen = (pause: Pause | undefined, input: unknown): boolean => aboutOf(pause)?.isShown(input) === false;

const aboutOf = (pause: Pause | undefined): About | undefined => (pause === undefined ? undefined : ABOUT.get(pause));

/** Why nobody can be asked about an input that the user does not see. `by`: who has rewritten it since the call was made. */
export function unseenInput(name: string, pause: Pause | undefined, by: readonly string[]): string {
  const shown = 'Give the adapter an onAsk that shows your user the input as hooks leave it.';
  const who = by.join(' and ');
  if (!isAnswered(pause))
    return `Nobody was asked about ${name}: the user would not see its input as ${who} left it. ${shown}`;
  const said = `The user was asked about another input of ${name}`;
  return by.length === 0 ? `${said}.` : `${said}, before ${who} rewrote it. ${shown}`;
}
