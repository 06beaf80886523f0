import { expect, test } from 'vitest';
import { CatchUp, olderThan, timeIn } from '../../src/page/sources/look-back.js';

const NOW = Date.parse('2026-01-31T09:15:00.000Z');
const HOUR = 3_600_000;
const BACK = 10_000;

let seq = 0;
const line = (at: number): string =>
  JSON.stringify({ seq: ++seq, time: new Date(at).toISOString(), host_id: 'h1', type: 'hook_fire' });
const lines = (count: number, from: number): string[] => Array.from({ length: count }, (_, i) => line(from + i));

/** What of the store's lines, in their order, is read again from its end. */
function readAgain(caughtUp: CatchUp, store: readonly string[], isEnough = caughtUp.reading(BACK)): string[] {
  const read: string[] = [];
  for (const one of store.toReversed()) {
    read.push(one);
    if (isEnough(one)) break;
  }
  return read;
}

function after(known: readonly string[], contact = NOW): CatchUp {
  const caughtUp = new CatchUp();
  for (const one of known) caughtUp.note(one);
  caughtUp.heard(contact);
  return caughtUp;
}

test('what was missed is read, and not much of what is known', () => {
  const known = lines(5000, NOW - HOUR);
  const missed = lines(3, NOW + 1000);
  const read = readAgain(after(known), [...known, ...missed]);
  expect(read).toEqual(expect.arrayContaining(missed));
  expect(read.length).toBeLessThan(200);
});

test('a record from a clock ahead of the others hides nothing that comes later', () => {
  const known = [...lines(300, NOW - HOUR), ...lines(300, NOW + 24 * HOUR)];
  const missed = line(NOW + 1000);
  expect(readAgain(after(known), [...known, missed])).toContain(missed);
  // Several files are read by time: what is ahead comes before what was missed.
  expect(readAgain(after(known), [...known.slice(0, 300), missed, ...known.slice(300)])).toContain(missed);
});

test('a clock that was set back hides nothing either, nor does what has come since', () => {
  const known = lines(300, NOW - 1000);
  const missed = lines(2, NOW - HOUR);
  expect(readAgain(after(known), [...known, ...missed])).toEqual(expect.arrayContaining(missed));
  const caughtUp = after(known);
  const isEnough = caughtUp.reading(BACK);
  const live = lines(500, NOW + 5000);
  for (const one of live) caughtUp.note(one);
  const gap = lines(2, NOW + 1000);
  expect(readAgain(caughtUp, [...known, ...gap, ...live], isEnough)).toEqual(expect.arrayContaining(gap));
});

test('a page that has heard nothing reads everything', () => {
  const store = lines(500, NOW);
  const caughtUp = new CatchUp();
  for (const one of store) caughtUp.note(one);
  expect(readAgain(caughtUp, store)).toHaveLength(500);
});

test('older records go on from the oldest line, whatever it reports', () => {
  const progress = lines(50, NOW).toReversed();
  const how = { most: 50, added: 50, until: Number.POSITIVE_INFINITY };
  expect(olderThan(progress, how)).toBe(NOW);
  expect(olderThan([...progress.slice(0, 49), 'half a li'], how)).toBe(NOW + 1);
  expect(olderThan(progress.slice(1), how)).toBeUndefined();
  expect(olderThan(progress, { ...how, added: 0, until: NOW + 60 })).toBe(NOW);
  // Nothing new, and no further back: it would be asked for ever.
  expect(olderThan(progress, { ...how, added: 0, until: NOW })).toBeUndefined();
});

test.each(['', '{}', '{"time":7}', '{"time":"soon enough"}'])('%j tells no time', (text) => {
  expect(timeIn(text)).toBeUndefined();
});
