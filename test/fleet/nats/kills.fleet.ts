import { expect, test } from 'vitest';
import { fleetSoak, notArrived } from '../../../scripts/soak/fleet.js';

test('what was in a local log is in the stream once, and no fire is decided by two revisions, whoever is killed', async () => {
  const soaked = await fleetSoak({ hosts: 5, kills: 3 });
  console.log(soaked);
  expect(notArrived(soaked)).toEqual([]);
  expect(soaked.decided).toBeGreaterThan(100);
  expect(soaked.applied.count).toBe(45);
});
