import { createRequire } from 'node:module';
import { map, take as ours, Subscriber, startWith } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import { createBus } from '../../src/emit/bus.js';
import { report } from '../../src/emit/guard.js';
import { useCompiled } from './compiled.js';
import { listen, started } from './samples.js';

const { start } = useCompiled();

describe('a watcher that throws', () => {
  test('is detached and reported once; the others, before and after it, go on', () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const seen: string[] = [];
    bus.events$.subscribe(({ seq }) => seen.push(`a${seq}`));
    const subscription = bus.events$.subscribe(({ seq }) => {
      seen.push(`x${seq}`);
      throw new Error('boom');
    });
    bus.events$.subscribe(({ seq }) => seen.push(`b${seq}`));
    bus.emit(started);
    bus.emit(started);
    expect(seen).toEqual(['a1', 'x1', 'b1', 'a2', 'b2']);
    expect(subscription.closed).toBe(true);
    expect(told).toEqual([{ message: expect.stringContaining('detached'), detail: new Error('boom') }]);
  });

  test('leaves the bus unobserved when it was the only one', () => {
    const { logger } = listen();
    const bus = createBus({ logger });
    bus.events$
      .pipe(
        map(() => {
          throw new Error('boom');
        }),
      )
      .subscribe();
    bus.emit(started);
    expect(bus.observed).toBe(false);
  });

  test('behind an operator of another copy of rxjs is let go by that operator as by ours', () => {
    const { logger } = listen();
    const require = createRequire(import.meta.url);
    for (const file of Object.keys(require.cache)) if (file.includes('/rxjs/')) delete require.cache[file];
    const { take } = require('rxjs') as typeof import('rxjs');
    expect(take).not.toBe(ours);
    const bus = createBus({ logger });
    const seen: number[] = [];
    bus.events$.pipe(take(1)).subscribe(({ seq }) => seen.push(seq));
    bus.emit(started);
    bus.emit(started);
    expect([seen, bus.observed]).toEqual([[1], false]);
  });

  test('already while it subscribes is not kept either', () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const subscription = bus.events$.pipe(startWith(undefined)).subscribe(() => {
      throw new Error('boom');
    });
    expect([subscription.closed, bus.observed, told.length]).toEqual([true, false, 1]);
  });

  test('keeps the order for the others when it had caused more records', () => {
    const { logger } = listen();
    const bus = createBus({ logger });
    const seen: number[] = [];
    bus.events$.subscribe(() => {
      bus.emit(started);
      bus.emit(started);
      throw new Error('boom');
    });
    bus.events$.subscribe(({ seq }) => seen.push(seq));
    bus.emit(started);
    expect(seen).toEqual([1, 2, 3]);
  });

  test('in a pipeline with an error handler of its own gets the error there, and nothing is logged', () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const errors: unknown[] = [];
    bus.events$
      .pipe(
        map(() => {
          throw new Error('mine');
        }),
      )
      .subscribe({ error: (error: unknown) => errors.push(error) });
    bus.emit(started);
    bus.emit(started);
    expect(errors).toEqual([new Error('mine')]);
    expect(told).toEqual([]);
  });

  test('as a bare Subscriber, that rxjs would let through to the sender, stops at its own subscription', () => {
    const { told, logger } = listen();
    const bus = createBus({ logger });
    const seen: number[] = [];
    const bare = new Subscriber<unknown>({
      next: () => {
        throw new Error('bare');
      },
      error: () => undefined,
      complete: () => undefined,
    });
    bus.events$.subscribe(bare);
    bus.events$.subscribe(({ seq }) => seen.push(seq));
    bus.emit(started);
    bus.emit(started);
    expect(seen).toEqual([1, 2]);
    expect(bare.closed).toBe(true);
    expect(told).toMatchObject([{ detail: { message: 'bare' } }]);
  });
});

test.each([
  [
    'throws',
    () => {
      throw new TypeError('its own bug');
    },
  ],
  [
    'rejects',
    async () => {
      throw new TypeError('its own bug');
    },
  ],
])('the line about a watcher that %s holds its error', async (_, watch) => {
  const told: string[] = [];
  const host = createHost({ logger: (line) => told.push(line) });
  host.events$.subscribe(watch);
  await host.fire('Stop', { stop_hook_active: false });
  await host.close();
  expect(told).toEqual([expect.stringMatching(/threw and was detached.*: TypeError: its own bug$/)]);
});

test('a logger that throws is told about by a process warning', async () => {
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  report(
    () => {
      throw new Error('disk gone');
    },
    'A sink failed',
    new Error('why'),
  );
  expect((await warned).message).toBe('The logger threw (disk gone) on: A sink failed: why');
});

test('a process survives watchers that throw, in whatever way', async () => {
  const { code, stdout, stderr } = await start('throwing-watcher.mjs').ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const came = stdout.split('\n').filter((line) => line !== '');
  expect(came).toHaveLength(18);
  for (const line of came) {
    const { way, before, after, told } = JSON.parse(line) as Record<'before' | 'after', number[]> & {
      way: string;
      told: string[];
    };
    expect([before, after], way).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(told.length, way).toBeGreaterThan(0);
    expect(
      told.every((text) => text.includes('boom')),
      way,
    ).toBe(true);
  }
});
