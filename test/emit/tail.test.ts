import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { createSink } from '../../src/emit/sink.js';
import { createQueue } from '../../src/emit/sink-queue.js';
import { fire } from './samples.js';

afterEach(() => {
  vi.useRealTimers();
});

test('what waits to be written waits for no timer: it is handed on in the next turn, so that a kill takes a turn and a write', async () => {
  // Time stands still.
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  const written: number[][] = [];
  const queue = createQueue<number>({
    name: 'queue',
    logger: () => undefined,
    capacity: 1000,
    closeTimeout: 1,
    batch: 3,
    write: (items) => void written.push([...items]),
  });
  for (const item of [1, 2, 3, 4]) queue.push(item);
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual([[1, 2, 3], [4]]);
  queue.push(5);
  await nextTurn();
  expect(written.at(-1)).toEqual([5]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a sink of one's own is called in the next turn", async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval'] });
  const written: number[] = [];
  const sink = createSink(({ seq }) => void written.push(seq));
  sink.push(fire(7));
  await nextTurn();
  await nextTurn();
  expect(written).toEqual([7]);
});
