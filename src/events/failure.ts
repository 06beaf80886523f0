import type { EventSpec, Exit2 } from './spec.js';

export const ON_FAILURE = ['continue', 'block', 'ask'] as const;
/** What happens when a handler fails: continue, block (on a gate: deny), or ask the user. */
export type OnFailure = (typeof ON_FAILURE)[number];

/** How the warning begins that a hook has blocked by the exit code of an interpreter that could not read its program. */
export const INTERPRETER_DOUBT = 'Exit 2 blocked, but it looks like an error of the interpreter, not of the hook:';

/** Why a handler failed (docs/semantics.md 8). */
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
  /** The failure blocks whatever the registration's `onFailure` says (docs/semantics.md 8). */
  readonly blocks?: true;
}

/** The effect of a handler's failure on the decision. */
export type FailureEffect = 'none' | 'ask' | 'deny' | 'block';

/**
 * The published table of failures (docs/semantics.md 8): the effect of a failure policy, by what the event can do. All causes of
 * failure are treated alike, except `untrusted` (`effectOf`).
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

/** Whether a failure can block the event. Where a block stands for a value, such as declining an elicitation, only a hook may give that answer, not a failure. */
const isBlocked = ({ fold, exit2, blockValue }: EventSpec): boolean =>
  fold === 'block' || (fold === 'replace' && exit2 === 'block' && blockValue === undefined);

/** Like `failureEffect`, but also handles failures that count whatever the policy says. */
export function effectOf(
  spec: EventSpec,
  onFailure: OnFailure,
  failure: Pick<Failure, 'cause' | 'blocks'>,
): FailureEffect {
  if (failure.blocks) return failureEffect(spec, 'block');
  if (failure.cause !== 'untrusted' || onFailure === 'block') return failureEffect(spec, onFailure);
  // A guard that the user had accepted could not run, so the user or an approver must decide. If nobody can be asked, the action is denied.
  return failureEffect(spec, spec.askOnFailure ? 'ask' : 'block');
}

/** The meaning of a command's exit code 2; `fails`: it is a failure like any other code. */
export type Exit2Meaning = Exit2 | 'fails';

/** If a failure always fails the action, exit code 2 is a failure too. */
export const exit2Of = ({ exit2, failure }: Pick<EventSpec, 'exit2' | 'failure'>): Exit2Meaning =>
  failure === 'fails' ? 'fails' : exit2;

/** Whether exit code 2 is an answer: a block, or feedback on an action that has already happened. */
export const answersByExit2 = (spec: Pick<EventSpec, 'exit2' | 'failure'>): boolean =>
  exit2Of(spec) === 'block' || exit2Of(spec) === 'feedback';
