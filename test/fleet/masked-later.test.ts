import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { makeLogFolder, release } from '../../src/fleet/log/folders.js';
import { MaskedLog } from '../../src/fleet/log/masked.js';
import { Outbox } from '../../src/fleet/log/outbox.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { fleetRecords } from '../../src/fleet/records.js';
import { bundleOf, newKey, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key, verdict } from './ground.js';

const BOUNDS = { segmentBytes: 4_000, maxBytes: 4_000_000 };
const MASKS = {
  'acme/a.json': { redact: { patterns: ['cust_\\w+'], keys: ['iban'], paths: ['input.tool_input.note'] } },
};
const fire = (id: string, input: object): string =>
  JSON.stringify({
    ...{ seq: 1, time: new Date().toISOString(), host_id: 'abc', type: 'hook_fire', fire_id: id, event: 'PreToolUse' },
    ...{ input: { tool_input: input }, handlers: [], decision: {} },
  });
const texts = ({ entries }: MemoryBroker): string[] => entries.map(({ bytes }) => Buffer.from(bytes).toString());

describe('decisions that were made before the masks of a policy were known', () => {
  test('leave the host with them', async () => {
    const { broker, join: enter, push } = ground();
    await push(bundleOf(1, MASKS, [key]));
    broker.away = true;
    const { host, team } = await enter();
    await verdict(host, 'echo cust_12');
    broker.away = false;
    await until(() => channel(team)?.sequence === 1);
    await team.drained();
    await until(() => broker.entries.length === 1);
    expect(texts(broker)[0]).toMatch(/echo \[redacted secret hmac:[0-9a-f]{16}\]/);
    expect(texts(broker).join()).not.toContain('cust_12');
  });

  test('also those of an earlier process, of one without a connection, and those that wait while a policy changes', async () => {
    const [broker, folder] = [new MemoryBroker(), ownFolder()];
    const left = makeLogFolder(folder);
    writeFileSync(join(left, '000001.ndjson'), `${fire('left', { command: 'cust_1' })}\n`);
    release(left);
    writeFileSync(join(folder, 'aside.ndjson'), `${fire('aside', { command: 'cust_2' })}\n`);
    const options = { folder, host: 'h1', engine: memoryEngine(broker), ...BOUNDS };
    const outbox = new Outbox({ ...options, waitsForMasks: true, tell: () => undefined });
    outbox.push([fire('own', { command: 'cust_3' })]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(broker.entries).toEqual([]);
    outbox.mask({ patterns: [/cust_\w+/] });
    await until(() => broker.entries.length === 3);
    broker.away = true;
    outbox.push([fire('more', { command: 'cust_4 acct_4' })]);
    outbox.mask({ patterns: [/acct_\w+/] });
    broker.away = false;
    await until(() => broker.entries.length === 4);
    await outbox.close(1_000);
    expect(texts(broker).join()).not.toMatch(/cust_\d|acct_\d/);
    const records: HookRecord[] = [];
    for await (const record of fleetRecords(options.engine, undefined).records()) records.push(record);
    const counts = records.map((record) => [(record as { fire_id?: string }).fire_id, record.redacted?.count]);
    expect(Object.fromEntries(counts)).toEqual({ left: 1, aside: 1, own: 1, more: 2 });
  });

  test('wait where what was posted is not known yet', async () => {
    const { broker, join: enter } = ground();
    broker.away = true;
    const { host, team } = await enter({ channels: ['stable', 'beta'] });
    await verdict(host, 'ls');
    broker.away = false;
    await team.drained();
    await until(() => broker.entries.length === 1);
    expect(team.status().log).toMatchObject({ sent: 1, waiting: 0 });
  });

  test('leave it with the masks of what is posted, if the host must refuse it', async () => {
    const { broker, told, join: enter, push } = ground();
    const command = { hooks: { PreToolUse: [{ matcher: 'Nothing', hooks: [{ type: 'command', command: 'jq .' }] }] } };
    await push(bundleOf(1, { ...MASKS, 'acme/b.json': command }, [key]));
    const { host, team, folder } = await enter();
    expect(channel(team)?.refused?.reason).toMatch(/does not allow/);
    await verdict(host, 'echo cust_1');
    await team.drained();
    await until(() => broker.entries.length === 1);
    // What the team has not signed masks nothing, and takes no mask away.
    const thief = newKey();
    await push(bundleOf(2, { 'acme/a.json': { redact: { patterns: ['.+'] } } }, [thief]));
    await push(Buffer.from('garbage'));
    await until(() => /none of the keys/.test(told.join()) && /no JSON/.test(told.join()));
    expect(channel(team)?.refused?.sequence).toBe(1);
    await verdict(host, 'echo cust_2');
    await until(() => broker.entries.length === 2);
    expect(texts(broker)[1]).toMatch(/echo \[redacted secret/);
    await push(bundleOf(3, { ...MASKS, 'acme/b.json': command }, [key]));
    await until(() => channel(team)?.refused?.sequence === 3);
    await team.close();
    const again = await enter({ folder });
    await verdict(again.host, 'echo cust_3');
    await until(() => broker.entries.length === 3);
    expect(texts(broker).join()).not.toMatch(/cust_[123]/);
  });

  test('wait, under whatever policy, until what is posted now is known, each time that the broker was away', async () => {
    const { broker, join: enter, push } = ground();
    const { host, team, folder } = await enter();
    await push(bundleOf(1, MASKS, [key]));
    await until(() => channel(team)?.sequence === 1);
    broker.away = true;
    await verdict(host, 'echo cust_1 acct_1');
    await new Promise((resolve) => setTimeout(resolve, 60));
    // A mask for what has leaked, posted while this host is not there.
    const postAway = (sequence: number, patterns: string[]): void => {
      const bytes = bundleOf(sequence, { 'acme/a.json': { redact: { patterns } } }, [key]);
      broker.posts.get('stable')?.push({ bytes, version: sequence });
    };
    postAway(2, ['cust_\\w+', 'acct_\\w+']);
    broker.away = false;
    await until(() => broker.entries.length === 1);
    broker.away = true;
    await verdict(host, 'echo cust_2 order_2');
    await team.close();
    await host.close();
    postAway(3, ['cust_\\w+', 'order_\\w+']);
    broker.away = false;
    await enter({ folder });
    await until(() => broker.entries.length === 2);
    expect(texts(broker).join()).not.toMatch(/cust_\d|acct_\d|order_\d/);
    // Where nothing was posted it goes on, too.
    const back = await enter({ folder, host: 'h2' });
    broker.away = true;
    await verdict(back.host, 'ls');
    broker.away = false;
    await until(() => broker.entries.length === 3);
  }, 30_000);

  test('are masked once: what is masked stays as it is, whatever is masked again', async () => {
    const masked = new MaskedLog(ownFolder());
    const masks = {
      keys: ['iban', 'auth'],
      paths: ['input.tool_input.note'],
      patterns: [/cust_\w+/, /id=(.+)/, /.+@.+/],
    };
    const secrets = { iban: 'DE02', auth: 'Bearer abc', note: 'n', command: 'x cust_1; id=7 8', mail: 'a b@c d' };
    masked.mask(masks);
    const { lines } = masked.lines([
      fire('f', { ...secrets, n: 1, token: 'ghp_0123456789abcdefghijABCDEFGHIJ012345' }),
    ]);
    const line = (lines[0] as Buffer).subarray(0, -1);
    expect(line.toString()).not.toMatch(/DE02|cust_1|id=7|b@c|ghp_/);
    expect(masked.again(line)?.toString()).toBe(line.toString());
    // Others come in addition.
    masked.mask({
      ...masks,
      patterns: [...masks.patterns, /\bx /, /redacted/, /hmac:\w+/],
      keys: ['n', ...masks.keys],
    });
    const again = masked.again(line)?.toString() as string;
    expect(JSON.parse(again).redacted.count).toBe(JSON.parse(line.toString()).redacted.count + 2);
    expect(masked.again(Buffer.from(again))?.toString()).toBe(again);
    // The rest of a text of which the beginning is masked.
    masked.mask({ paths: ['input.tool_input.mail', 'input.tool_input.rest'] });
    const partly = again.replace('"n":', '"rest":"[redacted secret hmac:0123456789abcdef] and more","n":');
    expect(masked.again(Buffer.from(partly))?.toString()).not.toContain('and more');
    await masked.close();
  });
});
