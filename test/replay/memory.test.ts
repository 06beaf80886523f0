import { expect, test } from 'vitest';
import { grown, replays } from '../../scripts/soak/replays.js';

test('a longer recording takes no more memory: the short form of npm run soak', { timeout: 120_000 }, async () => {
  const asked = 5_000;
  const replayed = await replays(asked);
  expect(grown(replayed, asked, 40)).toEqual([]);
  expect(replayed.changed).toBe(asked / 5);
  // That it is judged at all.
  const [first] = replayed.curve;
  const last = replayed.curve.map((point, i) => (i === 9 ? { ...point, heap: (first?.heap ?? 0) + 100 } : point));
  expect(grown({ ...replayed, curve: last }, asked, 40)).toHaveLength(1);
  expect(grown({ ...replayed, unknown: 1 }, asked + 1, 40)).toHaveLength(2);
});
