import { expect, test } from 'vitest';
import { leftBehind, notReloaded } from '../../scripts/soak/left-behind.js';
import { reloads } from '../../scripts/soak/reloads.js';
import { soak } from '../../scripts/soak/soak.js';
import { BIN } from '../cli/cli.js';

test('fires and agents that come and go, beside a sink that fails now and then, leave nothing behind', async () => {
  const asked = { fires: 8_000, agents: 200 };
  const soaked = await soak(asked);
  expect(leftBehind(soaked, asked)).toEqual([]);
  // And each of them would be told.
  const more = { heap: 30_000_000, scopes: 1, agents: 1, handles: 5 };
  for (const [key, by] of Object.entries(more)) {
    const after = { ...soaked.after, [key]: soaked.before[key as keyof typeof more] + by };
    expect(leftBehind({ ...soaked, after }, asked), key).toHaveLength(1);
  }
  for (const key of ['decided', 'denied', 'dropped'])
    expect(leftBehind({ ...soaked, [key]: 0 }, asked)).toHaveLength(1);
});

test('reloads, half of them broken: every call is answered by a good version, and one process serves at the end', async () => {
  const reloaded = await reloads(BIN, 4);
  expect(notReloaded(reloaded, 4)).toEqual([]);
  const [handles, memory] = [reloaded.handles[0], reloaded.memory[0]];
  for (const wrong of [
    { loaded: 1 },
    { refused: 1 },
    { unanswered: 1 },
    { children: 2 },
    { handles: [handles, handles + 3] as const },
    { memory: [memory, memory + 70_000] as const },
  ])
    expect(notReloaded({ ...reloaded, ...wrong }, 4), JSON.stringify(wrong)).toHaveLength(1);
});
