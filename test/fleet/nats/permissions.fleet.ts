import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountsIn } from '../../../src/cli/fleet/nats-accounts.js';
import { makeCredentials } from '../../../src/cli/fleet/nats-config.js';
import { waitingQuestions } from '../../../src/fleet/ask/waiting.js';
import type { FleetEngine } from '../../../src/fleet/engine.js';
import { credentialsIn, inboxOf } from '../../../src/fleet/nats/connection.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { type NatsServer, startNats } from './server.js';

let server: NatsServer;
const engines: FleetEngine[] = [];
const folder = ownFolder();
const engine = async (name: string, credentials: string): Promise<FleetEngine> => {
  const made = natsEngine({ servers: [server.url], team: 'acme', name, credentials: join(folder, credentials) });
  engines.push(made);
  await until(() => made.connected);
  return made;
};

beforeAll(async () => {
  const keys = await Promise.all(['operator', 'a', 'b'].map((name) => makeCredentials(folder, name)));
  const [operator, a, b] = keys.map(({ publicKey }) => publicKey) as [string, string, string];
  server = await startNats(`accounts: ${JSON.stringify(accountsIn({ team: 'acme', operator, hosts: { a, b } }))}`);
  await (await engine('operator', 'operator.nk')).prepare();
});
afterAll(async () => {
  for (const one of engines) await one.close();
  await server.end();
});

const bytes = (text: string): Uint8Array => Buffer.from(text);

test('a host reads the policy, writes its own decisions, state and questions, and nothing else', async () => {
  const [operator, a] = [await engine('operator', 'operator.nk'), await engine('a', 'a.nk')];
  await operator.policy.post('stable', bytes('one'), 0);
  const seen: string[] = [];
  a.policy.watch('stable', (posted) => seen.push(Buffer.from(posted?.bytes ?? []).toString()));
  await until(() => seen.length === 1);
  const canaries: string[] = [];
  a.policy.watch('stable.canary', (posted) => canaries.push(Buffer.from(posted?.bytes ?? []).toString()));
  await until(() => canaries.length === 1);
  await operator.policy.post('stable.canary', bytes('few'), 0);
  await until(() => canaries.length === 2);
  expect(canaries).toEqual(['', 'few']);
  await operator.policy.post('stable.keys', bytes('change'), 0);
  expect((await a.policy.past?.('stable.keys', 0))?.map((one) => Buffer.from(one.bytes).toString())).toEqual([
    'change',
  ]);
  await a.decisions.append('a', '1', bytes('1'));
  await a.state.share('a', bytes('1'));
  const close = a.ask.open('a', 'q', bytes('?'), () => bytes('taken'));
  await until(() =>
    operator.ask.answer('a', 'q', bytes('!')).then(
      () => true,
      () => false,
    ),
  );
  close();
  for (const refused of [
    () => a.policy.post('stable', bytes('mine'), 1),
    () => a.policy.post('stable.canary', bytes('mine'), 1),
    () => a.policy.post('stable.keys', bytes('mine'), 1),
    () => a.decisions.append('b', '2', bytes('2')),
    () => a.state.share('b', bytes('2')),
    () => a.state.all(),
    () => a.prepare(),
    async () => {
      for await (const _ of a.decisions.read(0)) throw new Error('read');
      return 'nothing';
    },
  ])
    await expect(refused()).rejects.toThrow(/the credentials \S+a\.nk may not |timeout|responders/);
  const asked: string[] = [];
  a.ask.watch(({ id }) => asked.push(id));
  const b = await engine('b', 'b.nk');
  b.ask.open('b', 'of-b', bytes('secret?'), () => bytes('taken'));
  await until(() =>
    operator.ask.answer('b', 'of-b', bytes('!')).then(
      () => true,
      () => false,
    ),
  );
  await expect(a.ask.answer('b', 'of-b', bytes('yes'))).rejects.toMatchObject({ code: 'FLEET_FAILED' });
  expect(asked).toEqual([]);
  expect(seen).toEqual(['one']);
});

test('the last report of a host is kept for seven days', async () => {
  const as = await credentialsIn(join(folder, 'operator.nk'));
  const nc = await connect({ servers: server.url, inboxPrefix: inboxOf('operator'), ...as });
  const { config } = await (await jetstreamManager(nc)).streams.info('KV_HS_status_acme');
  await nc.close();
  expect(config.max_age / 1e9).toBe(7 * 24 * 3600);
});

test('without credentials, or with those of nobody, there is no connection', async () => {
  writeFileSync(join(folder, 'none.nk'), (await makeCredentials(ownFolder(), 'x')).publicKey);
  const other = ownFolder();
  await makeCredentials(other, 'stranger');
  const stranger = natsEngine({
    servers: [server.url],
    team: 'acme',
    name: 'a',
    credentials: join(other, 'stranger.nk'),
  });
  const nobody = natsEngine({ servers: [server.url], team: 'acme', name: 'a' });
  engines.push(stranger, nobody);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (const one of [stranger, nobody]) {
    expect(one.connected).toBe(false);
    await expect(one.state.share('a', bytes('1'))).rejects.toThrow(/does not know the credentials|wants credentials/);
  }
});

test('all that waits at a host is listed, and answered, with the rights that hosts have', async () => {
  const [operator, a] = [await engine('operator', 'operator.nk'), await engine('a', 'a.nk')];
  for (let i = 0; i < 20; i++) a.ask.open('a', `q${i}`, bytes(`${i}`), () => bytes(`taken ${i}`));
  await until(() =>
    operator.ask.answer('a', 'q19', bytes('!')).then(
      () => true,
      () => false,
    ),
  );
  const listed = new Set<string>();
  const stop = operator.ask.watch(({ host, id }) => void (host === 'a' && listed.add(id)));
  await until(() => listed.size === 20);
  stop();
  for (let i = 0; i < 20; i++)
    expect(Buffer.from(await operator.ask.answer('a', `q${i}`, bytes('yes'))).toString()).toBe(`taken ${i}`);
});

test('a host tells of its own questions alone, and whoever may not see them hears that', async () => {
  const told: string[] = [];
  const [operator, b] = [await engine('operator', 'operator.nk'), await engine('b', 'b.nk')];
  const a = natsEngine({
    servers: [server.url],
    team: 'acme',
    name: 'a',
    credentials: join(folder, 'a.nk'),
    tell: (text) => told.push(text),
  });
  engines.push(a);
  await until(() => a.connected);
  const seen: string[] = [];
  const stop = operator.ask.watch(({ host, id }) => seen.push(`${host} ${id}`));
  a.ask.open('b', 'forged', bytes('ls'), () => bytes('mine'));
  a.ask.open('a', 'own', bytes('ls'), () => bytes('taken'));
  b.ask.open('b', 'real', bytes('rm'), () => bytes('taken'));
  await until(() => seen.includes('b real') && seen.includes('a own'));
  await until(() => told.length > 0);
  expect(told[0]).toMatch(
    /the credentials \S+a\.nk may not listen at hs\.acme\.answer\.b\.forged there, which the host a /,
  );
  expect(seen).not.toContain('b forged');
  await expect(operator.ask.answer('b', 'forged', bytes('yes'))).rejects.toThrow(/nobody waits/);
  stop();
  const problem = await new Promise<Error>((resolve) => b.ask.watch(() => undefined, resolve));
  expect(problem.message).toMatch(/b\.nk may not listen at hs\.acme\.asked\.\*\.\* there/);
  await expect(waitingQuestions(b)).rejects.toThrow(/b\.nk may not listen/);
});
