import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeKey } from '../../src/fleet/bundle/keys.js';
import { Outbox } from '../../src/fleet/log/outbox.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { credentialsIn } from '../../src/fleet/nats/connection.js';
import { hostsIn, isSilent } from '../../src/fleet/status.js';
import { ownFolder } from './bundles.js';
import { until } from './contract.js';
import { ground } from './ground.js';

test('a host whose clock is wrong is silent if the broker has not heard of it', async () => {
  const { join: enter, operator } = ground();
  const { team } = await enter();
  await until(async () => (await operator.state.all()).length === 1);
  const [shared] = await operator.state.all();
  expect(shared?.age).toBeGreaterThanOrEqual(0);
  const at = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();
  const said = (when: string, age?: number) =>
    hostsIn([
      {
        host: 'h1',
        bytes: Buffer.from(JSON.stringify({ ...team.status(), at: when })),
        ...(age === undefined ? {} : { age }),
      },
    ]).map((one) => isSilent(one));
  const hour = 3_600_000;
  expect(said(at(-hour), 10_000)).toEqual([false]);
  expect(said(at(hour), hour)).toEqual([true]);
  // An engine of one's own may not say.
  expect([said(at(-hour)), said(at(-1_000))]).toEqual([[true], [false]]);
});

test('that a broker does not take decisions is told once, and once that it does again; so is that it is back', async () => {
  const told: string[] = [];
  const engine = memoryEngine(new MemoryBroker());
  let full = true;
  const { append } = engine.decisions;
  const decisions = {
    ...engine.decisions,
    append: async (...args: Parameters<typeof append>) => {
      if (full) throw new Error('insufficient resources.');
      await append(...args);
    },
  };
  const outbox = new Outbox({
    ...{ folder: ownFolder(), host: 'h1', segmentBytes: 4_000, maxBytes: 4_000_000 },
    ...{
      engine: Object.create(engine, { decisions: { value: decisions } }),
      tell: (text: string) => void told.push(text),
    },
  });
  const line = (i: number): string => JSON.stringify({ type: 'hook_alarm', host_id: 'h', seq: i, handlers: [] });
  outbox.push([line(1)]);
  await until(() => told.length > 0);
  outbox.push([line(2)]);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(told).toEqual([
    'decisions are not taken by memory: insufficient resources. They wait on disk, and are sent again until they are taken',
  ]);
  full = false;
  await until(() => outbox.status.sent === 2);
  expect(told.slice(1)).toEqual(['decisions are taken again']);
  await outbox.close(0);

  const { broker, join: enter, told: heard } = ground();
  await enter();
  broker.away = true;
  broker.away = false;
  expect(heard).toEqual([expect.stringMatching(/memory is not there/), 'the fleet at memory is there again']);
});

test('a key to sign with is no file of credentials', async () => {
  const file = join(ownFolder(), 'policy.key');
  makeKey(file);
  await expect(credentialsIn(file)).rejects.toThrow(new RegExp(`${file}.*expected NATS credentials`));
  const seed = `SU${'A'.repeat(56)}`;
  const jwt = '-----BEGIN NATS USER JWT-----\nabc\n------END NATS USER JWT------\n';
  writeFileSync(file, `${jwt}\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`);
  expect(await credentialsIn(file)).toHaveProperty('authenticator');
  writeFileSync(file, jwt);
  await expect(credentialsIn(file)).rejects.toThrow(/expected NATS credentials/);
});
