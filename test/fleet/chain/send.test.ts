import { describe, expect, test } from 'vitest';
import { readBundle } from '../../../src/fleet/bundle/bundle.js';
import type { FleetEngine } from '../../../src/fleet/engine.js';
import { memoryEngine } from '../../../src/fleet/memory.js';
import { nextSequence, stateOf } from '../../../src/fleet/operator.js';
import { foresee } from '../../../src/fleet/policy/foresee.js';
import { post } from '../../../src/fleet/send.js';
import { sha256 } from '../../../src/values/sha256.js';
import { bundleOf, denies, newKey } from '../bundles.js';
import { until } from '../contract.js';
import { channel, ground, key } from '../ground.js';

const next = newKey();
const files = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const change = (sequence: number) =>
  readBundle(bundleOf(sequence, files('new *'), [key, next], { keys: [next.id], revision: 'change' }));

/** A host that is there, one that is away, and an engine of an operator before whose posts, or after them, somebody else does something. */
async function team() {
  const all = ground();
  const [there, gone] = [await all.join({ host: 'there' }), await all.join({ host: 'gone' })];
  await all.push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(there.team)?.sequence === 1 && channel(gone.team)?.sequence === 1);
  await gone.team.close();
  await gone.host.close();
  const state = (keys = [key, next]) =>
    stateOf(all.operator, { team: 'acme', channel: 'stable', keys: keys.map(({ id }) => id) });
  const { policy } = all.operator;
  const operator = (when: { before?: (at: string) => unknown; after?: (at: string) => unknown }): FleetEngine => ({
    ...all.operator,
    policy: {
      ...policy,
      async post(at, bytes, after) {
        await when.before?.(at);
        const version = await policy.post(at, bytes, after);
        await when.after?.(at);
        return version;
      },
    },
  });
  const raw = async (bytes: Uint8Array, at = 'stable'): Promise<void> => {
    const last = (await policy.history(at)).at(-1)?.version ?? 0;
    await policy.post(at, bytes, last);
    // As many as a real broker keeps.
    all.broker.posts.set(at, (all.broker.posts.get(at) ?? []).slice(-32));
  };
  /** What the former key signs, that many. */
  const steal = async (count: number): Promise<void> => {
    const { floor } = (await state()).chain;
    for (let i = 1; i <= count; i++) await raw(bundleOf(floor + i, files('loose *'), [key], { revision: `thief${i}` }));
  };
  /** Where hosts are that are there, come back, and come late. */
  const everywhere = async (isRight: (of: ReturnType<typeof channel>) => boolean): Promise<void> => {
    const back = await all.join({ host: 'gone', folder: gone.folder, engine: memoryEngine(all.broker) });
    const late = await all.join({ host: 'late' });
    for (const { team: one } of [there, back, late]) await until(() => isRight(channel(one)));
  };
  return { ...all, state, engine: operator, raw, steal, everywhere };
}

describe('a change of keys', () => {
  test.each([
    ['after the change is kept', 'stable.keys', 3],
    ['after the change is kept, as many as push all others out', 'stable.keys', 33],
    ['after its bundle', 'stable', 3],
    ['after its bundle, as many as push it out', 'stable', 33],
  ])('holds whatever the former key signs %s', async (_, at, count) => {
    const { engine, state, steal, everywhere, push } = await team();
    let isDone = false;
    const after = async (place: string) => {
      if (place !== at || isDone) return;
      isDone = true;
      await steal(count);
    };
    const isPushedOut = at === 'stable' && count > 32;
    const posting = post(engine({ after }), change(2), await state());
    if (isPushedOut) await expect(posting).rejects.toThrow(/the keys have changed, and .* is no longer kept/);
    else expect(await posting).toEqual([]);
    if (!isPushedOut) await everywhere((of) => of?.revision === 'change');
    else await everywhere((of) => of?.counted === 2 || of?.sequence === 2);
    await push(bundleOf(3, files('b *'), [next], { revision: 'later' }));
    await everywhere((of) => of?.revision === 'later');
  });

  test('is none where what the old key signs counted before it, and push says so', async () => {
    const { engine, state, raw, everywhere } = await team();
    const before = async (at: string) => {
      if (at === 'stable.keys') await raw(bundleOf(2, files('b *'), [key], { revision: 'first' }));
    };
    await expect(post(engine({ before }), change(2), await state())).rejects.toThrow(
      /the keys have not changed, and .* counts for no host, .* 2 has counted before/,
    );
    await everywhere((of) => of?.revision === 'first');
    expect((await state([key])).chain.keys.all).toEqual([key.id]);
    expect(await post(engine({}), change(3), await state())).toEqual([]);
    await everywhere((of) => of?.revision === 'change');
  });

  test('that cannot be kept is none, and push says so', async () => {
    const { engine, state, everywhere } = await team();
    const before = (at: string) => (at === 'stable.keys' ? Promise.reject(new Error('no room')) : undefined);
    await expect(post(engine({ before }), change(2), await state())).rejects.toThrow(
      /no room; the keys have not changed/,
    );
    expect((await state([key])).chain.keys.all).toEqual([key.id]);
    await everywhere((of) => of?.sequence === 1 && of.counted === undefined);
  });

  test('whose push ends before its bundle is posted counts with the next bundle, and push says so', async () => {
    const { engine, state, steal, everywhere, push } = await team();
    const before = (at: string) => (at === 'stable' ? Promise.reject(new Error('no room')) : undefined);
    await expect(post(engine({ before }), change(2), await state())).rejects.toThrow(
      /change of keys is kept and counts from the next bundle on, and the bundle itself is not posted: .*no room; push it again/,
    );
    await steal(2);
    await everywhere((of) => of?.sequence === 1 || of?.sequence === undefined);
    const now = await state([next]);
    expect([nextSequence(now, 'stable'), now.chain.keys.all]).toEqual([3, [next.id]]);
    await push(bundleOf(3, files('b *'), [next], { revision: 'later' }));
    await everywhere((of) => of?.revision === 'later');
  });

  test('is posted with its files also where somebody else posts the change as its bundle', async () => {
    const { engine, state, raw, operator, everywhere } = await team();
    let isDone = false;
    const after = async (at: string) => {
      if (at !== 'stable.keys' || isDone) return;
      isDone = true;
      const [kept] = await operator.policy.history('stable.keys');
      await raw((kept as { bytes: Uint8Array }).bytes);
    };
    expect(await post(engine({ after }), change(2), await state())).toEqual([]);
    await everywhere((of) => of?.revision === 'change');
    expect((await state([next])).history.map(({ name }) => name)).toContain('stable change (2)');
  });

  test('is kept behind an earlier one that an older hookscope has not kept', async () => {
    const { engine, state, raw, everywhere } = await team();
    const third = newKey();
    await raw(bundleOf(2, files('b *'), [key, next], { keys: [next.id], revision: 'earlier' }));
    const later = bundleOf(3, files('c *'), [next, third], { keys: [third.id], revision: 'change' });
    expect(await post(engine({}), readBundle(later), await state())).toEqual([]);
    await raw(bundleOf(50, files('loose *'), [next], { revision: 'thief' }));
    for (let i = 0; i < 31; i++) await raw(new TextEncoder().encode(`garbage ${i}`));
    await everywhere((of) => of?.counted === 3 || of?.sequence === 3);
  });

  test('that cannot be kept behind an earlier one is not kept', async () => {
    const { engine, state, raw, operator } = await team();
    await raw(bundleOf(2, files('b *'), [key, next], { keys: [next.id], revision: 'earlier' }));
    const before = (at: string) => (at === 'stable.keys' ? Promise.reject(new Error('no room')) : undefined);
    const later = bundleOf(3, files('c *'), [next, newKey()], { keys: [newKey().id], revision: 'change' });
    await expect(post(engine({ before }), readBundle(later), await state())).rejects.toThrow(
      /an earlier change of keys could not be kept beside the channel, so this one is not posted: .*no room/,
    );
    expect(await operator.policy.history('stable.keys')).toEqual([]);
  });

  test('whose bundle is missing is known to push where it foresees what hosts will say', async () => {
    const { engine, state, operator } = await team();
    const [first] = await operator.policy.history('stable');
    const before = (at: string) => (at === 'stable' ? Promise.reject(new Error('no room')) : undefined);
    await expect(post(engine({ before }), change(2), await state())).rejects.toThrow('no room');
    const host = {
      ...{ host: 'h', at: '', version: '', alarms: 0, log: { sent: 0, waiting: 0, dropped: 0 } },
      channels: [
        { channel: 'stable', revision: 'r', sequence: 1, digest: sha256((first as { bytes: Uint8Array }).bytes) },
      ],
    };
    const said = (by: typeof key) =>
      state([key, next]).then(({ posts }) =>
        foresee(readBundle(bundleOf(3, files('b *'), [by])), [by.id], [host], posts),
      );
    expect(await said(next)).toMatchObject({ refusals: [], byAll: false });
    expect(await said(key)).toMatchObject({ refusals: [expect.stringMatching(/signed with none of/)], byAll: true });
  });

  test('is not begun with a bundle that the broker would never take', async () => {
    const { engine, state, operator } = await team();
    const fits = () => {
      throw new Error('too large');
    };
    const all = engine({});
    await expect(post({ ...all, policy: { ...all.policy, fits } }, change(2), await state())).rejects.toThrow(
      'too large',
    );
    expect(await operator.policy.history('stable.keys')).toEqual([]);
  });
});

test.each([
  ['a canary at the same time as a bundle', { canary: 0.5 }, {}],
  ['a bundle at the same time as a canary', {}, { canary: 0.5 }],
])(
  'the second of two that are posted under one number is told that it counts for nobody: %s',
  async (_, own, other) => {
    const { engine, state, raw } = await team();
    const now = await state();
    const placeOf = (about: { canary?: number }) => (about.canary ? 'stable.canary' : 'stable');
    await raw(bundleOf(2, files('b *'), [key], other), placeOf(other));
    await expect(post(engine({}), readBundle(bundleOf(2, files('c *'), [key], own)), now)).rejects.toThrow(
      /it is posted, and stable r2 \(2\) counts for no host, since somebody else has posted at the same time/,
    );
  },
);

test('a bundle that is posted while the keys change is told that it counts for nobody', async () => {
  const { engine, state, raw } = await team();
  const [now, late] = [await state(), await state()];
  await raw(change(2).bytes, 'stable.keys');
  await expect(post(engine({}), readBundle(bundleOf(3, files('c *'), [key])), late)).rejects.toThrow(
    /counts for no host, .*none of the keys/,
  );
  await expect(post(engine({}), change(3), now)).rejects.toThrow(/meanwhile/);
});
