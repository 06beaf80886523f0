import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHost } from '../../src/create-host.js';
import type { HookRecord } from '../../src/emit/record.js';
import { sqliteSink } from '../../src/emit/sinks/sqlite.js';
import { openStores } from '../../src/store/place.js';
import { fire } from '../emit/samples.js';
import { asNobodyHere } from '../nobody.js';
import { bash, guardedUser, type User, until } from './kit.js';

let user: User;
beforeEach(() => {
  user = guardedUser();
});
afterEach(() => user.remove());

const RULE = { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'deny', reason: 'no' }] }] };
const fileOf = (kind: 'db' | 'ndjson'): string => join(user.places.state, `records.${kind}`);

/** What the server says to `GET /records`. */
function ask(query = ''): Promise<{ status: number | undefined; unread: string | undefined; body: string }> {
  const { read } = JSON.parse(readFileSync(user.places.tokens, 'utf8')) as { read: string };
  return new Promise((resolve, reject) => {
    const headers = { host: 'hookscope', authorization: `Bearer ${read}` };
    const asked = request({ socketPath: user.places.socket, path: `/records${query}`, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        body += piece;
      });
      response.on('error', reject);
      const unread = response.headers['hookscope-unread'];
      response.on('end', () =>
        resolve({
          status: response.statusCode,
          unread: unread === undefined ? undefined : decodeURIComponent(String(unread)),
          body,
        }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

/** What cannot be read in the place of a file. */
const SPOILT: readonly (readonly [string, (file: string) => void])[] = [
  ['is a folder', (file) => void mkdirSync(file)],
  ['holds something else', (file) => writeFileSync(file, `SQLite format 3\0${'x'.repeat(5000)}`)],
];

test.each(SPOILT)('a server gives what can be read where one file %s, and names the other', async (_, spoil) => {
  await user.serve(['--hooks', user.write('hooks.json', RULE)]);
  await user.hook(['PreToolUse', '--hooks', 'hooks.json'], bash('ls'));
  await until(() => user.records().some(({ type }) => type === 'hook_fire'));
  expect(await ask()).toMatchObject({ status: 200, unread: undefined });

  spoil(fileOf('ndjson'));
  const fires = '?types=hook_fire';
  const said = expect.stringContaining(fileOf('ndjson'));
  const first = await ask(fires);
  expect(first).toMatchObject({ status: 200, unread: said, body: expect.stringContaining('"hook_fire"') });
  expect(await ask('?types=hook_fire&newest=true&limit=1')).toMatchObject({ status: 200, unread: said });
  const { stdout, stderr } = await user.run(['history']);
  expect(stdout).toMatch(/PreToolUse/);
  expect(stderr).toContain(fileOf('ndjson'));
  expect(stderr.split('What is in the other file is shown.')).toHaveLength(2);

  rmSync(fileOf('ndjson'), { recursive: true });
  writeFileSync(fileOf('ndjson'), first.body);
  for (const end of ['', '-wal', '-shm']) rmSync(`${fileOf('db')}${end}`, { force: true });
  spoil(fileOf('db'));
  expect(await ask(fires)).toMatchObject({
    status: 200,
    unread: expect.stringContaining(fileOf('db')),
    body: first.body,
  });

  rmSync(fileOf('ndjson'));
  spoil(fileOf('ndjson'));
  expect((await ask()).status).toBe(400);
});

test.each(['db', 'ndjson'] as const)('of two files, one that this user may not read (.%s) is named', async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'hookscope-unread-'));
  chmodSync(folder, 0o777);
  try {
    const at = (which: 'db' | 'ndjson'): string => join(folder, `records.${which}`);
    writeFileSync(at('ndjson'), `${JSON.stringify(fire(1))}\n`);
    const host = createHost();
    const sink = sqliteSink(at('db'));
    sink.attach(host.events$);
    await host.fire('Stop', { stop_hook_active: false });
    await host.close();
    await sink.close();
    // The log of the database is beside it.
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o666);
    chmodSync(at(kind), 0);
    const lost: string[] = [];
    const found: HookRecord[] = [];
    await asNobodyHere(async () => {
      const store = await openStores([at('db'), at('ndjson')], {}, (place) => lost.push(place));
      for await (const record of store.records()) found.push(record);
      await store.close();
    });
    expect([lost, found.length]).toEqual([[at(kind)], 1]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
