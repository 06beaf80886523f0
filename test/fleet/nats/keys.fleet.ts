import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import type { FleetEngine } from '../../../src/fleet/engine.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { BIN } from '../../cli/cli.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { machine } from './machine.js';
import { freePort } from './server.js';

const engines: FleetEngine[] = [];
afterEach(async () => {
  for (const one of engines.splice(0)) await one.close();
});

test('a broker that runs knows each new host, and no more whose credentials were replaced; the others stay connected', async () => {
  const folder = ownFolder();
  const port = await freePort();
  const operator = machine(folder, 'operator');
  const { said } = operator.start('fleet', 'up', '--port', `${port}`, '--team', 'acme');
  await until(() => said.text.includes('meets at'));
  const engine = (name: string, credentials = `${name}.nk`): FleetEngine => {
    const made = natsEngine({
      servers: [`nats://127.0.0.1:${port}`],
      team: 'acme',
      name,
      credentials: join(folder, 'fleet', credentials),
    });
    engines.push(made);
    return made;
  };
  const team = engine('operator');
  const tries = async (one: FleetEngine, host: string): Promise<void> => {
    await until(() => one.connected);
    await one.state.share(host, Buffer.from(host));
    // A server that has just read its settings anew may answer that nobody keeps the log, once; a host sends again then.
    const id = `${host} ${Date.now()}`;
    await until(() =>
      one.decisions.append(host, id, Buffer.from('{}')).then(
        () => true,
        () => false,
      ),
    );
    const close = one.ask.open(host, 'q', Buffer.from('?'), () => Buffer.from(`taken by ${host}`));
    await until(() =>
      team.ask.answer(host, 'q', Buffer.from('!')).then(
        (taken) => Buffer.from(taken).toString() === `taken by ${host}`,
        () => false,
      ),
    );
    close();
  };
  // A folder may be named in more than one way.
  symlinkSync(join(folder, 'fleet'), join(folder, 'alias'));
  const seen: string[][] = [];
  const hosts: FleetEngine[] = [];
  for (const [i, name] of ['a', 'b', 'c'].entries()) {
    const made = await operator.fleet('keys', 'host', name, '--dir', i === 1 ? 'alias' : 'fleet');
    expect(made).toEqual({ code: 0, text: `${join(folder, i === 1 ? 'alias' : 'fleet', `${name}.nk`)}\n` });
    const one = engine(name);
    hosts.push(one);
    const own: string[] = [];
    seen.push(own);
    one.policy.watch('stable', (posted) => own.push(Buffer.from(posted?.bytes ?? []).toString()));
    for (const [at, host] of hosts.entries()) await tries(host, ['a', 'b', 'c'][at] as string);
    await team.policy.post('stable', Buffer.from(`${i}`), i);
    await until(() => seen.every((each) => each.at(-1) === `${i}`));
  }

  // Twice is refused, and nothing changes.
  const users = join(folder, 'fleet/users.json');
  const [before, seed] = [readFileSync(users, 'utf8'), readFileSync(join(folder, 'fleet/a.nk'), 'utf8')];
  expect(await operator.fleet('keys', 'host', 'a')).toMatchObject({
    code: 1,
    text: expect.stringMatching(/a has credentials already, .* take a out of "hosts" in \S+users\.json first/),
  });
  expect(readFileSync(users, 'utf8')).toBe(before);
  expect(readFileSync(join(folder, 'fleet/a.nk'), 'utf8')).toBe(seed);

  // Doing what it says: the thief is out, the host is in.
  writeFileSync(join(folder, 'fleet/stolen.nk'), seed);
  const thief = engine('a', 'stolen.nk');
  await until(() => thief.connected);
  const known = JSON.parse(before) as { hosts: Record<string, string> };
  delete known.hosts['a'];
  writeFileSync(users, JSON.stringify(known));
  expect((await operator.fleet('keys', 'host', 'a')).code).toBe(0);
  await until(() => !thief.connected);
  await tries(engine('a'), 'a');
  expect(thief.connected).toBe(false);
  await expect(thief.state.share('a', Buffer.from('mine'))).rejects.toMatchObject({ code: 'FLEET_FAILED' });
  await tries(hosts[1] as FleetEngine, 'b');
});

test('a broker is told of a new host by its own process id, and nobody else is', async () => {
  const folder = ownFolder();
  const operator = machine(folder, 'operator');
  const { child, said } = operator.start('fleet', 'up', '--port', `${await freePort()}`, '--team', 'acme');
  await until(() => said.text.includes('meets at'));
  child.kill('SIGTERM');
  await once(child, 'exit');
  const stranger = spawn('sleep', ['60']);
  // A server of somebody else's.
  const other = ownFolder();
  writeFileSync(join(other, 'nats.conf'), `listen: "127.0.0.1:${await freePort()}"\n`);
  const theirs = spawn('nats-server', ['-c', join(other, 'nats.conf'), '--pid', join(other, 'nats.pid')]);
  let read = '';
  theirs.stderr.on('data', (chunk) => (read += chunk));
  await until(() => read.includes('Server is ready'));
  try {
    for (const [i, id] of [stranger.pid, theirs.pid, '', '0', ' ', 'x', '1e3', '99999999'].entries()) {
      writeFileSync(join(folder, 'fleet/nats.pid'), `${id}`);
      // In a group of its own, which an id of nothing would mean.
      const own = operator.startAs('setsid', '--wait', process.execPath, BIN, 'fleet', 'keys', 'host', `h${i}`);
      const [code] = await once(own.child, 'close');
      const { text } = own.said;
      expect({ id, code, text }).toMatchObject({
        code: 0,
        text: expect.stringMatching(/no broker of hookscope fleet up runs in/),
      });
      expect(existsSync(join(folder, `fleet/h${i}.nk`))).toBe(true);
    }
    await sleep(200);
    expect(stranger.signalCode).toBeNull();
    expect(read).not.toMatch(/reload|hangup|SIGHUP/i);
  } finally {
    stranger.kill('SIGKILL');
    theirs.kill('SIGKILL');
  }
});

test('a users.json that nobody has written is refused with its name, and nothing is made from it', async () => {
  const folder = ownFolder();
  const operator = machine(folder, 'operator');
  mkdirSync(join(folder, 'fleet'));
  const file = join(folder, 'fleet/users.json');
  const key = `U${'A'.repeat(55)}`;
  const good = { team: 'acme', port: 4222, operator: key, hosts: { a: key } };
  for (const [content, expected] of [
    ['{', /users\.json: is not JSON/],
    ['', /users\.json: is not JSON/],
    ['{}', /users\.json: team/],
    ['[]', /users\.json/],
    [JSON.stringify({ ...good, team: 'a b' }), /users\.json: team/],
    [JSON.stringify({ ...good, port: 0 }), /users\.json: port/],
    [JSON.stringify({ ...good, operator: 'x' }), /users\.json: operator/],
    [JSON.stringify({ ...good, hosts: { 'a.>': key } }), /users\.json: hosts/],
    [JSON.stringify({ ...good, hosts: { a: 1 } }), /users\.json: hosts/],
    [undefined, /users\.json: there is no such file/],
  ] as const) {
    rmSync(file, { force: true });
    if (content === undefined) symlinkSync(join(folder, 'nowhere'), file);
    else writeFileSync(file, content);
    for (const verb of [['keys', 'host', 'box'], ['up']])
      expect({ content, ...(await operator.fleet(...verb)) }).toMatchObject({
        code: 1,
        text: expect.stringMatching(expected),
      });
    expect(existsSync(join(folder, 'fleet/accounts.conf'))).toBe(false);
    expect(existsSync(join(folder, 'fleet/box.nk'))).toBe(false);
  }
});
