import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeKey } from '../../../src/fleet/bundle/keys.js';
import { fleet } from '../../../src/fleet/fleet.js';
import { ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { call, machine } from './machine.js';
import { freePort } from './server.js';

const joinedIn = (folder: string, name: string): string => join(folder, name, 'config/hookscope/fleet.json');

test('join names the file that is missing or wrong, and an address that is none, and then joins nothing', async () => {
  const folder = ownFolder();
  const one = machine(folder, 'one');
  const key = makeKey(join(folder, 'policy.key'));
  const url = `nats://127.0.0.1:${await freePort()}`;
  writeFileSync(join(folder, 'empty.nk'), '');
  writeFileSync(join(folder, 'torn.json'), '{');
  writeFileSync(join(folder, 'odd.json'), '{ "comands": {} }');
  for (const [args, expected] of [
    [[url, '--credentials', 'nope.nk'], /nope\.nk: there is no such file/],
    [[url, '--credentials', 'empty.nk'], /empty\.nk: expected NATS credentials/],
    [[url, '--credentials', '.'], /is a directory, not a file/],
    [[url, '--tls-ca', 'nope.pem'], /nope\.pem: there is no such file/],
    [[url, '--tls-cert', 'no.crt', '--tls-key', 'policy.key'], /no\.crt: there is no such file/],
    [[url, '--tls-cert', 'policy.key', '--tls-key', 'no.key'], /no\.key: there is no such file/],
    [[url, '--allow', 'nope.json'], /nope\.json: there is no such file/],
    [[url, '--allow', 'torn.json'], /torn\.json: .*JSON/],
    [[url, '--allow', 'odd.json'], /odd\.json: /],
    [['foo'], /expected the broker's address, as nats:\/\/127\.0\.0\.1:4222, got "foo"/],
    [[''], /expected the broker's address/],
    [['nats://'], /expected the broker's address/],
    [['http://127.0.0.1:4222'], /expected the broker's address/],
    [['127.0.0.1:4222'], /expected the broker's address/],
    [['bob:pw@host'], /got "host"/],
  ] as const) {
    const said = await one.fleet('join', ...args, '--key', key);
    expect({ args, ...said }).toMatchObject({ code: 1, text: expect.stringMatching(expected) });
    expect(said.text).not.toContain('pw');
    expect(existsSync(joinedIn(folder, 'one'))).toBe(false);
  }
  expect(await one.fleet('join', url, '--key', key)).toMatchObject({ code: 0 });
});

test('a server whose credentials or certificates have gone says which file it is', async () => {
  const folder = ownFolder();
  for (const [name, more, expected] of [
    ['one', { credentials: join(folder, 'gone.nk') }, /gone\.nk: there is no such file/],
    ['two', { tls: { ca: join(folder, 'gone.pem') } }, /gone\.pem: there is no such file/],
  ] as const) {
    mkdirSync(join(folder, name, 'config/hookscope'), { recursive: true });
    const joined = { servers: [`nats://127.0.0.1:${await freePort()}`], team: 'acme', keys: [], host: name, ...more };
    writeFileSync(joinedIn(folder, name), JSON.stringify(joined));
    const { child, said } = machine(folder, name).start('serve');
    await until(() => expected.test(said.text));
    await until(() => said.text.includes('hookscope serves on'));
    expect(said.text.match(/there is no such file/g)?.length).toBe(1);
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

test('no password of an address is printed, whatever the address looks like', async () => {
  const folder = ownFolder();
  const one = machine(folder, 'one');
  const key = makeKey(join(folder, 'policy.key'));
  const at = `127.0.0.1:${await freePort()}`;
  mkdirSync(join(folder, 'one/config/hookscope'), { recursive: true });
  for (const server of [`nats://:s3cret@${at}`, `bob:s3cret@${at}`]) {
    writeFileSync(joinedIn(folder, 'one'), JSON.stringify({ servers: [server], team: 'acme', keys: [key] }));
    const status = await one.fleet('status');
    expect(status.code).toBe(1);
    expect(status.text).toContain(at);
    const again = await one.fleet('join', `nats://bob:s3cret@${at}`, '--key', key);
    expect(again).toMatchObject({ code: 0, text: expect.stringMatching(/in place of the team acme at \S+/) });
    expect(`${status.text}${again.text}`).not.toContain('s3');
  }
  expect(readFileSync(joinedIn(folder, 'one'), 'utf8')).toContain('s3cret');
});

test('whatever is in the place of fleet.json counts, also a link that leads nowhere', async () => {
  const folder = ownFolder();
  const one = machine(folder, 'one');
  const config = join(folder, 'one/config');
  const link = (path: string): void => {
    rmSync(config, { recursive: true, force: true });
    mkdirSync(join(path, '..'), { recursive: true });
    symlinkSync(join(folder, 'nowhere'), path);
  };
  for (const path of [joinedIn(folder, 'one'), join(config, 'hookscope'), config]) {
    link(path);
    const said = await one.run(['hook', 'PreToolUse'], call('ls'));
    expect({ path, ...said }).toMatchObject({
      code: 2,
      text: expect.stringMatching(/fleet\.json: there is no such file/),
    });
  }
  link(joinedIn(folder, 'one'));
  expect(await one.run(['serve'])).toMatchObject({
    code: 1,
    text: expect.stringMatching(/fleet\.json: there is no such/),
  });
  expect(await one.fleet('leave')).toMatchObject({ code: 0 });
  expect(await one.fleet('leave')).toMatchObject({ code: 1, text: expect.stringMatching(/no fleet was joined/) });
});

test('an option that a verb would ignore is refused', async () => {
  const folder = ownFolder();
  const one = machine(folder, 'one');
  makeKey(join(folder, 'a.key'));
  for (const [args, expected] of [
    [['keys', 'new', 'f.key', '--team', 'x'], /fleet keys new: --team is not for it/],
    [['keys', 'new', 'f.key', '--dir', 'x'], /fleet keys new: --dir is not for it/],
    [['keys', 'show', 'a.key', '--dir', '/nope'], /fleet keys show: --dir is not for it/],
    [['keys', 'host', 'a', '--team', 'x'], /fleet keys host: --team is not for it/],
    [['leave', '--no-redact'], /fleet leave: --no-redact is not for it/],
    [['status', '--no-redact', '--servers', 'nats://127.0.0.1:1'], /fleet status: --no-redact is not for it/],
    [['keys', 'new', 'f.key', '--no-redact'], /--no-redact is not for it/],
  ] as const)
    expect({ args, ...(await one.fleet(...args)) }).toMatchObject({ code: 1, text: expect.stringMatching(expected) });
  expect(existsSync(join(folder, 'f.key'))).toBe(false);
  expect(await one.fleet('keys', 'show', 'a.key')).toMatchObject({ code: 0 });
  expect((await one.fleet('log', '--no-redact', '--servers', 'nats://127.0.0.1:1')).text).not.toMatch(/is not for it/);
});

test('a program that has joined has a log on its disk from then on, also without a broker', async () => {
  const folder = ownFolder();
  const servers = `nats://127.0.0.1:${await freePort()}`;
  const team = await fleet({ servers, team: 'acme', host: 'h1', keys: [], folder, patience: 0.01, logger: () => {} });
  const logs = readdirSync(join(folder, 'acme/h1')).filter((name) => name.startsWith('log-'));
  expect(logs).toHaveLength(1);
  await team.close();
});
