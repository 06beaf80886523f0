import { isDeepStrictEqual } from 'node:util';
import { answeredAbout, pauseAbout, priorAnswerOf } from '../session/tool/approved.js';
import { copyInput, type ToolCall } from '../session/tool/call.js';
import type { Session } from '../session/types.js';

/** A question to a framework's user. */
interface UserQuestion {
  readonly id: string | undefined;
  readonly name: string;
  /** The input that the model produced. */
  readonly made: unknown;
  /** The input that the user sees. */
  readonly shown: unknown;
  /** The call was made again with the answer. */
  answered: boolean;
}

/** Open questions by session; beyond `MOST`, the oldest are forgotten. */
const ASKED = new WeakMap<Session, UserQuestion[]>();
const MOST = 1000;

/** Notes that the user is asked about a call, and sees the model's input or `shown`. It replaces an earlier question about the same call. */
export function noteAsked(
  session: Session,
  { id, name, input }: Pick<ToolCall, 'id' | 'name' | 'input'>,
  shown: unknown = input,
): void {
  // Stored as JSON, because answers come back with conversations that were stored.
  const one = { id, name, made: copyInput(input), shown: copyInput(shown), answered: false };
  const others = (ASKED.get(session) ?? []).filter((other) => other.id !== id || !isAbout(other, one));
  ASKED.set(session, [...others, one].slice(-MOST));
}

const isAbout = (one: UserQuestion, { name, made }: Pick<UserQuestion, 'name' | 'made'>): boolean =>
  isDeepStrictEqual([one.name, one.made], [name, made]);

/**
 * The call with its `pause` restricted to what the user saw: the answer does not count for another input with the same id, nor for an older question while a newer one
 * about the id is open. `showsJudged`: users of this program see inputs after the hooks' rewrites; what they saw in another session is not known.
 */
export function answeredAsAsked(session: Session, call: ToolCall, showsJudged: boolean): ToolCall {
  const { id, name, input, pause } = call;
  const asked = ASKED.get(session)?.filter((one) => one.id === id) ?? [];
  const elsewhere = asked.length === 0;
  if (elsewhere && (!pause || showsJudged || priorAnswerOf(pause) === undefined)) return call;
  const made = copyInput(input);
  const open = asked.filter((one) => !one.answered);
  const about = (open.length === 0 ? asked : open).filter((one) => isAbout(one, { name, made }));
  for (const one of about) one.answered = true;
  if (!pause || priorAnswerOf(pause) === 'refused') return call;
  const same = elsewhere ? [{ shown: made }] : about;
  const isShown = (now: unknown): boolean => {
    const copy = copyInput(now);
    return same.some(({ shown }) => isDeepStrictEqual(shown, copy));
  };
  return { ...call, pause: answeredAbout(pause, isShown) };
}

/** Calls about which the framework asks its user anyway. */
const OWN = new WeakSet<ToolCall>();

/** Marks a call about which the framework asks its user whatever hooks, modes and the session's `ask` say, unless it is denied. */
export function askedInAnyCase(call: ToolCall): ToolCall {
  OWN.add(call);
  return call;
}

/** The `pause` of a call that the user is asked about before it is made. */
export function asking(
  call: ToolCall,
  { showsJudged }: { readonly showsJudged: boolean },
  pause: ToolCall['pause'] & {},
) {
  const isShown = (now: unknown): boolean => showsJudged || isDeepStrictEqual(copyInput(call.input), copyInput(now));
  return pauseAbout(pause, { isShown, inAnyCase: OWN.has(call), asker: showsJudged ? 'onAsk' : undefined });
}
