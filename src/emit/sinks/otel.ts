import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { checkKeys, type Keys } from '../../values/options.js';
import { checks, isObject, type OptionCheck } from '../../values/shape.js';
import { messageOf } from '../../values/waiting/promises.js';
import { doneWithin, timerDelay } from '../../values/waiting/timer.js';
import { report } from '../guard.js';
import type { HookRecord } from '../record.js';
import { redactorOf } from '../redact/redactor.js';
import { createStreams, queueDefaults, SINK, type Sink, type SinkOptions, sinkAround } from '../sink.js';
import { createQueue } from '../sink-queue.js';
import type { Tracing } from '../tracing.js';
import { weightOf } from '../weight.js';
import { metrics, trace } from './otel/api.js';
import { LiveSpan } from './otel/live.js';
import { MaskedSpans, remembered } from './otel/masked.js';
import { HookMetrics } from './otel/metrics.js';
import { Spans } from './otel/spans.js';

/** Options of `otelSink`. */
export interface OtelOptions extends SinkOptions {
  /** Also puts inputs, outputs, reasons and messages (texts of people, tools and hooks) on spans, with secrets masked. Default false. */
  readonly content?: boolean;
  /** Default: the provider registered with `@opentelemetry/api`. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the provider registered with `@opentelemetry/api`. */
  readonly meterProvider?: MeterProvider;
}

/** A sink for OpenTelemetry that the host option `tracing` takes too. */
export interface OtelSink extends Sink, Tracing {
  /** Resolves when everything taken so far is on spans and the providers have exported it (`forceFlush`). Never rejects. */
  flush(): Promise<void>;
}

const provider = (method: string): OptionCheck => ({
  expected: `a provider, an object with ${method}`,
  accepts: (v) => isObject(v) && typeof v[method] === 'function',
});

const OTEL: Keys<OtelOptions> = {
  ...SINK,
  content: checks.flag,
  tracerProvider: provider('getTracer'),
  meterProvider: provider('getMeter'),
};

const BATCH = 64;

/** A queued item: a record, or the end of an agent or session. `mark`: the `performance.now()` at which it was queued. */
type QueuedItem = ({ readonly record: HookRecord } | { readonly live: LiveSpan }) & {
  readonly mark: number;
  readonly weight: number;
};

/**
 * Spans and metrics for OpenTelemetry, which your program sets up: one tree of spans, a span for each session, agent, tool call, fire and hook call, and
 * counters and a histogram of hook calls. As the host option `tracing` it begins a span when the work begins: callbacks run in the context of their span,
 * commands and servers get it as `TRACEPARENT` or `traceparent`. Attached only to a stream of records it builds spans of fires and hooks afterwards, from
 * the records' times. Texts that people typed are on no span unless `content` is set.
 *
 * ```ts no-run
 * import { otelSink } from 'hookscope/sinks/otel';
 * const tracing = otelSink();
 * const host = createHost({ tracing });
 * await host.close();
 * await tracing.close();
 * ```
 * @throws HookscopeError INVALID_OPTIONS
 */
export function otelSink(options: OtelOptions = {}): OtelSink {
  checkKeys(options, OTEL, 'otelSink: ');
  const { name = 'otel', content = false } = options;
  const { tracerProvider = trace.getTracerProvider(), meterProvider = metrics.getMeterProvider() } = options;
  const defaults = queueDefaults(options, 'otelSink');
  const { logger } = defaults;
  const redactor = redactorOf(options.redact);
  const streams = createStreams();
  let isOver = false;

  const mask = redactor && remembered((text) => redactor.text(text));
  const spans = new Spans({
    spans: new MaskedSpans(tracerProvider.getTracer('hookscope'), mask),
    metrics: new HookMetrics(meterProvider.getMeter('hookscope'), mask),
    content: content ? (record) => (redactor?.redact(record) ?? record) as typeof record : undefined,
    ended(live, mark) {
      if (queue.hasRoom) queue.push({ live, mark, weight: 0 });
      else spans.open.end(live, mark);
    },
  });
  const queue = createQueue<QueuedItem>({
    ...defaults,
    name,
    batch: BATCH,
    weigh: ({ weight }) => weight,
    write(items) {
      for (const told of items) {
        if ('live' in told) spans.open.end(told.live, told.mark);
        else spans.take(told.record, told.mark);
      }
    },
    failed() {
      isOver = true;
      streams.detach();
      closeSpans();
    },
  });

  function closeSpans(): void {
    try {
      spans.open.close();
    } catch (error) {
      report(logger, `Sink "${name}": open spans could not be ended: ${messageOf(error)}`, error);
    }
  }

  function push(record: HookRecord): void {
    if (isRepeated(record) || spans.isKnown(record)) return;
    const mark = performance.now();
    if (queue.hasRoom) queue.push({ record, mark, weight: weightOf(record) });
    else {
      queue.refuse();
      spans.lose(record, mark);
    }
  }

  const isRepeated = repeats();

  async function flush(): Promise<void> {
    await queue.flush();
    await handOn(tracerProvider, meterProvider, (error) =>
      report(logger, `Sink "${name}": what is waiting could not be sent: ${messageOf(error)}`, error),
    );
  }

  const sink = sinkAround({
    name,
    streams,
    queue,
    push,
    async close() {
      await queue.close();
      isOver = true;
      closeSpans();
      // A collector that does not answer must not block the close.
      if (!(await doneWithin(timerDelay(defaults.closeTimeout), flush())))
        report(logger, `Sink "${name}": what was waiting was not sent within ${defaults.closeTimeout} s`);
    },
  });
  const begin: Tracing['begin'] = (work, parent, incoming) =>
    isOver ? undefined : spans.open.begin(work, parent instanceof LiveSpan ? parent : undefined, incoming);
  return Object.assign(sink, { begin, flush });
}

/** Flushes the providers' own queues; the API's no-op providers have none. Never rejects. */
async function handOn(
  tracerProvider: TracerProvider,
  meterProvider: MeterProvider,
  failed: (error: unknown) => void,
): Promise<void> {
  for (const given of [tracerProvider, meterProvider]) {
    const { getDelegate } = given as { getDelegate?: () => object };
    const own = (getDelegate?.call(given) ?? given) as { forceFlush?: () => Promise<void> };
    try {
      await own.forceFlush?.();
    } catch (error) {
      failed(error);
    }
  }
}

/** The most hosts whose last record is remembered. */
const HOSTS = 1000;

/** Whether a record repeats the previous one of its host: the option `tracing` together with `attach(host.events$)` delivers each record twice. */
function repeats(): (record: HookRecord) => boolean {
  const last = new Map<string | undefined, HookRecord>();
  return (record) => {
    if (last.get(record.host_id) === record) return true;
    if (last.size >= HOSTS && !last.has(record.host_id)) last.clear();
    last.set(record.host_id, record);
    return false;
  };
}
