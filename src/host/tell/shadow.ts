import type { HandlerRecord, HandlerVerdict, RecordCopy } from '../../emit/record.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import { fold } from '../decide/fold.js';
import type { HandlerResult } from '../decide/fold-common.js';

/** The fields of a fire's record that differ for a shadow. */
export interface FireEnd {
  readonly decision: AnyDecision;
  /** For a shadow: what the hook would have decided, and its verdict. `decision` is then that of silence. */
  readonly wouldDecide?: AnyDecision;
  readonly would?: HandlerVerdict;
  handlers(copy: RecordCopy): readonly HandlerRecord[];
}

/** The verdict of a decision; `block` also for a stop event whose loop would have continued. */
function wouldBe({ verdict, blocked, continues }: AnyDecision): HandlerVerdict {
  return verdict ?? (blocked || continues ? 'block' : 'none');
}

/** The verdict if this result were the only one. */
export function wouldSay(spec: EventSpec, subject: Subject, said: HandlerResult): HandlerVerdict {
  return wouldBe(fold(spec, [said], { decisions: 'strictest', subject }));
}

export function asShadow(
  spec: EventSpec,
  decision: AnyDecision,
  handlers: (copy: RecordCopy) => readonly HandlerRecord[],
): FireEnd {
  const would = wouldBe(decision);
  return {
    decision: makeDecision(spec, undefined, []),
    wouldDecide: decision,
    would,
    // A shadow runs one hook, so the verdict of the decision is that of its row.
    handlers: (copy) =>
      Object.freeze(
        handlers(copy).map(({ verdict: _, ...row }) =>
          Object.freeze(row.status === 'skipped' ? row : { ...row, would }),
        ),
      ),
  };
}
