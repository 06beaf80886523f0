import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import { memoryEngine } from '../../src/fleet/memory.js';
import { natsEngine } from '../../src/fleet/nats/engine.js';
import { bundleOf, denies } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key } from './ground.js';

/** A port where nobody answers. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => void server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

test('a broker that is never reached is told of once, with its address, why, and what counts meanwhile', async () => {
  const { join, told } = ground();
  const servers = [`nats://bob:s3cret@127.0.0.1:${await closedPort()}`];
  const engine = natsEngine({ servers, team: 'acme', name: 'h1' });
  const { host } = await join({ engine, patience: 1 });
  const place = servers[0]?.replace('bob:s3cret@', '');
  const asks = `the fleet's policy (stable) is not known yet: none has come from ${place}`;
  expect(told).toEqual([
    `the fleet at ${place} is not there: connection refused. It is tried again until it answers; meanwhile every gate asks (${asks}), and decisions wait on disk`,
  ]);
  const decision = await host.fire('PreToolUse', bash('ls') as never);
  expect(decision).toMatchObject({ verdict: 'ask', reason: asks });
  await engine.close();
});

test('where there was a policy, or there is none, that is what is told', async () => {
  const { broker, join, push, told } = ground();
  const first = await join();
  broker.away = true;
  expect(told.splice(0)).toEqual([expect.stringContaining('meanwhile stable has no policy, and')]);
  broker.away = false;
  await push(bundleOf(1, { 'acme/git.json': denies('git push *', 'By hand') }, [key]));
  await until(() => channel(first.team)?.sequence === 1);
  broker.away = true;
  const counts =
    'the fleet at memory is not there. It is tried again until it answers; meanwhile the last policy of stable, r1 (1), counts, and decisions wait on disk';
  expect(told.splice(0)).toEqual(['the fleet at memory is there again', counts]);
  await first.team.close();
  const again = await join({ folder: first.folder, engine: memoryEngine(broker) });
  expect(told).toEqual([counts]);
  const { verdict } = await (again.host as Host).fire('PreToolUse', bash('git push x') as never);
  expect(verdict).toBe('deny');
});
