import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { createHost } from '../../../src/create-host.js';
import { readBundle } from '../../../src/fleet/bundle/bundle.js';
import type { SigningKey } from '../../../src/fleet/bundle/keys.js';
import { type Fleet, fleet } from '../../../src/fleet/fleet.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { stateOf } from '../../../src/fleet/operator.js';
import { post } from '../../../src/fleet/send.js';
import { bundleOf, denies, newKey, ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { channel } from '../ground.js';
import { startNats } from './server.js';

const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.end();
});

const files = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const [key, next] = [newKey(), newKey()];

/** A broker with an operator, and another who has an operator's credentials. */
async function team() {
  const server = await startNats();
  open.push(server);
  const engine = natsEngine({ servers: [server.url], team: 'acme', name: 'operator' });
  open.push({ end: () => engine.close() });
  await until(() => engine.connected);
  await engine.prepare();
  const thief = await connect({ servers: server.url });
  open.push({ end: () => thief.close() });
  const join = async (host: string, folder = ownFolder()): Promise<{ team: Fleet; folder: string }> => {
    const own = natsEngine({ servers: [server.url], team: 'acme', name: host });
    const one = await fleet({ engine: own, team: 'acme', host, keys: [key.id], folder, logger: () => undefined });
    const of = createHost({ logger: () => undefined });
    one.join(of);
    open.push({ end: () => Promise.all([one.close(), of.close(), own.close()]) });
    return { team: one, folder };
  };
  const push = async (bytes: Uint8Array, signers: readonly SigningKey[]) =>
    post(
      engine,
      readBundle(bytes),
      await stateOf(engine, { team: 'acme', channel: 'stable', keys: signers.map(({ id }) => id) }),
    );
  return { server, engine, thief, join, push };
}

const KV = '$KV.HS_policy_acme';
/** Posts what the former key signs as soon as something is posted there. */
async function steal(thief: NatsConnection, at: string, count: number): Promise<void> {
  let isDone = false;
  thief.subscribe(`${KV}.${at}`, {
    callback: () => {
      if (isDone) return;
      isDone = true;
      for (let i = 0; i < count; i++)
        thief.publish(`${KV}.stable`, bundleOf(3 + i, files('loose *'), [key], { revision: `thief${i}` }));
      thief.publish(`${KV}.stable.canary`, bundleOf(3 + count, files('loose *'), [key], { canary: 0.9999 }));
    },
  });
  await thief.flush();
}

test.each([
  ['stable.keys', 3],
  ['stable.keys', 33],
  ['stable', 3],
  ['stable', 33],
])(
  'whoever has the former key and posts as soon as %s changes, %s times, undoes no change of keys',
  async (at, count) => {
    const { engine, thief, join, push } = await team();
    await push(bundleOf(1, files('a *'), [key]), [key]);
    const [there, gone] = [await join('there'), await join('gone')];
    await until(() => channel(there.team)?.sequence === 1 && channel(gone.team)?.sequence === 1);
    await gone.team.close();
    await steal(thief, at, count);
    // It is posted, and pushed out at once, or not.
    await push(bundleOf(2, files('b *'), [key, next], { keys: [next.id] }), [key, next]).catch((error: Error) =>
      expect(error.message).toMatch(/the keys have changed/),
    );
    await until(async () => (await engine.policy.history('stable.canary')).length === 1);
    const hosts = [there, await join('gone', gone.folder), await join('late')];
    for (const { team: one } of hosts) await until(() => (channel(one)?.counted ?? channel(one)?.sequence) === 2);
    await push(bundleOf(3, files('c *'), [next]), [key, next]);
    for (const { team: one } of hosts) {
      await until(() => channel(one)?.sequence === 3);
      expect(channel(one)?.revision).toBe('r3');
    }
  },
);

test('a stream that was deleted and made again under hosts that are there is followed', async () => {
  const { server, engine, join, push } = await team();
  await push(bundleOf(1, files('a *'), [key]), [key]);
  const { team: one } = await join('there');
  await until(() => channel(one)?.sequence === 1);
  const nc = await connect({ servers: server.url });
  open.push({ end: () => nc.close() });
  await (await jetstreamManager(nc)).streams.delete('KV_HS_policy_acme');
  await engine.prepare();
  await push(bundleOf(2, files('b *'), [key]), [key]);
  await until(() => channel(one)?.sequence === 2);
});

test('a broker that has lost its disk, with another first channel, is followed by hosts that were there and away', async () => {
  const { server, engine, join, push } = await team();
  for (let i = 1; i < 3; i++) await push(bundleOf(i, files('a *'), [key]), [key]);
  const [there, gone] = [await join('there'), await join('gone')];
  await until(() => channel(there.team)?.sequence === 2 && channel(gone.team)?.sequence === 2);
  await gone.team.close();
  await server.kill();
  server.wipe();
  await server.start();
  await until(() => engine.connected);
  await until(() =>
    engine.prepare().then(
      () => true,
      () => false,
    ),
  );
  await push(bundleOf(3, files('b *'), [key, next], { keys: [next.id] }), [key, next]);
  await engine.policy.post('other', bundleOf(1, files('z *'), [key], { channel: 'other' }), 0);
  for (let i = 4; i < 6; i++) await push(bundleOf(i, files('c *'), [next]), [key, next]);
  const back = await join('gone', gone.folder);
  for (const { team: one } of [there, back]) await until(() => channel(one)?.sequence === 5);
});

test('the second of two operators who post at the same time is told that it counts for nobody', async () => {
  const { push } = await team();
  await push(bundleOf(1, files('a *'), [key]), [key]);
  const both = await Promise.allSettled([
    push(bundleOf(2, files('b *'), [key]), [key]),
    push(bundleOf(2, files('c *'), [key], { canary: 0.5 }), [key]),
  ]);
  const errors = both.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []));
  expect(errors).toEqual([expect.stringMatching(/it is posted, and .* counts for no host/)]);
});
