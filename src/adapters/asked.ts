import { isDeepStrictEqual } from 'node:util';
import { answeredBefore, wasApproved } from '../session/tool/approved.js';
import { copyInput, type ToolCall } from '../session/tool/call.js';
import type { Session } from '../session/types.js';

/** A question to a framework's user. */
interface Asked {
  readonly id: string | undefined;
  readonly name: string;
  /** The input that the model produced. */
  readonly made: unknown;
  /** The input after the hooks, if they had judged it by then. */
  readonly judged?: { readonly input: unknown } | undefined;
}

/** By session. The oldest questions without an answer are forgotten. */
const ASKED = new WeakMap<Session, Asked[]>();
const MOST = 1000;

/** The user is asked about the call, as it is or as hooks have judged it. */
export function noteAsked(
  session: Session,
  { id, name, input }: Pick<ToolCall, 'id' | 'name' | 'input'>,
  judged?: { readonly input: unknown },
): void {
  const all = ASKED.get(session) ?? [];
  ASKED.set(session, all);
  // In the form that JSON gives it: answers come back with conversations that were stored.
  all.push({ id, name, made: copyInput(input), judged: judged && { input: copyInput(judged.input) } });
  if (all.length > MOST) all.shift();
}

/** A call that comes with the user's answer. That counts for what this session has asked about, and for nothing else that has the call's id. */
export function answeredAsAsked(session: Session, call: ToolCall): ToolCall {
  const { id, name, input, pause } = call;
  const asked = ASKED.get(session)?.filter((one) => one.id === id) ?? [];
  if (!pause || asked.length === 0) return call;
  const same = asked.filter(({ name: was, made }) => isDeepStrictEqual([was, made], [name, copyInput(input)]));
  const isAsAsked = (now: unknown): boolean =>
    same.some(({ judged }) => !judged || isDeepStrictEqual(judged.input, copyInput(now)));
  return {
    ...call,
    needsApproval: call.needsApproval || same.length === 0,
    pause: answeredBefore(
      (now, told) =>
        isAsAsked(now)
          ? pause(now, told)
          : { behavior: 'deny', message: `The user was asked about another input of ${name}.` },
      (now) => isAsAsked(now) && wasApproved(pause, now),
    ),
  };
}
