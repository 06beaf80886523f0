import { statSync } from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { formatFire } from '../../src/emit/reading/print.js';
import { bundleOf, denies, newKey } from './bundles.js';
import { until } from './contract.js';
import { bash, channel, ground, key, verdict } from './ground.js';

describe('a policy', () => {
  test('is in force on every host that has joined, above what is registered there, and changes between fires', async () => {
    const { join, push } = ground();
    const a = await join();
    const b = await join({ host: 'h2' });
    expect(await verdict(a.host, 'git push')).toBe('none');
    await push(bundleOf(1, { 'acme/base.json': denies('git push *', 'Push by hand') }, [key]));
    await until(() => channel(a.team)?.sequence === 1 && channel(b.team)?.sequence === 1);
    for (const { host } of [a, b]) {
      host.register({
        PreToolUse: [
          {
            hooks: [
              () => ({ hookSpecificOutput: { permissionDecision: 'allow', hookEventName: 'PreToolUse' } }) as never,
            ],
          },
        ],
      });
      const decision = await host.fire('PreToolUse', bash('git push origin') as never);
      expect(decision).toMatchObject({ verdict: 'deny', reason: 'Push by hand' });
    }
    await push(bundleOf(2, { 'acme/base.json': denies('rm *', 'No') }, [key]));
    await until(() => channel(a.team)?.sequence === 2);
    expect(await verdict(a.host, 'git push origin')).toBe('allow');
    expect(await verdict(a.host, 'rm x')).toBe('deny');
  });

  test('names its revision in each record, and no record has two of them', async () => {
    const { join, push } = ground();
    const { host, team } = await join();
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') records.push(record);
    });
    const rules = (reason: string) => ({ 'acme/a.json': denies('x *', reason), 'acme/b.json': denies('x *', reason) });
    await push(bundleOf(1, rules('one'), [key]));
    await until(() => channel(team)?.sequence === 1);
    // One that waits while the bundle changes goes on with the plan that it began with.
    let go: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      go = resolve;
    });
    host.register({ PreToolUse: [{ stage: -1, hooks: [() => waits] }] });
    const under = host.fire('PreToolUse', bash('x y') as never);
    await push(bundleOf(2, rules('two'), [key]));
    await until(() => channel(team)?.sequence === 2);
    go();
    expect((await under).reason).toContain('one');
    expect((await host.fire('PreToolUse', bash('x y') as never)).reason).toContain('two');
    const names = records.map(({ handlers }) => [
      ...new Set(handlers.filter(({ source }) => source.kind === 'fleet').map(({ source }) => source.name)),
    ]);
    expect(names).toEqual([['stable@1 r1'], ['stable@2 r2']]);
    // Also of an event that it has no hooks for, and of a fire that is refused.
    await host.fire('SessionEnd', { session_id: 's1', reason: 'other' } as never);
    await host.fire('PreToolUse', { tool_name: 3 } as never).catch(() => undefined);
    expect(records.map(({ policies }) => policies)).toEqual(
      [1, 2, 2, 2].map((n) => [{ channel: 'stable', revision: `r${n}`, sequence: n }]),
    );
    expect(records.at(-1)?.error).toBe('INVALID_INPUT');
    expect(formatFire(records[0] as FireRecord)).toContain(' under stable r1 (1)');
  });

  test('that is none yet is named as that; who has left a fleet, or was in none, names none', async () => {
    const { host, team } = await ground().join();
    const records: FireRecord[] = [];
    const listen = (to: Host): void => {
      to.events$.subscribe((record) => {
        if (record.type === 'hook_fire') records.push(record);
      });
    };
    listen(host);
    await verdict(host, 'ls');
    const other = createHost();
    listen(other);
    const leave = team.join(other);
    leave();
    await verdict(other, 'ls');
    await other.close();
    expect(records.map(({ policies }) => policies)).toEqual([[{ channel: 'stable' }], undefined]);
  });

  test('for agents of a type stands in the managed scope: ending the agent does not end it, and its Stop is theirs', async () => {
    const { join, push } = ground();
    const { host, team } = await join();
    const file = {
      spawnHooks: {
        reviewer: {
          PreToolUse: [
            { matcher: 'Edit|Write', hooks: [{ type: 'rule', decision: 'deny', reason: 'Reviewers read' }] },
          ],
        },
      },
    };
    await push(bundleOf(1, { 'acme/agents.json': file }, [key]));
    await until(() => channel(team)?.sequence === 1);
    const edit = (more: object) =>
      host.fire('PreToolUse', {
        tool_name: 'Edit',
        tool_input: {},
        tool_use_id: 't',
        session_id: 's1',
        ...more,
      } as never);
    expect((await edit({ agent_id: 'a1', agent_type: 'reviewer' })).verdict).toBe('deny');
    host.unregisterScoped({ session: 's1', agent: 'a1' });
    expect((await edit({ agent_id: 'a1', agent_type: 'reviewer' })).verdict).toBe('deny');
    expect((await edit({ agent_id: 'a2', agent_type: 'writer' })).verdict).toBe('none');
    expect((await edit({})).verdict).toBe('none');
    expect(await verdict(host, 'ls', { agent_id: 'a1', agent_type: 'reviewer' })).toBe('none');
  });

  test('is kept for the next start, where nobody can be reached; it is a file for its owner alone', async () => {
    const { join, push, broker } = ground();
    const first = await join();
    await push(bundleOf(3, { 'acme/base.json': denies('git push *', 'Push by hand') }, [key]));
    await until(() => channel(first.team)?.sequence === 3);
    await first.team.close();
    broker.away = true;
    const { host, team, folder } = await join({ folder: first.folder });
    expect(channel(team)).toMatchObject({ revision: 'r3', sequence: 3 });
    expect(await verdict(host, 'git push x')).toBe('deny');
    expect(statSync(`${folder}/acme/h1/stable.bundle.json`).mode & 0o777).toBe(0o600);
  });

  test('that was never heard of makes every gate ask, and says so, until the fleet is there', async () => {
    const { join, broker } = ground();
    broker.away = true;
    const { host, team } = await join();
    const decision = await host.fire('PreToolUse', bash('ls') as never);
    expect(decision.verdict).toBe('ask');
    expect(decision.reason).toMatch(/not known yet/);
    broker.away = false;
    await until(() => channel(team)?.asks === undefined);
    expect(await verdict(host, 'ls')).toBe('none');
  });

  test('that has expired stays, and every gate asks', async () => {
    const { join, push, told } = ground();
    const { host, team } = await join();
    const expires = new Date(Date.now() + 400).toISOString();
    await push(bundleOf(1, { 'acme/base.json': denies('git push *', 'no') }, [key], { expires }));
    await until(() => channel(team)?.sequence === 1);
    await until(() => channel(team)?.asks !== undefined);
    expect(await verdict(host, 'ls')).toBe('ask');
    expect(await verdict(host, 'git push x')).toBe('deny');
    await until(() => /has expired on .* every gate asks/.test(told.join()));
    await push(bundleOf(2, { 'acme/base.json': denies('git push *', 'no') }, [key]));
    await until(() => channel(team)?.sequence === 2);
    expect(await verdict(host, 'ls')).toBe('none');
  });

  test('is left as it is until it expires, however long that takes: what was to run once has run', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { join, push } = ground();
      const under = join();
      await vi.advanceTimersByTimeAsync(1_000);
      const { team, host } = await under;
      const once = [{ type: 'rule', decision: 'deny', reason: 'Once', once: true }];
      const expires = new Date(Date.now() + 3 * 3_600_000).toISOString();
      await push(bundleOf(1, { 'acme/base.json': { hooks: { PreToolUse: [{ hooks: once }] } } }, [key], { expires }));
      await vi.advanceTimersByTimeAsync(1_000);
      expect(channel(team)?.sequence).toBe(1);
      expect([await verdict(host, 'a'), await verdict(host, 'b')]).toEqual(['deny', 'none']);
      await vi.advanceTimersByTimeAsync(2 * 3_600_000);
      expect(await verdict(host, 'c')).toBe('none');
    } finally {
      vi.useRealTimers();
    }
  });

  test('expires by the clock of the host, which is no part of it', async () => {
    const { join, push } = ground();
    const { team } = await join();
    const now = vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2020-01-01T00:00:00Z'));
    try {
      await push(bundleOf(1, { 'acme/base.json': denies('a *', 'no') }, [key], { expires: '2021-01-01T00:00:00Z' }));
      await until(() => channel(team)?.sequence === 1);
      expect(channel(team)?.asks).toBeUndefined();
    } finally {
      now.mockRestore();
    }
  });

  test('changes its keys by a bundle that both have signed, and knows them after a restart', async () => {
    const { broker, join, push } = ground();
    const next = newKey();
    const rule = { 'acme/base.json': denies('a *', 'no') };
    const first = await join();
    await push(bundleOf(1, rule, [key, next], { keys: [next.id] }));
    await until(() => channel(first.team)?.sequence === 1);
    await push(bundleOf(2, rule, [key]));
    await until(() => channel(first.team)?.refused !== undefined);
    expect(channel(first.team)?.refused?.reason).toMatch(/signed with none of the keys/);
    await push(bundleOf(3, rule, [next]));
    await until(() => channel(first.team)?.sequence === 3);
    // Who joins later with the old key follows as far as the channel keeps the change, and else is told what to do; with the new one it is as the others.
    const late = await join({ host: 'late' });
    expect(channel(late.team)?.sequence).toBe(3);
    broker.posts.set('stable', broker.posts.get('stable')?.slice(1) ?? []);
    // The change is kept besides.
    const follows = await join({ host: 'follows' });
    expect(channel(follows.team)?.sequence).toBe(3);
    broker.posts.delete('stable.keys');
    const missed = await join({ host: 'missed' });
    expect(channel(missed.team)?.refused?.reason).toMatch(/where the team has changed its keys, join with the new one/);
    expect(await verdict(missed.host, 'ls')).toBe('ask');
    const later = await join({ host: 'later', keys: [next.id] });
    expect(channel(later.team)?.sequence).toBe(3);
    await first.team.close();
    const again = await join({ folder: first.folder });
    expect(channel(again.team)?.sequence).toBe(3);
    await push(bundleOf(4, rule, [key]));
    await until(() => channel(again.team)?.refused !== undefined);
    expect(channel(again.team)?.sequence).toBe(3);
  });

  test('goes to a share of hosts first, the same ones each time, and to all with the next bundle', async () => {
    const { join, push } = ground();
    const hosts = await Promise.all(Array.from({ length: 20 }, (_, i) => join({ host: `host-${i}` })));
    await push(bundleOf(1, { 'acme/base.json': denies('a *', 'no') }, [key]));
    await until(() => hosts.every(({ team }) => channel(team)?.sequence === 1));
    await push(bundleOf(2, { 'acme/base.json': denies('b *', 'no') }, [key], { canary: 0.3 }), 'stable.canary');
    const taken = (): string[] =>
      hosts.filter(({ team }) => channel(team)?.sequence === 2).map(({ team }) => team.host);
    await until(() => taken().length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const first = taken();
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(14);
    expect(hosts.some(({ team }) => channel(team)?.refused)).toBe(false);
    await push(bundleOf(3, { 'acme/base.json': denies('c *', 'no') }, [key]));
    await until(() => hosts.every(({ team }) => channel(team)?.sequence === 3));
    await push(bundleOf(4, { 'acme/base.json': denies('b *', 'no') }, [key], { canary: 0.3 }), 'stable.canary');
    await until(() => hosts.filter(({ team }) => channel(team)?.sequence === 4).length === first.length);
    expect(hosts.filter(({ team }) => channel(team)?.sequence === 4).map(({ team }) => team.host)).toEqual(first);
  });
});
