import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { readBundle } from '../../../src/fleet/bundle/bundle.js';
import { authoredSchema, HIGHEST } from '../../../src/fleet/bundle/manifest.js';
import { fleet } from '../../../src/fleet/fleet.js';
import { memoryEngine } from '../../../src/fleet/memory.js';
import {
  bundleOf as draftOf,
  earlier,
  nextSequence,
  postedFor,
  sourceOf,
  stateOf,
} from '../../../src/fleet/operator.js';
import { readKept, writeKept } from '../../../src/fleet/policy/kept.js';
import { hostsIn, isSilent } from '../../../src/fleet/status.js';
import { sha256 } from '../../../src/values/sha256.js';
import { bundleOf, denies, newKey, ownFolder, script } from '../bundles.js';
import { until } from '../contract.js';
import { channel, ground, key, verdict } from '../ground.js';

const files = (what: string) => ({ 'acme/a.json': denies(what, 'no') });
const [second, third] = [newKey(), newKey()];
/** What a host that allows nothing refuses. */
const command = { hooks: { PreToolUse: [{ matcher: 'Nothing', hooks: [{ type: 'command', command: 'jq .' }] }] } };
const refusable = (what: string) => ({ ...files(what), 'acme/b.json': command });

/** A host that is there, and one that had the first bundle and is away. */
async function two() {
  const all = ground();
  const allow = join(ownFolder(), 'allow.json');
  const [there, gone] = [await all.join({ host: 'there', allow }), await all.join({ host: 'gone', allow })];
  await all.push(bundleOf(1, files('a *'), [key]));
  await until(() => channel(there.team)?.sequence === 1 && channel(gone.team)?.sequence === 1);
  await gone.team.close();
  await gone.host.close();
  const back = () => all.join({ host: 'gone', allow, folder: gone.folder, engine: memoryEngine(all.broker) });
  /** The state of the host that was there, of the one that was away, and of one that comes late. */
  const states = async () => {
    const all_ = [there, await back(), await all.join({ host: 'late', allow })];
    await sleep(30);
    return all_.map(({ team }) => channel(team));
  };
  const keepLast = (count: number) => {
    const posts = all.broker.posts.get('stable') ?? [];
    all.broker.posts.set('stable', posts.slice(-count));
  };
  return { ...all, allow, there, gone, back, states, keepLast };
}

describe('a signed bundle that is posted again', () => {
  test('brings back no policy, on any host', async () => {
    const { push, states } = await two();
    const loose = bundleOf(2, files('loose *'), [key]);
    for (const bytes of [loose, bundleOf(3, files('strict *'), [key]), loose]) await push(bytes);
    for (const state of await states())
      expect(state).toMatchObject({
        sequence: 3,
        refused: { sequence: 2, reason: expect.stringMatching(/3 has counted/) },
      });
  });

  test('brings back no key', async () => {
    const { push, states } = await two();
    const adds = bundleOf(2, files('b *'), [key, second], { keys: [key.id, second.id] });
    for (const bytes of [adds, bundleOf(3, files('c *'), [key], { keys: [key.id] }), adds]) await push(bytes);
    await push(bundleOf(4, files('t *'), [second]));
    for (const state of await states())
      expect(state).toMatchObject({ sequence: 3, refused: { reason: expect.stringMatching(/none of the keys/) } });
  });

  test('has its number counted by hosts that refuse it, too', async () => {
    const { push, states, there } = await two();
    await push(bundleOf(10_001, files('t *'), [key], { expires: '2020-01-01T00:00:00Z' }));
    await until(() => channel(there.team)?.refused?.sequence === 10_001);
    await push(bundleOf(2, files('b *'), [key, second], { keys: [second.id] }));
    await push(bundleOf(10_002, files('c *'), [key, second], { keys: [second.id] }));
    await push(bundleOf(10_003, files('t *'), [key]));
    for (const state of await states())
      expect(state).toMatchObject({ sequence: 10_002, refused: { reason: expect.stringMatching(/none of the keys/) } });
  });
});

describe('a change of keys', () => {
  test('is followed also where more bundles have come since than are kept, and by a host that refused it', async () => {
    const { push, states, keepLast } = await two();
    await push(bundleOf(2, refusable('b *'), [key, second], { keys: [second.id] }));
    for (let i = 3; i < 36; i++) {
      await push(bundleOf(i, refusable('c *'), [key, second]));
      keepLast(32);
    }
    await push(bundleOf(36, files('t *'), [key]));
    keepLast(32);
    const [there, back, late] = await states();
    for (const state of [there, back])
      expect(state).toMatchObject({ sequence: 1, counted: 35, refused: { sequence: 35 } });
    expect(late).toMatchObject({ counted: 35, refused: { sequence: 35 } });
    await push(bundleOf(37, files('d *'), [second]));
    for (const state of await states()) expect(state?.sequence).toBe(37);
  });

  test('that nothing shows any more leaves a host that was away with what it had, and says what to do', async () => {
    const { push, back, keepLast, broker, gone } = await two();
    await push(bundleOf(2, files('b *'), [key, second], { keys: [second.id] }));
    for (let i = 3; i < 35; i++) await push(bundleOf(i, files('c *'), [second]));
    await push(bundleOf(35, files('t *'), [key]));
    keepLast(32);
    broker.posts.delete('stable.keys');
    const { team, host } = await back();
    expect(channel(team)).toMatchObject({
      sequence: 1,
      refused: { reason: expect.stringMatching(/no longer keeps all .* join with the new one/) },
    });
    expect([await verdict(host, 'a x'), await verdict(host, 't x')]).toEqual(['deny', 'none']);
    await team.close();
    // As it says.
    await push(bundleOf(36, files('d *'), [second]));
    const keys = [second.id];
    const again = await ground().join({ host: 'gone', folder: gone.folder, keys, engine: memoryEngine(broker) });
    await until(() => channel(again.team)?.sequence === 36);
  });

  test('names a key once, however often it is written: the others count no more', async () => {
    const { join: enter, push } = ground();
    const { team } = await enter({ keys: [key.id, third.id] });
    await push(bundleOf(1, files('a *'), [key], { keys: [key.id, key.id] }));
    await push(bundleOf(2, files('t *'), [third]));
    await until(() => /none of the keys/.test(channel(team)?.refused?.reason ?? ''));
    expect(channel(team)?.sequence).toBe(1);
    expect(authoredSchema().safeParse({ roots: ['a'], keys: [key.id, key.id] }).success).toBe(false);
    expect(authoredSchema().safeParse({ roots: ['a'], keys: [key.id, third.id] }).success).toBe(true);
  });
});

describe('a canary', () => {
  test('is over with the next bundle for all, also on hosts that refuse that', async () => {
    const { push, states, there, allow, join: enter } = await two();
    await push(bundleOf(2, files('loose *'), [key], { canary: 0.9999 }), 'stable.canary');
    await until(() => channel(there.team)?.sequence === 2);
    await push(bundleOf(3, refusable('strict *'), [key]));
    await until(() => channel(there.team)?.sequence === 1);
    const [first, back, late] = await states();
    for (const state of [first, back]) expect(state).toMatchObject({ sequence: 1, refused: { sequence: 3 } });
    expect(await verdict(there.host, 'a x')).toBe('deny');
    // It had another first one, and none that it can take.
    expect(late?.sequence).toBe(1);
    await there.team.close();
    const again = await enter({ host: 'there', folder: there.folder, allow });
    expect(channel(again.team)).toMatchObject({ sequence: 1, refused: { sequence: 3 } });
  });

  test('that was superseded long ago is refused by nobody, however the keys have changed', async () => {
    const { push, states, there, join: enter, told } = await two();
    await push(bundleOf(2, files('b *'), [key], { canary: 0.5 }), 'stable.canary');
    await push(bundleOf(3, files('b *'), [key]));
    await push(bundleOf(4, files('c *'), [key, second], { keys: [second.id] }));
    await push(bundleOf(5, files('d *'), [second]));
    for (const state of await states())
      expect(state).toEqual(expect.not.objectContaining({ refused: expect.anything() }));
    await there.team.close();
    const again = await enter({ host: 'there', folder: there.folder });
    await until(() => channel(again.team)?.sequence === 5);
    expect(channel(again.team)).not.toHaveProperty('refused');
    expect(told).toEqual([]);
  });
});

describe('what a host refuses', () => {
  test('is reported until something else counts, whatever strangers post', async () => {
    const { join: enter, push } = ground();
    const { team } = await enter({ allow: join(ownFolder(), 'allow.json') });
    await push(bundleOf(1, files('a *'), [key]));
    await push(bundleOf(2, refusable('b *'), [key]));
    await until(() => channel(team)?.refused?.sequence === 2);
    await push(Buffer.from('x'), 'stable.canary');
    await push(Buffer.from('x'));
    await sleep(50);
    expect(channel(team)?.refused?.sequence).toBe(2);
    await push(bundleOf(3, files('c *'), [key]));
    await until(() => channel(team)?.sequence === 3);
    expect(channel(team)).not.toHaveProperty('refused');
    await push(Buffer.from('y'), 'stable.canary');
    await until(() => /no JSON/.test(channel(team)?.refused?.reason ?? ''));
    await push(bundleOf(4, files('c *'), [key], { canary: 0.0001 }), 'stable.canary');
    await until(() => channel(team)?.refused === undefined);
  });

  test('comes into force once it is allowed, and takes the place of nothing newer meanwhile', async () => {
    const { allow, allows, hook } = script();
    allows(false);
    const all = ground();
    const inner = memoryEngine(all.broker);
    let slow = 0;
    const past = async (name: string, after: number) => {
      await sleep(slow);
      return (await inner.policy.history(name)).filter(({ version }) => version > after);
    };
    const engine = Object.create(inner, { policy: { value: { ...inner.policy, past } } });
    const { team } = await all.join({ engine, allow });
    await all.push(bundleOf(1, { 'acme/a.json': { hooks: { PreToolUse: [{ hooks: [hook] }] } } }, [key]));
    await until(() => channel(team)?.refused !== undefined);
    slow = 1_500;
    await all.push(bundleOf(2, files('c *'), [key]));
    await sleep(50);
    allows(true);
    await until(() => channel(team)?.sequence === 2);
    await sleep(2_500);
    expect(channel(team)?.sequence).toBe(2);
  });
});

describe('what a host keeps', () => {
  test('never goes back, whichever of its processes writes it', async () => {
    const folder = ownFolder();
    const at = () => readKept(folder, 'stable', [key.id]);
    const from = (sequence: number, more: object = {}) => {
      const bundle = readBundle(bundleOf(sequence, files('a *'), [key, second], more));
      const { keys } = at().chain;
      keys.take(bundle);
      return { ...at(), bundle, since: 'now', counted: bundle, chain: { keys, floor: sequence, last: bundle.id } };
    };
    const [second_, third_] = [from(2), from(3, { keys: [second.id] })];
    writeKept(folder, 'stable', third_, [key.id]);
    writeKept(folder, 'stable', second_, [key.id]);
    expect(at()).toMatchObject({ chain: { floor: 3 }, bundle: { name: 'stable r3 (3)' } });
    expect(at().chain.keys.all).toEqual([second.id]);
  });

  test('is read as earlier versions have written it', async () => {
    const { join: enter, push } = ground();
    const { team, folder } = await enter();
    const change = bundleOf(2, files('b *'), [key, second], { keys: [second.id] });
    for (const bytes of [bundleOf(1, files('a *'), [key]), change, bundleOf(3, files('c *'), [second])])
      await push(bytes);
    await until(() => channel(team)?.sequence === 3);
    await team.close();
    const file = join(folder, 'acme/h1/stable.bundle.json');
    const { sequence, since, bundle, rotations } = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ sequence, since, bundle, rotations }));
    await push(bundleOf(4, files('t *'), [key]));
    const again = await enter({ folder });
    expect(channel(again.team)).toMatchObject({ sequence: 3, since, refused: { sequence: 4 } });
    await push(bundleOf(5, files('d *'), [second]));
    await until(() => channel(again.team)?.sequence === 5);
  });

  test('and cannot read, says nothing of what is masked: nothing leaves', async () => {
    const { join: enter, push, broker } = ground();
    const first = await enter();
    await push(bundleOf(1, { 'acme/a.json': { redact: { patterns: ['cust_\\w+'] } } }, [key]));
    await until(() => channel(first.team)?.sequence === 1);
    await first.team.close();
    writeFileSync(join(first.folder, 'acme/h1/stable.bundle.json'), '{"half');
    const { host, team } = await enter({ folder: first.folder });
    await verdict(host, 'echo cust_2');
    await sleep(200);
    expect(broker.entries).toEqual([]);
    await until(() => team.status().log.waiting === 1);
  });
});

test('a host leaves also where its engine never says what was posted', async () => {
  const { broker, push } = ground();
  await push(bundleOf(1, files('a *'), [key]));
  const inner = memoryEngine(broker);
  const never = () => new Promise<never>(() => undefined);
  const policy = { value: { ...inner.policy, past: never } };
  const state = { value: { ...inner.state, share: never } };
  const engine = Object.create(inner, { policy, state });
  const options = { engine, team: 'acme', keys: [key.id], host: 'g', patience: 0.1, closeTimeout: 0.3 };
  const team = await fleet({ ...options, logger: () => undefined, folder: ownFolder() });
  await team.close();
});

describe('an operator', () => {
  const of = { team: 'acme', channel: 'stable' };

  test('signs nothing anew that a key has signed after it had lost its place, though that key is named', async () => {
    const { operator, push } = ground();
    await push(bundleOf(1, files('a *'), [key], { revision: 'v1' }));
    await push(bundleOf(2, files('a *'), [key, second], { keys: [second.id], revision: 'v2' }));
    await push(bundleOf(3, files('t *'), [key], { revision: 'thief' }));
    await push(bundleOf(HIGHEST, files('t *'), [key], { revision: 'thief' }));
    await push(bundleOf(3, files('a *'), [second], { revision: 'v3' }));
    const state = await stateOf(operator, { ...of, keys: [second.id, key.id] });
    expect(earlier(state, undefined)?.manifest.revision).toBe('v2');
    expect(earlier(state, 'thief')).toBeUndefined();
    expect(nextSequence(state, 'stable')).toBe(4);
    // What is posted, by what hosts have.
    const have = [sha256(state.history[0]?.bytes as Uint8Array)];
    await push(bundleOf(9, files('t *'), [key]));
    expect((await postedFor(operator, 'stable', { team: 'acme', have }))?.bundle.name).toBe('stable v3 (3)');
  });

  test('is told where there is no number left', async () => {
    const { operator, push } = ground();
    await push(bundleOf(HIGHEST, files('a *'), [key]));
    const state = await stateOf(operator, { ...of, keys: [key.id] });
    expect(() => nextSequence(state, 'stable')).toThrow(/there is none above it/);
  });

  test('goes back one further each time, until nothing before it is kept', async () => {
    const { operator, push, broker } = ground();
    const keep = () => broker.posts.set('stable', (broker.posts.get('stable') ?? []).slice(-32));
    for (let i = 1; i <= 33; i++) {
      const created = new Date(1e12 + i * 1_000).toISOString();
      await push(bundleOf(i, files('a *'), [key], { revision: `v${i}`, created }));
      keep();
    }
    for (let i = 32; i >= 17; i--) {
      const target = earlier(await stateOf(operator, { ...of, keys: [key.id] }), undefined);
      expect(target?.manifest.revision).toBe(`v${i}`);
      const { revision, created } = target?.manifest ?? {};
      const draft = { ...of, source: sourceOf(target as never), revision, created, keys: [key] };
      await push(draftOf(draft, 66 - i).bytes);
      keep();
    }
    expect(earlier(await stateOf(operator, { ...of, keys: [key.id] }), undefined)).toBeUndefined();
  });
});

test('a host is silent by its own clock where that of the broker was set back', () => {
  const at = new Date(Date.now() - 600_000).toISOString();
  const age = 600_000 - 3_600_000;
  expect(isSilent({ at, age } as never)).toBe(true);
  expect(isSilent({ at: new Date().toISOString(), age } as never)).toBe(false);
  expect(isSilent({ at, age: -5 } as never)).toBe(false);
  const status = { host: 'h', at, version: '1', channels: [], alarms: 0, log: { sent: 0, waiting: 0, dropped: 0 } };
  const [said] = hostsIn([{ host: 'h', bytes: Buffer.from(JSON.stringify(status)), age }]);
  expect(said).not.toHaveProperty('age');
});
