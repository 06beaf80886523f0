import { writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../src/fleet/bundle/bundle.js';
import { TrustedKeys } from '../../src/fleet/bundle/trusted.js';
import { memoryEngine } from '../../src/fleet/memory.js';
import { foresee } from '../../src/fleet/policy/foresee.js';
import type { HostStatus } from '../../src/fleet/status.js';
import { sha256 } from '../../src/values/sha256.js';
import { bundleOf, denies, newKey } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key, verdict } from './ground.js';

const files = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const [second, third, thief] = [newKey(), newKey(), newKey()];

/** A host that is away while all of these are posted; `open`: what it does when it is back. */
async function away(posts: readonly Uint8Array[], canary?: Uint8Array) {
  const all = ground();
  const { team, host, folder } = await all.join();
  await all.push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(team)?.sequence === 1);
  await team.close();
  await host.close();
  for (const bytes of posts) await all.push(bytes);
  if (canary !== undefined) await all.push(canary, 'stable.canary');
  const back = await all.join({ folder, engine: memoryEngine(all.broker) });
  return { ...all, ...back, folder };
}

describe('a host that was away while the keys changed', () => {
  test('follows the bundles that the channel keeps, twice if need be, and knows the keys from then on', async () => {
    const { team, host, folder, join, push } = await away([
      bundleOf(2, files('b *'), [key, second], { keys: [second.id] }),
      bundleOf(3, files('c *'), [second]),
      bundleOf(4, files('d *'), [second, third], { keys: [third.id] }),
      bundleOf(5, files('e *'), [third]),
    ]);
    await until(() => channel(team)?.sequence === 5 || channel(team)?.refused !== undefined);
    expect(channel(team)?.refused).toBeUndefined();
    expect(await verdict(host, 'e x')).toBe('deny');
    await push(bundleOf(6, files('f *'), [key]));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.sequence).toBe(5);
    await team.close();
    // What proves the change is on its disk.
    await push(bundleOf(7, files('g *'), [third]));
    const again = await join({ folder });
    await until(() => channel(again.team)?.sequence === 7);
  });

  test('also where the last bundle is the one that changes them', async () => {
    const { team } = await away([
      bundleOf(2, files('b *'), [key, second], { keys: [second.id] }),
      bundleOf(3, files('c *'), [second, third], { keys: [third.id] }),
    ]);
    await until(() => channel(team)?.sequence === 3);
  });

  test.each([
    ['a bundle between is not kept', [bundleOf(4, files('d *'), [second, third], { keys: [third.id] })]],
    ['a new key has not signed it', [changed(2, [key, second], [second, third])]],
    ['it was signed by a stranger', [bundleOf(2, files('b *'), [thief, third], { keys: [third.id] })]],
    ['it is of another channel', [other({ channel: 'beta' })]],
    ['it is of another team', [other({ team: 'else' })]],
    ['it is a canary', [other({ canary: 0.5 })]],
    ['it is older than what the host has', [other({ sequence: 1 })]],
    ['it changes nothing', [bundleOf(2, files('b *'), [key, third])], 2],
  ] as [string, Uint8Array[], number?][])(
    'refuses what follows where the chain is not whole: %s',
    async (_, between, sequence = 1) => {
      const { team } = await away([...between, bundleOf(9, files('e *'), [third])]);
      await until(() => channel(team)?.refused !== undefined);
      expect(channel(team)).toMatchObject({
        // What the known key has signed comes into force, as on hosts that were there.
        sequence,
        refused: { reason: expect.stringMatching(/none of the keys/) },
      });
    },
  );
});

describe('a key that another has taken the place of', () => {
  const change = bundleOf(5, files('b *'), [key, second], { keys: [second.id] });
  const fork = (sequence: number) => bundleOf(sequence, files('t *'), [key, thief], { keys: [thief.id] });

  test.each([
    ['what it signs afterwards', [change, bundleOf(6, files('t *'), [key])]],
    ['what it signs under the same number', [change, bundleOf(5, files('t *'), [key])]],
    ['what it signs under the next number after this host', [change, bundleOf(2, files('t *'), [key])]],
    ['a canary that it signs', [change], bundleOf(6, files('t *'), [key], { canary: 1 })],
    ['a change with a lower number, posted later', [change, fork(3), bundleOf(7, files('t *'), [thief])]],
    ['a change with a higher number', [change, fork(6), bundleOf(7, files('t *'), [thief])]],
    [
      'after the change came back and went, the first change again',
      [
        bundleOf(2, files('b *'), [key, thief], { keys: [thief.id] }),
        bundleOf(3, files('c *'), [key, thief], { keys: [key.id] }),
        change,
        bundleOf(2, files('b *'), [key, thief], { keys: [thief.id] }),
        bundleOf(7, files('t *'), [thief]),
      ],
    ],
    [
      'a change that came too late under its number',
      [bundleOf(4, files('b *'), [key]), fork(3), bundleOf(6, files('t *'), [thief])],
    ],
  ] as [string, Uint8Array[], Uint8Array?][])('counts for no host that was away: %s', async (_, posts, canary) => {
    const { team, host } = await away(posts, canary);
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason).toMatch(/none of the keys/);
    expect(await verdict(host, 't x')).toBe('none');
  });

  test('does not keep hosts that were away from what the new one signs', async () => {
    const { team, push } = await away([change, fork(3), bundleOf(6, files('c *'), [second])]);
    await until(() => channel(team)?.sequence === 6);
    await push(bundleOf(7, files('t *'), [thief]));
    await until(() => channel(team)?.refused !== undefined);
    await push(bundleOf(8, files('d *'), [second]));
    await until(() => channel(team)?.sequence === 8);
  });

  test('nor for one that is there and hears of the last post alone', async () => {
    const { operator, broker, join, push } = ground();
    const { team } = await join();
    await push(bundleOf(1, files('a *'), [key]));
    await until(() => channel(team)?.sequence === 1);
    await push(bundleOf(2, files('b *'), [key]));
    await until(() => channel(team)?.sequence === 2);
    const [version] = (await operator.policy.history('stable')).slice(-1).map((one) => one.version);
    // Both within a moment.
    broker.posts.get('stable')?.push({ bytes: change, version: (version as number) + 1 });
    await push(bundleOf(3, files('t *'), [key]));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)).toMatchObject({
      sequence: 5,
      refused: { reason: expect.stringMatching(/none of the keys/) },
    });
  });

  test('nor for one that joins with it', async () => {
    const { join, push } = ground();
    for (const bytes of [bundleOf(1, files('a *'), [key]), change, bundleOf(6, files('t *'), [key])]) await push(bytes);
    const { team } = await join();
    expect(channel(team)?.refused?.reason).toMatch(/none of the keys/);
  });
});

describe('a host that cannot read what was posted before', () => {
  test('says so, and tries again', async () => {
    const { broker, operator, told, join, push } = ground();
    const { team, folder } = await join();
    await push(bundleOf(1, files('a *'), [key]));
    await until(() => channel(team)?.sequence === 1);
    await team.close();
    await push(bundleOf(2, files('b *'), [key, second], { keys: [second.id] }));
    await push(bundleOf(3, files('c *'), [second]));
    const engine = memoryEngine(broker);
    let isBroken = true;
    const past = async () => {
      if (isBroken) throw new Error('timeout');
      return operator.policy.history('stable');
    };
    const failing = {
      ...engine,
      policy: { ...engine.policy, past },
      get connected() {
        return engine.connected;
      },
    };
    const back = await join({ folder, engine: failing });
    expect(channel(back.team)).toMatchObject({
      sequence: 1,
      refused: {
        reason: expect.stringMatching(/^what was posted before it cannot be read now, .*timeout; it is tried again$/),
      },
    });
    expect(told.filter((text) => /cannot be read now/.test(text))).toHaveLength(1);
    isBroken = false;
    // After the broker was away, at once; else a few seconds later.
    broker.away = true;
    broker.away = false;
    await until(() => channel(back.team)?.sequence === 3);
    expect(channel(back.team)).not.toHaveProperty('refused');
    await back.team.close();
    isBroken = true;
    await push(bundleOf(4, files('d *'), [second]));
    const last = await join({ folder, engine: failing });
    await until(() => channel(last.team)?.refused !== undefined);
    isBroken = false;
    await until(() => channel(last.team)?.sequence === 4);
  }, 30_000);
});

/** One that changes the keys to the third. */
function other(about: { channel?: string; team?: string; canary?: number; sequence?: number }): Uint8Array {
  const { sequence = 2, ...more } = about;
  return bundleOf(sequence, files('b *'), [key, third], { keys: [third.id], ...more });
}

function changed(sequence: number, by: readonly (typeof key)[], to: readonly (typeof key)[]): Uint8Array {
  return bundleOf(sequence, files('b *'), by, { keys: to.map(({ id }) => id) });
}

test('a canary that changes the keys is refused', async () => {
  const { join, push } = ground();
  const { team } = await join();
  await push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(team)?.sequence === 1);
  await push(bundleOf(2, files('b *'), [key, second], { keys: [second.id], canary: 1 }), 'stable.canary');
  await until(() => channel(team)?.refused !== undefined);
  expect(channel(team)).toMatchObject({
    sequence: 1,
    refused: { reason: expect.stringMatching(/^a canary cannot change the keys/) },
  });
});

test('a canary that changes the keys stays where an earlier version took it', async () => {
  const { join, push } = ground();
  const { team, folder } = await join();
  await push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(team)?.sequence === 1);
  await team.close();
  const canary = readBundle(bundleOf(2, files('b *'), [key, second], { keys: [second.id], canary: 1 }));
  const keys = new TrustedKeys([key.id]);
  keys.take(canary);
  const text = ({ bytes }: { bytes: Uint8Array }): string => Buffer.from(bytes).toString();
  const kept = {
    sequence: 2,
    since: new Date().toISOString(),
    bundle: text(canary),
    rotations: keys.rotations.map(text),
  };
  writeFileSync(`${folder}/acme/h1/stable.bundle.json`, JSON.stringify(kept));
  await push(canary.bytes, 'stable.canary');
  const again = await join({ folder });
  await until(() => channel(again.team)?.sequence === 2);
  expect(await verdict(again.host, 'b x')).toBe('deny');
  // What is posted for all was signed by a key that no longer counts here.
  expect(channel(again.team)?.refused?.sequence).toBe(1);
  await push(bundleOf(3, files('c *'), [second]));
  await until(() => channel(again.team)?.sequence === 3);
});

describe('what push knows of hosts that have not followed', () => {
  const host = (name: string, bundle: Uint8Array): HostStatus => ({
    ...{ host: name, at: '', version: '', alarms: 0, log: { sent: 0, waiting: 0, dropped: 0 } },
    channels: [
      { channel: 'stable', revision: 'r', sequence: readBundle(bundle).manifest.sequence, digest: sha256(bundle) },
    ],
  });
  const first = bundleOf(1, files('a *'), [key]);
  const change = bundleOf(2, files('b *'), [key, second], { keys: [second.id] });
  const more = (count: number) => Array.from({ length: count }, (_, i) => bundleOf(3 + i, files('c *'), [second]));
  const said = (kept: readonly Uint8Array[], of: readonly Uint8Array[]) =>
    foresee(
      readBundle(bundleOf(50, files('e *'), [second])),
      [second.id],
      of.map((one, i) => host(`h${i}`, one)),
      kept.map((bytes, version) => ({ bytes, version, place: 'main' as const })),
    );

  test('is whether the channel still keeps what they need once the new one is posted', () => {
    const kept = [first, change, ...more(3)];
    expect(said(kept, [first, change, kept[4] as Uint8Array])).toEqual({ refusals: [], doubts: [], byAll: false });
    const nothing = [first, bundleOf(2, files('b *'), [second]), ...more(1)];
    expect(said(nothing, [first, nothing[2] as Uint8Array]).refusals).toEqual([
      expect.stringMatching(/^h0 refuses it: it is signed with none of the keys/),
    ]);
    // It is the one that makes room for this one.
    const full = [change, ...more(31)];
    expect(said([first, ...full].slice(0, 32), [first]).refusals).toEqual([]);
    expect(said(full, [change, full[31] as Uint8Array])).toEqual({ refusals: [], doubts: [], byAll: false });
    expect(said(full, [first])).toMatchObject({
      refusals: [],
      doubts: [expect.stringMatching(/^h0 has r \(1\), which the channel no longer keeps/)],
    });
  });
});
