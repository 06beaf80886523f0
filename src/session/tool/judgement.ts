import type { Decision } from '../../host/types.js';

/** Who denied a call. `mode`: the permission mode does not ask the user; `nobody`: there was no one to ask; `failure`: a callback gave no valid answer. */
export type DeniedBy = 'hook' | 'rules' | 'mode' | 'classifier' | 'person' | 'nobody' | 'failure';

/** Whether a call may run, with which input, and how that was decided. */
export interface Judgement {
  readonly verdict: 'run' | 'denied' | 'deferred';
  /** The final input, which every matching guard has judged. */
  readonly input: unknown;
  readonly pre: Decision<'PreToolUse'>;
  readonly granted: readonly unknown[];
  /** Who rewrote the input, as texts for messages. */
  readonly rewrittenBy?: readonly string[] | undefined;
  readonly by?: DeniedBy;
  readonly reason?: string | undefined;
  /** The text of a denial for the model. */
  readonly text?: string;
  /** The denial also interrupts the loop. */
  readonly interrupts?: boolean | undefined;
  /** A hook asked, or the user was asked. Such a judgement is not used again for the same call. */
  readonly asked?: boolean | undefined;
  /** Who let the call run. `decidedBy`: the handler, if a hook allowed or denied it. */
  readonly approver?: ApproverKind | undefined;
  readonly decidedBy?: string | undefined;
}

export type ApproverKind = 'hook' | 'rule' | 'mode' | 'classifier' | 'user';
/** Who let a call run. */
export type Approval = Pick<Judgement, 'approver' | 'decidedBy' | 'reason'>;
