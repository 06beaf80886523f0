import type { Decision } from '../../host/types.js';

/** Who said no. `mode`: the permission mode asks nobody; `nobody`: there was nobody to ask; `failure`: a question was not answered properly. */
export type DeniedBy = 'hook' | 'rules' | 'mode' | 'classifier' | 'person' | 'nobody' | 'failure';

/** Whether a call may run, on which input, and what was said on the way. */
export interface Judgement {
  readonly verdict: 'run' | 'denied' | 'deferred';
  /** The final input; every guard that matches it has judged it. */
  readonly input: unknown;
  readonly pre: Decision<'PreToolUse'>;
  readonly granted: readonly unknown[];
  /** Who put this input in place of the one that was made, in words: hooks by their names. */
  readonly rewrittenBy?: readonly string[] | undefined;
  readonly by?: DeniedBy;
  readonly reason?: string | undefined;
  /** What the model reads of a denial. */
  readonly text?: string;
  /** Whoever denied it also interrupts the loop. */
  readonly interrupts?: boolean | undefined;
  /** A hook asked about it, or the user was asked: what they said is not said again of the same call. */
  readonly asked?: boolean | undefined;
  /** Who let it run; and the handler whose word it was, yes or no, where it was a hook's. */
  readonly approver?: Approver | undefined;
  readonly decidedBy?: string | undefined;
}

export type Approver = 'hook' | 'rule' | 'mode' | 'classifier' | 'user';
/** Whose word lets it run. */
export type Approval = Pick<Judgement, 'approver' | 'decidedBy'>;
