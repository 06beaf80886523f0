import type { Observable } from 'rxjs';
import { deepFreeze } from '../values/copies/freeze.js';
import { guardWatcher, type Logger, reportError } from './guard.js';
import { GuardedTracing } from './guarded-tracing.js';
import { observableOf } from './observable.js';
import type { HookRecord, UnstampedRecord } from './record.js';
import type { RecordStream } from './sink.js';
import { isoNow, type Numbers, newHostId } from './stamp.js';
import { Watchers } from './subscribers.js';
import type { Tracing } from './tracing.js';

/** The stream of a host's records. Nothing a subscriber does changes a decision, a fire, or what other subscribers see. */
export interface Bus {
  /** Whether there is a subscriber; costs a few nanoseconds. Ask before reading a clock. */
  readonly observed: boolean;
  /** The `host_id` of its records. */
  readonly hostId: string;
  /** How many records were built so far; none are built without a subscriber. */
  readonly built: number;
  /**
   * Every record in order of `seq`, from the moment of subscribing. Completes when the bus is closed. A subscriber
   * that throws is detached, also behind `pipe`; an Observable that you build from it (`merge(events$, …)`, the groups of
   * `groupBy`, a Subject that it feeds) needs its own error handler, as anywhere in RxJS.
   */
  readonly events$: Observable<HookRecord>;
  /** The same records without rxjs, which is loaded only when `events$` is first read: loading it takes a fifth as long as all of hookscope. */
  readonly records: RecordStream;
  /** Builds, stamps and sends a record; `build` is not called when there is no subscriber. Never throws. */
  emit(build: () => UnstampedRecord<HookRecord>): void;
  /** Like `emit`, for a builder that sets the stamp itself and freezes everything in the record; `a` and `b` are passed to it, which saves a closure. */
  emitStamped<A, B>(build: (a: A, b: B, numbers: Numbers) => HookRecord, a: A, b: B): void;
  /** Completes `events$` after the records that are being sent. Safe to call twice. */
  close(): void;
  /** The host option `tracing`, guarded. */
  readonly tracing: GuardedTracing | undefined;
}

export interface BusOptions {
  /** Reports subscribers that throw. */
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

  const hostId = newHostId();
  let events$: Observable<HookRecord> | undefined;
  const bus = withStream(() => (events$ ??= observableOf(watchers, logger)), {
    observed: false,
    built: 0,
    hostId,
    records: streamOf(watchers, logger),
    next: () => ++bus.built,
    emit(build: () => UnstampedRecord<HookRecord>) {
      bus.emitStamped(stamped, build, undefined);
    },
    emitStamped<A, B>(build: (a: A, b: B, numbers: Numbers) => HookRecord, a: A, b: B) {
      if (closed || !bus.observed) return;
      let record: HookRecord;
      try {
        record = Object.freeze(build(a, b, bus));
      } catch (error) {
        reportError(logger, 'A record could not be built and was left out', error);
        return;
      }
      send(record);
    },
    close() {
      closed = true;
      if (!sending) watchers.complete();
    },
    tracing: tracing && new GuardedTracing(tracing, logger, hostId),
  });
  bus.tracing?.attach(bus.records);
  return bus;
}

/** A class, for its getter: V8 would keep an object literal with a getter in dictionary mode, and every fire reads the bus. */
class WithStream {
  readonly #make: () => Observable<HookRecord>;

  constructor(make: () => Observable<HookRecord>, members: object) {
    this.#make = make;
    Object.assign(this, members);
  }

  get events$(): Observable<HookRecord> {
    return this.#make();
  }
}

const withStream = <Members extends object>(
  make: () => Observable<HookRecord>,
  members: Members,
): WithStream & Members => new WithStream(make, members) as WithStream & Members;

/** A subscription without rxjs. */
function streamOf(watchers: Watchers<HookRecord>, logger: Logger): RecordStream {
  return {
    subscribe(watcher) {
      const { next, complete, hold } = guardWatcher<HookRecord>(watcher, logger);
      const subscription = {
        closed: false,
        next,
        complete() {
          subscription.closed = true;
          complete();
        },
        unsubscribe() {
          subscription.closed = true;
          undo();
        },
      };
      const undo = watchers.add(subscription);
      hold(subscription);
      return subscription;
    },
  };
}

function stamped(build: () => UnstampedRecord<HookRecord>, _: undefined, numbers: Numbers): HookRecord {
  const record = build();
  return deepFreeze({ seq: numbers.next(), time: isoNow(), host_id: numbers.hostId, ...record });
}

/** A stream of other values, guarded as `events$` is. Values sent before the first subscriber are kept for it. */
export interface Feed<T> {
  readonly feed$: Observable<T>;
  send(value: T): void;
  /** Completes the stream; values that are still kept go to the first subscriber. */
  close(): void;
}

/** `keep`: the most values that wait for the first subscriber. Beyond it the oldest is dropped; `dropped` is called for the first one only. */
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
    feed$: observableOf(watchers, logger),
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
