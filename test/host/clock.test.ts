import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Clock } from '../../src/host/call/clock.js';

// The clock of this file is turned by hand, a millisecond at a time: what is late here is late by the code, not by the machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

test('a time that is up is never said early, and at most 20 ms late', () => {
  const clock = new Clock();
  const fire = { spec: { name: 'PreToolUse' }, input: {}, cancel: () => undefined };
  for (let limit = 1; limit <= 60; limit++) {
    // Another one is under way already, so that the sweep stands at any point.
    const other = { limit: 0, since: 0, fire, expire() {}, cancel() {}, pendingNames: () => [] };
    clock.watch(other);
    vi.advanceTimersByTime(limit % 11);
    const began = performance.now();
    let ended: number | undefined;
    const expire = (): void => {
      ended ??= performance.now();
    };
    const node = { limit, since: 0, fire, expire, cancel() {}, pendingNames: () => [] };
    clock.watch(node);
    for (let ms = 0; ended === undefined && ms < 200; ms++) vi.advanceTimersByTime(1);
    const took = (ended ?? Number.POSITIVE_INFINITY) - began;
    expect(took, `${limit} ms`).toBeGreaterThanOrEqual(limit);
    expect(took, `${limit} ms`).toBeLessThanOrEqual(limit + 20);
    clock.forget(node);
    clock.forget(other);
  }
});
