import { expect, test } from 'vitest';
import { reloads } from '../../scripts/soak/reloads.js';
import { soak } from '../../scripts/soak/soak.js';
import { BIN } from '../cli/cli.js';

test('fires and agents that come and go, beside a sink that fails now and then, leave nothing behind', async () => {
  const { before, after, decided, denied, dropped } = await soak({ fires: 8_000, agents: 200 });
  expect({ decided, denied }).toEqual({ decided: 8_000 + 3 * 200 + 8, denied: expect.any(Number) });
  expect(denied).toBeGreaterThanOrEqual(800);
  expect(after.scopes).toBe(before.scopes);
  expect(after.agents).toBe(0);
  expect(after.handles).toBeLessThanOrEqual(before.handles + 1);
  // What is remembered of calls, for alarms, has a limit of its own (15 MiB) and is filled by the fires.
  expect(after.heap - before.heap).toBeLessThan(24 * 1024 * 1024);
  expect(dropped).toBeGreaterThan(0);
});

test('reloads, half of them broken: every call is answered by a good version, and one process serves at the end', async () => {
  const { loaded, refused, unanswered, handles, children } = await reloads(BIN, 6);
  expect({ loaded, refused, unanswered, children }).toEqual({ loaded: 3, refused: 3, unanswered: 0, children: 1 });
  expect(handles[1]).toBeLessThanOrEqual(handles[0] + 2);
});
