import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { asideIn } from '../../src/fleet/log/aside.js';
import { adopt, makeLogFolder, release } from '../../src/fleet/log/folders.js';
import { Outbox } from '../../src/fleet/log/outbox.js';
import { Wal } from '../../src/fleet/log/wal.js';
import { MemoryBroker, memoryEngine } from '../../src/fleet/memory.js';
import { fleetRecords } from '../../src/fleet/records.js';
import { bundleOf, ownFolder } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key } from './ground.js';

const BOUNDS = { segmentBytes: 1_000, maxBytes: 8_000 };
const line = (i: number): Buffer => Buffer.from(`${JSON.stringify({ type: 'hook_alarm', host_id: 'h', seq: i })}\n`);
const lines = (from: number, to: number): Buffer[] => Array.from({ length: to - from }, (_, i) => line(from + i));
const seqOf = (bytes: Uint8Array): number => JSON.parse(Buffer.from(bytes).toString()).seq;

describe('the log on disk', () => {
  test('gives what was put in once, in order, over pieces and restarts, and forgets what was acknowledged', () => {
    const folder = ownFolder();
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 60));
    const first = wal.next(25);
    expect(first.map(({ line: one }) => seqOf(one))).toEqual([...Array(25).keys()]);
    wal.acknowledge(first.slice(0, 20).map(({ next }) => next));
    expect([wal.waiting, wal.sent]).toEqual([40, 20]);
    wal.close();
    const again = new Wal(folder, BOUNDS);
    again.append(lines(60, 70));
    expect(again.waiting).toBe(50);
    const rest = again.next(1_000);
    expect(rest.map(({ line: one }) => seqOf(one))).toEqual(Array.from({ length: 50 }, (_, i) => i + 20));
    again.acknowledge(rest.map(({ next }) => next));
    expect([again.waiting, again.sent, again.next(10).length]).toEqual([0, 70, 0]);
    expect(readdirSync(folder).filter((name) => name.endsWith('.ndjson')).length).toBe(1);
  });

  test('leaves what is no file alone, in its own folder and among what others left', () => {
    const folder = ownFolder();
    for (const name of ['000007.ndjson', 'aside.ndjson']) mkdirSync(join(folder, name));
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 3));
    expect([wal.waiting, asideIn(folder)]).toEqual([3, []]);
    wal.close();
  });

  test('cuts off the half of a line that a crash has left', () => {
    const folder = ownFolder();
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 3));
    wal.close();
    appendFileSync(join(folder, '000001.ndjson'), '{"type":"hook_al');
    const again = new Wal(folder, BOUNDS);
    again.append(lines(3, 5));
    expect(again.next(10).map(({ line: one }) => seqOf(one))).toEqual([0, 1, 2, 3, 4]);
  });

  test('sends what comes after a crash that has left less of a piece than was acknowledged', () => {
    const folder = ownFolder();
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 5));
    wal.acknowledge(wal.next(5).map(({ next }) => next));
    wal.save();
    wal.close();
    truncateSync(join(folder, '000001.ndjson'), line(0).length);
    const again = new Wal(folder, BOUNDS);
    again.append(lines(5, 7));
    expect(again.waiting).toBe(2);
    expect(again.next(10).map(({ line: one }) => seqOf(one))).toEqual([5, 6]);
  });

  test('drops the oldest where it is full, and counts them exactly', () => {
    const folder = ownFolder();
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 1_000));
    const found = wal.next(10_000).map(({ line: one }) => seqOf(one));
    expect(found.at(-1)).toBe(999);
    expect(found).toEqual(Array.from({ length: found.length }, (_, i) => 1_000 - found.length + i));
    expect(wal.dropped).toBe(1_000 - found.length);
    expect(wal.waiting).toBe(found.length);
    const bytes = readdirSync(folder).filter((name) => name.endsWith('.ndjson'));
    expect(bytes.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)).toBeLessThanOrEqual(9_100);
    wal.close();
    expect(new Wal(folder, BOUNDS).dropped).toBe(1_000 - found.length);
  });

  test('counts what was dropped while it was under way as dropped', () => {
    const wal = new Wal(ownFolder(), BOUNDS);
    wal.append(lines(0, 30));
    const under = wal.next(30);
    wal.append(lines(30, 1_000));
    const { dropped, waiting } = wal;
    wal.acknowledge(under.map(({ next }) => next));
    expect([wal.dropped, wal.waiting, wal.sent]).toEqual([dropped, waiting, 0]);
    expect(dropped + waiting).toBe(1_000);
  });

  test('sends all again where its cursor is lost', () => {
    const folder = ownFolder();
    const wal = new Wal(folder, BOUNDS);
    wal.append(lines(0, 5));
    wal.acknowledge(wal.next(1).map(({ next }) => next));
    wal.close();
    writeFileSync(join(folder, 'cursor.json'), '{ torn');
    expect(new Wal(folder, BOUNDS).next(10).length).toBe(5);
  });

  test('of a process that is gone is taken by one other', () => {
    const parent = ownFolder();
    const [alive, gone] = [makeLogFolder(parent), makeLogFolder(parent)];
    expect(adopt(parent)).toEqual([]);
    release(gone);
    const [own] = adopt(parent);
    expect(own).toBeDefined();
    expect([existsSync(gone), existsSync(alive), adopt(parent)]).toEqual([false, true, []]);
    // A machine that was asleep: its processes are there, whatever the clock says.
    utimesSync(join(alive, 'owner.json'), new Date(0), new Date(0));
    expect(adopt(parent)).toEqual([]);
    // Another process has its number now; a process in another place has said nothing for long.
    const owner = JSON.parse(readFileSync(join(alive, 'owner.json'), 'utf8'));
    for (const other of [
      { ...owner, since: '1' },
      { ...owner, where: 'elsewhere' },
    ]) {
      const folder = makeLogFolder(parent);
      writeFileSync(join(folder, 'owner.json'), JSON.stringify(other));
      utimesSync(join(folder, 'owner.json'), new Date(0), new Date(0));
      expect(adopt(parent).length).toBe(1);
    }
  });
});

describe('decisions', () => {
  const fire = (i: number, command = 'ls'): string =>
    JSON.stringify({
      seq: i,
      time: new Date().toISOString(),
      host_id: 'abc',
      type: 'hook_fire',
      fire_id: `f${i}`,
      event: 'PreToolUse',
      input: { tool_input: { command } },
      handlers: [],
      decision: {},
    } as unknown as HookRecord);

  function outbox(broker: MemoryBroker, folder = ownFolder(), bounds = { segmentBytes: 4_000, maxBytes: 4_000_000 }) {
    const told: string[] = [];
    const made = new Outbox({
      ...bounds,
      folder,
      host: 'h1',
      engine: memoryEngine(broker),
      tell: (text) => told.push(text),
    });
    return { made, told, folder };
  }

  test('arrive once each, whatever is lost on the way', async () => {
    const broker = new MemoryBroker();
    const { made, folder } = outbox(broker);
    let sent = 0;
    const more = (count: number): void => made.push(Array.from({ length: count }, () => fire(sent++)));
    for (let round = 0; round < 10; round++) {
      more(100);
      broker.away = round % 2 === 0;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    broker.away = true;
    more(50);
    await made.close(10);
    expect(readdirSync(folder).some((name) => name.startsWith('log-'))).toBe(true);
    broker.away = false;
    const next = outbox(broker, folder);
    await until(() => next.made.status.waiting === 0);
    await next.made.close(1_000);
    const ids = broker.entries.map(({ id }) => id);
    expect(ids.length).toBe(1_050);
    expect(new Set(ids)).toEqual(new Set(Array.from({ length: 1_050 }, (_, i) => `f${i}`)));
    expect(readdirSync(folder).filter((name) => name.startsWith('log-'))).toEqual([]);
  });

  test('are masked before they are on disk, and by what the bundle says', async () => {
    const broker = new MemoryBroker();
    broker.away = true;
    const { made, folder } = outbox(broker);
    made.mask({ patterns: [/cust_\w+/] });
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}123456`;
    made.push([fire(1, `echo ${secret} cust_12345`)]);
    const kept = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(join(one.parentPath, one.name), 'utf8'))
      .join();
    expect(kept).toMatch(/redacted/);
    expect(kept).not.toMatch(/cust_12345|ghp_/);
    await made.close(10);
  });

  test('that are too large for a broker say what they came to', async () => {
    const broker = new MemoryBroker();
    const { made } = outbox(broker);
    made.push([fire(1, 'x'.repeat(2_000_000))]);
    await until(() => broker.entries.length === 1);
    const [entry] = broker.entries;
    expect(entry?.bytes.length).toBeLessThan(1_000);
    expect(JSON.parse(Buffer.from(entry?.bytes as Uint8Array).toString())).toMatchObject({
      fire_id: 'f1',
      truncated: ['input'],
    });
    await made.close(100);
  });

  const big = 'x y '.repeat(400_000);
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => ({
      id: `h${i}`,
      name: big.slice(0, 500),
      status: 'ran',
      output: { a: big },
    }));
  const decision = { event: 'PreToolUse', fold: 'gate', continue: false, verdict: 'deny', decidedBy: 'h7' };
  test.each<[string, object, object, string]>([
    [
      'a rewritten input',
      { decision: { ...decision, updatedInput: { text: big } } },
      { decision },
      'decision.updatedInput',
    ],
    ['its reason', { decision: { ...decision, reason: big } }, { decision }, 'decision.reason'],
    ['what hooks of it have said', { decision, handlers: rows(3) }, { decision }, 'handlers.*.output'],
    ['its forms', { decision, versions: [big], losses: [{ what: big, why: '' }] }, { decision }, 'versions'],
    [
      'a session',
      { decision, session_id: big, scope: `session:${big}` },
      { decision, session_id: /^x y x .*…$/ },
      'session_id',
    ],
    ['what a later version adds', { decision, more: { a: [big, { b: big }] } }, { decision }, 'more.a.*'],
    ['keys of that', { decision, more: { [big]: 1 } }, { decision }, 'more'],
    [
      'an alarm',
      { type: 'hook_alarm', alarm: 'unasked', session_id: big, details: big },
      { alarm: 'unasked' },
      'details',
    ],
  ])('are bounded in every part: %s', async (_, parts, stays, named) => {
    const broker = new MemoryBroker();
    const { made } = outbox(broker);
    made.push([JSON.stringify({ ...JSON.parse(fire(1)), ...parts }), fire(2)]);
    await until(() => broker.entries.length === 2);
    const [first] = broker.entries.map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
    expect(JSON.stringify(first).length).toBeLessThan(768 * 1024);
    const { session_id: session, ...rest } = stays as { session_id?: RegExp };
    expect(first).toMatchObject(rest);
    if (session !== undefined) expect(first.session_id).toMatch(session);
    expect(first.truncated).toContain(named);
    await made.close(100);
  });

  test('of very many hooks still name the one that decided', async () => {
    const broker = new MemoryBroker();
    const { made } = outbox(broker);
    const many = rows(9_000).map(({ output: _, ...row }) => row);
    made.push([
      JSON.stringify({ ...JSON.parse(fire(1)), handlers: many, decision: { ...decision, decidedBy: 'h8000' } }),
    ]);
    await until(() => broker.entries.length === 1);
    const sent = JSON.parse(Buffer.from(broker.entries[0]?.bytes as Uint8Array).toString());
    expect(sent.handlers.map(({ id }: { id: string }) => id)).toContain('h8000');
    expect(sent.truncated).toContain('handlers');
    await made.close(100);
  });

  /** A broker that takes only so much, and fails at what `fails` says. */
  function strict(most: number, fails: (id: string) => boolean = () => false) {
    const broker = new MemoryBroker();
    const engine = memoryEngine(broker);
    const tried: string[] = [];
    const append: typeof engine.decisions.append = async (host, id, bytes) => {
      tried.push(id);
      if (fails(id)) throw new Error('timeout');
      if (bytes.length > most) throw new Error('it failed', { cause: new Error('max_payload size exceeded') });
      await engine.decisions.append(host, id, bytes);
    };
    const made = new Outbox({
      segmentBytes: 4_000,
      maxBytes: 4_000_000,
      folder: ownFolder(),
      host: 'h1',
      engine: { ...engine, connected: true, decisions: { ...engine.decisions, append } } as never,
      tell: () => undefined,
    });
    return { broker, tried, made };
  }

  test('that a broker never takes are shortened for it, or counted as dropped, and the next ones arrive', async () => {
    const { broker, made } = strict(20_000);
    made.push([fire(1, 'x'.repeat(100_000)), fire(2)]);
    await until(() => broker.entries.length === 2);
    const first = broker.entries.find(({ id }) => id === 'f1');
    expect(JSON.parse(Buffer.from(first?.bytes as Uint8Array).toString()).truncated).toEqual(['input']);
    await until(() => made.status.waiting === 0);
    expect(made.status).toMatchObject({ sent: 2, dropped: 0 });
    await made.close(100);
    const tight = strict(300);
    tight.made.push([fire(1, 'x'.repeat(1_000)), fire(2)]);
    await until(() => tight.made.status.waiting === 0);
    expect(tight.made.status).toMatchObject({ sent: 1, dropped: 1 });
    expect(tight.broker.entries.map(({ id }) => id)).toEqual(['f2']);
    await tight.made.close(100);
  });

  test('behind one that fails are sent once', async () => {
    let isOver = false;
    const { broker, tried, made } = strict(20_000, (id) => id === 'f0' && !isOver);
    made.push(Array.from({ length: 20 }, (_, i) => fire(i)));
    await until(() => tried.filter((id) => id === 'f0').length === 3);
    isOver = true;
    await until(() => made.status.waiting === 0);
    expect(made.status).toMatchObject({ sent: 20, dropped: 0 });
    expect(tried.filter((id) => id !== 'f0').length).toBe(19);
    expect(broker.entries.length).toBe(20);
    await made.close(100);
  });

  test('of a host that has joined are in the stream, with what its bundle masks', async () => {
    const { join: enter, push, broker } = ground();
    const { host, team } = await enter();
    await push(bundleOf(1, { 'acme/masks.json': { redact: { patterns: ['cust_\\w+'] } } }, [key]));
    await until(() => channel(team)?.sequence === 1);
    for (let i = 0; i < 5; i++) await host.fire('PreToolUse', bash(`echo cust_1234${i}`) as never);
    await team.drained(5);
    expect(broker.entries.length).toBe(5);
    expect(team.status().log).toEqual({ sent: 5, waiting: 0, dropped: 0 });
    const text = broker.entries.map(({ bytes }) => Buffer.from(bytes).toString()).join();
    expect(text).not.toContain('cust_1234');
    expect(text).toContain('redacted');
  });

  test('are read once, however often they are in the stream', async () => {
    const { join: enter, broker, operator } = ground();
    const { host, team } = await enter();
    for (let i = 0; i < 3; i++) await host.fire('PreToolUse', bash(`echo ${i}`) as never);
    await team.drained(5);
    // Beyond the broker's window; and another host's record with the same id is its own.
    const [first] = broker.entries.filter(
      ({ bytes }) => JSON.parse(Buffer.from(bytes).toString()).type === 'hook_fire',
    );
    for (const from of ['h1', 'h1', 'h2'])
      broker.entries.push({
        ...(first as (typeof broker.entries)[number]),
        host: from,
        place: broker.entries.length + 1,
      });
    const hosts: (string | undefined)[] = [];
    const all = fleetRecords(operator, undefined);
    for await (const record of all.records()) hosts.push(all.hostOf(record));
    expect(hosts).toEqual(['h1', 'h1', 'h1', 'h2']);
  });

  test('on a disk that takes nothing are counted as dropped, and the log goes on once it takes them again', async () => {
    const broker = new MemoryBroker();
    const parent = ownFolder();
    // Where its folder should be is a file.
    const folder = join(parent, 'host');
    writeFileSync(folder, '');
    const { made, told } = outbox(broker, folder);
    made.push([fire(0), fire(1)]);
    expect(made.status).toMatchObject({ dropped: 2, waiting: 0 });
    rmSync(folder);
    made.push([fire(2)]);
    await until(() => broker.entries.length === 1);
    expect(made.status).toMatchObject({ dropped: 2, sent: 1 });
    expect(told.join()).toMatch(/cannot be/);
    await made.close(100);
  });

  test('whose folder is taken away while they are sent neither end the process nor the log', async () => {
    const broker = new MemoryBroker();
    broker.away = true;
    const { made, folder } = outbox(broker, ownFolder(), { segmentBytes: 1_000, maxBytes: 100_000 });
    made.push(Array.from({ length: 50 }, (_, i) => fire(i)));
    for (const name of readdirSync(folder))
      if (name.startsWith('log-')) rmSync(join(folder, name), { recursive: true });
    broker.away = false;
    made.push([fire(50)]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(made.status.dropped).toBeGreaterThanOrEqual(0);
    await made.close(10);
  });
});
