import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createSink, type Sink, type SinkOptions } from '../../src/emit/sink.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { otelSink } from '../../src/emit/sinks/otel.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { listen, stamped } from './samples.js';

const folder = mkdtempSync(join(tmpdir(), 'hookscope-room-'));
afterAll(() => rmSync(folder, { recursive: true }));

const sinks: Readonly<Record<string, readonly [dropped: number, make: (options: SinkOptions) => Sink]>> = {
  createSink: [3, (options) => createSink(() => undefined, options)],
  otelSink: [3, (options) => otelSink(options)],
  ndjsonSink: [0, (options) => ndjsonSink(join(folder, 'r.ndjson'), options)],
  sqliteSink: [0, (options) => sqliteSink(join(folder, 'r.db'), options)],
};

test.each(Object.entries(sinks))(
  'what waits in a sink is bounded by its bytes, and by a count only in createSink and otelSink: %s',
  async (_, [dropped, make]) => {
    const { logger } = listen();
    const sink = make({ logger, redact: false });
    for (let i = 0; i < 10_003; i++) sink.push(stamped(i + 1));
    expect(sink.dropped).toBe(dropped);
    await sink.close();
    const few = make({ logger, redact: false, maxPendingBytes: 10_000 });
    for (let i = 0; i < 1_000; i++) few.push(stamped(i + 1));
    expect(few.dropped).toBeGreaterThan(0);
    await few.close();
  },
);

test('the bytes are 64 MiB unless told otherwise', async () => {
  const { logger } = listen();
  const sink = createSink(() => undefined, { logger, redact: false });
  const record = { ...stamped(1), stdout: 'x'.repeat(2 ** 20) } as never;
  for (let i = 0; i < 70; i++) sink.push(record);
  expect(sink.pending).toBeGreaterThanOrEqual(60);
  expect(sink.pending).toBeLessThanOrEqual(64);
  await sink.close();
});
