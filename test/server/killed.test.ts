import { existsSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HookRecord } from '../../src/emit/record.js';
import { openSqlite } from '../../src/emit/sinks/sqlite/driver.js';
import { readTokens } from '../../src/server/tokens.js';
import { isAlive } from '../claude-code/control/alive.js';
import { generated, randomFrom, SEED } from '../seed.js';
import { bash, createUser, type Running, send, type User, until } from './kit.js';

let user: User;
beforeEach(() => {
  user = createUser();
  user.write('plugin.mjs', PLUGIN);
});
afterEach(() => user.remove());

/** A hook that writes at once, past all that waits, who it is, about which call it was asked and when. */
const PLUGIN = `
import { openSync, writeSync } from 'node:fs';
const journal = openSync(new URL('journal', import.meta.url), 'a');
const ask = ({ tool_use_id }) => void writeSync(journal, process.pid + ' ' + tool_use_id + ' ' + Date.now() + '\\n');
export default { name: 'journal', apply(scope) { scope.register({ PreToolUse: [{ hooks: [{ handler: ask, name: 'asked' }] }] }); } };
`;
interface Asked {
  readonly pid: number;
  readonly call: string;
  readonly at: number;
}

function journal(): Asked[] {
  const file = join(user.path, 'project/journal');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [pid, call, at] = line.split(' ');
      return { pid: Number(pid), call: call as string, at: Number(at) };
    });
}

const serve = (): Promise<Running> => user.serve(['--plugin', './plugin.mjs']);

/** Calls over some connections that stay open, each with an id of its own, until the server is gone. In order: which were answered. */
function load(name: string, connections: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const answered: string[] = [];
  let asked = 0;
  let over = false;
  const one = (call: string): Promise<boolean> =>
    new Promise((resolve) => {
      const body = JSON.stringify({ ...bash('ls'), tool_use_id: call });
      const question = request(
        {
          agent,
          socketPath: user.places.socket,
          path: '/hooks/PreToolUse',
          method: 'POST',
          headers: {
            host: 'hookscope',
            authorization: `Bearer ${readTokens(user.places)?.fire}`,
            'content-length': Buffer.byteLength(body),
          },
        },
        (answer) => {
          answer.resume();
          answer.once('end', () => {
            if (answer.statusCode === 200) answered.push(call);
            resolve(answer.statusCode === 200);
          });
          answer.once('error', () => resolve(false));
        },
      );
      question.once('error', () => resolve(false));
      question.end(body);
    });
  const connection = async (): Promise<void> => {
    while (!over && (await one(`${name}-${++asked}`)));
  };
  const all = Promise.all(Array.from({ length: connections }, connection));
  return {
    answered,
    async stop() {
      over = true;
      await all;
      agent.destroy();
    },
  };
}

const killed = async (server: Running): Promise<void> => {
  const [serving] = journal().slice(-1);
  if (serving !== undefined) process.kill(serving.pid, 'SIGKILL');
  await server.stop('SIGKILL');
};

/** Of each host the numbers of its records. Each is there once. */
function numbersOf(records: readonly HookRecord[]): Map<string, number[]> {
  const hosts = new Map<string, number[]>();
  for (const { host_id, seq } of records)
    hosts.set(
      String(host_id),
      [...(hosts.get(String(host_id)) ?? []), seq].sort((a, b) => a - b),
    );
  return hosts;
}

function isWhole(): unknown {
  const database = openSqlite(join(user.places.state, 'records.db'));
  const [row] = database.all('PRAGMA integrity_check');
  database.close();
  return row?.['integrity_check'];
}

/** Which calls have the record of their fire, and how often. */
function countsOf(records: readonly HookRecord[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const record of records)
    if (record.type === 'hook_fire') {
      const call = String(record.tool_use_id);
      counts.set(call, (counts.get(call) ?? 0) + 1);
    }
  return counts;
}

/** What a server says that has given up waiting for its file: then more may be missing. */
const GAVE_UP = /records are written too slowly/;

test('a server that is killed under load has lost nothing of what it answered but the last 50 ms, by their own times', async () => {
  const random = randomFrom(SEED);
  const wanted = generated(4);
  let checked = 0;
  const late = performance.now() + 100_000;
  // On a machine with too much other work a server gives up more often than not, and all takes long: a few rounds are enough then, of fewer calls.
  for (let round = 0; checked < wanted && round < 5 * wanted; round++) {
    if (checked > 0 && performance.now() > late) break;
    const server = await serve();
    const calls = load(`r${round}`, [1, 10, 40][round % 3] as number);
    const enough = (200 + random() * 2_000) / (1 + round - checked);
    await until(() => calls.answered.length > enough);
    await killed(server);
    await calls.stop();
    if (GAVE_UP.test(server.output())) continue;
    checked++;

    const kept = countsOf(user.records());
    expect([...kept.values()].every((count) => count === 1)).toBe(true);
    const times = new Map(journal().map(({ call, at }) => [call, at]));
    const last = Math.max(...calls.answered.map((call) => times.get(call) as number));
    const missing = calls.answered.filter((call) => !kept.has(call));
    const oldest = Math.min(...missing.map((call) => times.get(call) as number));
    // Behind the first that is missing of them is nothing older.
    expect(missing.length === 0 ? 0 : last - oldest).toBeLessThanOrEqual(50);
  }
  expect(checked).toBeGreaterThan(0);

  const hosts = numbersOf(user.records());
  // What is missing stands behind the last of each: nothing twice, and no hole.
  for (const numbers of hosts.values()) expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(isWhole()).toBe('ok');
  const { stdout } = await user.run(['doctor', '--json']);
  const said = stdout.split('\n').filter((line) => line.includes('was killed'));
  for (const [host, numbers] of hosts)
    expect(
      said.some((line) => line.includes(`record ${numbers.length} of host ${host}`)),
      `${host}: ${numbers.length}\n${said.join('\n')}`,
    ).toBe(true);
  expect((await user.run(['history', '--since', '1h'])).stderr).toMatch(
    /was killed, or ended without closing it .*: what it .* may be missing/,
  );
});

test('answers wait for a file that cannot be written, as long as that is of use: a kill takes no more then either', async () => {
  for (let round = 0; ; round++) {
    const server = await serve();
    const calls = load(`r${round}`, 3);
    await until(() => calls.answered.length > 50 && user.records().length > 0);
    const database = openSqlite(join(user.places.state, 'records.db'));
    database.exec('PRAGMA busy_timeout = 5000');
    database.exec('BEGIN IMMEDIATE');
    const before = new Set(database.all('SELECT tool_use_id FROM records').map((row) => String(row['tool_use_id'])));
    // Nobody is answered any more, or everybody is again.
    for (let count = -1; count !== calls.answered.length && !GAVE_UP.test(server.output()); ) {
      count = calls.answered.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await killed(server);
    database.exec('ROLLBACK');
    database.close();
    await calls.stop();
    if (GAVE_UP.test(server.output())) {
      // With too much other work on the machine half a second is over before anybody looks: then it is said each time.
      if (round === 20) return;
      continue;
    }
    const times = new Map(journal().map(({ call, at }) => [call, at]));
    const missing = calls.answered.filter((call) => !before.has(call)).map((call) => times.get(call) as number);
    expect(missing.length).toBeGreaterThan(0);
    expect(Math.max(...missing) - Math.min(...missing)).toBeLessThanOrEqual(50);
    return;
  }
});

test('a file that stays locked holds up nobody for long, which is said; what waited is written once it can be, once', async () => {
  const server = await serve();
  const calls = load('a', 3);
  await until(() => calls.answered.length > 50 && user.records().length > 0);
  const database = openSqlite(join(user.places.state, 'records.db'));
  database.exec('PRAGMA busy_timeout = 5000');
  database.exec('BEGIN IMMEDIATE');
  await until(() => GAVE_UP.test(server.output()));
  const { length } = calls.answered;
  await until(() => calls.answered.length > length + 50);
  database.exec('ROLLBACK');
  database.close();
  await until(() => countsOf(user.records()).has(`a-${length}`));
  await calls.stop();
  expect(await server.stop()).toBe(143);
  const kept = countsOf(user.records());
  expect(calls.answered.filter((call) => kept.get(call) !== 1)).toEqual([]);
  for (const numbers of numbersOf(user.records()).values()) expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect((await user.run(['doctor'])).stdout).not.toMatch(/was killed|missing/);
});

test('the process that serves is killed: another goes on, and doctor says behind which record something is missing', async () => {
  const server = await serve();
  const calls = load('a', 2);
  await until(() => calls.answered.length > 100);
  const [serving] = journal().slice(-1);
  process.kill((serving as Asked).pid, 'SIGKILL');
  await calls.stop();
  const isUp = () =>
    send({ socketPath: user.places.socket }, { path: '/healthz', method: 'GET', headers: { host: 'hookscope' } }).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(isUp);
  expect(server.output()).toMatch(/the process that serves has died; it is started again/);
  const { stdout } = await user.run(['doctor']);
  expect(stdout).toMatch(new RegExp(`Process ${(serving as Asked).pid}, which wrote to .* was killed`));
  // Who only held the socket is killed: the one that serves answers what is under way, and keeps all of it.
  const again = load('b', 2);
  await until(() => again.answered.length > 100);
  await server.stop('SIGKILL');
  await again.stop();
  await until(() => {
    const kept = countsOf(user.records());
    return again.answered.every((call) => kept.get(call) === 1);
  });
  const last = journal().at(-1) as Asked;
  await until(() => !isAlive(last.pid));
});
