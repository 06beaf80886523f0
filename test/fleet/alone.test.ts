import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { JoinedFleet } from '../../src/fleet/joined.js';
import { Outbox } from '../../src/fleet/log/outbox.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { applyLastGood, keepForLater } from '../../src/fleet/offline.js';
import { bundleOf, denies, ownFolder, script } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key } from './ground.js';

const joinedIn = (folder: string, more: object = {}): JoinedFleet =>
  ({ servers: ['nats://127.0.0.1:1'], team: 'acme', host: 'h1', keys: [key.id], folder, ...more }) as JoinedFleet;

/** Decides once, as a command does that finds no server. */
async function once(joined: JoinedFleet, command: string): Promise<void> {
  const host = createHost({ logger: () => undefined }) as Host;
  await applyLastGood(host, joined);
  const log = keepForLater(host, joined);
  await host.fire('PreToolUse', bash(command) as never);
  await host.close();
  await log.close(0);
}

/** What a host's next process with a connection sends. */
async function sentFrom(folder: string) {
  const broker = new MemoryBroker();
  const made = new Outbox({
    segmentBytes: 8_000,
    maxBytes: 64_000,
    folder: join(folder, 'acme/h1'),
    host: 'h1',
    engine: memoryEngine(broker),
    tell: () => undefined,
  });
  await until(() => made.status.waiting === 0);
  const { status } = made;
  await made.close(1_000);
  return { status, texts: broker.entries.map(({ bytes }) => Buffer.from(bytes).toString()) };
}

test('what processes decide that have no connection is in one file, however many they are, and is sent once by the next that has one', async () => {
  const folder = ownFolder();
  for (let i = 0; i < 30; i++) await once(joinedIn(folder), `ls ${i}`);
  const own = join(folder, 'acme/h1');
  expect(readdirSync(own).sort()).toEqual(['aside.ndjson', 'recent.ndjson']);
  expect(statSync(join(own, 'aside.ndjson')).mode & 0o777).toBe(0o600);
  // One of them was killed while it wrote.
  appendFileSync(join(own, 'aside.ndjson'), '{"type":"hook_fi');
  await once(joinedIn(folder), 'ls 30');
  const { status, texts } = await sentFrom(folder);
  const commands = texts.map((text) => JSON.parse(text).input.tool_input.command);
  expect(commands).toEqual(Array.from({ length: 31 }, (_, i) => `ls ${i}`));
  expect(status.dropped).toBe(0);
  expect(readdirSync(own)).toEqual(['recent.ndjson']);
});

test('all of it together is bounded: the oldest is dropped, and counted', async () => {
  const folder = ownFolder();
  const joined = joinedIn(folder, { maxBytes: 24_000 });
  for (let i = 0; i < 60; i++) await once(joined, `ls ${i}`);
  const own = join(folder, 'acme/h1');
  const sizes = readdirSync(own).map((name) => (name.startsWith('aside') ? statSync(join(own, name)).size : 0));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(24_000);
  const { status, texts } = await sentFrom(folder);
  expect(status.dropped).toBeGreaterThan(10);
  expect(status.dropped + texts.length).toBe(60);
  expect(JSON.parse(texts.at(-1) as string).input.tool_input.command).toBe('ls 59');
});

test('it is masked by the last policy, also where that cannot be in force', async () => {
  const { join: enter, push } = ground();
  const { allow, allows, hook } = script();
  allows(true);
  const { team, folder } = await enter({ allow });
  const masks = { ...denies('x *', 'no'), redact: { patterns: ['cust_\\w+'] } };
  const runs = { hooks: { PreToolUse: [{ matcher: 'Never', hooks: [hook] }] } };
  await push(bundleOf(1, { 'acme/a.json': masks, 'acme/b.json': runs }, [key]));
  await until(() => channel(team)?.sequence === 1);
  await team.close();
  await once(joinedIn(folder, { allow }), 'echo cust_12345');
  allows(false);
  await once(joinedIn(folder, { allow }), 'echo cust_67890');
  const text = ['aside.ndjson', 'recent.ndjson']
    .map((name) => readFileSync(join(folder, 'acme/h1', name), 'utf8'))
    .join();
  expect(text.match(/echo \[redacted/g)?.length).toBeGreaterThanOrEqual(4);
  expect(text).not.toMatch(/cust_\d/);
});
