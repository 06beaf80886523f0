import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { afterServer } from '../../src/store/beside.js';
import { mergedStore } from '../../src/store/merged.js';
import { defaultSocket, foundPlaces, openStore, serverState } from '../../src/store/place.js';
import { queryParams, readQuery } from '../../src/store/query.js';
import { isWanted, type RecordQuery, type RecordStore } from '../../src/store/store.js';
import { fire } from '../emit/samples.js';
import { until } from '../host/kit.js';

const TOKEN = 'a-token_to-read';
const PROOF = 'what-only-its-user-can-read';
let folder = '';
let servers: Server[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hookscope-server-'));
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  vi.stubEnv('XDG_RUNTIME_DIR', join(folder, 'run'));
  mkdirSync(join(folder, 'state/hookscope'), { recursive: true });
  mkdirSync(join(folder, 'run/hookscope'), { recursive: true });
  writeFileSync(join(folder, 'state/hookscope/tokens.json'), JSON.stringify({ read: TOKEN }));
  writeFileSync(join(folder, 'state/hookscope/server.proof'), `${PROOF}\n`);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const server of servers) stop(server);
  servers = [];
  rmSync(folder, { recursive: true, force: true });
});

const records = [1, 2, 3, 4].map((seq) => ({ ...fire(seq), fire_id: `fire-${seq}`, agent_id: seq % 2 ? 'a&1' : 'a2' }));
const readable = (found: unknown) => JSON.parse(JSON.stringify(found)) as HookRecord;

interface Behaviour {
  readonly port?: true;
  /** What it shows to be the user's own. Default: that, on its socket. */
  readonly proof?: string;
  /** Of `GET /records`. */
  readonly answers?: (query: RecordQuery, response: ServerResponse) => void;
  readonly events?: (request: IncomingMessage, response: ServerResponse) => void;
}

/** A server with the routes of the warm one. */
async function serve({
  port,
  proof = port ? undefined : PROOF,
  answers,
  events,
}: Behaviour = {}): Promise<{ server: Server; place: string }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (proof !== undefined) response.setHeader('hookscope-proof', proof);
    if (url.pathname === '/healthz') return void response.end('{"ok":true}');
    if (request.headers.authorization !== `Bearer ${TOKEN}`) {
      response.statusCode = 401;
      return void response.end('{"error":"no token, or an unknown one"}');
    }
    if (url.pathname === '/events') return events?.(request, response);
    const query = readQuery(url.searchParams);
    if (answers) return answers(query, response);
    for (const record of records) if (isWanted(record, query)) response.write(`${JSON.stringify(record)}\n`);
    response.end();
  });
  servers.push(server);
  const place = defaultSocket();
  await new Promise<void>((resolve) => (port ? server.listen(0, '127.0.0.1', resolve) : server.listen(place, resolve)));
  return { server, place: port ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : place };
}

function stop(server: Server): void {
  server.closeAllConnections();
  server.close();
}

async function read(place: string, query: RecordQuery = {}) {
  const notes: string[] = [];
  const found: HookRecord[] = [];
  for await (const record of (await openStore(place, { note: (text) => notes.push(text) })).records(query))
    found.push(record);
  return { found, notes };
}

describe('a server as a store', () => {
  test.each([true, undefined])('gives the records that are asked for (port: %s)', async (port) => {
    const { place } = await serve({ ...(port ? { port } : {}) });
    expect((await read(place)).found).toEqual(records.map(readable));
    expect((await read(place, { agent: 'a&1', types: ['hook_fire', 'tool_call'] })).found).toEqual(
      [records[0], records[2]].map(readable),
    );
    expect((await read(place, { limit: 1 })).found).toHaveLength(1);
  });

  test('is found where it listens by default, and only while it answers', async () => {
    expect(await foundPlaces()).toEqual([]);
    expect(await serverState(defaultSocket())).toBe('none');
    const { server, place } = await serve();
    expect([await foundPlaces(), await serverState(place)]).toEqual([[place], 'runs']);
    stop(server);
    writeFileSync(join(folder, 'state/hookscope/records.ndjson'), '');
    expect(await foundPlaces()).toEqual([join(folder, 'state/hookscope/records.ndjson')]);
  });

  test('a stranger on the socket is not believed: what is asked ends with its name, and files are still read', async () => {
    const { place } = await serve({ proof: `${PROOF}x`, events: (_, response) => void response.write(': hello\n\n') });
    writeFileSync(join(folder, 'state/hookscope/records.ndjson'), '');
    expect([await foundPlaces(), await serverState(place)]).toEqual([[place], 'stranger']);
    const said = /serve\.sock .*does not prove that it is the server of this user.*--store names a file/;
    await expect(read(place)).rejects.toThrow(said);
    const followed = (await openStore(place)).follow(new AbortController().signal)[Symbol.asyncIterator]();
    await expect(followed.next()).rejects.toThrow(said);
    expect((await read(join(folder, 'state/hookscope/records.ndjson'))).found).toEqual([]);
    // Where no proof was ever made nobody can show it.
    rmSync(join(folder, 'state/hookscope/server.proof'));
    expect(await serverState(place)).toBe('stranger');
  });

  test('that refuses is an error with its words', async () => {
    const { place } = await serve();
    writeFileSync(join(folder, 'state/hookscope/tokens.json'), '{"read":"other"}');
    await expect(read(place)).rejects.toThrow(
      /serve\.sock: the server refused \(401\), since it does not take the token of tokens\.json/,
    );
    const store = await openStore(place);
    const following = async () => {
      for await (const _ of store.follow(new AbortController().signal)) break;
    };
    await expect(following()).rejects.toThrow(/401/);
  });

  test('that is gone, or cut off in the middle, is an error', async () => {
    await expect(read('http://127.0.0.1:9')).rejects.toThrow(/no server listens there; hookscope serve starts one/);
    const { place } = await serve({
      answers(_, response) {
        response.write(`${JSON.stringify(records[0])}\n{"seq":`, () => response.destroy());
      },
    });
    await expect(read(place)).rejects.toThrow(/ended before it had sent all of its records/);
  });

  test.each(['http://example.com', 'https://127.0.0.1:1', 'http://127.0.0.1:1/path', 'http://'])(
    'no token is sent to %s',
    async (place) => {
      await expect(openStore(place)).rejects.toThrow(`${place}: is not the address of a server on this machine`);
    },
  );

  test('what is no record is named, and no harm', async () => {
    const { place } = await serve({
      answers(_, response) {
        response.end(`nonsense\n{"type":"hook_fire","time":1}\n${JSON.stringify(records[1])}\n`);
      },
    });
    const { found, notes } = await read(place);
    expect(found).toEqual([readable(records[1])]);
    expect(notes).toEqual([
      `${place}, line 1 of its records: this line is not JSON, and is left out`,
      `${place}, line 2 of its records: this line is no record of hookscope, and is left out`,
    ]);
  });

  test('is followed over a restart, from where it was', async () => {
    const asked: (string | undefined)[] = [];
    const events: Behaviour['events'] = (request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.write(': hello\r\n\r\n');
      const [one, two] = asked.length === 1 ? [0, 1] : [2, 3];
      const text = [one, two].map((i) => `id: b.${i}\ndata: ${JSON.stringify(records[i as number])}\n\n`).join('');
      // In pieces, within lines and within characters.
      for (let at = 0; at < text.length; at += 7) response.write(text.slice(at, at + 7));
    };
    const first = await serve({ events });
    const notes: string[] = [];
    const seen: number[] = [];
    const controller = new AbortController();
    const store = await openStore(first.place, { note: (text) => notes.push(text) });
    const done = (async () => {
      for await (const { seq } of store.follow(controller.signal)) seen.push(seq);
    })();
    await until(() => seen.length === 2);
    stop(first.server);
    await until(() => notes.length === 1);
    await serve({ events });
    await until(() => seen.length === 4);
    controller.abort();
    await done;
    expect([seen, asked]).toEqual([
      [1, 2, 3, 4],
      [undefined, 'b.1'],
    ]);
    expect(notes).toEqual([`${first.place} does not answer; waiting for it`, `${first.place} answers again`]);
  });

  test('is asked once more before a record beside it is shown, so that it is not shown before the server answers again', async () => {
    const events: Behaviour['events'] = (_, response) => void response.write(': hello\n\n');
    const first = await serve({ events });
    const told: string[] = [];
    const controller = new AbortController();
    const server = await openStore(first.place, { note: (text) => told.push(text.slice(first.place.length + 1)) });
    const beside: RecordStore = {
      place: 'beside',
      async *records() {},
      async *follow() {
        // Nobody need be asked while the server answers.
        yield readable({ ...records[0], host_id: 'one' });
        stop(first.server);
        await until(() => told.length === 2);
        // The next attempt would come later than this record, and a second one after another pause.
        await new Promise((resolve) => setTimeout(resolve, 300));
        yield readable({ ...records[1], host_id: 'one' });
        await serve({ events });
        yield readable({ ...records[2], host_id: 'two' });
      },
      close: async () => undefined,
    };
    const store = mergedStore([server, afterServer(beside, server)]);
    for await (const { seq } of store.follow(controller.signal)) {
      told.push(`record ${seq}`);
      if (seq === 3) break;
    }
    controller.abort();
    expect(told).toEqual(['record 1', 'does not answer; waiting for it', 'record 2', 'answers again', 'record 3']);
  });

  test('gives each record once, also where another process sends again what the one before has sent', async () => {
    let asked = 0;
    const events: Behaviour['events'] = (_, response) => {
      asked += 1;
      response.write(': hello\n\n');
      const sent = (asked === 1 ? [0, 1] : [0, 1, 2]).map((i) => ({ ...records[i], host_id: 'one' }));
      for (const [i, record] of sent.entries())
        response.write(`id: ${asked}.${i}\ndata: ${JSON.stringify(record)}\n\n`);
    };
    const first = await serve({ events });
    const seen: number[] = [];
    const notes: string[] = [];
    const controller = new AbortController();
    const store = await openStore(first.place, { note: (text) => notes.push(text) });
    const done = (async () => {
      for await (const { seq } of store.follow(controller.signal)) seen.push(seq);
    })();
    await until(() => seen.length === 2);
    stop(first.server);
    await serve({ events });
    await until(() => seen.includes(3));
    controller.abort();
    await done;
    expect(seen).toEqual([1, 2, 3]);
    // Where the next process listens at once, there is nothing to wait for.
    expect(notes).toEqual([]);
  });

  test('is waited for, is followed from the moment of the first connection, and what came too fast is counted', async () => {
    const place = join(folder, 'run/hookscope/serve.sock');
    // What a first start makes.
    for (const name of ['tokens.json', 'server.proof']) rmSync(join(folder, 'state/hookscope', name));
    const notes: string[] = [];
    const seen: number[] = [];
    const controller = new AbortController();
    const store = await openStore(place, { note: (text) => notes.push(text) });
    const done = (async () => {
      for await (const { seq } of store.follow(controller.signal)) seen.push(seq);
    })();
    await until(() => notes.length === 1);
    writeFileSync(join(folder, 'state/hookscope/tokens.json'), JSON.stringify({ read: TOKEN }));
    writeFileSync(join(folder, 'state/hookscope/server.proof'), `${PROOF}\n`);
    const asked: (string | undefined)[] = [];
    const events: Behaviour['events'] = (request, response) => {
      asked.push(request.headers['last-event-id'] as string | undefined);
      response.write(': hello\n\nid: b.7\n\n');
      if (asked.length === 1) return;
      for (const [i, id] of [8, 10, 14].entries())
        response.write(`id: b.${id}\ndata: ${JSON.stringify(records[i])}\n\n`);
    };
    const first = await serve({ events });
    await until(() => asked.length === 1);
    stop(first.server);
    await until(() => notes.length === 3);
    await serve({ events });
    await until(() => seen.length === 3);
    controller.abort();
    await done;
    expect([seen, asked]).toEqual([
      [1, 2, 3],
      [undefined, 'b.7'],
    ]);
    const why = 'they came faster than they were read; hookscope history has them';
    expect(notes).toEqual([
      `${place} does not answer; waiting for it`,
      `${place} answers again`,
      `${place} does not answer; waiting for it`,
      `${place} answers again`,
      `1 record is not shown: ${why}`,
      `3 records are not shown: ${why}`,
    ]);
  });

  test('a socket of nobody is none', async () => {
    chmodSync(join(folder, 'run/hookscope'), 0o700);
    writeFileSync(defaultSocket(), '');
    expect(await serverState(defaultSocket())).toBe('none');
  });
});

test.each<RecordQuery>([
  {},
  { since: 1, until: 2.5, limit: 0, newest: true },
  { types: ['hook_fire', 'system'], agent: 'a&b=ü', event: 'Stop', fire: 'f', toolUse: 't', session: '' },
])('the query %j is read as it was written', (query) => {
  expect(readQuery(new URLSearchParams(String(queryParams(query))))).toEqual(query);
});

test.each(['limit=-1', 'limit=x', 'types=all', 'colour=red', 'since=NaN'])('the query %s is refused', (text) => {
  expect(() => readQuery(new URLSearchParams(text))).toThrow(/^Invalid option query /);
});
