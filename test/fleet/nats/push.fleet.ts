import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pushVerb, rollbackVerb } from '../../../src/cli/fleet/push.js';
import { createHost, type Host } from '../../../src/create-host.js';
import { makeKey } from '../../../src/fleet/bundle/keys.js';
import { type Fleet, fleet } from '../../../src/fleet/fleet.js';
import { natsEngine } from '../../../src/fleet/nats/engine.js';
import { postedFor } from '../../../src/fleet/operator.js';
import { bundleOf, denies, newKey, ownFolder } from '../bundles.js';
import { until } from '../contract.js';
import { startNats } from './server.js';

const thief = newKey();
const open = { 'acme/a.json': { hooks: { PreToolUse: [{ hooks: [{ type: 'rule', decision: 'allow' }] }] } } };

/** A broker, hosts that trust one key, its operator, and somebody else who may post. */
async function team(hosts: readonly string[]) {
  const server = await startNats();
  const folder = ownFolder();
  const [file, next] = [join(folder, 'policy.key'), join(folder, 'next.key')];
  const [key, nextKey] = [makeKey(file), makeKey(next)];
  const anybody = natsEngine({ servers: [server.url], team: 'acme', name: 'anybody' });
  await until(() => anybody.connected);
  await anybody.prepare();
  const joined = await Promise.all(
    hosts.map(async (name) => {
      const options = { servers: server.url, team: 'acme', host: name, keys: [key], folder: ownFolder() };
      const one = await fleet({ ...options, logger: () => undefined });
      const host = createHost({ logger: () => undefined }) as Host;
      one.join(host);
      return { one, host };
    }),
  );
  /** What a verb prints and tells, or why it does nothing. */
  const run = async (verb: typeof pushVerb, names: string[], flags: object): Promise<string> => {
    const said: string[] = [];
    const say = (text: string) => void said.push(text);
    const terminal = { tell: say, print: async (text: string) => say(text), signal: new AbortController().signal };
    const all = { servers: [server.url], team: 'acme', sign: [file], ...flags };
    await verb(names, all as never, terminal as never).catch((error: Error) => say(`refused: ${error.message}`));
    return said.join('\n');
  };
  let made = 0;
  return {
    ...{ anybody, key, next, nextKey, file, joined },
    push: (revision: string, flags: object = {}, about: object = {}) => {
      const own = join(folder, `p${made++}`);
      mkdirSync(join(own, 'acme'), { recursive: true });
      writeFileSync(join(own, 'bundle.json'), JSON.stringify({ roots: ['acme'], ...about }));
      writeFileSync(join(own, 'acme/a.json'), JSON.stringify(denies('git push *', revision)));
      return run(pushVerb, [own], { revision, ...flags });
    },
    rollback: (flags: object = {}) => run(rollbackVerb, [], flags),
    post: async (sequence: number, about: object = {}) => {
      const last = (await anybody.policy.history('stable')).at(-1)?.version ?? 0;
      await anybody.policy.post('stable', bundleOf(sequence, open, [thief], about), last);
    },
    has: (sequence: number) => until(() => joined.every(({ one }) => sequenceOf(one) === sequence)),
    /** What the broker knows of the hosts. */
    reported: async (sequence: number) =>
      until(async () => {
        const all = (await anybody.state.all()).map(({ bytes }) => JSON.parse(Buffer.from(bytes).toString()));
        return all.length === hosts.length && all.every(({ channels: [own] }) => own.sequence === sequence);
      }),
    end: async () => {
      for (const { one, host } of joined) {
        await one.close();
        await host.close();
      }
      await anybody.close();
      await server.end();
    },
  };
}

const sequenceOf = (one: Fleet) => one.status().channels[0]?.sequence;

test('whoever may post and has no key has nothing signed by a rollback, and locks nobody out', async () => {
  const { push, rollback, post, has, reported, joined, end } = await team(['h']);
  try {
    expect(await push('v1')).toMatch(/^stable v1 \(1\) is posted/);
    await post(2, { revision: 'v1', approvers: { thief: thief.id } });
    await post(900);
    const second = await push('v2');
    expect(second).toMatch(/^2 of what is kept in stable does not count, .*\(--key\)\nstable v2 \(2\) is posted/);
    await has(2);
    for (const to of [undefined, 'v1']) {
      expect(await rollback(to === undefined ? {} : { to })).toMatch(/stable v1 \(\d\) is posted/);
      await until(() => joined[0]?.one.status().channels[0]?.revision === 'v1');
    }
    const call = { tool_name: 'Bash', tool_input: { command: 'git push x' }, tool_use_id: 't', session_id: 's' };
    expect(await joined[0]?.host.fire('PreToolUse', call as never)).toMatchObject({ verdict: 'deny', reason: 'v1' });
    expect(await rollback({ to: 'r900' })).toMatch(/has no revision r900; there are v1, v2; 2 that none of the keys/);

    for (let i = 0; i < 32; i++) await post(500_000_000 + i);
    await reported(4);
    const refused = await push('v3');
    expect(refused).toMatch(/refused: .*nothing that is kept there is signed with the keys at hand.*--sequence N/);
    expect(await push('v3', { sequence: '5' })).toMatch(/stable v3 \(5\) is posted/);
    await has(5);
    expect(await push('v4')).toMatch(/stable v4 \(6\) is posted/);
    await has(6);
  } finally {
    await end();
  }
});

test('a number that every host refuses is not posted, unless it is given', async () => {
  const { push, anybody, has, reported, end } = await team(['a', 'b']);
  try {
    await push('v1', { sequence: '7' });
    await has(7);
    await reported(7);
    // Its own, from before somebody has lost the stream.
    expect(await push('v2', { sequence: '3' })).toMatch(
      /^a refuses it: .*\nb refuses it: .*\nstable v2 \(3\) is posted/,
    );
    for (let i = 0; i < 32; i++) {
      const last = (await anybody.policy.history('stable')).at(-1)?.version ?? 0;
      await anybody.policy.post('stable', (await anybody.policy.history('stable')).at(-1)?.bytes as never, last);
    }
    const refused = await push('v3');
    expect(refused).toMatch(
      /refused: .*every host that has reported refuses it: a refuses it: its sequence is 4, and 7/,
    );
    expect((await anybody.policy.history('stable')).length).toBe(32);
    expect(await push('v3', { sequence: '8' })).toMatch(/stable v3 \(8\) is posted/);
    await has(8);
  } finally {
    await end();
  }
});

test('a rollback is to what all other hosts have while a canary is tried, and not to what has expired', async () => {
  const { push, rollback, has, joined, end } = await team(['a', 'h7']);
  try {
    await push('v0');
    await push('v1');
    await has(2);
    await push('v2', { canary: '99%' });
    await until(() => joined.some(({ one }) => sequenceOf(one) === 3));
    expect(await rollback()).toMatch(/stable v1 \(4\) is posted for all hosts/);
    await has(4);
    expect(await push('e1', {}, { expires: new Date(Date.now() + 1_500).toISOString() })).toMatch(/e1 \(5\)/);
    await push('e2');
    await sleep(1_600);
    expect(await rollback()).toMatch(/refused: .*stable e1 .*it has expired on/);
    expect(await rollback({ to: 'v1' })).toMatch(/stable v1 \(7\) is posted/);
    await has(7);
  } finally {
    await end();
  }
});

test('a rollback goes back to what was there before, also where that came after an older revision', async () => {
  const { anybody, push, rollback, has, end } = await team(['h']);
  try {
    for (const revision of ['v1', 'v2', 'v3', 'v2']) await push(revision);
    const before = Date.now();
    expect(await rollback()).toMatch(/stable v3 \(5\)/);
    const found = await postedFor(anybody, 'stable');
    expect(found?.bundle.manifest.created.localeCompare(new Date(before).toISOString())).toBe(-1);
    expect(Date.parse(found?.since ?? '')).toBeGreaterThanOrEqual(before);
    expect(await rollback()).toMatch(/stable v2 \(6\)/);
    expect(await rollback()).toMatch(/stable v1 \(7\)/);
    expect(await rollback()).toMatch(/nothing before the last revision/);
    await has(7);
  } finally {
    await end();
  }
});

test('after a change of keys what the old key has signed counts where it is named', async () => {
  const { push, rollback, has, file, next, key, nextKey, end } = await team(['h']);
  try {
    await push('v1');
    await push('v2', { sign: [file, next] }, { keys: [nextKey] });
    await has(2);
    expect(await rollback({ sign: [next] })).toMatch(
      /refused: .*nothing before the last revision of stable; 1 that none/,
    );
    expect(await rollback({ sign: [next], key: [key] })).toMatch(/stable v1 \(3\) is posted/);
    await has(3);
    const late = await push('v4');
    expect(late).toMatch(/hosts that have followed the change of keys refuse it: it is signed with none/);
  } finally {
    await end();
  }
});

test('a canary is for few hosts, which says nothing of its keys', async () => {
  const { push, end } = await team(['a']);
  try {
    expect(await push('v1')).toMatch(/^stable v1 \(1\) is posted/);
    for (const canary of ['5%', '50%']) expect(await push(canary, { canary })).toMatch(/^stable \d+% \(\d\) is posted/);
  } finally {
    await end();
  }
});
