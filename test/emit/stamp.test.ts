import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isoAt } from '../../src/emit/stamp.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const at = (time: string): void => void vi.setSystemTime(new Date(time));

test('a time of day is read anew after 50 microseconds, and where the clock that is read with it stands still', () => {
  at('2026-03-01T10:00:00.000Z');
  expect(isoAt(1_000_000)).toBe('2026-03-01T10:00:00.000Z');
  at('2026-03-01T10:00:00.007Z');
  expect(isoAt(1_000_000.04)).toBe('2026-03-01T10:00:00.000Z');
  expect(isoAt(1_000_000.06)).toBe('2026-03-01T10:00:00.007Z');
  // Set back, as by a machine that wakes up.
  at('2026-03-01T09:00:00.000Z');
  expect(isoAt(1_000_001)).toBe('2026-03-01T09:00:00.000Z');
  at('2026-03-02T00:00:00.000Z');
  expect(isoAt(1_000_001)).toBe('2026-03-02T00:00:00.000Z');
  expect(isoAt(5)).toBe('2026-03-02T00:00:00.000Z');
});
