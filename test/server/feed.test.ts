import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { keptFromNow } from '../../src/cli/server/keep.js';
import type { HookRecord } from '../../src/emit/record.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { createHost } from '../../src/index.js';
import { type FeedItem, type FollowRecords, RecordFeed } from '../../src/server/http/feed.js';
import type { ServerPaths } from '../../src/server/places.js';
import { fire } from '../emit/samples.js';
import { bash, createUser, hooksFile, send, until } from './kit.js';

const text = (record: HookRecord): string => JSON.stringify(record);

/** What others write to a store, by hand. */
function aStore() {
  const followers = new Set<(record: HookRecord) => void>();
  let begun = 0;
  const follow: FollowRecords = async function* (signal) {
    begun += 1;
    const waiting: HookRecord[] = [];
    let wake: () => void = () => undefined;
    const take = (record: HookRecord): void => {
      waiting.push(record);
      wake();
    };
    signal.addEventListener('abort', () => wake());
    followers.add(take);
    try {
      while (!signal.aborted) {
        yield* waiting.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    } finally {
      followers.delete(take);
    }
  };
  const write = (record: HookRecord): void => {
    for (const take of followers) take(record);
  };
  return { follow, write, state: () => ({ begun, open: followers.size }) };
}

/** Reads until it is closed, as fast as it comes. */
function reader(feed: RecordFeed) {
  const over = new AbortController();
  const got: FeedItem[] = [];
  const done = (async () => {
    for await (const one of feed.read(feed.position, over.signal)) got.push(one);
  })();
  const seqs = (): number[] =>
    got.flatMap((one) => (one.text === undefined ? [] : [(JSON.parse(one.text) as HookRecord).seq]));
  return {
    got,
    seqs,
    async close() {
      over.abort();
      await done;
    },
  };
}

describe('the readers of a feed', () => {
  test('share one look at the store, which begins with the first and ends with the last', async () => {
    const store = aStore();
    const feed = new RecordFeed(text, store.follow);
    feed.own.add('mine');
    expect(store.state()).toEqual({ begun: 0, open: 0 });
    const three = [reader(feed), reader(feed), reader(feed)] as const;
    await until(() => store.state().open === 1);
    store.write({ ...fire(1), host_id: 'other' });
    store.write({ ...fire(2), host_id: 'mine' });
    store.write({ ...fire(3), host_id: 'other' });
    for (const one of three) await until(() => one.seqs().length === 2);
    expect(three.map((one) => one.seqs())).toEqual([
      [1, 3],
      [1, 3],
      [1, 3],
    ]);
    await three[0].close();
    await three[1].close();
    expect(store.state()).toEqual({ begun: 1, open: 1 });
    await three[2].close();
    await until(() => store.state().open === 0);
    const later = reader(feed);
    await until(() => store.state().open === 1);
    expect(store.state()).toEqual({ begun: 2, open: 1 });
    feed.endFollowing();
    await until(() => store.state().open === 0);
    await reader(feed).close();
    expect(store.state()).toEqual({ begun: 2, open: 0 });
    await later.close();
  });

  test('are told how many records of others were dropped, where they read too slowly', async () => {
    const store = aStore();
    const feed = new RecordFeed(text, store.follow);
    const over = new AbortController();
    const reading = feed.read(feed.position, over.signal);
    await reading.next();
    await until(() => store.state().open === 1);
    for (let seq = 1; seq <= 10_003; seq++) store.write({ ...fire(seq), host_id: 'other' });
    await sleep(0);
    expect((await reading.next()).value).toEqual({ dropped: 3 });
    expect(JSON.parse((await reading.next()).value?.text ?? '{}')).toMatchObject({ seq: 4 });
    over.abort();
    await reading.return(undefined);
  });

  test('open the store once, however many come and go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hookscope-feed-'));
    const host = createHost({ logger: () => undefined });
    const sink = sqliteSink(join(folder, 'records.db'));
    sink.attach(host.events$);
    await host.fire('Stop', { session_id: 's', stop_hook_active: false });
    await sink.flush();
    // Another connection of this process would keep SQLite from closing files.
    await host.close();
    await sink.close();
    const feed = new RecordFeed(text, keptFromNow({ state: folder } as ServerPaths));
    // Others of this process come and go.
    const isOurs = (fd: string): boolean => process.platform !== 'linux' || leadsTo(fd).startsWith(folder);
    const open = (): number => readdirSync('/dev/fd').filter(isOurs).length;
    const before = open();
    const counts: number[] = [];
    for (let i = 0; i < 5; i++) {
      const some = Array.from({ length: 8 }, () => reader(feed));
      await until(() => open() > before);
      await sleep(50);
      counts.push(open() - before);
      for (const one of some) await one.close();
    }
    // SQLite opens up to three files, one after the other; each reader by itself would open one at least.
    expect(counts.filter((count) => count > 3)).toEqual([]);
    rmSync(folder, { recursive: true });
  });
});

test('what the process before still keeps, its own readers have had', async () => {
  const user = createUser();
  const began = join(user.path, 'began');
  const go = join(user.path, 'go');
  const command = `touch ${began}; while [ ! -e ${go} ]; do sleep 0.05; done; echo '{"systemMessage":"later"}'`;
  user.write('later.json', hooksFile(command, 'PreToolUse', { async: true }));
  user.write('other.json', { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] });
  try {
    const server = await user.serve(['--hooks', 'later.json', '--port', '0']);
    const token = (right: string): string => {
      const all = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as Record<string, string>;
      return `Bearer ${all[right]}`;
    };
    const headers = (right: string) => ({ host: 'hookscope', authorization: token(right) });
    const at = { socketPath: user.places.socket };
    const asked = { path: '/hooks/PreToolUse', headers: headers('fire'), body: JSON.stringify(bash('ls')) };
    expect((await send(at, asked)).status).toBe(200);
    await until(() => user.records().some(({ type }) => type === 'hook_fire'));
    const reloaded = await send(at, { path: '/admin/reload', headers: headers('admin'), body: '{}' });
    expect(JSON.parse(reloaded.body)).toMatchObject({ ok: true });
    let got = '';
    const asking = request({ ...at, path: '/events', headers: headers('read') }, (response) => {
      response.on('data', (piece: Buffer) => (got += piece.toString()));
      response.on('error', () => undefined);
    });
    asking.on('error', () => undefined);
    asking.end();
    await until(() => got.includes('id: '));
    user.write('../go', '');
    await until(() => user.records().some((record) => record.type === 'system' && record.subtype === 'hook_response'));
    // What comes after it comes, so that one would have come.
    await user.hook(['PreToolUse', '--hooks', 'other.json'], bash('beside'));
    await until(() => got.includes('beside'));
    expect(got).not.toContain(bash('ls')['tool_use_id']);
    asking.destroy();
    expect(server.output()).not.toContain('Error');
  } finally {
    await user.remove();
  }
});

function leadsTo(fd: string): string {
  try {
    return readlinkSync(`/dev/fd/${fd}`);
  } catch {
    // It is the one through which the folder was read.
    return '';
  }
}
