import { describe, expect, test } from 'vitest';
import { type Bundle, readBundle, readSealed } from '../../src/fleet/bundle/bundle.js';
import type { SigningKey } from '../../src/fleet/bundle/keys.js';
import { bundleOf as draftOf, earlier, nextSequence, postedFor, sourceOf, stateOf } from '../../src/fleet/operator.js';
import { foresee } from '../../src/fleet/policy/foresee.js';
import { post } from '../../src/fleet/send.js';
import type { HostStatus } from '../../src/fleet/status.js';
import { bundleOf, denies, newKey } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key, verdict } from './ground.js';

const thief = newKey();
const guarded = { 'acme/a.json': denies('git push *', 'by hand') };
const open = { 'acme/a.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'allow' }] }] } } };
const about = { approvers: { thief: thief.id } };

/** A channel with these posts, as those who hold a key see it. */
async function posted(
  main: readonly Uint8Array[],
  canaries: readonly Uint8Array[] = [],
  keys: readonly SigningKey[] = [key],
) {
  const { push, operator } = ground();
  for (const bytes of main) await push(bytes);
  for (const bytes of canaries) await push(bytes, 'stable.canary');
  return stateOf(operator, { team: 'acme', channel: 'stable', keys: keys.map(({ id }) => id) });
}

const one = (sequence: number, revision: string, more: object = {}, by: readonly SigningKey[] = [key]) =>
  bundleOf(sequence, guarded, by, { revision, ...more });

describe('what an operator signs again', () => {
  test('is never what others have posted, whatever revision it says it is', async () => {
    const { join, push, operator } = ground();
    const { host, team } = await join();
    await push(one(1, 'v1'));
    await until(() => channel(team)?.sequence === 1);
    await push(bundleOf(2, open, [thief], { revision: 'v1', ...about }));
    await push(one(3, 'v2'));
    await until(() => channel(team)?.sequence === 3);
    const state = await stateOf(operator, { team: 'acme', channel: 'stable', keys: [key.id] });
    for (const to of [undefined, 'v1']) expect(earlier(state, to)?.name).toBe('stable v1 (1)');
    const source = sourceOf(earlier(state, undefined) as never);
    const bundle = draftOf(
      { team: 'acme', channel: 'stable', source, revision: 'v1', keys: [key] },
      nextSequence(state, 'stable'),
    );
    await post(operator, bundle, state);
    await until(() => channel(team)?.sequence === 4);
    expect(await verdict(host, 'git push x')).toBe('deny');
  });

  test.each([
    ['another team', () => one(5, 'v9', { team: 'else' })],
    ['another channel', () => one(5, 'v9', { channel: 'beta' })],
    ['a share of hosts', () => one(5, 'v9', { canary: 0.5 })],
    ['keys that have not signed it', () => one(5, 'v9', { keys: [thief.id] })],
    ['no bundle at all', () => Buffer.from('{}')],
  ])('is nothing that is for %s', async (_, other) => {
    const state = await posted([one(1, 'v1'), other(), one(2, 'v2')]);
    expect(state.history.map(({ name }) => name)).toEqual(['stable v1 (1)', 'stable v2 (2)']);
    expect(state).toMatchObject({ sequence: 2, foreign: 1 });
    expect(earlier(state, 'v9')).toBeUndefined();
  });

  test('is in the order of its numbers: one that somebody posts again does not become the last', async () => {
    const [first, second, third] = [one(1, 'v1'), one(2, 'v2'), one(3, 'v3')];
    const state = await posted([first, second, third, first]);
    expect(earlier(state, undefined)?.name).toBe('stable v2 (2)');
    // Nor does one for all hosts become a canary.
    expect((await posted([first, second], [third])).canaries).toEqual([]);
  });

  test('counts what another key has signed only where that key is named, not where it has signed beside', async () => {
    const [old, next] = [newKey(), newKey()];
    const before = one(1, 'v1', {}, [old]);
    const rotation = one(2, 'v2', { keys: [next.id] }, [old, next]);
    // Anybody can sign the same manifest, too.
    const { manifest } = JSON.parse(Buffer.from(rotation).toString());
    const envelope = JSON.parse(Buffer.from(rotation).toString());
    const signed = Buffer.concat([Buffer.from('hookscope-bundle/1\0'), Buffer.from(manifest, 'base64')]);
    envelope.signatures[thief.id] = Buffer.from(thief.sign(signed)).toString('base64');
    const beside = Buffer.from(JSON.stringify(envelope));
    expect(readBundle(beside).isSignedBy(thief.id)).toBe(true);
    const all = [before, bundleOf(1, open, [thief], { revision: 'v0' }), beside];
    expect(earlier(await posted(all, [], [next]), undefined)).toBeUndefined();
    const state = await posted(all, [], [next, old]);
    expect(earlier(state, undefined)?.name).toBe('stable v1 (1)');
    expect(state.chain.keys.all).toEqual([next.id]);
  });

  test.each([
    ['a b c', 'b'],
    ['a b c <b', 'a'],
    ['a b c <b <a', undefined],
    ['a b c <b <a d', 'a'],
    ['a b c d <c e', 'c'],
    ['a b c <b >c', 'b'],
    // What is pushed is new, whatever was there before.
    ['a b a', 'b'],
    ['b c b', 'c'],
    ['a b a <b', 'a'],
    ['a b a <b <a', undefined],
    ['a b c <b a', 'b'],
    // Twice in a row is once.
    ['a a', undefined],
    ['a b b', 'a'],
    ['a b b <a', undefined],
  ])('is one further back each time: after %s', async (said, expected) => {
    const all: Bundle[] = [];
    for (const [i, word] of said.split(' ').entries()) {
      const state = await posted(all.map(({ bytes }) => bytes));
      const target = /^[<>]/.test(word) ? earlier(state, word[0] === '>' ? word[1] : undefined) : undefined;
      if (target !== undefined) expect(target.manifest.revision).toBe(word[1]);
      const { created, revision } = target?.manifest ?? { created: undefined, revision: word };
      const content = { about: { roots: ['acme'] }, files: new Map([['acme/a.json', Buffer.from('{}')]]) };
      const draft = { team: 'acme', channel: 'stable', source: content, revision, created, keys: [key] };
      all.push(draftOf(draft, i + 1));
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    const state = await posted(all.map(({ bytes }) => bytes));
    expect(earlier(state, undefined)?.manifest.revision).toBe(expected);
  });

  test('is posted when it is, and not when it was made', async () => {
    const { push, operator } = ground();
    await push(one(1, 'v1', { created: '2020-01-01T00:00:00Z' }));
    await push(Buffer.from('no bundle'));
    const found = await postedFor(operator, 'stable');
    expect(found?.bundle.name).toBe('stable v1 (1)');
    expect(Date.parse(found?.since ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test('is what all other hosts have, while a canary is tried', async () => {
    const main = [one(1, 'v0'), one(2, 'v1')];
    const canary = one(3, 'v2', { canary: 0.1 });
    expect(earlier(await posted(main, [canary]), undefined)?.name).toBe('stable v1 (2)');
    expect(earlier(await posted([...main, one(4, 'v2')], [canary]), undefined)?.name).toBe('stable v1 (2)');
    expect(earlier(await posted(main, [bundleOf(9, open, [thief], { canary: 0.1 })]), undefined)?.name).toBe(
      'stable v0 (1)',
    );
    expect(earlier(await posted([], [canary]), undefined)).toBeUndefined();
  });
});

describe('the number of the next bundle', () => {
  test('goes on from no number that others have posted', async () => {
    const near = [one(7, 'v1'), bundleOf(8, open, [thief]), bundleOf(9_000, open, [thief])];
    expect(nextSequence(await posted(near), 'stable')).toBe(8);
    expect(nextSequence(await posted([one(7, 'v1')], [one(9, 'v2', { canary: 0.1 })]), 'stable')).toBe(10);
    expect(nextSequence(await posted([]), 'stable')).toBe(1);
  });

  test('is asked for where others have pushed out all that counts', async () => {
    const { push, operator } = ground();
    await push(one(1, 'v1'));
    for (let i = 0; i < 64; i++) await push(bundleOf(500_000_000 + i, open, [thief]));
    const state = await stateOf(operator, { team: 'acme', channel: 'stable', keys: [key.id] });
    expect(state).toMatchObject({ sequence: undefined, foreign: 64, history: [] });
    expect(() => nextSequence(state, 'stable')).toThrow(/signed with the keys at hand.*--key.*--sequence N/);
    const garbage = await posted([Buffer.from('no bundle')]);
    expect(() => nextSequence(garbage, 'stable')).toThrow(/--sequence N/);
  });
});

describe('what hosts will say to a bundle', () => {
  const host = (name: string, sequence: number | undefined, more: Partial<HostStatus> = {}): HostStatus => ({
    ...{ host: name, at: '', version: '', alarms: 0, log: { sent: 0, waiting: 0, dropped: 0 } },
    channels: [{ channel: 'stable', ...(sequence === undefined ? {} : { sequence }) }],
    ...more,
  });
  const said = (sequence: number, hosts: readonly HostStatus[], more: object = {}) =>
    foresee(readBundle(one(sequence, 'v', more)), [key.id], hosts);

  test('is known from the numbers that they have', () => {
    expect(said(6, [host('a', 5), host('b', undefined)])).toMatchObject({ refusals: [], byAll: false });
    expect(said(6, [host('a', 5), host('b', 6)])).toMatchObject({
      refusals: [expect.stringMatching(/^b refuses it: its sequence is 6, and 6 has counted/)],
      byAll: false,
    });
    expect(said(500_000_064, [host('a', 5)])).toMatchObject({
      refusals: [expect.stringMatching(/more than 10000 above/)],
      byAll: true,
    });
    // Those that have left, or follow something else, have no say.
    const gone = [host('a', 9, { left: true }), host('b', 9, { channels: [{ channel: 'beta', sequence: 9 }] })];
    expect(said(6, gone)).toMatchObject({ refusals: [], byAll: false });
  });

  test('is asked of those of a canary alone', () => {
    const hosts = Array.from({ length: 20 }, (_, i) => host(`h${i}`, 9));
    const { refusals, byAll } = said(6, hosts, { canary: 0.5 });
    expect(byAll).toBe(true);
    expect(refusals.length).toBeGreaterThan(0);
    expect(refusals.length).toBeLessThan(20);
  });
});

describe('a change of keys', () => {
  const next = newKey();
  const change = { keys: [next.id] };
  const stateNow = ({ operator }: ReturnType<typeof ground>, keys: readonly SigningKey[]) =>
    stateOf(operator, { team: 'acme', channel: 'stable', keys: keys.map(({ id }) => id) });
  const kept = async ({ operator }: ReturnType<typeof ground>) => {
    const all = await operator.policy.history('stable.keys');
    return all.map(({ bytes }) => readSealed(bytes).manifest.sequence);
  };

  test('is kept beside the channel once, however many bundles name the same keys', async () => {
    const all = ground();
    await post(all.operator, readBundle(one(1, 'v1')), await stateNow(all, [key]));
    await post(all.operator, readBundle(one(2, 'v2', change, [key, next])), await stateNow(all, [key, next]));
    for (let i = 3; i < 6; i++)
      await post(all.operator, readBundle(one(i, `v${i}`, change, [next])), await stateNow(all, [next]));
    expect(await kept(all)).toEqual([2]);
  });

  test('whose bundle could not be posted is none', async () => {
    const all = ground();
    const state = await stateNow(all, [key, next]);
    await post(all.operator, readBundle(one(1, 'v1')), state);
    await expect(post(all.operator, readBundle(one(2, 'v2', change, [key, next])), state)).rejects.toThrow(/meanwhile/);
    expect(await kept(all)).toEqual([]);
    expect((await stateNow(all, [key])).chain.keys.all).toEqual([key.id]);
  });

  test('that an older hookscope has not kept beside the channel is kept with the next bundle', async () => {
    const all = ground();
    const { team } = await all.join();
    for (const [i, bytes] of [one(1, 'v1'), one(2, 'v2', change, [key, next])].entries())
      await all.operator.policy.post('stable', bytes, i);
    // What the former key signs before the change is kept does not count, for whoever comes.
    await all.push(one(3, 'old'));
    const later = await stateNow(all, [next]);
    expect(await post(all.operator, readBundle(one(3, 'v3', {}, [next])), later)).toEqual([]);
    expect(await kept(all)).toEqual([2]);
    const late = await all.join({ host: 'late' });
    for (const host of [team, late.team]) await until(() => channel(host)?.revision === 'v3');
    expect((await stateNow(all, [key])).sequence).toBe(3);
  });
});

test.each(['keys', 'canary'] as const)(
  'numbers far above an old one that is still kept among the %s keep nobody from joining, and push goes on from the last',
  async (how) => {
    const all = ground();
    const next = newKey();
    const { team } = await all.join();
    await all.push(one(1, 'v1'));
    if (how === 'keys') await all.push(one(2, 'v2', { keys: [next.id] }, [key, next]));
    else await all.push(one(2, 'v2', { canary: 0.001 }), 'stable.canary');
    const by = how === 'keys' ? next : key;
    for (let i = 0; i < 33; i++) await all.push(one(10_002 + i, `w${i}`, {}, [by]));
    await until(() => channel(team)?.sequence === 10_034);
    all.broker.posts.set('stable', (all.broker.posts.get('stable') ?? []).slice(-32));
    const late = await all.join({ host: 'late', keys: [by.id] });
    await until(() => channel(late.team)?.sequence === 10_034);
    const state = await stateOf(all.operator, { team: 'acme', channel: 'stable', keys: [by.id] });
    expect([nextSequence(state, 'stable'), state.foreign]).toEqual([10_035, 0]);
    // Between posts that follow one another the limit stays.
    await all.push(one(30_000, 'far', {}, [by]));
    await until(() => channel(late.team)?.refused?.sequence === 30_000);
    const after = await stateOf(all.operator, { team: 'acme', channel: 'stable', keys: [by.id] });
    expect(after.sequence).toBe(10_034);
  },
);
