import type { HandlerRecord, HandlerVerdict, RecordCopy } from '../../emit/record.js';
import type { EventSpec } from '../../events/define.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';

/** What is told of a hook that is not enforced: a decision that is silence, and what the hook would have said. */
interface ToldShadow {
  readonly decision: AnyDecision;
  readonly would: HandlerVerdict;
  handlers(copy: RecordCopy): readonly HandlerRecord[];
}

/** `block` also of a stop event that would have gone on. */
function wouldBe({ verdict, blocked, continues }: AnyDecision): HandlerVerdict {
  return verdict ?? (blocked || continues ? 'block' : 'none');
}

/** What one that is not enforced says is no part of a decision. */
export function saidOf(
  shadow: boolean,
  decision: HandlerVerdict | undefined,
): { readonly decision?: HandlerVerdict | undefined; readonly would?: HandlerVerdict } {
  return shadow ? { would: decision ?? 'none' } : { decision };
}

export function asShadow(
  spec: EventSpec,
  decision: AnyDecision,
  handlers: (copy: RecordCopy) => readonly HandlerRecord[],
): ToldShadow {
  return {
    decision: makeDecision(spec, undefined, []),
    would: wouldBe(decision),
    handlers: (copy) =>
      Object.freeze(
        handlers(copy).map(({ verdict = 'none', ...row }) =>
          Object.freeze(row.status === 'skipped' ? row : { ...row, would: verdict }),
        ),
      ),
  };
}
