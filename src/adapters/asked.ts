import { isDeepStrictEqual } from 'node:util';
import { askedAbout, isAnswered, wasApproved } from '../session/tool/approved.js';
import { copyInput, type ToolCall } from '../session/tool/call.js';
import type { Session } from '../session/types.js';

/** A question to a framework's user. */
interface Asked {
  readonly id: string | undefined;
  readonly name: string;
  /** The input that the model produced. */
  readonly made: unknown;
  /** The input that the user sees. */
  readonly shown: unknown;
}

/** By session. The oldest questions without an answer are forgotten. */
const ASKED = new WeakMap<Session, Asked[]>();
const MOST = 1000;

/** The user is asked about the call, and sees the input that the model produced, or the one that is given. */
export function noteAsked(
  session: Session,
  { id, name, input }: Pick<ToolCall, 'id' | 'name' | 'input'>,
  shown: unknown = input,
): void {
  const all = ASKED.get(session) ?? [];
  ASKED.set(session, all);
  // In the form that JSON gives it: answers come back with conversations that were stored.
  all.push({ id, name, made: copyInput(input), shown: copyInput(shown) });
  if (all.length > MOST) all.shift();
}

/**
 * A call that comes with the user's answer. That counts for what the user saw, and for nothing else that has the call's id. `showsJudged`: users of this program see inputs as
 * hooks leave them; what they saw in another session is not known.
 */
export function answeredAsAsked(session: Session, call: ToolCall, showsJudged: boolean): ToolCall {
  const { id, name, input, pause } = call;
  if (!pause) return call;
  const asked = ASKED.get(session)?.filter((one) => one.id === id) ?? [];
  const elsewhere = asked.length === 0;
  if (elsewhere && (showsJudged || !isAnswered(pause))) return call;
  const made = copyInput(input);
  const same = elsewhere
    ? [{ shown: made }]
    : asked.filter((one) => isDeepStrictEqual([one.name, one.made], [name, made]));
  const isShown = (now: unknown): boolean => {
    const copy = copyInput(now);
    return same.some(({ shown }) => isDeepStrictEqual(shown, copy));
  };
  // One function for the question, which is not the one that others may have.
  const own: typeof pause = (now, told) => pause(now, told);
  return { ...call, pause: askedAbout(own, { isShown, isAllowed: (now) => wasApproved(pause, now) }) };
}

/** The `pause` of a call that the user is asked about before it is made. */
export function asking(
  call: ToolCall,
  { showsJudged }: { readonly showsJudged: boolean },
  pause: ToolCall['pause'] & {},
) {
  const isShown = (now: unknown): boolean => showsJudged || isDeepStrictEqual(copyInput(call.input), copyInput(now));
  return askedAbout(pause, { isShown });
}
