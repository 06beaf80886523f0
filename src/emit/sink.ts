import { HookscopeError } from '../errors.js';
import { warn } from '../plain.js';
import { checkKeys, type Keys } from '../values/options.js';
import { checks } from '../values/shape.js';
import type { Logger } from './guard.js';
import type { HookRecord } from './record.js';
import { REDACT_OPTION, type RedactOptions } from './redact/options.js';
import { type Redactor, redactorOf } from './redact/redactor.js';
import { createQueue, type SinkQueue } from './sink-queue.js';
import { weightOf } from './weight.js';

/** Anything records can be watched on, such as `host.events$`. */
export interface RecordStream {
  /** Calls `next` with every record from now on, until the returned subscription is ended. */
  subscribe(watcher: { next(record: HookRecord): void }): {
    /** Ends it; safe to call twice. */
    unsubscribe(): void;
  };
}

/** A destination of records. However slow or broken it is, it costs the agent nothing: its queue is bounded, and records that do not fit are dropped. */
export interface Sink {
  readonly name: string;
  /** Takes every record of the stream from now on, once however often it is attached; returns the undo, safe to call twice. */
  attach(events$: RecordStream): () => void;
  /** Takes one record. Never throws, never waits. */
  push(record: HookRecord): void;
  /** How many records were lost: the queue was full, the write failed, or time ran out at close. */
  readonly dropped: number;
  /** How many are queued or being written. */
  readonly pending: number;
  /** Resolves when everything taken so far is written or dropped. Never rejects. */
  flush(): Promise<void>;
  /** Detaches, writes what waits (at most `closeTimeout` seconds) and lets go of what it holds. Never rejects; safe to call twice. */
  close(): Promise<void>;
}

/** The options that every sink takes. Times are in seconds. */
export interface SinkOptions {
  /** Its name in messages to the logger. */
  readonly name?: string;
  /** Most records that wait to be written; default 10,000, of `ndjsonSink` and `sqliteSink` as many as `maxPendingBytes` hold. The newest is the one dropped. */
  readonly capacity?: number;
  /** Most bytes of records that wait, 64 MiB unless given. A larger record is accepted too, and no other one until it is written. */
  readonly maxPendingBytes?: number;
  /** Masks secrets before a record is stored: options, or the result of `createRedactor`; default: this machine's key. false: nothing is masked. */
  readonly redact?: Redactor | RedactOptions | false;
  /** Seconds `close` waits for what is not written yet; default 5. */
  readonly closeTimeout?: number;
  /** Default: `process.emitWarning`. */
  readonly logger?: Logger;
}

/**
 * A sink that hands each record to `write`, one at a time and in order, never in the turn of the agent that caused it.
 * A `write` that throws or rejects ends the sink: it is detached, what waited is counted as dropped, the logger is informed.
 *
 * ```ts
 * const sink = createSink((record) => post('https://collector.example/records', record), { name: 'collector' });
 * sink.attach(host.events$);
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export function createSink(write: WriteRecord, options: SinkOptions = {}): Sink {
  return sinkOf({ caller: 'createSink', keys: SINK, options, write });
}

type WriteRecord = (record: HookRecord) => void | Promise<void>;

/** A sink that has its own function is made of this. */
interface SinkParts<Options extends SinkOptions> {
  /** The function that the user called; errors about options name it. */
  readonly caller: string;
  /** Every key of the options: `SINK`, and its own. */
  readonly keys: Keys<Options>;
  readonly options: Options;
  readonly write: WriteRecord;
}

/** Like `createSink`, for a sink with further options. */
export function sinkOf<Options extends SinkOptions>({ caller, keys, options, write }: SinkParts<Options>): Sink {
  checkKeys(options, keys, `${caller}: `);
  const { name = 'sink' } = options;
  const streams = createStreams();
  const redactor = redactorOf(options.redact);
  const queue: SinkQueue<Weighed> = createQueue({
    ...queueDefaults(options, caller),
    name,
    batch: 1,
    weigh: ({ weight }) => weight,
    write: ([item]) => (item === undefined ? undefined : write(redactor?.redact(item.record) ?? item.record)),
    failed: streams.detach,
  });
  const push = (record: HookRecord): void => {
    readPiece(redactor, record);
    if (queue.hasRoom) queue.push({ record, weight: weightOf(record) });
    else queue.refuse();
  };
  return sinkAround({ name, streams, queue, push, close: async () => void (await queue.close()) });
}

interface SinkAround {
  readonly name: string;
  readonly streams: Streams;
  readonly queue: Pick<SinkQueue<unknown>, 'dropped' | 'pending' | 'flush'>;
  readonly push: Sink['push'];
  /** How many records were lost besides those that the queue dropped. */
  lost?(): number;
  /** Called when it is attached to nothing any more. */
  close(): Promise<void>;
}

/** What all sinks have in common, around their queue. */
export function sinkAround({ name, streams, queue, push, lost = () => 0, close }: SinkAround): Sink {
  return {
    name,
    attach: (events$) => streams.attach(events$, push),
    push,
    get dropped() {
      return queue.dropped + lost();
    },
    get pending() {
      return queue.pending;
    },
    flush: () => queue.flush(),
    async close() {
      streams.detach();
      await close();
    },
  };
}

interface Weighed {
  readonly record: HookRecord;
  readonly weight: number;
}

/** The pieces of a text are read all, in their order: also those that find no room, since a secret may begin in them. */
export function readPiece(redactor: Redactor | undefined, record: HookRecord): void {
  if (record.type === 'system' && record.subtype === 'hook_progress') redactor?.redact(record);
}

/** The options of every sink. */
export const SINK: Keys<SinkOptions> = {
  name: checks.text,
  capacity: true,
  closeTimeout: true,
  logger: checks.fn,
  maxPendingBytes: true,
  redact: REDACT_OPTION,
};

type Streams = ReturnType<typeof createStreams>;

/** The streams a sink is attached to. */
export function createStreams() {
  interface Attached {
    readonly subscription: { unsubscribe(): void };
    times: number;
  }
  const streams = new Map<RecordStream, Attached>();
  return {
    /** A stream that is attached already sends nothing twice; it is let go when every attach of it was undone. */
    attach(events$: RecordStream, next: (record: HookRecord) => void): () => void {
      const attached = streams.get(events$) ?? { subscription: events$.subscribe({ next }), times: 0 };
      streams.set(events$, attached);
      attached.times += 1;
      let isUndone = false;
      return () => {
        if (isUndone) return;
        isUndone = true;
        attached.times -= 1;
        if (attached.times > 0) return;
        if (streams.get(events$) === attached) streams.delete(events$);
        attached.subscription.unsubscribe();
      };
    },
    detach(): void {
      for (const { subscription } of streams.values()) subscription.unsubscribe();
      streams.clear();
    },
  };
}

/** The options every sink shares, checked, with their defaults. */
export function queueDefaults(options: SinkOptions, caller: string) {
  const { capacity = 10_000, closeTimeout = 5, logger = warnOf, maxPendingBytes = 64 * 1024 * 1024 } = options;
  checkInteger(`${caller}: capacity`, capacity, 1);
  if (typeof closeTimeout !== 'number' || !(closeTimeout >= 0))
    throw invalid(`${caller}: closeTimeout`, 'must be a number of seconds, 0 or more');
  checkInteger(`${caller}: maxPendingBytes`, maxPendingBytes, 1);
  return { capacity, closeTimeout, logger, maxWeight: maxPendingBytes };
}

export function checkInteger(where: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least) throw invalid(where, `must be an integer, ${least} or more`);
}

function invalid(where: string, expected: string): HookscopeError {
  return new HookscopeError('INVALID_OPTIONS', { where, expected });
}

function warnOf(message: string, detail?: unknown): void {
  const more = detail instanceof Error ? detail.message : detail === undefined ? '' : JSON.stringify(detail);
  // Most messages say it already.
  warn(message.includes(more) ? message : `${message} (${more})`);
}
