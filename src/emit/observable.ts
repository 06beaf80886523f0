import { createRequire } from 'node:module';
import type { Observable as ObservableClass } from 'rxjs/internal/Observable';
import type { Operator } from 'rxjs/internal/Operator';
import type { Subscriber as SubscriberClass } from 'rxjs/internal/Subscriber';
import type { Subscription } from 'rxjs/internal/Subscription';
import { HookscopeError } from '../errors.js';
import { guardWatcher, type Logger, type Watcher } from './guard.js';
import type { Watchers } from './subscribers.js';

type Observable<T> = ObservableClass<T>;
type Subscriber<T> = SubscriberClass<T>;

/** An Observable that guards every subscriber. It loads rxjs with `require`, which is synchronous and gives the same instance as the user's import. */
export function observableOf<T>(watchers: Watchers<T>, logger: Logger): Observable<T> {
  const Guarded = guardedClass(logger);
  return new Guarded<T>((subscriber) => watchers.add(subscriber));
}

/**
 * An Observable that guards its subscribers and, through `lift`, those of anything piped from it. One class per bus: RxJS calls
 * `lift` on objects of other classes, so the logger cannot be a field.
 */
function guardedClass(logger: Logger) {
  const [Observable, Subscriber] = rxjs();
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
      // An operator subscribes with a Subscriber; the end of its pipeline is guarded where the user subscribed.
      if (observerOrNext instanceof Subscriber || isSubscriber<T>(observerOrNext))
        return super.subscribe(observerOrNext);
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

/** RxJS would take a sink for a subscriber without `next`, and every record would be lost. */
const isSink = (watcher: object): boolean => 'attach' in watcher && typeof watcher.attach === 'function';

/** Checks the shape: an operator from another copy of rxjs subscribes with that copy's class. */
function isSubscriber<T>(value: unknown): value is Subscriber<T> {
  return (
    typeof value === 'object' && value !== null && ['next', 'closed', 'add', 'remove'].every((key) => key in value)
  );
}

/** Loads two modules of rxjs instead of the whole package, which has two hundred. */
function rxjs(): [typeof ObservableClass, typeof SubscriberClass] {
  const { Observable } = createRequire(import.meta.url)('rxjs/internal/Observable') as {
    Observable: typeof ObservableClass;
  };
  const { Subscriber } = createRequire(import.meta.url)('rxjs/internal/Subscriber') as {
    Subscriber: typeof SubscriberClass;
  };
  return [Observable, Subscriber];
}
