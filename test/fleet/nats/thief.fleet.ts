import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as nats from '@nats-io/transport-node';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accountsIn, permissionsOf } from '../../../src/cli/fleet/nats-accounts.js';
import { makeCredentials } from '../../../src/cli/fleet/nats-config.js';
import type { FleetEngine } from '../../../src/fleet/engine.js';
import { credentialsIn, inboxOf } from '../../../src/fleet/nats/connection.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { type NatsServer, startNats } from './server.js';

let server: NatsServer;
let operator: FleetEngine;
const engines: FleetEngine[] = [];
const connections: NatsConnection[] = [];
const folder = ownFolder();
const bytes = (text: string): Uint8Array => Buffer.from(text);
const engine = async (name: string): Promise<FleetEngine> => {
  const made = natsEngine({
    servers: [server.url],
    team: 'acme',
    name,
    credentials: join(folder, `${name}.nk`),
  });
  engines.push(made);
  await until(() => made.connected);
  return made;
};
/** A connection that does what it likes. */
const raw = async (name: string): Promise<NatsConnection> => {
  const as = await credentialsIn(join(folder, `${name}.nk`));
  const made = await nats.connect({ servers: server.url, inboxPrefix: inboxOf(name), ...as });
  connections.push(made);
  return made;
};

beforeAll(async () => {
  const keys = await Promise.all(['operator', 'a', 'b'].map((name) => makeCredentials(folder, name)));
  const [key, a, b] = keys.map(({ publicKey }) => publicKey) as [string, string, string];
  server = await startNats(`accounts: ${JSON.stringify(accountsIn({ team: 'acme', operator: key, hosts: { a, b } }))}`);
  operator = await engine('operator');
  await operator.prepare();
});
afterAll(async () => {
  for (const one of [...connections, ...engines]) await one.close();
  await server.end();
});

/** What a thief would have the server write to, or do. */
const STREAMS = ['KV_HS_policy_acme', 'KV_HS_status_acme', 'HS_log_acme'];
const TARGETS = [
  ...STREAMS.flatMap((stream) =>
    ['STREAM.PURGE', 'STREAM.DELETE', 'STREAM.UPDATE', 'STREAM.MSG.DELETE', 'CONSUMER.CREATE', 'STREAM.SNAPSHOT'].map(
      (verb) => `$JS.API.${verb}.${stream}`,
    ),
  ),
  '$JS.API.STREAM.CREATE.evil',
  '$JS.API.ACCOUNT.PURGE.acme',
  '$KV.HS_policy_acme.stable',
  '$KV.HS_policy_acme.other',
  '$KV.HS_status_acme.b',
  'hs.acme.log.b',
  'hs.acme.waiting',
  'hs.acme.asked.b.q',
  'hs.acme.answer.b.q',
  'hs.acme.taken.b.q',
  `${inboxOf('operator')}.q`,
  `${inboxOf('b')}.q`,
];
/** Where a host may send to, each as one subject. */
const ALLOWED = permissionsOf('acme', 'a').publish.allow.map((subject) => subject.replace('*', 'stable'));
const BODIES = ['', 'x', '{"seq":1}', '{"last_by_subj":"$KV.HS_policy_acme.stable"}'];

/** What the team has, but for what the thief's own host may write. */
async function kept(): Promise<unknown> {
  const log: string[] = [];
  for await (const { host, id, bytes: of } of operator.decisions.read(0))
    if (host !== 'a') log.push(`${host} ${id} ${Buffer.from(of)}`);
  const history = async (channel: string) =>
    (await operator.policy.history(channel)).map(({ bytes: of, version }) => `${version} ${Buffer.from(of)}`);
  const states = (await operator.state.all()).filter(({ host }) => host !== 'a');
  return {
    stable: await history('stable'),
    other: await history('other'),
    states: states.map(({ host, bytes: of }) => `${host} ${Buffer.from(of)}`),
    log,
  };
}

test('the credentials of one host change nothing of the team by naming a place for the reply, whatever they may send', async () => {
  await operator.policy.post('stable', bytes('one'), 0);
  await operator.policy.post('stable', bytes('two'), 1);
  const b = await engine('b');
  const seen: string[] = [];
  b.policy.watch('stable', (posted) => seen.push(Buffer.from(posted?.bytes ?? []).toString()));
  await b.state.share('b', bytes('mine'));
  await b.decisions.append('b', '1', bytes('decided'));
  const asked: string[] = [];
  b.ask.open('b', 'q', bytes('?'), () => {
    asked.push('answered');
    return bytes('taken');
  });
  await until(() => seen.length === 1);
  const before = await kept();
  expect(before).toEqual({ stable: ['1 one', '2 two'], other: [], states: ['b mine'], log: ['b 1 decided'] });

  const [team, other, thief] = [await raw('operator'), await raw('b'), await raw('a')];
  const heard = new Set<string>();
  const listen = (nc: NatsConnection, subject: string, as: string): void =>
    void nc.subscribe(subject, { callback: (error, message) => void heard.add(`${as}: ${error ?? message.subject}`) });
  listen(team, '>', 'team');
  for (const subject of permissionsOf('acme', 'b').subscribe.allow) listen(other, subject, 'b');
  await Promise.all([team.flush(), other.flush()]);
  const all = headers();
  all.set('Nats-Rollup', 'all');
  for (const subject of ALLOWED)
    for (const reply of TARGETS)
      for (const body of BODIES) {
        thief.publish(subject, body, { reply });
        thief.publish(subject, body, { reply, headers: all });
      }
  await thief.flush();
  await sleep(1_000);

  // In the team's account is only what a host may send there itself, and replies to it, which the server takes back.
  const inTeam = [...heard].filter((one) => one.startsWith('team: ') && !/^team: (_R_\.|\$JS\.EVENT\.)/.test(one));
  expect(inTeam.sort()).toEqual(ALLOWED.map((subject) => `team: ${subject}`).sort());
  expect([...heard].filter((one) => one.startsWith('b: '))).toEqual([]);
  expect(await kept()).toEqual(before);
  expect({ seen, asked }).toEqual({ seen: ['two'], asked: [] });
});

test('the credentials of one host can have nothing delivered by a consumer, nor reach the team in other ways', async () => {
  const thief = await raw('a');
  const before = await kept();
  const refused: string[] = [];
  void (async () => {
    for await (const status of thief.status()) if (status.type === 'error') refused.push(`${status.error}`);
  })();
  for (const stream of STREAMS)
    for (const deliver_subject of TARGETS) {
      const config = { deliver_subject, deliver_policy: 'all', ack_policy: 'none', headers_only: true };
      for (const name of ['', '.evil', '.evil.$KV.HS_policy_acme.stable'])
        thief.publish(`$JS.API.CONSUMER.CREATE.${stream}${name}`, JSON.stringify({ stream_name: stream, config }));
      thief.publish(`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.evil`, JSON.stringify({ stream_name: stream, config }));
    }
  for (const target of TARGETS) thief.publish(target, 'x');
  await thief.flush();
  await until(() => refused.length > TARGETS.length);
  await sleep(500);
  expect(await kept()).toEqual(before);
  const listening = await raw('a');
  const heard: string[] = [];
  for (const subject of ['>', '$KV.>', 'hs.acme.>', 'hs.acme.asked.b.*', `${inboxOf('b')}.>`, '_R_.>', '$JS.>'])
    listening.subscribe(subject, { callback: (error, message) => void (error || heard.push(message.subject)) });
  await listening.flush();
  const b = engines.find((one) => one !== operator) as FleetEngine;
  await b.decisions.append('b', '2', bytes('decided'));
  await b.state.share('b', bytes('again'));
  await operator.ask.answer('b', 'q', bytes('yes'));
  await sleep(300);
  expect(heard).toEqual([]);
});
