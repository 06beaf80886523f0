import { expect, test } from 'vitest';
import { lookBackFrom, timeIn } from '../../src/page/sources/look-back.js';

const HOUR = 3_600_000;

test('a clock that was set back: what is missed since the last record that came is looked for', () => {
  const now = Date.parse('2026-01-31T09:15:00.000Z');
  const last = timeIn('{"seq":7,"time":"2026-01-31T09:15:00.000Z","type":"hook_fire"}');
  expect(last).toBe(now);
  expect(lookBackFrom(now + HOUR, last, 1000)).toBe(now - 1000);
  expect(lookBackFrom(now, undefined, 1000)).toBe(now - 1000);
  expect(lookBackFrom(now - HOUR, now, 1000)).toBe(now - HOUR - 1000);
  expect(lookBackFrom(undefined, undefined, 1000)).toBe(0);
});

test.each(['', '{}', '{"time":7}', '{"time":"soon enough"}'])('%j tells no time', (text) => {
  expect(timeIn(text)).toBeUndefined();
});
