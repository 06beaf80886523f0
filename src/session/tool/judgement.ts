import type { Decision } from '../../host/types.js';

/** Who denied it. `mode`: in the permission mode the user is not asked; `nobody`: there was no one to ask; `failure`: a question was not answered properly. */
export type DeniedBy = 'hook' | 'rules' | 'mode' | 'classifier' | 'person' | 'nobody' | 'failure';

/** Whether a call may run, on which input, and what was decided on the way. */
export interface Judgement {
  readonly verdict: 'run' | 'denied' | 'deferred';
  /** The final input; every guard that matches it has judged it. */
  readonly input: unknown;
  readonly pre: Decision<'PreToolUse'>;
  readonly granted: readonly unknown[];
  /** Who replaced the input, as text: hooks by name. */
  readonly rewrittenBy?: readonly string[] | undefined;
  readonly by?: DeniedBy;
  readonly reason?: string | undefined;
  /** The text of a denial for the model. */
  readonly text?: string;
  /** The denial also interrupts the loop. */
  readonly interrupts?: boolean | undefined;
  /** A hook asked about it, or the user was asked: their answers are not repeated for the same call. */
  readonly asked?: boolean | undefined;
  /** Who let it run; if a hook decided, yes or no, the handler. */
  readonly approver?: Approver | undefined;
  readonly decidedBy?: string | undefined;
}

export type Approver = 'hook' | 'rule' | 'mode' | 'classifier' | 'user';
/** Whose decision lets it run. */
export type Approval = Pick<Judgement, 'approver' | 'decidedBy' | 'reason'>;
