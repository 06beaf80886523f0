import { DETACHED, guardedCall, type Logger, reportError } from './guard.js';

/** The part of rxjs's Subscriber that is needed here. */
interface SubscriberLike<T> {
  readonly closed: boolean;
  next(value: T): void;
  complete(): void;
  unsubscribe(): void;
}

/**
 * The subscribers of one stream: a guarded Subject. A subscriber that throws is unsubscribed, and the others still get
 * the value. Subscribing or unsubscribing during an emit takes effect with the next value.
 */
export class Watchers<T> {
  readonly #logger: Logger;
  /** Called when a subscriber comes or goes. */
  readonly #changed: () => void;
  #list: readonly SubscriberLike<T>[] = [];
  #over = false;

  constructor(logger: Logger, changed: () => void) {
    this.#logger = logger;
    this.#changed = changed;
  }

  get observed(): boolean {
    return this.#list.length > 0;
  }

  add(subscriber: SubscriberLike<T>): () => void {
    if (this.#over) {
      subscriber.complete();
      return () => undefined;
    }
    this.#list = [...this.#list, subscriber];
    this.#changed();
    return () => {
      this.#list = this.#list.filter((other) => other !== subscriber);
      this.#changed();
    };
  }

  next(value: T): void {
    const list = this.#list;
    for (let i = 0; i < list.length; i++) {
      const subscriber = list[i] as SubscriberLike<T>;
      if (subscriber.closed) continue;
      try {
        subscriber.next(value);
      } catch (error) {
        this.#letGo(subscriber, error);
      }
    }
  }

  complete(): void {
    this.#over = true;
    for (const subscriber of this.#list) {
      try {
        subscriber.complete();
      } catch (error) {
        this.#letGo(subscriber, error);
      }
    }
  }

  #letGo(subscriber: SubscriberLike<T>, error: unknown): void {
    reportError(this.#logger, DETACHED, error);
    guardedCall(() => subscriber.unsubscribe(), this.#logger);
  }
}
