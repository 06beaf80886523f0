import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import { createBus } from '../../src/emit/bus.js';
import type { HookRecord } from '../../src/emit/record.js';
import { createSink, SINK, sinkOf } from '../../src/emit/sink.js';
import { ndjsonSink } from '../../src/emit/sinks/ndjson.js';
import { listen, stamped, started } from './samples.js';

/** A promise and what settles it. */
function gate() {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

const seqs = (records: readonly HookRecord[]) => records.map((record) => record.seq);

describe('a sink', () => {
  test.each([[undefined], [null], [{ write: () => undefined }], ['a file'], [Promise.resolve(() => undefined)]])(
    'is refused at once with %j to write with',
    (write) => {
      const refused = { code: 'INVALID_OPTIONS', message: expect.stringContaining('createSink(write)') };
      expect(() => createSink(write as never)).toThrow(expect.objectContaining(refused));
    },
  );

  test.each([[undefined], [null], ['a record'], [5]])('refuses to be given %j as a record', async (record) => {
    const { logger } = listen();
    const written: HookRecord[] = [];
    const all = [
      createSink((one) => void written.push(one), { logger }),
      createSink(() => undefined, { logger, redact: false }),
    ];
    for (const sink of all) {
      const refused = expect.objectContaining({
        code: 'INVALID_OPTIONS',
        message: expect.stringContaining('push(record)'),
      });
      expect(() => sink.push(record as never)).toThrow(refused);
      await sink.close();
    }
    expect(written).toEqual([]);
  });

  test('writes every record of the stream in order, one at a time', async () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const seen: HookRecord[] = [];
    let writing = 0;
    const sink = createSink(
      async (record) => {
        writing += 1;
        expect(writing).toBe(1);
        await sleep(record.seq % 2);
        seen.push(record);
        writing -= 1;
      },
      { logger },
    );
    sink.attach(bus.events$);
    for (let i = 0; i < 20; i++) bus.emit(started);
    expect(seen).toEqual([]);
    await sink.flush();
    expect(seqs(seen)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
    expect([sink.dropped, sink.pending]).toEqual([0, 0]);
    expect(told).toEqual([]);
  });

  test('does not write in the turn of the agent that emitted, nor in its microtasks', async () => {
    const seen: number[] = [];
    const sink = createSink((record) => void seen.push(record.seq));
    sink.push(stamped(1));
    expect(seen).toEqual([]);
    await Promise.resolve();
    expect(seen).toEqual([]);
    await sink.flush();
    expect(seen).toEqual([1]);
  });

  test('lets others have their turn while it writes many', async () => {
    let written = 0;
    const sink = createSink(() => {
      written += 1;
    });
    for (let i = 1; i <= 5000; i++) sink.push(stamped(i));
    const seenBetween: number[] = [];
    while (sink.pending > 0) {
      await new Promise((resolve) => setImmediate(resolve));
      seenBetween.push(written);
    }
    expect(written).toBe(5000);
    expect(seenBetween.length).toBeGreaterThan(10);
  });

  test('that is slow drops what finds its queue full, counts it, and says so once; then goes on', async () => {
    const { told, logger } = listen();
    const { open, opened } = gate();
    const seen: number[] = [];
    const sink = createSink(
      async (record) => {
        await opened;
        seen.push(record.seq);
      },
      { capacity: 10, name: 'slow', logger },
    );
    for (let i = 1; i <= 25; i++) sink.push(stamped(i));
    expect([sink.dropped, sink.pending]).toEqual([15, 10]);
    expect(told).toEqual([{ message: 'Sink "slow" is too slow: records are being dropped', detail: { dropped: 1 } }]);
    await sleep(20);
    sink.push(stamped(26));
    expect([sink.dropped, sink.pending]).toEqual([16, 10]);
    open();
    await sink.flush();
    sink.push(stamped(27));
    await sink.flush();
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 27]);
    expect(told.map(({ message }) => message)).toEqual([
      'Sink "slow" is too slow: records are being dropped',
      'Sink "slow" has caught up',
    ]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('boom');
      },
    ],
  ])('whose write %s is detached; what waited is counted; the others go on', async (_, broken) => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const seen: number[] = [];
    const bad = createSink(broken, { name: 'bad', logger });
    const good = createSink((record) => void seen.push(record.seq), { logger });
    bad.attach(bus.events$);
    good.attach(bus.events$);
    for (let i = 0; i < 3; i++) bus.emit(started);
    await Promise.all([bad.flush(), good.flush()]);
    bus.emit(started);
    await Promise.all([bad.flush(), good.flush()]);
    expect(seen).toEqual([1, 2, 3, 4]);
    expect([bad.dropped, bad.pending]).toEqual([3, 0]);
    expect(told).toEqual([{ message: 'Sink "bad" threw and was detached: boom', detail: new Error('boom') }]);
  });

  test('has room for 10,000 records unless told otherwise', async () => {
    const { told, logger } = listen();
    const { open, opened } = gate();
    const sink = createSink(() => opened, { logger });
    const record = stamped(1);
    for (let i = 0; i < 10_003; i++) sink.push(record);
    expect([sink.pending, sink.dropped, told.length]).toEqual([10_000, 3, 1]);
    open();
    await sink.flush();
  });

  test('without a name is called a sink', async () => {
    const { told, logger } = listen();
    const bad = createSink(() => Promise.reject(new Error('boom')), { logger });
    bad.push(stamped(1));
    await bad.flush();
    expect(told.map(({ message }) => message)).toEqual(['Sink "sink" threw and was detached: boom']);
  });

  test('detached by its undo takes no more, and a second undo does nothing', async () => {
    const { logger } = listen();
    const bus = createBus({ logger });
    const seen: number[] = [];
    const sink = createSink((record) => void seen.push(record.seq), { logger });
    const undo = sink.attach(bus.events$);
    bus.emit(started);
    undo();
    undo();
    expect(bus.observed).toBe(false);
    bus.emit(started);
    await sink.flush();
    expect(seen).toEqual([1]);
  });

  test('closed detaches, writes what waits, and counts what comes after', async () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const seen: number[] = [];
    const sink = createSink(
      async (record) => {
        await sleep(1);
        seen.push(record.seq);
      },
      { logger },
    );
    sink.attach(bus.events$);
    for (let i = 0; i < 5; i++) bus.emit(started);
    await sink.close();
    expect(bus.observed).toBe(false);
    sink.push(stamped(6));
    await sink.close();
    expect(seen).toEqual([1, 2, 3, 4, 5]);
    expect([sink.dropped, sink.pending]).toEqual([1, 0]);
    expect(told).toEqual([]);
  });

  test('whose write hangs is given closeTimeout, then the rest is counted as dropped', async () => {
    const { told, logger } = listen();
    const sink = createSink(() => new Promise<void>(() => undefined), { closeTimeout: 0.05, name: 'hung', logger });
    for (let i = 1; i <= 3; i++) sink.push(stamped(i));
    const flushed = sink.flush();
    await sink.close();
    await flushed;
    expect([sink.dropped, sink.pending]).toEqual([3, 0]);
    expect(told.map(({ message }) => message)).toEqual([
      'Sink "hung" did not finish within 0.05 s: 3 records were dropped',
    ]);
  });

  test.each([1e8, Number.POSITIVE_INFINITY])(
    'closes in its own time where closeTimeout is %d s, longer than a timer can wait',
    async (closeTimeout) => {
      const { open, opened } = gate();
      const sink = createSink(() => opened, { closeTimeout });
      sink.push(stamped(1));
      const closed = sink.close();
      // A timer that overflows fires after 1 ms, before this one.
      await sleep(20);
      open();
      await closed;
      expect(sink.dropped).toBe(0);
    },
  );

  test('flush waits for what was there, not for what comes later', async () => {
    const gates = [gate(), gate()];
    const sink = createSink((record) => gates[record.seq - 1]?.opened);
    sink.push(stamped(1));
    const flushed = sink.flush();
    sink.push(stamped(2));
    gates[0]?.open();
    await flushed;
    expect(sink.pending).toBe(1);
    gates[1]?.open();
    await sink.flush();
    expect(sink.pending).toBe(0);
  });

  test.each([
    { capacity: 0 },
    { capacity: 1.5 },
    { capacity: Number.NaN },
    { closeTimeout: -1 },
    { closeTimeout: Number.NaN },
    { capcity: 5 },
    { name: 5 },
  ])('refuses options %j by name, said of the function that was called', (options) => {
    const [key] = Object.keys(options);
    const misused = { code: 'INVALID_OPTIONS' };
    const write = (): void => undefined;
    const syslogSink = (given: object) => sinkOf({ caller: 'syslogSink', keys: SINK, options: given, write });
    const named = (caller: string) => ({ ...misused, message: expect.stringContaining(`${caller}: ${key}`) });
    expect(() => createSink(write, options as object)).toThrow(expect.objectContaining(named('createSink')));
    expect(() => ndjsonSink('unused', options as object)).toThrow(expect.objectContaining(named('ndjsonSink')));
    expect(() => syslogSink(options)).toThrow(expect.objectContaining(named('syslogSink')));
  });
});

test('sinks that sleep, throw or never answer hold up nobody, keep what they may, and count the rest exactly', async () => {
  const { logger } = listen();
  const bus = createBus({ logger });
  const kept = { sleeps: 0, throws: 0, never: 0 };
  const options = { logger, capacity: 100, closeTimeout: 0.05 };
  const sinks = {
    sleeps: createSink(
      async () => {
        await sleep(1);
        kept.sleeps += 1;
      },
      { ...options, closeTimeout: 30 },
    ),
    throws: createSink(() => {
      throw new Error('no');
    }, options),
    never: createSink(() => new Promise<void>(() => undefined), options),
  };
  for (const sink of Object.values(sinks)) sink.attach(bus.events$);
  const seen: number[] = [];
  bus.events$.subscribe(({ seq }) => void seen.push(seq));
  let most = 0;
  for (let i = 0; i < 5000; i++) {
    bus.emit(started);
    most = Math.max(most, ...Object.values(sinks).map((sink) => sink.pending));
    if (i === 2500) await vi.waitFor(() => expect(sinks.throws.pending).toBe(0), { timeout: 60_000, interval: 2 });
  }
  expect(seen).toHaveLength(5000);
  expect(most).toBeLessThanOrEqual(100);
  for (const sink of Object.values(sinks)) await sink.close();
  expect(sinks.sleeps.dropped + kept.sleeps).toBe(5000);
  expect(sinks.never.dropped).toBe(5000);
  // It was detached in the pause: what came later never reached it.
  expect(sinks.throws.dropped).toBe(2501);
  expect(Object.values(sinks).map((sink) => sink.pending)).toEqual([0, 0, 0]);
});

test('a sink that failed says why once', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  const sink = createSink(() => {
    throw new Error('the disk is gone');
  });
  sink.push(stamped(1));
  await sink.close();
  expect((await warned).message.split('the disk is gone')).toHaveLength(2);
});
