import { plain, warn } from '../plain.js';
import { describeError } from '../values/message.js';
import { ignoreRejections, messageOf, tell } from '../values/waiting/promises.js';

/** Reports problems that no caller waits for. The host's default is `process.emitWarning`. */
export type Logger = (message: string, detail?: unknown) => void;

/** What a subscriber may hand to `subscribe`: RxJS's partial observer. */
export interface Watcher<T> {
  next?: ((value: T) => void) | undefined;
  error?: ((error: unknown) => void) | undefined;
  complete?: (() => void) | undefined;
}

export interface GuardedWatcher<T> {
  next(value: T): void;
  error(error: unknown): void;
  complete(): void;
  /** Takes the subscription that `subscribe` returned, so that a subscriber that throws can be unsubscribed. */
  hold(subscription: { unsubscribe(): void }): void;
}

export const DETACHED = 'A subscriber of events$ threw and was detached; the others go on';

/**
 * Wraps a subscriber so that its errors never reach the emitter: when it throws, or its promise rejects, it is unsubscribed and
 * the logger is called. The error of a pipeline (an operator's callback threw) goes to its `error` handler if it has one.
 */
export function guardWatcher<T>(watcher: Watcher<T>, logger: Logger): GuardedWatcher<T> {
  let held: { unsubscribe(): void } | undefined;
  let gone = false;
  const letGo = (error: unknown): void => {
    if (!gone) reportError(logger, DETACHED, error);
    gone = true;
    guardedCall(() => held?.unsubscribe(), logger);
  };
  const call = (step: () => unknown): void => {
    if (gone) return;
    tell(step, letGo);
  };
  return {
    // Like `call`, without a closure for each record.
    next(value) {
      if (gone) return;
      try {
        const answer: unknown = watcher.next?.(value);
        if (answer !== undefined) call(() => answer);
      } catch (error) {
        ignoreRejections(error);
        letGo(error);
      }
    },
    error(error) {
      if (watcher.error) call(() => watcher.error?.(error));
      else letGo(error);
    },
    complete: () => call(() => watcher.complete?.()),
    hold(subscription) {
      held = subscription;
      if (gone) guardedCall(() => subscription.unsubscribe(), logger);
    },
  };
}

/** Runs a step whose failure must not reach the caller; the logger reports it. */
export function guardedCall(step: () => void, logger: Logger): void {
  try {
    step();
  } catch (error) {
    reportError(logger, 'A subscriber of events$ threw while it was detached', error);
  }
}

/** Reports an error, in the line too: most loggers print nothing else. */
export function reportError(logger: Logger, message: string, error: unknown): void {
  report(logger, `${message}: ${describeError(error)}`, error);
}

/** Calls the logger; if the logger throws, a process warning says so. */
export function report(logger: Logger, message: string, detail?: unknown): void {
  tell(
    () => logger(plain(message), detail),
    (error) => warn(`The logger threw (${messageOf(error)}) on: ${message}: ${messageOf(detail)}`),
  );
}
