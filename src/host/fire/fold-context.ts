import type { HookscopeError } from '../../errors.js';
import type { Subject } from '../../events/spec.js';
import { copyJson } from '../../values/copies/copy.js';
import type { FoldContext } from '../decide/fold.js';
import type { AskingFire } from './open-ask.js';
import { outermostAsk } from './policy.js';
import type { Rewrites } from './rewrites.js';

/** What the fold needs besides the answers. */
export function foldContext(
  run: AskingFire & {
    readonly subject: Subject;
    readonly asksByPolicy: boolean;
    readonly cancelled: HookscopeError | undefined;
  },
  rewrites: Rewrites | undefined,
  withheld: FoldContext['withheld'],
  policyAsks = run.asksByPolicy,
): FoldContext {
  const { services, subject, options } = run;
  return {
    policyAsks,
    askedAt: () => outermostAsk(run),
    decisions: services.decisions,
    subject,
    cancelled: run.cancelled !== undefined,
    endedBy: options.endedBy,
    conflicts: rewrites?.conflicts,
    // The harness gets its own copy: changing it must not change the record.
    rewritten: rewrites?.rewritten && { value: copyJson(rewrites.rewritten.value) },
    withheld,
  };
}
