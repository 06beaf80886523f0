import { describe, expect, test } from 'vitest';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { type Bundle, readBundle } from '../../src/fleet/bundle/bundle.js';
import { memoryEngine } from '../../src/fleet/memory.js';
import { checkPolicy } from '../../src/fleet/policy/check.js';
import { driftOf } from '../../src/fleet/policy/drift.js';
import { bundleOf, denies, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key, verdict } from './ground.js';

const PUSH = { 'acme/base.json': denies('git push *', 'no') };
const soon = (ms: number): string => new Date(Date.now() + ms).toISOString();

async function drift(records: readonly FireRecord[], bundle: Bundle) {
  const { policy } = await checkPolicy(bundle, ownFolder());
  return driftOf(
    policy,
    (async function* () {
      for (const record of records) yield JSON.parse(JSON.stringify(record));
    })(),
  );
}

describe('what the fleet asks for want of a policy', () => {
  test('keeps no bundle out that ends it: the policy has expired, and is renewed', async () => {
    const { join, push } = ground();
    const { host, team } = await join();
    await push(bundleOf(1, PUSH, [key], { expires: soon(900), maxDrift: 0 }));
    await until(() => channel(team)?.asks !== undefined);
    for (const line of ['ls', 'ls', 'git push x']) await verdict(host, line);
    expect([await verdict(host, 'ls'), await verdict(host, 'git push x')]).toEqual(['ask', 'deny']);
    await push(bundleOf(2, PUSH, [key], { maxDrift: 0 }));
    await until(() => channel(team)?.sequence === 2 || channel(team)?.refused !== undefined);
    expect(channel(team)?.refused).toBeUndefined();
    expect(await verdict(host, 'ls')).toBe('none');
    // What the hooks of the expired one have denied still counts.
    await push(bundleOf(3, { 'acme/base.json': {} }, [key], { maxDrift: 0 }));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason).toMatch(/would change 2 of the last 6 decisions here.*from deny to none/);
  });

  test('keeps no bundle out that ends it: none was known yet', async () => {
    const { broker, join, push } = ground();
    await push(bundleOf(1, PUSH, [key], { maxDrift: 0 }));
    broker.away = true;
    const { host, team } = await join({ engine: memoryEngine(broker) });
    expect([await verdict(host, 'ls'), await verdict(host, 'git push x')]).toEqual(['ask', 'ask']);
    broker.away = false;
    await until(() => channel(team)?.sequence === 1 || channel(team)?.refused !== undefined);
    expect(channel(team)).toMatchObject({ sequence: 1 });
    expect(await verdict(host, 'git push x')).toBe('deny');
  });

  test('is no change in what an operator compares, and hides none of what hooks of another channel let pass', async () => {
    const { broker, join, push } = ground();
    broker.away = true;
    const { host, team } = await join({ channels: ['stable', 'beta'] });
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') records.push(record);
    });
    await verdict(host, 'git push x');
    broker.away = false;
    await push(bundleOf(1, { 'acme/base.json': {} }, [key], { expires: soon(900) }));
    await until(() => /has expired/.test(channel(team)?.asks ?? ''));
    await verdict(host, 'ls');
    await verdict(host, 'git push x');
    expect(records.map(({ decision }) => decision.verdict)).toEqual(['ask', 'ask', 'ask']);
    const stable = (files: object) => readBundle(bundleOf(2, files as never, [key]));
    expect(await drift(records, stable({ 'acme/base.json': {} }))).toMatchObject({ fires: 2, changed: 0 });
    expect(await drift(records, stable(PUSH))).toMatchObject({
      fires: 2,
      changed: 1,
      kinds: { 'PreToolUse: none -> deny by acme/base/rule deny': 1 },
    });
    const allows = { hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'allow' }] }] } };
    const beta = bundleOf(2, { 'beta/a.json': allows }, [key], { channel: 'beta', roots: ['beta'] });
    expect(await drift(records, readBundle(beta))).toMatchObject({ changed: 2 });
  });
});
