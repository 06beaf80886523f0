import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { denies, ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { call, machine } from './machine.js';
import { freePort } from './server.js';

test('from nothing to a policy on two machines, what they decide, a diff, a rollback, and a broker that is killed', async () => {
  const folder = ownFolder();
  const url = `nats://127.0.0.1:${await freePort()}`;
  const operator = machine(folder, 'operator');
  const up = async () => {
    const { said } = operator.start('fleet', 'up', '--port', url.split(':')[2] as string, '--team', 'acme');
    await until(() => said.text.includes('meets at'));
    return said;
  };
  await up();
  const as = ['--servers', url, '--team', 'acme', '--credentials', 'fleet/operator.nk'];
  const key = (await operator.fleet('keys', 'new', 'policy.key')).text.trim();
  expect(key).toMatch(/^ed25519:/);
  expect((await operator.fleet('keys', 'new', 'policy.key')).text).toMatch(/a key is never written over/);

  mkdirSync(join(folder, 'policy/acme'), { recursive: true });
  writeFileSync(join(folder, 'policy/bundle.json'), JSON.stringify({ roots: ['acme'] }));
  const write = (what: object): void => writeFileSync(join(folder, 'policy/acme/git.json'), JSON.stringify(what));
  write(denies('git push *', 'Push by hand'));

  const machines = [machine(folder, 'one'), machine(folder, 'two')] as const;
  const served: ReturnType<(typeof machines)[0]['start']>[] = [];
  for (const [i, one] of machines.entries()) {
    const name = `host-${i}`;
    expect(await operator.fleet('keys', 'host', name)).toMatchObject({ code: 0 });
    // One server runs already when its machine joins.
    const early = i === 0 ? one.start('serve') : undefined;
    if (early !== undefined) await until(() => early.said.text.includes('hookscope serves on'));
    const joined = await one.fleet(
      'join',
      url,
      '--team',
      'acme',
      '--credentials',
      `fleet/${name}.nk`,
      '--key',
      key,
      '--host',
      name,
    );
    expect(joined.text).toMatch(/stable: no policy/);
    const server = early ?? one.start('serve');
    served.push(server);
    await until(() => server.said.text.includes(early === undefined ? 'hookscope serves on' : 'a fleet was joined'));
  }
  expect((await operator.fleet('push', 'policy', '--sign', 'policy.key', ...as, '--revision', 'v1')).text).toMatch(
    /stable v1 \(1\) is posted for all hosts: 1 files/,
  );
  const status = async () => (await operator.fleet('status', ...as)).text;
  await until(async () => (await status()).match(/ v1 \(1\) /g)?.length === 2);
  expect(await status()).toMatch(/^stable v1 \(1\), posted \S+Z: 2 of 2 hosts have it$/m);
  for (const one of machines) {
    const { text } = await one.run(['hook', 'PreToolUse'], call('git push origin'));
    expect(text).toMatch(/"permissionDecision":"deny","permissionDecisionReason":"Push by hand"/);
    await one.run(['hook', 'PreToolUse'], call('npm publish'));
  }
  const log = async () => (await operator.fleet('log', ...as)).text;
  await until(async () => (await log()).match(/Push by hand/g)?.length === 2);
  expect(await log()).toMatch(/host-0 .* deny by acme\/git/);
  expect((await operator.fleet('log', ...as, '--long', '--host', 'host-1')).text).toMatch(
    /^ {2}under stable v1 \(1\)$/m,
  );
  const json = (await operator.fleet('log', ...as, '--json', '--blocked', '--host', 'host-1')).text.trim().split('\n');
  expect(json.map((line) => JSON.parse(line))).toMatchObject([{ fleet_host: 'host-1', type: 'hook_fire' }]);

  write(denies('npm publish *', 'By CI'));
  const diff = await operator.fleet('diff', 'policy', ...as);
  expect(diff).toMatchObject({ code: 1, text: expect.stringMatching(/4 of 4 decisions would change/) });
  expect(diff.text).toMatch(/2 {2}PreToolUse: none -> deny by acme\/git/);
  await operator.fleet('push', 'policy', '--sign', 'policy.key', ...as, '--revision', 'v2', '--canary', '60%');
  // It is for host-1 alone.
  await until(async () => (await status()).includes(' v2 (2) canary '));
  expect(await status()).toMatch(/^stable v1 \(1\), posted \S+Z: 1 of 2 hosts have it, 1 with a canary$/m);
  expect((await operator.fleet('push', 'policy', '--sign', 'policy.key', ...as, '--revision', 'v3')).text).toMatch(
    /v3 \(3\)/,
  );
  await until(async () => (await status()).match(/ v3 \(3\) /g)?.length === 2);
  expect((await operator.fleet('rollback', '--sign', 'policy.key', ...as)).text).toMatch(/stable v1 \(4\)/);
  await until(async () => (await status()).match(/ v1 \(4\) /g)?.length === 2);

  // Under a number that has counted: every host refuses it, and has what counts.
  for (const sequence of ['4', '2']) {
    const again = ['--sign', 'policy.key', ...as, '--revision', 'v1', '--sequence', sequence];
    const said = await operator.fleet('push', 'policy', ...again);
    expect(said).toMatchObject({ code: 0, text: expect.stringMatching(/host-1 refuses it: /) });
    await until(async () => (await status()).split(`refused v1 (${sequence})`).length === 3);
    expect(await status()).toMatch(/^stable v1 \(4\), posted \S+Z: 2 of 2 hosts have it$/m);
    expect(await status()).not.toContain(' BEHIND');
  }

  // Somebody else's key; the host's own credentials.
  await operator.fleet('keys', 'new', 'other.key');
  const evil = ['push', 'policy', '--sign', 'other.key', ...as, '--revision', 'evil'];
  expect((await operator.fleet(...evil)).text).toMatch(/nothing that is kept there is signed with the keys at hand/);
  await operator.fleet(...evil, '--sequence', '5');
  await until(async () => (await status()).match(/refused evil \(5\): it is signed with none/g)?.length === 2);
  expect(await status()).toMatch(/^stable v1 \(4\), posted \S+Z: 2 of 2 hosts have it$/m);
  const stolen = ['--servers', url, '--team', 'acme', '--credentials', 'fleet/host-0.nk'];
  const tried = [['push', 'policy', '--sign', 'policy.key'], ['status'], ['log']];
  for (const said of await Promise.all(tried.map((verb) => operator.fleet(...verb, ...stolen))))
    expect(said).toMatchObject({
      code: 1,
      text: expect.stringMatching(/host-0\.nk may not do that there: those of an operator/),
    });

  // The broker is killed, then a host's server ends: the policy stays, and what is decided arrives later.
  process.kill(Number(readFileSync(join(folder, 'fleet/nats.pid'), 'utf8')), 'SIGKILL');
  const second = served[1] as (typeof served)[number];
  await until(() => second.said.text.includes('is not there'));
  second.child.kill('SIGTERM');
  await once(second.child, 'exit');
  for (const one of machines)
    expect((await one.run(['hook', 'PreToolUse'], call('git push later'))).text).toMatch(/"permissionDecision":"deny"/);
  await up();
  machines[1].start('serve');
  await until(async () => (await log()).match(/git push later/g)?.length === 2);
  expect((await log()).match(/git push origin/g)?.length).toBe(2);

  const [first] = machines;
  expect((await first.fleet('leave')).code).toBe(0);
  await until(() => (served[0] as (typeof served)[number]).said.text.includes('the fleet was left'));
  await until(async () => !/"deny"/.test((await first.run(['hook', 'PreToolUse'], call('git push x'))).text));
});

test('a fleet that cannot be read lets nothing through, and can be left', async () => {
  const folder = ownFolder();
  const one = machine(folder, 'one');
  mkdirSync(join(folder, 'one/config/hookscope'), { recursive: true });
  writeFileSync(join(folder, 'one/config/hookscope/fleet.json'), '{ torn');
  const { code, text } = await one.run(['hook', 'PreToolUse'], call('ls'));
  expect({ code, text }).toMatchObject({ code: 2, text: expect.stringMatching(/fleet\.json: is not JSON/) });
  expect(await one.run(['serve'])).toMatchObject({ code: 1, text: expect.stringMatching(/fleet\.json: is not JSON/) });
  expect(await one.run(['fleet', 'leave'])).toMatchObject({ code: 0 });
  expect(await one.fleet('leave')).toMatchObject({ code: 1, text: expect.stringMatching(/no fleet was joined/) });
});

test('what a verb does not take is refused, with the nearest one that there is', async () => {
  const one = machine(ownFolder(), 'one');
  const wrong = [
    [['statsu'], /Did you mean "status"/],
    [['push'], /expected the folder of the policy, .* got nothing/],
    [['push', 'x', '--limit', '3'], /--limit is not for it/],
    [['join', 'nats://127.0.0.1:1'], /--key: expected the public key/],
    [['status'], /--servers: expected the address of a broker/],
    [['push', 'x', '--servers', 'nats://127.0.0.1:1', '--sign', 'none.key'], /none\.key: there is no such file/],
  ] as const;
  const all = await Promise.all(wrong.map(([args]) => one.fleet(...args)));
  for (const [i, [, said]] of wrong.entries())
    expect(all[i]).toMatchObject({ code: 1, text: expect.stringMatching(said) });
});
