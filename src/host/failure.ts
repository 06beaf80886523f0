import type { EventEntry } from '../events/define.js';
import type { OnFailure } from '../scopes/registration.js';
import type { Failure } from './handlers/handler.js';

/** What a handler's failure does to the decision. */
export type FailureEffect = 'none' | 'ask' | 'deny' | 'block';

/**
 * The published table of failures (docs/semantics.md 8): policy by what the event can do. Every cause of failure is treated alike,
 * but for `untrusted` (`effectOf`).
 */
export function failureEffect(entry: EventEntry, onFailure: OnFailure): FailureEffect {
  if (entry.failure === 'fails') return 'block';
  if (entry.failure === 'ignored' || onFailure === 'continue') return 'none';
  if (entry.fold === 'gate') {
    if (onFailure === 'block') return 'deny';
    return entry.askOnFailure === false ? 'none' : 'ask';
  }
  return entry.fold === 'block' ? 'block' : 'none';
}

/** As `failureEffect`, of a failure that may count whatever the policy says. */
export function effectOf(
  entry: EventEntry,
  onFailure: OnFailure,
  failure: Pick<Failure, 'cause' | 'blocks'>,
): FailureEffect {
  if (failure.blocks) return failureEffect(entry, 'block');
  if (failure.cause !== 'untrusted' || onFailure === 'block') return failureEffect(entry, onFailure);
  // An accepted guard did not judge it: a person must, and where nobody is left to ask, nobody may say yes.
  return failureEffect(entry, entry.askOnFailure ? 'ask' : 'block');
}
