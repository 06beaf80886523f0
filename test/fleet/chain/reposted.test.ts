import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SigningKey } from '../../../src/fleet/bundle/keys.js';
import { memoryEngine } from '../../../src/fleet/memory.js';
import { bundleOf, denies, newKey, script } from '../bundles.js';
import { until } from '../contract.js';
import { channel, ground, key, verdict } from '../ground.js';

const [second, thief] = [newKey(), newKey()];
const rule = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const inside = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
const changed = (bytes: Uint8Array, by: object) => Buffer.from(JSON.stringify({ ...inside(bytes), ...by }));
const unsigned = (bytes: Uint8Array) => changed(bytes, { signatures: {} });
const signedBy = (bytes: Uint8Array, by: SigningKey) => {
  const message = Buffer.concat([Buffer.from('hookscope-bundle/1\0'), Buffer.from(inside(bytes).manifest, 'base64')]);
  return changed(bytes, { signatures: { [by.id]: Buffer.from(by.sign(message)).toString('base64') } });
};

type Ground = ReturnType<typeof ground>;
type Joined = Awaited<ReturnType<Ground['join']>>;
const restart = async (all: Ground, { team, host, folder }: Joined, more: object = {}): Promise<Joined> => {
  await team.close();
  await host.close();
  return all.join({ folder, engine: memoryEngine(all.broker), ...more });
};
/** Posts it to a channel, and waits until a host has judged it. */
const post = async (all: Ground, { folder }: Joined, bytes: Uint8Array, to = 'stable'): Promise<void> => {
  await all.push(bytes, to);
  const at = all.broker.posts.get(to)?.at(-1)?.version;
  const file = join(folder, 'acme/h1/stable.bundle.json');
  await until(() => existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).at === at);
};

test.each([
  ['no signature', unsigned],
  ["a stranger's signature", (bytes: Uint8Array) => signedBy(bytes, thief)],
])('the last bundle posted again with %s takes nothing from a host, in its process and the next', async (_, repost) => {
  const all = ground();
  let host = await all.join();
  const loose = bundleOf(1, rule('loose *'), [key]);
  await post(all, host, loose);
  const strict = bundleOf(2, rule('strict *'), [key, second], { keys: [second.id] });
  await post(all, host, strict);
  await post(all, host, repost(strict));
  expect(channel(host.team)).toMatchObject({ sequence: 2 });
  // The operator's credentials delete what is there, and post what is old.
  all.broker.posts.clear();
  await all.push(loose);
  host = await restart(all, host);
  await until(() => channel(host.team)?.refused !== undefined);
  expect(channel(host.team)).toMatchObject({ sequence: 2, refused: { sequence: 1 } });
  expect(channel(host.team)).not.toHaveProperty('asks');
  expect([await verdict(host.host, 'strict x'), await verdict(host.host, 'ls')]).toEqual(['deny', 'none']);
  await all.push(bundleOf(3, rule('thief *'), [key]));
  await until(() => channel(host.team)?.refused?.sequence === 3);
});

test('a canary posted again unsigned, or any bundle before a host joins, takes nothing from that host', async () => {
  const all = ground();
  let host = await all.join();
  await post(all, host, bundleOf(1, rule('a *'), [key]));
  const canary = bundleOf(2, rule('b *'), [key], { canary: 0.9999 });
  await post(all, host, canary, 'stable.canary');
  await post(all, host, unsigned(canary), 'stable.canary');
  host = await restart(all, host);
  expect(channel(host.team)).toMatchObject({ sequence: 2, canary: 0.9999 });
  const last = bundleOf(3, rule('c *'), [key]);
  await all.push(last);
  await all.push(unsigned(last));
  let late = await all.join({ host: 'late' });
  await until(() => channel(late.team)?.sequence === 3);
  late = await restart(all, late, { host: 'late' });
  expect(channel(late.team)?.sequence).toBe(3);
  expect(await verdict(late.host, 'c x')).toBe('deny');
});

test('a bundle that a host refuses, posted again without signatures or without files, comes into force once the host can take it', async () => {
  const { allow, allows, hook } = script();
  allows(false);
  const all = ground();
  let host = await all.join({ allow });
  await post(all, host, bundleOf(1, rule('a *'), [key]));
  const next = bundleOf(
    2,
    { ...rule('b *'), 'acme/b.json': { hooks: { PreToolUse: [{ matcher: 'Nothing', hooks: [hook] }] } } },
    [key],
  );
  await post(all, host, next);
  await post(all, host, unsigned(next));
  await post(all, host, changed(next, { files: {} }));
  host = await restart(all, host, { allow });
  expect(channel(host.team)).toMatchObject({ sequence: 1, refused: { sequence: 2 } });
  expect(channel(host.team)?.refused?.reason).toMatch(/runs the command/);
  allows(true);
  host = await restart(all, host, { allow });
  await until(() => channel(host.team)?.sequence === 2);
  expect(await verdict(host.host, 'b x')).toBe('deny');
});

test('a kept bundle that the keys have not signed is dropped, and the number and the keys that counted stay', async () => {
  const all = ground();
  let host = await all.join();
  await post(all, host, bundleOf(1, rule('a *'), [key, second], { keys: [second.id] }));
  const strict = bundleOf(2, rule('strict *'), [second]);
  await post(all, host, strict);
  const file = join(host.folder, 'acme/h1/stable.bundle.json');
  await host.team.close();
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  const forged = signedBy(strict, thief).toString();
  writeFileSync(file, JSON.stringify({ ...kept, bundle: forged, counted: forged }));
  const old = ground();
  await old.push(bundleOf(1, rule('loose *'), [key]));
  const elsewhere = await restart(old, host);
  expect(channel(elsewhere.team)).not.toHaveProperty('sequence');
  expect(old.told.join('\n')).toMatch(/stable\.bundle\.json does not count: /);
  expect(await verdict(elsewhere.host, 'ls')).toBe('ask');
  await old.push(bundleOf(3, rule('loose *'), [key]));
  await until(() => channel(elsewhere.team)?.refused?.sequence === 3);
  await elsewhere.team.close();
  host = await restart(all, host);
  await all.push(bundleOf(3, rule('strict *'), [second]));
  await until(() => channel(host.team)?.sequence === 3);
  expect(await verdict(host.host, 'ls')).toBe('none');
});
