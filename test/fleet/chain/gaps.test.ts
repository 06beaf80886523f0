import { expect, test } from 'vitest';
import { readBundle } from '../../../src/fleet/bundle/bundle.js';
import { memoryEngine } from '../../../src/fleet/memory.js';
import { foresee } from '../../../src/fleet/policy/foresee.js';
import type { HostStatus } from '../../../src/fleet/status.js';
import { bundleOf, denies, newKey } from '../bundles.js';
import { until } from '../contract.js';
import { channel, ground, key } from '../ground.js';

const files = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const [next, stranger] = [newKey(), newKey()];
/** As many bundles of a channel as a real broker keeps. */
const KEPT = 32;

/** A host that is there and one that had the first bundle and is away. */
async function team() {
  const all = ground();
  const [there, gone] = [await all.join({ host: 'there' }), await all.join({ host: 'gone' })];
  await all.push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(there.team)?.sequence === 1 && channel(gone.team)?.sequence === 1);
  await gone.team.close();
  const trim = (): void => {
    for (const [at, posts] of all.broker.posts) all.broker.posts.set(at, posts.slice(-KEPT));
  };
  const push = async (bytes: Uint8Array, at?: string): Promise<void> => {
    await all.push(bytes, at);
    trim();
  };
  const back = () => all.join({ host: 'gone', folder: gone.folder, engine: memoryEngine(all.broker) });
  const everywhere = async (revision: string): Promise<void> => {
    for (const { team: one } of [there, await back(), await all.join({ host: 'late' })])
      await until(() => channel(one)?.revision === revision);
  };
  return { ...all, push, there, gone, back, everywhere };
}

const isStopped = (of: ReturnType<typeof channel>): boolean =>
  /no longer keeps all that was posted/.test(of?.refused?.reason ?? '');

test('a host that is there and is told late judges what it has missed as one that was away', async () => {
  const { broker, there, back } = await team();
  const posts = [
    bundleOf(2, files('b *'), [key, next], { keys: [next.id] }),
    ...Array.from({ length: 34 }, (_, i) => bundleOf(3 + i, files(`c${i} *`), [next])),
    bundleOf(40, files('loose *'), [key], { revision: 'thief' }),
  ].map((bytes, i) => ({ bytes, version: 2 + i, at: new Date().toISOString() }));
  broker.posts.set('stable', posts.slice(-KEPT));
  broker.changed();
  for (const { team: one } of [there, await back()]) {
    await until(() => isStopped(channel(one)));
    expect(channel(one)?.sequence).toBe(1);
  }
});

test('a host that is there and is told late follows what the known key has signed, however much it was', async () => {
  const { broker, there } = await team();
  const posts = Array.from({ length: 40 }, (_, i) => ({ bytes: bundleOf(2 + i, files('b *'), [key]), version: 2 + i }));
  broker.posts.set('stable', posts.slice(-KEPT));
  broker.changed();
  await until(() => channel(there.team)?.sequence === 41);
});

test.each([
  ['a canary with the highest number', 'stable.canary', 1e12, { canary: 1 }],
  ['a canary with a number just too high', 'stable.canary', 10_002, { canary: 1 }],
  ['a change of keys with the highest number', 'stable.keys', 1e12, { keys: [stranger.id] }],
])('%s from before the keys changed keeps no host from what the team posts', async (_, at, number, about) => {
  const { operator, push, everywhere, back } = await team();
  const signers = at === 'stable.keys' ? [key, stranger] : [key];
  await operator.policy.post(at, bundleOf(number, files('loose *'), signers, about), 0);
  await push(bundleOf(2, files('b *'), [key, next], { keys: [next.id] }));
  for (let i = 3; i < 37; i++) await push(bundleOf(i, files('c *'), [next]));
  if (at === 'stable.canary') await everywhere('r36');
  else {
    const { team: one } = await back();
    await until(() => channel(one)?.sequence === 36);
  }
});

test('what counts for nothing lifts no limit and sets none, whoever has posted it', async () => {
  const { operator, push, everywhere } = await team();
  await push(bundleOf(2, files('b *'), [key, next], { keys: [next.id] }));
  let number = 2;
  for (let i = 0; i < 33; i++) {
    number += 9_000;
    await push(bundleOf(number, files('c *'), [next]));
  }
  const unsigned = { ...JSON.parse(Buffer.from(bundleOf(1, files('x *'), [stranger])).toString()), signatures: {} };
  const last = async () => (await operator.policy.history('stable')).at(-1)?.version ?? 0;
  for (const bytes of [Buffer.from(JSON.stringify(unsigned)), bundleOf(1, files('x *'), [key])])
    await operator.policy.post('stable', bytes, await last());
  await everywhere(`r${number}`);
});

test.each([
  ['one after the other', 1],
  ['more than are kept', 40],
])('a broker that begins anew is followed where the numbers go on: %s', async (_, count) => {
  const { broker, push, there, back } = await team();
  for (let i = 2; i < 6; i++) await push(bundleOf(i, files('b *'), [key]));
  await until(() => channel(there.team)?.sequence === 5);
  broker.away = true;
  broker.posts.clear();
  broker.away = false;
  // Another channel has the number of what was posted last before.
  await push(bundleOf(6, files('c *'), [key, next], { keys: [next.id] }));
  await push(bundleOf(1, files('z *'), [key], { channel: 'other' }), 'other');
  for (let i = 7; i < 7 + count; i++) await push(bundleOf(i, files('d *'), [next]));
  const { team: one } = await back();
  for (const of of [there.team, one]) await until(() => channel(of)?.sequence === 6 + count);
});

test('where all hosts have left, what they had last is still asked', () => {
  const of = (left: boolean): HostStatus => ({
    ...{ host: 'h', at: '', version: '', alarms: 0, log: { sent: 0, waiting: 0, dropped: 0 } },
    ...(left && { left: true as const }),
    channels: [{ channel: 'stable', revision: 'r3', sequence: 3 }],
  });
  const bundle = readBundle(bundleOf(1, files('a *'), [key]));
  expect(foresee(bundle, [key.id], [of(true)]).byAll).toBe(true);
  expect(
    foresee(
      bundle,
      [key.id],
      [
        { ...of(true), host: 'gone' },
        { ...of(false), channels: [] },
      ],
    ).byAll,
  ).toBe(false);
});
