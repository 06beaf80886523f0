import { describe, expect, test } from 'vitest';
import { allow, ask } from '../../src/events/output/helpers.js';
import { rule } from '../../src/handlers/rule/spec.js';
import { servicesOf } from '../../src/host/internals.js';
import { TOOL_ALIASES } from '../../src/matching/tool-names.js';
import { anyHooks, testHost } from './kit.js';

// What hooks have asked about one call is put to the user, whatever else is known about calls that are equal to it.

const PUSH = { name: 'Bash', effect: 'read', input: { command: 'git push' }, execute: () => 'ok' } as const;
const pre = (id: string, more: object = {}) =>
  ({ tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: id, agent_id: 'a1', ...more }) as const;
const question = (more: object = {}) =>
  ({ tool_name: 'Bash', tool_input: { command: 'x' }, agent_id: 'a1', ...more }) as const;

/** Asks about the first call alone. */
const ONCE: Readonly<Record<string, () => object>> = {
  'a callback with once': () => ({ once: true, hooks: [() => ask('sure?')] }),
  'a rule with once': () => ({ once: true, hooks: [rule('ask', 'sure?')] }),
  'a hook with state': () => {
    let calls = 0;
    return { hooks: [() => (calls++ === 0 ? ask('sure?') : undefined)] };
  },
};

describe.each(Object.entries(ONCE))('%s', (_name, group) => {
  test.each([1, 2, 3])('asks about one of %i equal calls, which the user is asked about', async (count) => {
    const { host } = testHost();
    host.register(anyHooks({ PreToolUse: [group()] }));
    host.registerScoped('a1', { PermissionRequest: [{ if: 'Bash(git *)', hooks: [rule('allow')] }] });
    const asked: string[] = [];
    const session = await host.openSession({
      permission: () => ({ behavior: 'ask' }),
      ask: (_input: unknown, { id }: { readonly id: string }) => {
        asked.push(id);
        return { behavior: 'deny', message: 'no' };
      },
    } as never);
    const agent = await session.spawn({ agent_type: 'w', id: 'a1' });
    const { results } = await agent.toolBatch(Array.from({ length: count }, () => PUSH));
    expect(results.map(({ status }) => status).sort()).toEqual(['denied', ...Array(count - 1).fill('ran')]);
    expect(asked).toHaveLength(1);
    await host.close();
  });

  test.each([1, 2])('of managed policy asks about one of %i equal calls', async (count) => {
    const { host } = testHost();
    servicesOf(host).registrar.register(undefined, anyHooks({ PreToolUse: [group()] }), {}, true);
    host.register(anyHooks({ PermissionRequest: [{ hooks: [() => allow()] }] }));
    let asked = 0;
    const session = await host.openSession({
      permission: () => ({ behavior: 'ask' }),
      ask: () => {
        asked++;
        return { behavior: 'deny', message: 'no' };
      },
    });
    const { results } = await session.toolBatch(Array.from({ length: count }, () => PUSH));
    expect(results.map(({ status }) => status).sort()).toEqual(['denied', ...Array(count - 1).fill('ran')]);
    expect(asked).toBe(1);
    await host.close();
  });

  test('asks about a call: a question without an id may be about it, until it has ended or is judged again', async () => {
    const ends = {
      nothing: () => undefined,
      ran: { fire: 'PostToolUse', with: { tool_response: {} } },
      again: { fire: 'PreToolUse', with: {} },
      failed: { fire: 'PostToolUseFailure', with: { error: 'exit 1', is_interrupt: false } },
      denied: { fire: 'PermissionDenied', with: { reason: 'no' } },
      interrupted: { fire: 'PostToolUseFailure', with: { error: 'waits', is_interrupt: true } },
    } as const;
    for (const [name, end] of Object.entries(ends)) {
      const { host } = testHost();
      host.register(anyHooks({ PreToolUse: [group()] }));
      host.registerScoped('a1', { PermissionRequest: [{ hooks: [rule('allow')] }] });
      expect((await host.fire('PreToolUse', pre('t1'))).verdict).toBe('ask');
      expect((await host.fire('PreToolUse', pre('t2'))).verdict).toBe('none');
      expect((await host.fire('PermissionRequest', question())).verdict).toBe('none');
      expect((await host.fire('PermissionRequest', question(pre('t1')))).verdict).toBe('none');
      expect((await host.fire('PermissionRequest', question(pre('t2')))).verdict).toBe('allow');
      if (typeof end !== 'function') await host.fire(end.fire as 'PreToolUse', pre('t1', end.with));
      const { verdict } = await host.fire('PermissionRequest', question());
      expect([name, verdict]).toEqual([name, /nothing|interrupted/.test(name) ? 'none' : 'allow']);
      await host.close();
    }
  });
});

test('an ask stands however many equal calls are judged that no hook asks about', async () => {
  const { host } = testHost();
  let calls = 0;
  host.register(anyHooks({ PreToolUse: [{ hooks: [() => (calls++ === 0 ? ask('sure?') : undefined)] }] }));
  host.registerScoped('a1', { PermissionRequest: [{ hooks: [rule('allow')] }] });
  for (let i = 0; i < 1_002; i++) await host.fire('PreToolUse', pre(`t${i}`));
  expect((await host.fire('PermissionRequest', question(pre('t0')))).verdict).toBe('none');
  expect((await host.fire('PermissionRequest', question())).verdict).toBe('none');
  expect((await host.fire('PermissionRequest', question(pre('t500')))).verdict).toBe('allow');
  await host.close();
});

test.each(Object.entries(TOOL_ALIASES).flatMap(([now, former]) => former.map((name) => [now, name] as const)))(
  'what was asked about %s is asked about %s, and the reverse',
  async (now, former) => {
    for (const [before, after] of [
      [now, former],
      [former, now],
      [former, former],
    ] as const)
      for (const managed of [false, true]) {
        const { host } = testHost();
        const hooks = anyHooks({ PreToolUse: [{ hooks: [() => ask('sure?')] }] });
        if (managed) servicesOf(host).registrar.register(undefined, hooks, {}, true);
        else host.register(hooks);
        const letIn = { PermissionRequest: [{ hooks: [managed ? () => allow() : rule('allow')] }] };
        host.registerScoped('a1', anyHooks(letIn));
        await host.fire('PreToolUse', pre('t1', { tool_name: before }));
        const { verdict } = await host.fire('PermissionRequest', question({ tool_name: after }));
        expect([before, after, managed, verdict]).toEqual([before, after, managed, 'none']);
        await host.close();
      }
  },
);

test("what a raw tap asks is the host's ask, whoever else asks", async () => {
  for (const agentAsks of [false, true]) {
    const { host } = testHost();
    host.hooks.PreToolUse.tap({ name: 'raw', stage: -10 }, () => ask('the host asks'));
    if (agentAsks) host.registerScoped('a1', { PreToolUse: [{ hooks: [() => ask('the agent asks')] }] });
    host.registerScoped('a1', { PermissionRequest: [{ hooks: [rule('allow')] }] });
    expect((await host.fire('PreToolUse', pre('t1'))).verdict).toBe('ask');
    expect((await host.fire('PermissionRequest', question())).verdict).toBe('none');
    await host.close();
  }
});

test('a call of another tool under the id of an asked call settles no ask', async () => {
  const { host } = testHost();
  host.register({ PreToolUse: [{ hooks: [() => ask('sure?')] }] });
  host.registerScoped('a1', { PermissionRequest: [{ hooks: [rule('allow')] }] });
  const isOpen = async () => (await host.fire('PermissionRequest', question())).verdict !== 'allow';
  for (const event of ['PostToolUse', 'PostToolUseFailure', 'PermissionDenied'] as const) {
    const end = (more: object) =>
      host.fire(event, { ...pre('t1', more), tool_response: {}, error: 'x', reason: 'no' } as never);
    await host.fire('PreToolUse', pre('t1'));
    await end({ tool_name: 'Read', tool_input: { file_path: '/a' } });
    expect([event, await isOpen()]).toEqual([event, true]);
    await end({});
    expect([event, await isOpen()]).toEqual([event, false]);
  }
  await host.close();
});
