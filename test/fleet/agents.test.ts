import { describe, expect, test } from 'vitest';
import type { Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/fire-record.js';
import { allow } from '../../src/events/output/helpers.js';
import { readBundle } from '../../src/fleet/bundle/bundle.js';
import { checkPolicy } from '../../src/fleet/policy/check.js';
import { driftOf } from '../../src/fleet/policy/drift.js';
import { bundleOf } from './bundles.js';
import { until } from './contract.js';
import { channel, ground, key } from './ground.js';

describe('a policy for agents of a type is asked about calls that name the agent alone:', () => {
  const write = [{ matcher: 'Edit', hooks: [{ type: 'rule', decision: 'deny', reason: 'Reviewers read' }] }];
  const spawnHooks = { reviewer: { PreToolUse: write } };
  const edit = { tool_name: 'Edit', tool_input: {}, tool_use_id: 't', session_id: 's1' };
  const asked = async (host: Host, more: object, options: object = {}) =>
    (await host.fire('PreToolUse', { ...edit, ...more } as never, options)).verdict;
  const started = { agent_id: 'a9', agent_type: 'reviewer', session_id: 's1' };
  const under = async (policy: object = { spawnHooks }) => {
    const { join, push } = ground();
    const { host, team } = await join();
    await push(bundleOf(1, { 'acme/agents.json': policy }, [key]));
    await until(() => channel(team)?.sequence === 1);
    await host.fire('SubagentStart', started as never);
    return { host, push, team };
  };

  test('by the id, by the scope of the fire, until it has ended and after', async () => {
    const { host } = await under();
    const calls = async () => [
      await asked(host, { agent_id: 'a9' }),
      await asked(host, {}, { scope: { session: 's1', agent: 'a9' } }),
      await asked(host, { agent_id: 'a8' }),
      await asked(host, { agent_id: 'a9', session_id: 's2' }),
      await asked(host, {}),
    ];
    expect(await calls()).toEqual(['deny', 'deny', 'none', 'none', 'none']);
    const { hooks } = host.explain('PreToolUse', { ...edit, agent_id: 'a9' } as never);
    expect(hooks).toMatchObject([{ runs: true }]);
    host.unregisterScoped({ session: 's1', agent: 'a9' });
    expect((await calls()).slice(0, 2)).toEqual(['deny', 'deny']);
    await host.fire('SubagentStop', { ...started, stop_hook_active: false } as never);
    expect(await asked(host, { agent_id: 'a9' })).toBe('deny');
  });

  test('after an event of it has named another type whose hooks are its own then, too', async () => {
    const { host } = await under();
    host.spawnHooks('worker', { PreToolUse: [{ hooks: [() => undefined] }] });
    host.registerScoped(
      { session: 's1', agent: 'kid' },
      { PreToolUse: [{ hooks: [() => undefined] }] },
      { parent: { session: 's1', agent: 'a9' } },
    );
    const verdicts: unknown[] = [];
    for (const more of [{}, { agent_type: 'worker' }, {}]) {
      const call = { ...edit, agent_id: 'a9', ...more };
      verdicts.push(host.explain('PreToolUse', call as never).hooks.filter(({ runs }) => runs).length);
      verdicts.push(await asked(host, { agent_id: 'a9', ...more }), await asked(host, { agent_id: 'kid' }));
    }
    expect(verdicts).toEqual([1, 'deny', 'deny', 2, 'deny', 'deny', 2, 'deny', 'deny']);
    await host.fire('SubagentStop', { ...started, stop_hook_active: false } as never);
    expect(await asked(host, { agent_id: 'a9' })).toBe('deny');
  });

  test('where hooks for all sessions are registered for it, too', async () => {
    const { host } = await under();
    host.registerScoped('a9', { PreToolUse: [{ hooks: [() => undefined] }] });
    expect(await asked(host, { agent_id: 'a9' })).toBe('deny');
    const first = await under();
    first.host.registerScoped('b1', { PreToolUse: [{ hooks: [() => undefined] }] });
    await first.host.fire('SubagentStart', { ...started, agent_id: 'b1' } as never);
    expect(await asked(first.host, { agent_id: 'b1' })).toBe('deny');
    // Its type is known for all sessions, and it has a scope in this one.
    const { session_id: _, ...anywhere } = started;
    first.host.registerScoped('b2', { PreToolUse: [{ hooks: [() => undefined] }] });
    await first.host.fire('SubagentStart', { ...anywhere, agent_id: 'b2' } as never);
    first.host.registerScoped({ session: 's1', agent: 'b2' }, { PreToolUse: [{ hooks: [() => undefined] }] });
    expect(await asked(first.host, { agent_id: 'b2' })).toBe('deny');
  });

  test('where it is not enforced, in its record', async () => {
    const { host } = await under({ spawnHooks, enforce: false });
    const said: unknown[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire' && record.shadow_of !== undefined) said.push(record.would);
    });
    expect(await asked(host, { agent_id: 'a9' })).toBe('none');
    await until(() => said.length > 0);
    expect(said).toEqual(['deny']);
  });

  test('where somebody else would allow what it asks about', async () => {
    const ask = [{ matcher: 'Edit', hooks: [{ type: 'rule', decision: 'ask', reason: 'Reviewers read' }] }];
    const { host } = await under({ spawnHooks: { reviewer: { PreToolUse: ask } } });
    host.on('PermissionRequest', () => allow() as never);
    const request = async (more: object) =>
      (await host.fire('PermissionRequest', { ...edit, ...more } as never)).verdict;
    expect(await request({ agent_id: 'a9' })).not.toBe('allow');
    expect(await request({ agent_id: 'a8' })).toBe('allow');
  });

  test('under the next bundle, and no longer under one without it', async () => {
    const { host, push, team } = await under();
    await push(bundleOf(2, { 'acme/agents.json': { spawnHooks } }, [key]));
    await until(() => channel(team)?.sequence === 2);
    expect(await asked(host, { agent_id: 'a9' })).toBe('deny');
    await push(bundleOf(3, { 'acme/agents.json': {} }, [key]));
    await until(() => channel(team)?.sequence === 3);
    expect(await asked(host, { agent_id: 'a9' })).toBe('none');
  });

  test("in a comparison with what was decided, which the agent's start is before, in whatever order it comes", async () => {
    const { host, push, team } = await under();
    const records: FireRecord[] = [];
    host.events$.subscribe((record) => {
      if (record.type === 'hook_fire') records.push(record);
    });
    await host.fire('SubagentStart', { ...started, agent_id: 'c1' } as never);
    await asked(host, { agent_id: 'c1' });
    const driftUnder = async (policy: object, of: readonly FireRecord[]) => {
      async function* all(): AsyncGenerator<FireRecord> {
        yield* JSON.parse(JSON.stringify(of)) as FireRecord[];
      }
      const bundle = readBundle(bundleOf(2, { 'acme/agents.json': policy }, [key]));
      return driftOf((await checkPolicy(bundle, '/')).policy, all());
    };
    for (const of of [records, records.toReversed()]) {
      expect(await driftUnder({ spawnHooks }, of)).toMatchObject({ fires: 1, changed: 0 });
      expect(await driftUnder({}, of)).toMatchObject({ fires: 1, changed: 1 });
    }
    await team.drained();
    await push(bundleOf(2, { 'acme/agents.json': { spawnHooks } }, [key], { maxDrift: 0 }));
    await until(() => channel(team)?.sequence === 2);
    const [start, call] = records as [FireRecord, FireRecord];
    const cut = { ...call, truncated: ['input.tool_input.content'] } as FireRecord;
    expect(await driftUnder({ spawnHooks }, [start, cut])).toMatchObject({ fires: 1, changed: 0 });
    expect(JSON.stringify(host.describe())).not.toContain('agents of type');
    // More than are sorted.
    const many = [start, ...Array.from({ length: 1500 }, (_, i) => ({ ...call, fire_id: `f${i}` }))];
    expect(await driftUnder({ spawnHooks }, many)).toMatchObject({ fires: 1500, changed: 0 });
  });
});
