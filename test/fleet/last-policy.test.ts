import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createHost, type Host } from '../../src/create-host.js';
import { defineEvent } from '../../src/events/own-event.js';
import { bundleOf, denies, newKey, script } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key, verdict } from './ground.js';

const rule = { 'acme/base.json': denies('git push *', 'no') };
const keptIn = (folder: string): string => join(folder, 'acme/h1/stable.bundle.json');

describe('a host that has no policy', () => {
  test('asks once its first one is refused, in the same process and in the next', async () => {
    const { join: enter, push } = ground();
    const { host, team, folder } = await enter({ allow: script().allow });
    expect(await verdict(host, 'ls')).toBe('none');
    const { hook } = script();
    await push(bundleOf(1, { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: [hook] }] } } }, [key]));
    await until(() => channel(team)?.refused !== undefined);
    expect(await verdict(host, 'ls')).toBe('ask');
    await team.close();
    const again = await enter({ folder, allow: script().allow });
    expect(await verdict(again.host, 'ls')).toBe('ask');
    await push(bundleOf(2, rule, [key]));
    await until(() => channel(again.team)?.sequence === 2);
    expect([await verdict(again.host, 'ls'), await verdict(again.host, 'git push x')]).toEqual(['none', 'deny']);
  });

  test('asks where it had one that cannot be read: no bundle counts, and no key, until the file is removed', async () => {
    const { join: enter, push } = ground();
    const first = await enter();
    await push(bundleOf(5, rule, [key]));
    await until(() => channel(first.team)?.sequence === 5);
    await first.team.close();
    truncateSync(keptIn(first.folder), 100);
    // Another broker, which has nothing, and then what is old.
    const other = ground();
    const { host, team } = await other.join({ folder: first.folder });
    expect(await verdict(host, 'ls')).toBe('ask');
    expect(channel(team)?.asks).toMatch(/stable\.bundle\.json cannot be read, .* remove it and start again/);
    await other.push(bundleOf(1, rule, [key]));
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)).not.toHaveProperty('sequence');
    expect(await verdict(host, 'ls')).toBe('ask');
    await team.close();
    rmSync(keptIn(first.folder));
    const anew = await other.join({ folder: first.folder });
    expect(channel(anew.team)?.sequence).toBe(1);
  });

  test('asks where the one that it had was changed on disk', async () => {
    const { join: enter, push } = ground();
    const first = await enter();
    await push(bundleOf(5, rule, [key]));
    await until(() => channel(first.team)?.sequence === 5);
    await first.team.close();
    const kept = JSON.parse(readFileSync(keptIn(first.folder), 'utf8'));
    const bundle = JSON.parse(kept.bundle);
    const manifest = JSON.parse(Buffer.from(bundle.manifest, 'base64').toString());
    bundle.manifest = Buffer.from(JSON.stringify({ ...manifest, revision: 'mine' })).toString('base64');
    writeFileSync(keptIn(first.folder), JSON.stringify({ ...kept, bundle: JSON.stringify(bundle) }));
    const { host, team } = await ground().join({ folder: first.folder });
    expect(await verdict(host, 'ls')).toBe('ask');
    expect(channel(team)?.asks).toMatch(/nobody has signed stable mine \(5\)/);
  });
});

test('a host that had none takes an old one, and one that had a newer does not', async () => {
  const { join: enter, push } = ground();
  const first = await enter();
  await push(bundleOf(7, rule, [key]));
  await until(() => channel(first.team)?.sequence === 7);
  await first.team.close();
  const old = ground();
  await old.push(bundleOf(3, rule, [key]));
  expect(channel((await old.join({ folder: first.folder })).team)).toMatchObject({
    sequence: 7,
    refused: { sequence: 3 },
  });
  expect(channel((await old.join()).team)?.sequence).toBe(3);
  const none = ground();
  const { host } = await none.join();
  expect(await verdict(host, 'ls')).toBe('none');
  const ended = ground();
  const expires = '2020-01-01T00:00:00Z';
  await ended.push(bundleOf(3, rule, [key], { expires }));
  const late = await ended.join();
  expect(channel(late.team)?.refused?.reason).toMatch(/has expired/);
  expect(await verdict(late.host, 'ls')).toBe('ask');
});

describe('a policy that ends', () => {
  const expires = new Date(Date.now() + 3_600_000).toISOString();
  const later = (): (() => void) => {
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(expires));
    return () => now.mockRestore();
  };

  test('asks with the first fire after it, whatever the clock has skipped, and says so', async () => {
    const { join: enter, push, told } = ground();
    const { host, team } = await enter();
    await push(bundleOf(1, rule, [key], { expires }));
    await until(() => channel(team)?.sequence === 1);
    expect(await verdict(host, 'ls')).toBe('none');
    const back = later();
    try {
      expect(await verdict(host, 'ls')).toBe('ask');
      expect(await verdict(host, 'git push x')).toBe('deny');
      expect(channel(team)?.asks).toMatch(/has expired on/);
      await vi.waitUntil(() => told.join().includes('every gate asks'), { timeout: 5_000 });
    } finally {
      back();
    }
  });

  test('does so in a host whose fleet was closed before', async () => {
    const { join: enter, push } = ground();
    const { host, team } = await enter();
    await push(bundleOf(1, rule, [key], { expires }));
    await until(() => channel(team)?.sequence === 1);
    await team.close();
    const back = later();
    try {
      expect(await verdict(host, 'ls')).toBe('ask');
    } finally {
      back();
    }
  });
});

describe('what a host allows', () => {
  test('takes nothing from what its policy masks: that is masked also while that cannot be in force', async () => {
    const { join: enter, push, broker } = ground();
    const { allow, allows, hook } = script();
    allows(true);
    const file = { hooks: { PreToolUse: [{ hooks: [hook] }] }, redact: { patterns: ['cust_\\w+'] } };
    const { host, team, folder } = await enter({ allow });
    await push(bundleOf(1, { 'acme/a.json': file }, [key]));
    await until(() => channel(team)?.sequence === 1);
    allows(false);
    await until(() => channel(team)?.asks !== undefined);
    await verdict(host, 'echo cust_12345');
    await team.close();
    const again = await enter({ allow, folder });
    await verdict(again.host, 'echo cust_67890');
    await again.team.close();
    const text = broker.entries.map(({ bytes }) => Buffer.from(bytes).toString()).join();
    expect(text.match(/echo \[redacted/g)?.length).toBe(2);
    expect(text).not.toMatch(/cust_\d/);
  });
});

test('a policy is in force again once the script that the host allows is there', async () => {
  const { join: enter, push } = ground();
  const { allow, allows, hook } = script();
  allows(true);
  const { team } = await enter({ allow });
  await push(bundleOf(1, { 'acme/a.json': { hooks: { PreToolUse: [{ hooks: [hook] }] } } }, [key]));
  await until(() => channel(team)?.sequence === 1 && channel(team)?.asks === undefined);
  const file = hook.command;
  const [old, next] = [readFileSync(file, 'utf8'), '#!/bin/sh\nexit 0\n'];
  writeFileSync(file, next);
  allows(true);
  writeFileSync(file, old);
  await until(() => channel(team)?.asks !== undefined);
  writeFileSync(file, next);
  await until(() => channel(team)?.asks === undefined);
});

describe('a refusal', () => {
  test('that nobody wants to hear ends nothing: the next good bundle is in force', async () => {
    const { join: enter, push } = ground();
    const { team } = await enter({
      logger: () => {
        throw new Error('a logger that throws');
      },
    });
    await push(Buffer.from('garbage'));
    await until(() => channel(team)?.refused !== undefined);
    await push(bundleOf(1, rule, [key]));
    await until(() => channel(team)?.sequence === 1);
  });

  test('by a host that lacks an event, of what is allowed again, neither: all hosts ask, until the next good bundle', async () => {
    const { join: enter, push, broker } = ground();
    const { allow, allows, hook } = script();
    allows(true);
    const first = await enter({ allow });
    await first.host.close();
    const able = createHost({
      logger: () => undefined,
      events: { Deploy: defineEvent({ fold: 'gate', input: z.looseObject({}) }) },
    }) as never as Host;
    first.team.join(able);
    await push(bundleOf(1, { 'acme/a.json': { hooks: { Deploy: [{ hooks: [hook] }] } } }, [key]));
    await until(() => channel(first.team)?.sequence === 1);
    await first.team.close();
    await able.close();
    allows(false);
    broker.away = true;
    const { host, team } = await enter({ allow, folder: first.folder });
    expect(await verdict(host, 'ls')).toBe('ask');
    allows(true);
    await until(() => /Deploy: is not a known event/.test(channel(team)?.asks ?? ''));
    expect(channel(team)).not.toHaveProperty('revision');
    expect(await verdict(host, 'ls')).toBe('ask');
    broker.away = false;
    await push(bundleOf(2, rule, [key]));
    await until(() => channel(team)?.sequence === 2);
    expect(await verdict(host, 'ls')).toBe('none');
  });

  test('is reported however long its reason could be, and a large bundle is read only once its signature counts', async () => {
    const { join: enter, push, shared } = ground();
    const { team } = await enter();
    await push(
      Buffer.from(
        JSON.stringify({
          form: 'hookscope-bundle/1',
          manifest: '',
          signatures: {},
          files: {},
          ['a'.repeat(900_000)]: 1,
        }),
      ),
    );
    await until(() => channel(team)?.refused !== undefined);
    expect(channel(team)?.refused?.reason.length).toBeLessThan(2_100);
    await until(async () => (await shared())[0]?.channels[0]?.refused !== undefined);
    const manifest = Buffer.from('x'.repeat(100_000)).toString('base64');
    await push(Buffer.from(JSON.stringify({ form: 'hookscope-bundle/1', manifest, signatures: {}, files: {} })));
    await until(() => channel(team)?.refused?.reason.includes('signed with none of the keys') === true);
  });
});

describe('keys that are changed', () => {
  test('are kept without the files of the bundles that changed them, and the first is no key any more', async () => {
    const { join: enter, push } = ground();
    const keys = [key, ...Array.from({ length: 6 }, newKey)];
    const { team, folder } = await enter();
    const files = { 'acme/a.json': { description: 'x'.repeat(200_000), ...rule['acme/base.json'] } };
    for (let i = 1; i < keys.length; i++) {
      const [before, next] = [keys[i - 1] as typeof key, keys[i] as typeof key];
      await push(bundleOf(i, files, [before, next], { keys: [next.id] }));
      await until(() => channel(team)?.sequence === i);
    }
    await team.close();
    expect(statSync(keptIn(folder)).size).toBeLessThan(300_000);
    const other = ground();
    await other.push(bundleOf(1, rule, [key]));
    const again = await other.join({ folder });
    expect(channel(again.team)).toMatchObject({ sequence: 6, refused: { sequence: 1 } });
  });

  test('more often than can be kept are refused, and those that count stay', async () => {
    const { join: enter, push } = ground();
    const { team, folder } = await enter();
    const approvers = { ['a'.repeat(700_000)]: key.id };
    let [i, last] = [0, key];
    for (; channel(team)?.refused === undefined; i++) {
      const next = newKey();
      await push(bundleOf(i + 1, rule, [last, next], { keys: [next.id], approvers }));
      await until(() => channel(team)?.sequence === i + 1 || channel(team)?.refused !== undefined);
      if (channel(team)?.refused === undefined) last = next;
    }
    expect(channel(team)?.refused?.reason).toMatch(/no room to keep/);
    expect(i).toBeGreaterThan(3);
    await push(bundleOf(i + 1, rule, [last]));
    await until(() => channel(team)?.sequence === i + 1);
    await team.close();
    expect(channel((await enter({ folder })).team)?.sequence).toBe(i + 1);
  });

  test('are those of one channel: another has its own until it changes them too', async () => {
    const { join: enter, push } = ground();
    const next = newKey();
    const { team } = await enter({ channels: ['stable', 'beta'] });
    const beta = () => team.status().channels[1];
    const about = { channel: 'beta', roots: ['beta'] };
    await push(bundleOf(1, rule, [key, next], { keys: [next.id] }));
    await until(() => channel(team)?.sequence === 1);
    await push(bundleOf(1, {}, [key, next], { ...about, keys: [next.id] }), 'beta');
    await until(() => beta()?.sequence === 1);
    await push(bundleOf(2, {}, [key], about), 'beta');
    await until(() => beta()?.refused !== undefined);
    expect(beta()?.sequence).toBe(1);
  });
});
