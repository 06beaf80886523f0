import type { Failure } from '../../events/failure.js';
import type { Handler, Reply } from '../../handlers/handler.js';
import type { Registration } from '../../scopes/registration.js';
import { readOnly } from '../../values/copies/view.js';
import type { Json } from '../../values/shape.js';
import { asPromise, ignoreRejections, promiseIn, ready } from '../../values/waiting/promises.js';
import { laterOf, logProblems, logSlow, readReturned, replyFacts, toBackground } from './answer.js';
import { type Attempt, type CallReporter, PENDING, SILENT, withDuration } from './attempt.js';
import { aborted, GRACE, notLoaded, timeout } from './call-failures.js';
import type { PendingWork } from './clock.js';
import { Context } from './context.js';
import type { RunningFire } from './facts.js';
import { loading } from './loading.js';
import { type StartingCall, startWork, uncheckedCallback } from './start.js';
import { threw } from './threw.js';
import { handlerOf, isAsync, isOutside } from './work.js';

/** Receives the result of a call that was pending; `undefined`: silence, and no subscriber. */
export interface CallOwner {
  answered(result: Attempt | undefined, call: HandlerCall): void;
}

/**
 * One call of one handler, with its deadline, its signal and its catch. Hooks in series share one object, until a call times
 * out and is left behind; each parallel call has its own. A hot class: `private` members (CONTRIBUTING.md).
 */
export class HandlerCall implements PendingWork, StartingCall {
  limit = 0;
  since = 0;
  before: PendingWork | undefined = undefined;
  after: PendingWork | undefined = undefined;
  readonly fire: RunningFire;
  registration: Registration;
  context: Context = undefined as never;
  input: Json;
  view: Json;
  reporter: CallReporter | undefined = undefined;
  /** It timed out and was left behind: it cannot serve another hook. */
  spent = false;
  readonly indexInWave: number;
  private owner: CallOwner;
  private readonly clock: RunningFire['clock'];
  private isWatched = false;
  private isLoading = false;
  /** The start, in milliseconds of the monotonic clock, which a test may start at 0; below 0: not measured, or over. */
  private began = -1;
  private later: Promise<unknown> | undefined = undefined;
  private timedOut: Attempt | undefined = undefined;
  // Bound once and reused: a fresh closure per call has to find its compiled code again.
  private readonly onValue: (value: unknown) => void;
  private readonly onError: (error: unknown) => void;

  constructor(fire: RunningFire, owner: CallOwner, r: Registration, i = 0, input = fire.input, view = readOnly(input)) {
    this.fire = fire;
    this.owner = owner;
    this.registration = r;
    this.indexInWave = i;
    this.clock = fire.clock;
    this.input = input;
    this.view = view;
    this.onValue = this.fulfilled.bind(this);
    this.onError = this.rejected.bind(this);
  }

  handTo(owner: CallOwner): void {
    this.owner = owner;
  }

  /** Calls the handler. `undefined`: silence, and no subscriber. */
  begin(r: Registration, input: Json, kind: 'first' | 'reask'): Attempt | undefined | typeof PENDING {
    this.registration = r;
    if (input !== this.input) {
      this.input = input;
      this.view = readOnly(input);
    }
    const callback = uncheckedCallback(r);
    if (callback === undefined || this.clock !== undefined || r.async === true) return this.beginOther(kind);
    this.context = new Context(this.fire, kind, undefined);
    let value: unknown;
    try {
      value = callback(this.view, this.fire.toolUseID, this.context);
    } catch (error) {
      return this.conclude({ failure: threw(error) });
    }
    return value === undefined ? undefined : this.take(value);
  }

  /** The general case: something has to be done before or after the call. */
  private beginOther(kind: 'first' | 'reask'): Attempt | undefined | typeof PENDING {
    const { registration } = this;
    const handler = handlerOf(registration);
    if (handler !== undefined && this.mustLoad(handler, kind)) return PENDING;
    const started = startWork(this, kind);
    if ('instead' in started) return started.instead;
    if (registration.async === true) {
      toBackground(this, laterOf(started), registration.asyncTimeout * 1000);
      return this.conclude({ background: true });
    }
    if ('threw' in started) return this.conclude({ failure: threw(started.threw) });
    const { value } = started;
    return value === undefined && this.began < 0 ? undefined : this.take(value);
  }

  private take(value: unknown): Attempt | undefined | typeof PENDING {
    const later = isAsync(this.registration) ? (value as Promise<unknown>) : promiseIn(value, ready);
    return later === undefined ? this.said(value) : this.wait(later);
  }

  open(kind: Context['call']): void {
    if (this.clock !== undefined) this.start(kind);
    else this.context = new Context(this.fire, kind, undefined);
  }

  private start(kind: Context['call']): void {
    this.reporter = this.fire.reporter?.started(this.registration);
    this.context = new Context(this.fire, kind, this.reporter);
    this.began = this.clock?.now() ?? -1;
  }

  /** Loads what the first run needs, before its deadline starts. */
  private mustLoad(handler: Handler, kind: 'first' | 'reask'): boolean {
    this.later = loading(handler);
    if (this.later === undefined) return false;
    this.limit = 0;
    this.isLoading = true;
    this.timedOut = undefined;
    this.context = new Context(this.fire, kind, undefined);
    if (!this.isWatched) this.watch();
    this.later.then(
      () => this.loaded(kind),
      (error) => this.loaded(kind, notLoaded(threw(error))),
    );
    return true;
  }

  private loaded(kind: 'first' | 'reask', failure?: Failure): void {
    // It was cancelled in the meantime.
    if (this.later === undefined) return;
    this.isLoading = false;
    this.later = undefined;
    if (failure !== undefined) this.start(kind);
    const result = failure ? this.conclude({ failure }) : this.begin(this.registration, this.input, kind);
    if (result !== PENDING) this.deliver(result);
  }

  private wait(later: Promise<unknown>): Attempt | typeof PENDING {
    const { registration, fire } = this;
    this.later = later;
    this.limit = registration.shared === undefined ? registration.timeout * 1000 : fire.remaining(registration);
    this.since = 0;
    this.timedOut = undefined;
    try {
      later.then(this.onValue, this.onError);
    } catch {
      // Not a real promise: its `then` throws.
      void asPromise(later).then(this.onValue, this.onError);
    }
    // The handler cancelled its own fire before it returned.
    if (fire.cancelled !== undefined) return this.abandon();
    if (!this.isWatched) this.watch();
    return PENDING;
  }

  /** From now until `release` the call can time out or be cancelled. */
  private watch(): void {
    this.isWatched = true;
    this.fire.services.clock.watch(this);
  }

  release(): void {
    if (this.isWatched) this.fire.services.clock.forget(this);
    this.isWatched = false;
  }

  private fulfilled(value: unknown): void {
    if (this.later === undefined) ignoreRejections(value);
    else if (this.timedOut !== undefined) this.end({ ...replyFacts(value as Reply), ...this.timedOut });
    else {
      this.later = undefined;
      this.deliver(value === undefined && this.began < 0 ? undefined : this.said(value));
    }
  }

  /** Hands the result to the owner, which continues the fire. The agent's input may throw when the owner reads it. */
  private deliver(result: Attempt | undefined): void {
    try {
      this.owner.answered(result, this);
    } catch (error) {
      this.fire.fail(error);
    }
  }

  /** Without subscribers an empty answer is the same as silence. */
  private said(value: unknown): Attempt | undefined {
    const result = readReturned(this, value);
    return this.began < 0 && result === SILENT ? undefined : this.conclude(result);
  }

  private rejected(error: unknown): void {
    const failure = threw(error);
    if (this.later !== undefined) this.end(this.timedOut ?? { failure });
  }

  private end(result: Attempt): void {
    this.later = undefined;
    this.deliver(this.conclude(result));
  }

  /** The call timed out. A handler outside the process gets a grace period to clean up. */
  expire(): void {
    if (this.later === undefined) return;
    if (this.timedOut === undefined) {
      const failure = timeout(this.registration);
      this.timedOut = { failure };
      Context.end(this.context, new DOMException(failure.message, 'TimeoutError'));
      if (isOutside(this.registration)) {
        this.limit += GRACE;
        return;
      }
    }
    this.leave();
    this.deliver(this.conclude(this.timedOut));
  }

  cancel(): void {
    if (this.later !== undefined) this.deliver(this.abandon());
  }

  /** Ends the pending call and returns the result that replaces its answer. */
  abandon(): Attempt {
    Context.end(this.context, this.fire.cancelled);
    const result = this.timedOut ?? aborted(this.isLoading || undefined);
    this.leave();
    return this.conclude(result);
  }

  private leave(): void {
    if (isOutside(this.registration))
      this.fire.background.linger(this.registration.name, this.later as Promise<unknown>);
    this.spent = true;
    this.later = undefined;
    this.release();
  }

  pendingNames(): readonly string[] {
    return this.later !== undefined ? [this.registration.name] : [];
  }

  /** Every call ends here. It is reported to subscribers, and its problems are logged with or without them. An abort is not a problem, because the caller asked for it. */
  private conclude(result: Attempt): Attempt {
    return result.failure === undefined && result.warnings === undefined && this.began < 0
      ? result
      : this.report(result);
  }

  private report(result: Attempt): Attempt {
    const { fire, registration, reporter, began, clock } = this;
    const { failure, warnings } = result;
    if ((failure && failure.cause !== 'aborted') || warnings?.length) logProblems(fire, registration, result);
    if (began < 0 || clock === undefined) return result;
    this.began = -1;
    const now = clock.now();
    const durationMs = now - began;
    const done = withDuration(result, durationMs);
    logSlow(fire, registration, durationMs);
    if (reporter !== undefined && !done.background) reporter.responded(done, now);
    return done;
  }
}
