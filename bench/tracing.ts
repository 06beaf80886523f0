import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { createHost } from 'hookscope';
import { otelSink } from 'hookscope/sinks/otel';
import type { Candidate, Case } from './harness.js';
import { callbacks, preToolUse } from './recorded.js';

/** A program with the SDK set up, whose spans are made whole and then dropped: what an exporter costs is not ours. */
async function traced(source: string): Promise<Candidate[]> {
  Object.assign(globalThis, { hookscope: await import('hookscope') });
  const tracerProvider = new NodeTracerProvider();
  tracerProvider.register();
  const sink = otelSink({ tracerProvider, meterProvider: new MeterProvider() });
  const withSink = createHost({ tracing: sink });
  const idle = createHost();
  idle.events$.subscribe(() => undefined);
  for (const host of [withSink, idle]) host.register({ PreToolUse: [{ hooks: callbacks(10, source) }] });
  const batch = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++) await withSink.fire('PreToolUse', preToolUse);
    // What was put on spans in another candidate's turn would be counted as its own.
    await sink.flush();
  };
  return [
    { name: 'one idle subscriber', run: () => idle.fire('PreToolUse', preToolUse) },
    { name: 'otelSink', run: () => batch(1), batch },
  ];
}

const saying = (name: string, source: string): Case => ({
  name: `spans and metrics, 10 ${name}`,
  goal: 10,
  candidates: () => traced(source),
  floor: 'one idle subscriber',
  subject: 'otelSink',
  warmUp: 20,
  rounds: 30,
});

export const cases: Case[] = [
  saying('silent', 'async () => undefined'),
  saying('answer allow()', "async () => hookscope.allow('reviewed')"),
];
