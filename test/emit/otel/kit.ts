import { context, propagation, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import type { OtelOptions } from '../../../src/emit/sinks/otel.js';

/** The real SDK, as a program sets it up, but that spans and metrics stay here. */
export function telemetry() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const metricExporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1_000_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    /** For `otelSink`. */
    providers: { tracerProvider, meterProvider } satisfies OtelOptions,
    tracer: tracerProvider.getTracer('test'),
    spans: () => exporter.getFinishedSpans(),
    reset: () => exporter.reset(),
    /** Every point of every metric: its name, what it is counted by, and its value or count. */
    async points() {
      await meterProvider.forceFlush();
      const last = metricExporter.getMetrics().at(-1);
      const all = last?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
      return all.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          name: descriptor.name,
          unit: descriptor.unit,
          attributes,
          value: typeof value === 'number' ? value : (value as { count: number }).count,
        })),
      );
    },
    /** Makes it the program's own, in whose contexts everything runs. */
    register: () => tracerProvider.register(),
    async end() {
      await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
      for (const api of [context, propagation, trace]) api.disable();
    },
  };
}

/** A span with what began within it. */
export interface Node {
  readonly name: string;
  readonly within: readonly Node[];
}

/** Spans as trees, by name, in the order in which they began. */
export function treesOf(spans: readonly ReadableSpan[]): Node[] {
  const below = (parent: string | undefined): Node[] =>
    spans
      .filter((span) => span.parentSpanContext?.spanId === parent)
      .map((span) => ({ name: span.name, within: below(span.spanContext().spanId) }))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  return below(undefined);
}

export const named = (spans: readonly ReadableSpan[], name: string): ReadableSpan =>
  spans.find((span) => span.name === name) ?? fail(`no span ${name}, but ${spans.map((span) => span.name).join(', ')}`);

function fail(why: string): never {
  throw new Error(why);
}
