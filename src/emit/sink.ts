import { HookscopeError } from '../errors.js';
import { warn } from '../plain.js';
import { checkKeys, checkOption, type Keys } from '../values/options.js';
import { checks, isObject, type OptionCheck } from '../values/shape.js';
import type { Logger } from './guard.js';
import type { HookRecord } from './record.js';
import { REDACT_OPTION, type RedactOptions } from './redact/options.js';
import { type Redactor, redactorOf } from './redact/redactor.js';
import { createQueue, type SinkQueue } from './sink-queue.js';
import { weightOf } from './weight.js';

/** A stream of records that can be subscribed to, such as `host.events$`. */
export interface RecordStream {
  /** Calls `next` with every record from now on, until the returned subscription is ended. */
  subscribe(watcher: { next(record: HookRecord): void }): {
    /** Ends the subscription; safe to call twice. */
    unsubscribe(): void;
  };
}

/** A destination of records. A slow or broken sink never holds up the agent: its queue is bounded, and records that do not fit are dropped. */
export interface Sink {
  readonly name: string;
  /** Takes every record of the stream from now on, once even if the stream is attached several times; returns the undo, safe to call twice. */
  attach(events$: RecordStream): () => void;
  /** Takes one record. Never throws, never waits. */
  push(record: HookRecord): void;
  /** How many records were lost because the queue was full, a write failed, or time ran out at close. */
  readonly dropped: number;
  /** How many records are queued or being written. */
  readonly pending: number;
  /** Resolves when everything taken so far is written or dropped. Never rejects. */
  flush(): Promise<void>;
  /** Detaches, writes the records that wait (for at most `closeTimeout` seconds) and releases files and connections. Never rejects; safe to call twice. */
  close(): Promise<void>;
}

/** The options that every sink takes. Times are in seconds. */
export interface SinkOptions {
  /** Its name in messages to the logger. */
  readonly name?: string;
  /** Most records that wait to be written; default 10,000 (`ndjsonSink` and `sqliteSink`: as many as fit `maxPendingBytes`). Newer records are dropped. */
  readonly capacity?: number;
  /** Most bytes of records that wait; default 64 MiB. A record larger than that is still accepted, and then no other until it is written. */
  readonly maxPendingBytes?: number;
  /** Masks secrets before a record is stored: options, or the result of `createRedactor`. Default: with this machine's key. `false` masks nothing. */
  readonly redact?: Redactor | RedactOptions | false;
  /** Seconds that `close` waits for records that are not written yet; default 5. */
  readonly closeTimeout?: number;
  /** Default: `process.emitWarning`. */
  readonly logger?: Logger;
}

/**
 * A sink that hands each record to `write`, one at a time and in order, never in the turn of the agent that caused it.
 * A `write` that throws or rejects ends the sink: it is detached, waiting records count as dropped, and the logger reports it.
 *
 * ```ts
 * const sink = createSink((record) => post('https://collector.example/records', record), { name: 'collector' });
 * sink.attach(host.events$);
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export function createSink(write: (record: HookRecord) => void | Promise<void>, options: SinkOptions = {}): Sink {
  checkOption('createSink(write)', write, checks.fn);
  return sinkOf({ caller: 'createSink', keys: SINK, options, write });
}

/** The parts of a sink that is a function called with each record. */
interface SinkParts<Options extends SinkOptions> {
  /** The function that the user called; errors about options name it. */
  readonly caller: string;
  /** The checks of all option keys: `SINK` and the sink's own. */
  readonly keys: Keys<Options>;
  readonly options: Options;
  readonly write: (record: HookRecord) => void | Promise<void>;
}

/** Like `createSink`, for a sink with further options. */
export function sinkOf<Options extends SinkOptions>({ caller, keys, options, write }: SinkParts<Options>): Sink {
  checkKeys(options, keys, `${caller}: `);
  const { name = 'sink' } = options;
  const streams = createStreams();
  const redactor = redactorOf(options.redact);
  const queue: SinkQueue<WeighedRecord> = createQueue({
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
  /** Called after all streams are detached. */
  close(): Promise<void>;
}

/** A sink around its queue: the part that all sinks have in common. */
export function sinkAround({ name, streams, queue, push, lost = () => 0, close }: SinkAround): Sink {
  return {
    name,
    attach: (events$) => streams.attach(events$, push),
    push(record) {
      checkOption('push(record)', record, RECORD);
      push(record);
    },
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

interface WeighedRecord {
  readonly record: HookRecord;
  readonly weight: number;
}

/** The redactor reads every piece of a hook's output in order, also pieces that are dropped: a secret may begin in one and end in the next. */
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

const STREAM: OptionCheck = {
  expected: 'a stream of records, such as host.events$',
  accepts: (v) => isObject(v) && typeof v['subscribe'] === 'function',
};

const RECORD: OptionCheck = { expected: 'a record, such as those of host.events$', accepts: isObject };

/** The streams a sink is attached to. */
export function createStreams() {
  interface Attached {
    readonly subscription: { unsubscribe(): void };
    times: number;
  }
  const streams = new Map<RecordStream, Attached>();
  return {
    /** A stream has one subscription, however often it is attached; it ends when every attach was undone. */
    attach(events$: RecordStream, next: (record: HookRecord) => void): () => void {
      checkOption('attach(events$)', events$, STREAM);
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

/** The queue's options, checked, with their defaults. */
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
  // Most messages contain the detail already.
  warn(message.includes(more) ? message : `${message} (${more})`);
}
