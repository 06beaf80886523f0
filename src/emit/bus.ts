import { Observable } from 'rxjs/internal/Observable';
import type { Operator } from 'rxjs/internal/Operator';
import { Subscriber } from 'rxjs/internal/Subscriber';
import type { Subscription } from 'rxjs/internal/Subscription';
import { HookscopeError } from '../errors.js';
import { deepFreeze } from '../values/freeze.js';
import { guardWatcher, type Logger, report, type Watcher } from './guard.js';
import { GuardedTracing } from './guarded-tracing.js';
import type { HookRecord, Unstamped } from './record.js';
import { isoNow, type Numbers, newHostId } from './stamp.js';
import { Watchers } from './subscribers.js';
import type { Tracing } from './tracing.js';

/** The one stream of records. Nothing a subscriber does changes a decision, a fire, or what other subscribers see. */
export interface Bus {
  /** Whether there is a subscriber; costs a few nanoseconds. Ask before reading a clock. */
  readonly observed: boolean;
  /** How many records were built so far: none while there was no subscriber. */
  readonly built: number;
  /**
   * Every record in order of `seq`, from the moment of subscribing. Completes when the bus is closed. Subscribers that throw are
   * guarded here and behind `pipe`; an Observable of one's own making (`merge(events$, …)`, the groups of `groupBy`, a Subject fed
   * from it) needs its own error handler, as anywhere in RxJS.
   */
  readonly events$: Observable<HookRecord>;
  /** Builds, stamps and sends a record; `build` is not called when there is no subscriber. Never throws. */
  emit(build: () => Unstamped<HookRecord>): void;
  /** The same, for a builder that puts the stamp in itself and freezes everything that the record holds; the other two arguments are handed on to it. */
  emitStamped<A, B>(build: (a: A, b: B, numbers: Numbers) => HookRecord, a: A, b: B): void;
  /** Completes `events$`, after what is being sent. Safe to call twice. */
  close(): void;
  /** Follows what is done, beside its records. */
  readonly tracing: GuardedTracing | undefined;
}

export interface BusOptions {
  /** Is told about subscribers that throw. */
  readonly logger: Logger;
}

export function createBus({ logger, tracing }: BusOptions & { readonly tracing?: Tracing | undefined }): Bus {
  const watchers = new Watchers<HookRecord>(logger, () => {
    bus.observed = watchers.observed;
  });
  const queue: HookRecord[] = [];
  let sending = false;
  let closed = false;

  // A record that a subscriber causes waits for the one being sent, so that every subscriber sees them in order.
  function send(record: HookRecord): void {
    if (sending) return void queue.push(record);
    sending = true;
    watchers.next(record);
    while (queue.length > 0) watchers.next(queue.shift() as HookRecord);
    sending = false;
    if (closed) watchers.complete();
  }

  // Plain fields: the engine keeps an object literal with getters in a slow form, and every fire looks here.
  const bus = {
    observed: false,
    built: 0,
    hostId: newHostId(),
    events$: guarded(watchers, logger),
    next: () => ++bus.built,
    emit(build: () => Unstamped<HookRecord>) {
      bus.emitStamped(stamped, build, undefined);
    },
    emitStamped<A, B>(build: (a: A, b: B, numbers: Numbers) => HookRecord, a: A, b: B) {
      if (closed || !bus.observed) return;
      let record: HookRecord;
      try {
        record = Object.freeze(build(a, b, bus));
      } catch (error) {
        report(logger, 'A record could not be built and was left out', error);
        return;
      }
      send(record);
    },
    close() {
      closed = true;
      if (!sending) watchers.complete();
    },
    tracing: tracing && new GuardedTracing(tracing, logger),
  };
  bus.tracing?.attach(bus.events$);
  return bus;
}

function stamped(build: () => Unstamped<HookRecord>, _: undefined, numbers: Numbers): HookRecord {
  const record = build();
  return deepFreeze({ seq: numbers.next(), time: isoNow(), host_id: numbers.hostId, ...record });
}

/** A stream of one's own, guarded as `events$` is. Values before the first subscriber are kept for it. */
export interface Feed<T> {
  readonly feed$: Observable<T>;
  send(value: T): void;
  /** Completes it; what is still kept goes to the first subscriber. */
  close(): void;
}

/** `keep`: how many values wait for the first subscriber; of more, the oldest are dropped, and `dropped` is called once. */
export function createFeed<T>({
  logger,
  keep,
  dropped,
}: BusOptions & { readonly keep: number; readonly dropped: () => void }): Feed<T> {
  const watchers = new Watchers<T>(logger, () => watched());
  let early: T[] | undefined = [];
  let lost = false;
  let closed = false;
  const watched = (): void => {
    if (!early || !watchers.observed) return;
    const waiting = early;
    early = undefined;
    for (const value of waiting) watchers.next(value);
    if (closed) watchers.complete();
  };
  return {
    feed$: guarded(watchers, logger),
    send(value) {
      if (closed) return;
      if (!early) return watchers.next(value);
      early.push(value);
      if (early.length <= keep) return;
      early.shift();
      if (!lost) dropped();
      lost = true;
    },
    close() {
      closed = true;
      if (!early) watchers.complete();
    },
  };
}

function guarded<T>(watchers: Watchers<T>, logger: Logger): Observable<T> {
  const Guarded = guardedClass(logger);
  return new Guarded<T>((subscriber) => watchers.add(subscriber));
}

/**
 * An Observable that guards whoever subscribes to it and, through `lift`, to whatever is piped from it. One class a bus: RxJS
 * lends `lift` to objects of other classes, so the logger cannot be a field.
 */
function guardedClass(logger: Logger) {
  return class Guarded<T> extends Observable<T> {
    override lift<R>(operator?: Operator<T, R>): Observable<R> {
      const lifted = new Guarded<R>();
      lifted.source = this;
      lifted.operator = operator;
      return lifted;
    }

    override subscribe(
      observerOrNext?: Watcher<T> | ((value: T) => void) | null,
      error?: ((error: unknown) => void) | null,
      complete?: (() => void) | null,
    ): Subscription {
      // A subscriber is a step of a pipeline; the pipeline's end is guarded where it was subscribed.
      if (isSubscriber<T>(observerOrNext)) return super.subscribe(observerOrNext);
      const watcher =
        typeof observerOrNext === 'object' && observerOrNext !== null
          ? observerOrNext
          : { next: observerOrNext ?? undefined, error: error ?? undefined, complete: complete ?? undefined };
      if (!watcher.next && isSink(watcher))
        throw new HookscopeError('INVALID_OPTIONS', {
          where: 'events$.subscribe(sink)',
          expected: 'a sink subscribes itself: write sink.attach(host.events$)',
        });
      const guarded = guardWatcher<T>(watcher, logger);
      const subscription = super.subscribe(guarded);
      guarded.hold(subscription);
      return subscription;
    }
  };
}

/** RxJS would take it for a subscriber that wants to hear nothing, and every record would be lost. */
const isSink = (watcher: object): boolean => 'attach' in watcher && typeof watcher.attach === 'function';

/** By shape as well: an operator from another copy of rxjs subscribes with that copy's own class. */
function isSubscriber<T>(value: unknown): value is Subscriber<T> {
  if (value instanceof Subscriber) return true;
  return (
    typeof value === 'object' && value !== null && ['next', 'closed', 'add', 'remove'].every((key) => key in value)
  );
}
