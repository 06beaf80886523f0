import type { HandlerRecord, HandlerVerdict, RecordCopy } from '../../emit/record.js';
import type { EventSpec } from '../../events/spec.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';

/** What is reported about a fire's end. */
export interface FireEnd {
  readonly decision: AnyDecision;
  /** What a hook that is not enforced would have said; the decision is silence then. */
  readonly would?: HandlerVerdict;
  handlers(copy: RecordCopy): readonly HandlerRecord[];
}

/** `block` also of a stop event that would have gone on. */
function wouldBe({ verdict, blocked, continues }: AnyDecision): HandlerVerdict {
  return verdict ?? (blocked || continues ? 'block' : 'none');
}

export function asShadow(
  spec: EventSpec,
  decision: AnyDecision,
  handlers: (copy: RecordCopy) => readonly HandlerRecord[],
): FireEnd {
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
