import type { HandlerRecord, HandlerVerdict, RecordCopy } from '../../emit/record.js';
import type { EventSpec, Subject } from '../../events/spec.js';
import { type AnyDecision, makeDecision } from '../decide/decision.js';
import { fold } from '../decide/fold.js';
import type { HandlerResult } from '../decide/fold-common.js';

/** What is reported about a fire's end. */
export interface FireEnd {
  readonly decision: AnyDecision;
  /** What a hook that is not enforced would have decided, and its verdict; the decision is silence then. */
  readonly wouldDecide?: AnyDecision;
  readonly would?: HandlerVerdict;
  handlers(copy: RecordCopy): readonly HandlerRecord[];
}

/** `block` also of a stop event that would have gone on. */
function wouldBe({ verdict, blocked, continues }: AnyDecision): HandlerVerdict {
  return verdict ?? (blocked || continues ? 'block' : 'none');
}

/** The same of the answer of one call, which is the only one. */
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
    // One hook, so that what would be decided is what it says.
    handlers: (copy) =>
      Object.freeze(
        handlers(copy).map(({ verdict: _, ...row }) =>
          Object.freeze(row.status === 'skipped' ? row : { ...row, would }),
        ),
      ),
  };
}
