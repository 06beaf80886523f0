import { filter, firstValueFrom, map, type Subscription } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { createBus } from '../../src/emit/bus.js';
import { hookRecord } from '../../src/emit/fire-schema.js';
import { listen, started } from './samples.js';

function quietBus() {
  const { told, logger } = listen();
  return { bus: createBus({ logger }), told };
}

describe('the bus', () => {
  test('builds no record while nobody watches', () => {
    const { bus } = quietBus();
    let asked = 0;
    const build = () => {
      asked += 1;
      return started();
    };
    bus.emit(build);
    expect([bus.observed, bus.built, asked]).toEqual([false, 0, 0]);

    const subscription = bus.events$.subscribe(() => undefined);
    bus.emit(build);
    expect([bus.observed, bus.built, asked]).toEqual([true, 1, 1]);

    subscription.unsubscribe();
    bus.emit(build);
    expect([bus.observed, bus.built, asked]).toEqual([false, 1, 1]);
  });

  test('stamps each record with the next number and the time, for all watchers the same', () => {
    const { bus } = quietBus();
    const seen: unknown[][] = [[], []];
    for (const list of seen) bus.events$.subscribe((record) => list.push(record));
    const before = Date.now();
    for (let i = 0; i < 3; i++) bus.emit(started);
    expect(seen[0]).toEqual(seen[1]);
    const records = seen[0]?.map((record) => hookRecord.parse(record)) ?? [];
    expect(records.map((record) => record.seq)).toEqual([1, 2, 3]);
    const time = Date.parse(records[0]?.time ?? '');
    expect(time).toBeGreaterThanOrEqual(before);
    expect(time).toBeLessThanOrEqual(Date.now());
  });

  test('sends what a watcher causes after what is being sent: every watcher sees the numbers in order', () => {
    const { bus } = quietBus();
    const seen: number[][] = [[], [], []];
    bus.events$.subscribe(({ seq }) => seen[0]?.push(seq));
    bus.events$.subscribe(({ seq }) => {
      seen[1]?.push(seq);
      if (seq === 1) for (let i = 0; i < 3; i++) bus.emit(started);
      if (seq === 3) bus.emit(started);
    });
    bus.events$.subscribe(({ seq }) => seen[2]?.push(seq));
    bus.emit(started);
    bus.emit(started);
    expect(seen).toEqual([
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
      [1, 2, 3, 4, 5, 6],
    ]);
  });

  test('lets watchers come and go while a record is sent', () => {
    const { bus } = quietBus();
    const seen: string[] = [];
    const late: Subscription[] = [];
    const leaving = bus.events$.subscribe(({ seq }) => {
      seen.push(`a${seq}`);
      leaving.unsubscribe();
      doomed.unsubscribe();
      late.push(bus.events$.subscribe((record) => seen.push(`late${record.seq}`)));
    });
    const doomed = bus.events$.subscribe(({ seq }) => seen.push(`doomed${seq}`));
    bus.events$.subscribe(({ seq }) => seen.push(`b${seq}`));
    bus.emit(started);
    bus.emit(started);
    expect(seen).toEqual(['a1', 'b1', 'b2', 'late2']);
  });

  test('works with operators and as a promise', async () => {
    const { bus } = quietBus();
    const second = firstValueFrom(
      bus.events$.pipe(
        filter((record) => record.seq === 2),
        map((record) => record.type),
      ),
    );
    bus.emit(started);
    bus.emit(started);
    expect(await second).toBe('system');
    expect(bus.observed).toBe(false);
  });

  test('rejects a promise made of it whose own predicate throws', async () => {
    const { bus, told } = quietBus();
    const broken = firstValueFrom(
      bus.events$.pipe(
        filter(() => {
          throw new Error('predicate');
        }),
      ),
    );
    bus.emit(started);
    await expect(broken).rejects.toThrow('predicate');
    expect(told).toEqual([]);
  });

  test('reports a record that cannot be built, and sends the next without a gap', () => {
    const { bus, told } = quietBus();
    const seen: number[] = [];
    bus.events$.subscribe(({ seq }) => seen.push(seq));
    bus.emit(() => {
      throw new Error('no such scope');
    });
    bus.emit(started);
    expect(seen).toEqual([1]);
    expect(bus.built).toBe(1);
    expect(told).toMatchObject([{ detail: { message: 'no such scope' } }]);
  });

  test('closed, completes everybody once, after what was being sent, and sends no more', () => {
    const { bus } = quietBus();
    const seen: (number | string)[] = [];
    bus.events$.subscribe({
      next: ({ seq }) => {
        seen.push(seq);
        if (seq > 1) return;
        bus.emit(started);
        bus.close();
        bus.emit(started);
      },
      complete: () => seen.push('end'),
    });
    bus.emit(started);
    bus.close();
    bus.emit(started);
    expect(seen).toEqual([1, 2, 'end']);
    expect([bus.observed, bus.built]).toEqual([false, 2]);

    let ended = false;
    bus.events$.subscribe({ complete: () => (ended = true) });
    expect(ended).toBe(true);
  });
});
