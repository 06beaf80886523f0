import type { EventSpec, Exit2 } from './spec.js';

export const ON_FAILURE = ['continue', 'block', 'ask'] as const;
/** What a failure means: continue, block (on a gate: deny), or ask the user. */
export type OnFailure = (typeof ON_FAILURE)[number];

/** Why a handler failed, each cause by its own name (docs/semantics.md 8). */
export type Cause =
  | 'threw'
  | 'timeout'
  | 'spawn_failed'
  | 'exit_code'
  | 'signal'
  | 'bad_json'
  | 'bad_schema'
  | 'too_large'
  | 'http_status'
  | 'connection'
  | 'aborted'
  | 'worker_died'
  | 'untrusted';

export interface Failure {
  readonly cause: Cause;
  readonly message: string;
  /** It counts as a block whatever the registration's `onFailure` says (docs/semantics.md 8). */
  readonly blocks?: true;
}

/** The effect of a handler's failure on the decision. */
export type FailureEffect = 'none' | 'ask' | 'deny' | 'block';

/**
 * The published table of failures (docs/semantics.md 8): policy by what the event can do. Every cause of failure is treated alike,
 * but for `untrusted` (`effectOf`).
 */
export function failureEffect(spec: EventSpec, onFailure: OnFailure): FailureEffect {
  if (spec.failure === 'fails') return 'block';
  if (spec.failure === 'ignored' || onFailure === 'continue') return 'none';
  if (spec.fold === 'gate') {
    if (onFailure === 'block') return 'deny';
    return spec.askOnFailure === false ? 'none' : 'ask';
  }
  return isBlocked(spec) ? 'block' : 'none';
}

/** Whether there is something to block. Where a block means a value of its own, as the declining of an elicitation, that is a hook's word and no failure's. */
const isBlocked = ({ fold, exit2, blockValue }: EventSpec): boolean =>
  fold === 'block' || (fold === 'replace' && exit2 === 'block' && blockValue === undefined);

/** Like `failureEffect`, for a failure that may count whatever the policy says. */
export function effectOf(
  spec: EventSpec,
  onFailure: OnFailure,
  failure: Pick<Failure, 'cause' | 'blocks'>,
): FailureEffect {
  if (failure.blocks) return failureEffect(spec, 'block');
  if (failure.cause !== 'untrusted' || onFailure === 'block') return failureEffect(spec, onFailure);
  // An accepted guard could not judge it: the user or an approver must; if nobody can be asked, it is denied.
  return failureEffect(spec, spec.askOnFailure ? 'ask' : 'block');
}

/** What exit code 2 of a command is; `fails`: a failure like any other code. */
export type Exit2Meaning = Exit2 | 'fails';

/** An event that fails as a whole has no use for a verdict. */
export const exit2Of = ({ exit2, failure }: Pick<EventSpec, 'exit2' | 'failure'>): Exit2Meaning =>
  failure === 'fails' ? 'fails' : exit2;

/** Whether exit code 2 is an answer: a block, or feedback on what has happened already. */
export const answersByExit2 = (spec: Pick<EventSpec, 'exit2' | 'failure'>): boolean =>
  exit2Of(spec) === 'block' || exit2Of(spec) === 'feedback';
