import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { makeCredentials, writeUsers } from '../../../src/cli/fleet/nats-config.js';
import { createHost, type Host } from '../../../src/create-host.js';
import type { FleetEngine } from '../../../src/fleet/engine.js';
import { type Fleet, fleet } from '../../../src/fleet/fleet.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { fleetRecords } from '../../../src/fleet/records.js';
import { ROOT } from '../../package/sources.js';
import { bundleOf, denies, newKey, ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { bash, channel } from '../ground.js';
import { type Partition, startProxy } from './proxy.js';
import { freePort, type NatsServer, startNats } from './server.js';

const open: { close?(): Promise<unknown>; end?(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await (one.close?.() ?? one.end?.());
});

const key = newKey();
const keep = <T extends { close?(): Promise<unknown>; end?(): Promise<unknown> }>(one: T): T => {
  open.push(one);
  return one;
};
const engineAt = async (servers: string, more: object = {}): Promise<FleetEngine> =>
  keep(natsEngine({ servers: [servers], team: 'acme', name: 'operator', ...more }));
const member = async (servers: string): Promise<{ team: Fleet; host: Host }> => {
  const team = keep(
    await fleet({ servers, team: 'acme', host: 'h1', keys: [key.id], folder: ownFolder(), logger: () => undefined }),
  );
  const host = keep(createHost({ logger: () => undefined }) as Host);
  team.join(host);
  return { team, host };
};

test('a partition, one way and both: the last good policy decides, then nothing is lost, nothing doubled, and the new policy comes', async () => {
  const server: NatsServer = keep(await startNats());
  const proxy: Partition = keep(await startProxy(server.url));
  const operator = await engineAt(server.url);
  await until(() => operator.connected);
  await operator.prepare();
  const rules = (n: number) => bundleOf(n, { 'acme/a.json': denies('git push *', `rule ${n}`) }, [key]);
  await operator.policy.post('stable', rules(1), 0);
  const { team, host } = await member(proxy.url);
  expect(channel(team)?.sequence).toBe(1);
  const stored = async (): Promise<string[]> => {
    const ids: string[] = [];
    for await (const { id } of operator.decisions.read(0)) ids.push(id);
    return ids;
  };
  let fired = 0;
  const fire = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i++)
      expect((await host.fire('PreToolUse', bash(`git push ${fired++}`) as never)).reason).toBe('rule 1');
  };
  await fire(20);
  await until(async () => (await stored()).length === 20);

  // Acknowledgements do not come back: the broker has them, the host does not know, and sends them again.
  proxy.hold('back');
  await fire(30);
  await until(async () => (await stored()).length === 50);
  await operator.policy.post('stable', rules(2), 1);
  await new Promise((resolve) => setTimeout(resolve, 5_600));
  expect(team.status().log).toMatchObject({ sent: 20, waiting: 30, dropped: 0 });
  // Nor does anything go there.
  proxy.hold('there', 'back');
  await fire(30);
  await until(() => team.status().log.waiting === 60);
  expect(Date.now() - Date.parse(team.status().log.oldest as string)).toBeGreaterThan(5_000);
  expect(channel(team)?.sequence).toBe(1);
  expect((await stored()).length).toBe(50);

  proxy.hold();
  // What is on its way to the thread of the log is counted nowhere for a moment.
  await until(() => team.status().log.sent === 80 && channel(team)?.sequence === 2);
  expect(team.status().log).toEqual({ sent: 80, waiting: 0, dropped: 0 });
  expect((await host.fire('PreToolUse', bash('git push x') as never)).reason).toBe('rule 2');
  await until(async () => (await stored()).length === 81);
  const ids = await stored();
  expect(new Set(ids).size).toBe(81);
  const seen: number[] = [];
  for await (const record of fleetRecords(operator, 'h1').records())
    if (record.type === 'hook_fire') seen.push(record.policies?.[0]?.sequence as number);
  expect(seen).toEqual([...Array(80).fill(1), 2]);
});

test('TLS: a host trusts its authority alone and shows its certificate; without either, or without TLS, nothing is said', async () => {
  const at = (name: string): string => join(ROOT, 'test/fixtures/fleet/tls', name);
  const server = keep(
    await startNats(
      `tls { cert_file: "${at('server.pem')}", key_file: "${at('server.key')}", ca_file: "${at('ca.pem')}", verify: true }`,
    ),
  );
  const own = { cert: at('client.pem'), key: at('client.key') };
  const good = await engineAt(server.url, { tls: { ca: at('ca.pem'), ...own } });
  const plain = keep(await startNats());
  const bad: readonly [FleetEngine, RegExp][] = [
    [await engineAt(server.url, { tls: { ca: at('other.pem'), ...own } }), /certificate|signature|self.signed|issuer/i],
    // This side is told of it by silence alone.
    [
      await engineAt(server.url, { tls: { ca: at('ca.pem') } }),
      /has not answered yet|wants a certificate of this side/,
    ],
    [await engineAt(server.url, { tls: own }), /certificate|signed|issuer/i],
    [await engineAt(server.url), /certificate|TLS|secure|signed/i],
    // A broker that says it has no TLS is not believed.
    [await engineAt(plain.url, { tls: { ca: at('ca.pem'), ...own } }), /TLS|secure/i],
  ];
  await until(() => good.connected);
  await good.prepare();
  await good.policy.post('stable', bundleOf(1, {}, [key]), 0);
  await new Promise((resolve) => setTimeout(resolve, 400));
  for (const [engine, why] of bad) {
    expect(engine.connected).toBe(false);
    await expect(engine.state.share('h1', Buffer.from('1'))).rejects.toThrow(why);
  }
  const team = keep(
    await fleet({
      servers: server.url,
      tls: { ca: at('ca.pem'), ...own },
      team: 'acme',
      host: 'h1',
      keys: [key.id],
      folder: ownFolder(),
      logger: () => undefined,
    }),
  );
  expect(channel(team)?.sequence).toBe(1);
  const host = keep(createHost({ logger: () => undefined }) as Host);
  team.join(host);
  await host.fire('PreToolUse', bash('ls') as never);
  // Its log has a connection of its own.
  await team.drained(5);
  expect(team.status().log.sent).toBe(1);
});

test('a broker that has lost its disk counts from one again, and a host that had that many has what is posted next', async () => {
  const server = keep(await startNats());
  const operator = await engineAt(server.url);
  await until(() => operator.connected);
  await operator.prepare();
  const rules = (n: number) => bundleOf(n, { 'acme/a.json': denies('git push *', `rule ${n}`) }, [key]);
  for (const n of [1, 2, 3]) await operator.policy.post('other', Buffer.from(`${n}`), n - 1);
  expect(await operator.policy.post('stable', rules(1), 0)).toBe(4);
  const { team, host } = await member(server.url);
  const seen: string[] = [];
  const watcher = await engineAt(server.url, { name: 'h2' });
  watcher.policy.watch('stable', (posted) => seen.push(`${posted?.version} ${posted?.bytes.length}`));
  await until(() => seen.length === 1);
  // A connection that is lost and found is no news.
  await server.kill();
  await until(() => !team.connected && !watcher.connected);
  await server.start();
  await until(() => team.connected && watcher.connected && operator.connected);
  expect(channel(team)?.sequence).toBe(1);

  // Hosts cannot see the empty broker, as where they are on the way while it is filled again.
  const proxy: Partition = keep(await startProxy(server.url));
  const { team: behind } = await member(proxy.url);
  proxy.hold('there', 'back');
  await server.kill();
  server.wipe();
  await server.start();
  await until(() => operator.connected);
  await operator.prepare();
  for (const n of [2, 3, 4, 5]) await operator.policy.post('stable', rules(n), n - 2);
  proxy.hold();
  await until(() => channel(team)?.sequence === 5 && channel(behind)?.sequence === 5);
  expect((await host.fire('PreToolUse', bash('git push x') as never)).reason).toBe('rule 5');
  await until(() => seen.at(-1) === `4 ${rules(5).length}`);
  expect(seen[0]).toBe(`4 ${rules(1).length}`);
});

test('a host that is there before anything was made for its team listens once, however often it has looked', async () => {
  const web = await freePort();
  const server = keep(await startNats(`http: "127.0.0.1:${web}"`));
  const [operator, host] = [await engineAt(server.url), await engineAt(server.url, { name: 'h1' })];
  const seen: unknown[] = [];
  host.policy.watch('stable', (posted) => seen.push(posted));
  await until(() => host.connected);
  const listening = async (): Promise<number> => {
    const { connections } = (await (await fetch(`http://127.0.0.1:${web}/connz?subs=1`)).json()) as {
      connections: { subscriptions_list?: string[] }[];
    };
    return connections.flatMap((one) => one.subscriptions_list ?? []).filter((one) => one.startsWith('$KV.')).length;
  };
  // It has looked several times by then.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(await listening()).toBeLessThanOrEqual(1);
  await operator.prepare();
  await operator.policy.post('stable', Buffer.from('one'), 0);
  await until(() => seen.some((posted) => posted !== undefined));
  expect(await listening()).toBe(1);
});

test('a bundle that the broker does not take is refused where it is posted, in words; one just below it is taken', async () => {
  const server = keep(await startNats());
  const operator = await engineAt(server.url);
  await until(() => operator.connected);
  await operator.prepare();
  const most = 1024 * 1024 - 1024;
  await expect(operator.policy.post('stable', Buffer.alloc(most + 1), 0)).rejects.toThrow(
    /the bundle has 1047553 bytes, and the broker takes 1047552 \(its max_payload\): leave out/,
  );
  await operator.policy.post('stable', Buffer.alloc(most), 0);
  expect((await operator.policy.history('stable'))[0]?.bytes.length).toBe(most);
});

test('the broker of examples/fleet starts with what fleet up has written, and knows its operator and its hosts', async () => {
  const folder = ownFolder();
  const port = await freePort();
  const [operator, host] = [await makeCredentials(folder, 'operator'), await makeCredentials(folder, 'h1')];
  writeUsers(folder, { team: 'acme', port, operator: operator.publicKey, hosts: { h1: host.publicKey } });
  const text = readFileSync(join(ROOT, 'examples/fleet/broker.conf'), 'utf8')
    .replace('0.0.0.0:4222', `127.0.0.1:${port}`)
    .replace('"/data"', JSON.stringify(join(folder, 'data')));
  writeFileSync(join(folder, 'broker.conf'), text);
  const server = spawn('nats-server', ['-c', join(folder, 'broker.conf')], { stdio: 'ignore' });
  keep({ end: () => (server.kill('SIGKILL') ? once(server, 'exit') : Promise.resolve()) });
  const url = `nats://127.0.0.1:${port}`;
  const one = await engineAt(url, { credentials: operator.file });
  await until(() => one.connected);
  await one.prepare();
  const other = await engineAt(url, { name: 'h1', credentials: host.file });
  await until(() => other.connected);
  await other.state.share('h1', Buffer.from('1'));
  expect((await one.state.all()).map(({ host: of }) => of)).toEqual(['h1']);
  await expect(other.state.all()).rejects.toThrow(/may not send to/);
});
