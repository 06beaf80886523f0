import type { CommandAnswer } from '../../server/agent-protocol.js';
import type { Protocol, ToldInput } from '../../server/protocol.js';

/** Why hookscope answers by itself, and the event as far as it was read. */
export interface OwnAnswer {
  readonly reason: string;
  readonly told?: ToldInput | undefined;
  /** The host that was to ask the hooks has emitted the record. */
  readonly isRecorded?: true;
}

const ANSWERS = new WeakMap<CommandAnswer, OwnAnswer>();

/** The same protocol, whose answers to failures are remembered for `ownAnswer`. */
export const knowingOwn = (protocol: Protocol): Protocol => ({
  ...protocol,
  fail(reason, policy, told) {
    const answer = protocol.fail(reason, policy, told);
    ANSWERS.set(answer, { reason, told });
    return answer;
  },
});

/** undefined: hooks have given this answer. */
export const ownAnswer = (answer: CommandAnswer): OwnAnswer | undefined => ANSWERS.get(answer);

/** Marks an answer as hookscope's own. */
export function markOwn(answer: CommandAnswer, own: OwnAnswer): CommandAnswer {
  ANSWERS.set(answer, own);
  return answer;
}
