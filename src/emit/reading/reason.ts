import { isObject } from '../../values/shape.js';
import type { FireRecord, HandlerRecord } from '../fire-record.js';

/** Whose reason a decision has. A gate has its decider's; other folds have those of all hooks that decided the same, a line each. */
export interface ToldReason {
  /** The deciding hook's own reason. */
  readonly own?: string;
  /** If that hook gave none: the first hook that gave a reason. */
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
  // The record does not hold all outputs.
  return { own: reason };
}

function wordsOf({ output, failure }: HandlerRecord): string | undefined {
  const { reason, stopReason }: Readonly<Record<string, unknown>> = isObject(output) ? output : {};
  const text = [reason, stopReason, failure?.message].find((one) => typeof one === 'string' && one !== '');
  return text as string | undefined;
}
