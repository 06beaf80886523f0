import { context } from '@opentelemetry/api';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-node';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import type { HookRecord } from '../../../src/emit/record.js';
import { SINK_CONTRACT, type SinkUnderTest } from '../../../src/emit/sinks/contract.js';
import { NAME } from '../../../src/emit/sinks/otel/names.js';
import { otelSink } from '../../../src/emit/sinks/otel.js';
import type { Traced, Tracing } from '../../../src/emit/tracing.js';
import { deny } from '../../../src/events/output/helpers.js';
import { telemetry } from './kit.js';

const { providers, spans, reset, register, end } = telemetry();
beforeAll(register);
beforeEach(reset);
afterAll(end);

const bash = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 't1' };

/** A span holds part of what a record does. */
function underTest(): SinkUnderTest {
  reset();
  const broken: SpanProcessor = {
    onStart() {
      throw new Error('it is gone');
    },
    onEnd: () => undefined,
    forceFlush: () => Promise.reject(new Error('it is gone')),
    shutdown: () => Promise.resolve(),
  };
  return {
    make: (options) => otelSink({ ...options, ...providers, content: true }),
    kept: () =>
      spans().map(({ attributes }) => {
        const count = attributes[NAME.redacted];
        return {
          seq: Number(String(attributes['gen_ai.tool.call.id']).replace('toolu_', '')),
          reason: attributes['hookscope.reason'],
          ...(count === undefined ? {} : { redacted: { count } }),
        } as unknown as HookRecord;
      }),
    broken: (options) => otelSink({ ...options, tracerProvider: new NodeTracerProvider({ spanProcessors: [broken] }) }),
  };
}

describe('otelSink keeps the contract of sinks, as far as spans are records', () => {
  for (const { name, run } of SINK_CONTRACT.filter((one) => !one.name.includes('as it is')))
    test(name, () => run(underTest));

  test('its open spans end when it is closed, and say that nobody saw their end', async () => {
    const sink = otelSink(providers);
    sink.begin({ kind: 'agent', session_id: 's' }, undefined, undefined);
    sink.begin({ kind: 'tool', session_id: 's', tool_name: 'Bash', tool_use_id: 't' }, undefined, undefined);
    expect(spans()).toHaveLength(0);
    await sink.close();
    expect(spans().map(({ name, attributes }) => [name, attributes[NAME.unfinished]])).toEqual([
      ['execute_tool Bash', true],
      ['invoke_agent', true],
    ]);
    expect(sink.begin({ kind: 'agent', session_id: 's' }, undefined, undefined)).toBeUndefined();
  });

  test('it is closed in time though its provider hands on nothing', async () => {
    const told: string[] = [];
    const never = {
      ...providers.tracerProvider,
      getTracer: () => providers.tracerProvider.getTracer('x'),
      forceFlush: () => new Promise<void>(() => undefined),
    };
    const sink = otelSink({ tracerProvider: never, closeTimeout: 0.01, logger: (message) => void told.push(message) });
    await sink.close();
    expect(told).toEqual([expect.stringContaining('was not sent within 0.01 s')]);
  });

  test('what finds no room ends its span, and the next one is whole', async () => {
    const sink = otelSink({ ...providers, capacity: 1, logger: () => undefined });
    const host = createHost({ tracing: sink });
    host.register({ PreToolUse: [{ hooks: [function guard() {}] }] });
    await Promise.all([host.fire('PreToolUse', bash), host.fire('PreToolUse', bash)]);
    await sink.flush();
    expect(sink.dropped).toBeGreaterThan(0);
    expect(spans().filter(({ name }) => name === 'hook PreToolUse')).toHaveLength(2);
    await host.close();
    await sink.close();
  });

  test('however many begin and never end, so many are held', async () => {
    const sink = otelSink(providers);
    for (let i = 0; i < 10_100; i++)
      sink.begin({ kind: 'tool', session_id: 's', tool_name: 'Bash', tool_use_id: String(i) }, undefined, undefined);
    expect(spans()).toHaveLength(100);
    reset();
    await sink.close();
    expect(spans()).toHaveLength(10_000);
  });
});

describe('what goes wrong with tracing', () => {
  const decided = async (tracing: Tracing): Promise<{ verdict: string; logged: string[]; ran: number }> => {
    const logged: string[] = [];
    let ran = 0;
    const host = createHost({ tracing, logger: (message) => void logged.push(message) });
    host.register({ PreToolUse: [{ hooks: [() => (ran++ < 9 ? deny('no') : undefined)] }] });
    const { verdict } = await host.fire('PreToolUse', bash);
    await host.fire('PreToolUse', bash);
    await host.close();
    return { verdict, logged, ran };
  };
  const oops = (): never => {
    throw new Error('oops');
  };
  const traced: Traced = { run: (work) => work(), carrier: undefined, end: () => undefined };
  const working: Tracing = {
    begin: () => traced,
    attach(events$) {
      const subscription = events$.subscribe({ next: () => undefined });
      return () => subscription.unsubscribe();
    },
    flush: () => Promise.resolve(),
  };

  test.each<[string, Tracing]>([
    ['begin throws', { ...working, begin: oops }],
    ['attach throws', { ...working, attach: oops }],
    ['its undo throws', { ...working, attach: () => oops }],
    ['flush rejects', { ...working, flush: () => Promise.reject(new Error('oops')) }],
    ['flush throws', { ...working, flush: oops }],
    ['run throws before the hook is called', { ...working, begin: () => ({ ...traced, run: oops }) }],
    [
      'run throws when it has called the hook',
      {
        ...working,
        begin: () => ({
          ...traced,
          run(work) {
            work();
            return oops();
          },
        }),
      },
    ],
    [
      'run calls the hook and returns something else',
      { ...working, begin: () => ({ ...traced, run: (work) => void work() as never }) },
    ],
  ])('%s: the hooks are asked once each, and the logger is told once', async (name, tracing) => {
    const { verdict, logged, ran } = await decided(tracing);
    expect([verdict, ran]).toEqual(['deny', 2]);
    expect(logged).toHaveLength(name.includes('something else') ? 0 : 1);
  });

  test('a hook that throws fails as it does without', async () => {
    const sink = otelSink(providers);
    const host = createHost({ tracing: sink, logger: () => undefined });
    host.register({ PreToolUse: [{ onFailure: 'block', hooks: [() => oops()] }] });
    const { verdict, failures } = await host.fire('PreToolUse', bash);
    expect([verdict, failures[0]?.cause, failures[0]?.message]).toEqual(['deny', 'threw', 'Error: oops']);
    await host.close();
    await sink.close();
  });

  test('an exporter that hangs holds the closing host up for no longer than its closeTimeout', async () => {
    const host = createHost({ tracing: { ...working, flush: () => new Promise(() => undefined) }, closeTimeout: 0.01 });
    await expect(host.close()).resolves.toEqual({ pending: [] });
  });

  test('without a tracer that records, and without contexts, hooks run all the same and nobody is told of a trace', async () => {
    const exporter = new InMemorySpanExporter();
    const sampled = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    context.disable();
    const silent = createHost({ tracing: otelSink() });
    const seen: unknown[] = [];
    silent.register({ PreToolUse: [{ hooks: [() => void seen.push('asked')] }] });
    await silent.fire('PreToolUse', bash);
    await silent.close();
    expect(seen).toEqual(['asked']);
    // Parents that we know ourselves do not depend on contexts.
    const sink = otelSink({ tracerProvider: sampled });
    const host = createHost({ tracing: sink });
    const session = await host.openSession();
    await session.tool({ name: 'Bash', input: {}, execute: () => 'x' });
    await session.close();
    await host.close();
    await sink.close();
    expect(exporter.getFinishedSpans().filter((span) => span.parentSpanContext === undefined)).toHaveLength(1);
  });
});

test('the option is checked: what is no tracing is refused', () => {
  for (const tracing of [{}, () => undefined, { begin: 1 }])
    expect(() => createHost({ tracing: tracing as never })).toThrow(/tracing: expected what otelSink\(\) returned/);
  expect(() => otelSink({ tracerProvider: {} as never })).toThrow(/expected a provider, an object with getTracer/);
});
