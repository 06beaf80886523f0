import { isObject } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';

/** Whose reason a decision tells. A gate tells its decider's; the others tell those of all hooks that decided the same, a line each. */
export interface ToldReason {
  /** What the hook that decided said itself. */
  readonly own?: string;
  /** Where that said nothing: the first hook that did. */
  readonly other?: { readonly id: string; readonly text: string };
}

export function reasonIn({ decision, handlers }: Pick<FireRecord, 'decision' | 'handlers'>): ToldReason {
  const { fold, reason, decidedBy } = decision;
  if (reason === undefined) return {};
  const decider = handlers.find(({ id }) => id === decidedBy);
  if (fold === 'gate' || decider === undefined) return { own: reason };
  const isTold = (text: string | undefined): text is string =>
    text !== undefined && `\n${reason}\n`.includes(`\n${text}\n`);
  const own = wordsOf(decider);
  if (isTold(own)) return { own };
  for (const handler of handlers) {
    const text = handler === decider || handler.phase === 'observe' ? undefined : wordsOf(handler);
    if (isTold(text)) return { other: { id: handler.id, text } };
  }
  // The record does not hold all that was said.
  return { own: reason };
}

function wordsOf({ output, failure }: HandlerRecord): string | undefined {
  const { reason, stopReason }: Readonly<Record<string, unknown>> = isObject(output) ? output : {};
  const text = [reason, stopReason, failure?.message].find((one) => typeof one === 'string' && one !== '');
  return text as string | undefined;
}
