import type { Failure } from '../../events/failure.js';
import type { Registration } from '../../scopes/registration.js';
import type { Attempt } from './attempt.js';
import { handlerOf } from './work.js';

/** Milliseconds a process gets to exit after its timeout: TERM, KILL after 1.5 s, and a margin. */
export const GRACE = 2_500;

/** The failure of a handler that did not answer in time. */
export function timeout(registration: Registration): Failure {
  const message = `did not answer within its timeout of ${registration.timeout} s`;
  const blocks = handlerOf(registration)?.blocksLate?.(registration.spec);
  return blocks ? { cause: 'timeout', message, blocks } : { cause: 'timeout', message };
}

/** The result of a handler whose fire was cut short before it answered or, with `unstarted`, before it was started. */
export function aborted(unstarted?: true): Attempt {
  const failure = { cause: 'aborted', message: 'The fire was cut short before it answered' } as const;
  return unstarted ? { failure, unstarted } : { failure };
}

/** The failure of a handler for which a module could not be loaded. */
export const notLoaded = ({ message }: Failure): Failure => ({ cause: 'spawn_failed', message });
