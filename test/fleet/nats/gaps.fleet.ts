import { jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { atBroker } from '../../../src/cli/fleet/flags.js';
import type { Terminal } from '../../../src/cli/terminal.js';
import type { SentRecord } from '../../../src/fleet/engine.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { until } from '../contract.js';
import { startNats } from './server.js';

const open: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.end();
});

/** A server with a team on it, and a manager of its streams. */
async function broker(config = '') {
  const server = await startNats(config);
  open.push(server);
  const engine = natsEngine({ servers: [server.url], team: 'acme', name: 'operator' });
  open.push({ end: () => engine.close() });
  await until(() => engine.connected);
  await engine.prepare();
  const nc = await connect({ servers: server.url });
  open.push({ end: () => nc.close() });
  return { server, engine, manager: await jetstreamManager(nc) };
}

async function idsIn(entries: AsyncIterable<SentRecord>): Promise<string[]> {
  const ids: string[] = [];
  for await (const { id } of entries) ids.push(id);
  return ids;
}

const LOG = 'HS_log_acme';

test('a log whose last sequence is of no message is read to its end', async () => {
  const { engine, manager } = await broker();
  const append = (id: string): Promise<void> => engine.decisions.append('h1', id, Buffer.from(id));
  for (const id of ['1', '2', '3']) await append(id);
  await manager.streams.deleteMessage(LOG, 3);
  expect(await idsIn(engine.decisions.read(0))).toEqual(['1', '2']);
  expect(await idsIn(engine.decisions.read(1))).toEqual(['2']);
  expect(await idsIn(engine.decisions.read(2))).toEqual([]);
  // What was still to come is deleted while it is read.
  for (let i = 0; i < 2_000; i++) await append(`more ${i}`);
  const { last_seq: last } = (await manager.streams.info(LOG)).state;
  const ids: string[] = [];
  for await (const { id, place } of engine.decisions.read(0)) {
    if (place === 4) await manager.streams.purge(LOG, { seq: last + 1 });
    ids.push(id);
  }
  expect(ids.slice(0, 3)).toEqual(['1', '2', 'more 0']);
  expect(ids.length).toBeLessThan(1_900);
});

test('the end of a broker while its log is read is an error', async () => {
  const { server, engine } = await broker();
  for (let i = 0; i < 1_200; i++) await engine.decisions.append('h1', `${i}`, Buffer.alloc(2_000, 'x'));
  const reading = (async () => {
    for await (const { place } of engine.decisions.read(0)) if (place === 1) await server.kill();
  })();
  await expect(reading).rejects.toMatchObject({ code: 'FLEET_FAILED' });
});

test('an interrupt ends a verb, whatever it waits for', async () => {
  const { server } = await broker();
  const stop = new AbortController();
  const where = { servers: [server.url], team: 'acme' };
  const waits = atBroker(where, { signal: stop.signal } as Terminal, async () => {
    stop.abort();
    await new Promise(() => undefined);
  });
  await expect(waits).rejects.toThrow('Interrupted');
});

test('a host reads what a channel has kept without a consumer', async () => {
  const { engine } = await broker();
  let version = 0;
  for (let i = 0; i < 40; i++) {
    version = await engine.policy.post('stable', Buffer.from(`${i}`), version);
    if (i % 3 === 0)
      await engine.policy.post('beta', Buffer.from('x'), i === 0 ? 0 : version - 1).catch(() => undefined);
    version = (await engine.policy.history('stable')).at(-1)?.version ?? 0;
  }
  const [past, history] = [await engine.policy.past?.('stable', 0), await engine.policy.history('stable')];
  expect(past?.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(
    Array.from({ length: 32 }, (_, i) => `${i + 8}`),
  );
  expect(past?.map((one) => one.version)).toEqual(history.map((one) => one.version));
  expect(await engine.policy.past?.('gamma', 0)).toEqual([]);
  const [, , third, ...rest] = history.slice(-5);
  expect((await engine.policy.past?.('stable', third?.version ?? 0))?.map((one) => one.version)).toEqual(
    rest.map((one) => one.version),
  );
});

test('a channel whose entry was deleted or purged can be posted to, on top of what was seen there alone', async () => {
  const { server, engine } = await broker();
  const nc = await connect({ servers: server.url });
  open.push({ end: () => nc.close() });
  const bucket = await new Kvm(nc).open('HS_policy_acme');
  const post = (text: string, after: number) => engine.policy.post('stable', Buffer.from(text), after);
  const last = async () => (await engine.policy.history('stable')).at(-1)?.version ?? 0;
  const first = await post('1', 0);
  const second = await post('2', first);
  await bucket.delete('stable');
  expect((await engine.policy.history('stable')).map((one) => one.version)).toEqual([first, second]);
  await expect(post('other', first)).rejects.toThrow(/posted to it meanwhile/);
  await post('3', await last());
  await bucket.purge('stable');
  expect(await last()).toBe(0);
  await post('4', 0);
  expect((await engine.policy.past?.('stable', 0))?.map(({ bytes }) => Buffer.from(bytes).toString())).toEqual(['4']);
});
