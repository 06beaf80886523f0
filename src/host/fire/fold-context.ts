import { copyJson } from '../../values/copies/copy.js';
import type { FoldContext } from '../decide/fold.js';
import type { AskingFire } from './elsewhere.js';
import type { Rewrites } from './rewrites.js';

/** What the fold needs besides the answers. */
export function foldContext(
  { services, subject, options }: Pick<AskingFire, 'services' | 'options'> & { readonly subject: string | undefined },
  rewrites: Rewrites | undefined,
  withheld: FoldContext['withheld'],
): FoldContext {
  return {
    decisions: services.decisions,
    subject,
    endedBy: options.endedBy,
    conflicts: rewrites?.conflicts,
    // The harness gets its own copy: changing it must not change the record.
    rewritten: rewrites?.rewritten && { value: copyJson(rewrites.rewritten.value) },
    withheld,
  };
}
