import { describe, expect, test } from 'vitest';
import { createHost, type Host } from '../../src/create-host.js';
import type { FireRecord } from '../../src/emit/record.js';
import { allow, ask, combine, deny, rewrite } from '../../src/events/output/helpers.js';
import { rule } from '../../src/handlers/rule/spec.js';
import { servicesOf } from '../../src/host/internals.js';
import { answerFor } from '../../src/why/answer.js';
import { INPUTS } from './inputs.js';
import { anyHooks, fires, only, watch } from './kit.js';

const DECISIONS = ['strictest', 'first', 'last'] as const;
const CALL = { ...INPUTS.PreToolUse, tool_name: 'Bash', tool_input: { command: 'deploy' } };
const { tool_use_id: _, ...QUESTION } = CALL;

/** Ways in which managed policy asks about Bash. */
const ASKING: Record<string, object> = {
  'a rule': { matcher: 'Bash', hooks: [rule('ask', 'a person decides')] },
  'a callback': { matcher: 'Bash', hooks: [() => ask('a person decides')] },
  'a failure': {
    matcher: 'Bash',
    onFailure: 'ask',
    hooks: [
      () => {
        throw new Error('a person decides');
      },
    ],
  },
  'a callback beside a local ask': { matcher: 'Bash', hooks: [() => ask('a person decides')] },
};
/** Ways in which a local hook allows what was asked. */
const ALLOWING: Record<string, unknown> = {
  'a callback': () => allow(),
  'a rule': rule('allow', 'always'),
  'an allow with another input': () => combine(allow(), rewrite({ command: 'deploy --all' })),
  'the wire': () => ({ hookSpecificOutput: { decision: { behavior: 'allow', updatedPermissions: [{ type: 'x' }] } } }),
};
const WAYS = Object.keys(ASKING).flatMap((how) =>
  Object.keys(ALLOWING).flatMap((what) => DECISIONS.map((decisions) => [how, what, decisions] as const)),
);

function managed(host: Host, event: string, group: unknown): void {
  servicesOf(host).registrar.register(undefined, anyHooks({ [event]: [group] }), {}, true);
}

function make(how: string, what: string | undefined, decisions: (typeof DECISIONS)[number] = 'strictest'): Host {
  const host = createHost({ logger: () => undefined, decisions });
  managed(host, 'PreToolUse', ASKING[how]);
  if (how.endsWith('local ask')) host.register({ PreToolUse: [{ hooks: [() => ask('me too')] }] });
  if (what !== undefined) host.register(anyHooks({ PermissionRequest: [{ hooks: [ALLOWING[what]] }] }));
  return host;
}

describe('what managed policy asks about is answered by a person', () => {
  test.each(WAYS)('in a session: %s asks, and %s allows (%s)', async (how, what, decisions) => {
    for (const behavior of ['deny', 'allow'] as const) {
      const host = make(how, what, decisions);
      let asked = 0;
      const session = await host.openSession({
        ask: () => {
          asked++;
          return { behavior, message: 'said a person' } as never;
        },
      });
      const { status } = await session.tool({ name: 'Bash', input: { command: 'deploy' }, execute: () => 'done' });
      expect([asked, status]).toEqual([1, behavior === 'allow' ? 'ran' : 'denied']);
      await host.close();
    }
  });

  test.each(WAYS)('where an agent fires both events: %s asks, and %s allows (%s)', async (how, what, decisions) => {
    const host = make(how, what, decisions);
    const seen = watch(host);
    for (const _ of [1, 2, 3]) {
      expect((await host.fire('PreToolUse', CALL)).verdict).toBe('ask');
      const decision = await host.fire('PermissionRequest', QUESTION);
      expect(decision).toMatchObject({ verdict: 'none', overruled: [expect.any(String)] });
      expect([decision.updatedInput, decision.updatedPermissions]).toEqual([undefined, undefined]);
      expect(decision.toJSON()).not.toHaveProperty('hookSpecificOutput.decision');
    }
    expect(fires(seen).at(-1)?.decision).toMatchObject({ verdict: 'none', overruled: [expect.any(String)] });
  });

  test.each(Object.keys(ALLOWING))('in a process that knows only the question, by a rule: %s', async (what) => {
    const host = make('a rule', what);
    expect((await host.fire('PermissionRequest', QUESTION)).verdict).toBe('none');
    expect((await host.fire('PermissionRequest', { ...QUESTION, tool_name: 'Write' })).verdict).toBe('allow');
  });
});

describe('hooks answer for the person', () => {
  test('in a process that knows only the question, a managed function is not known', async () => {
    const host = make('a callback', 'a callback');
    expect((await host.fire('PermissionRequest', QUESTION)).verdict).toBe('allow');
  });

  test.each(Object.keys(ASKING))('where they are managed: %s', async (how) => {
    const host = make(how, 'the wire');
    managed(host, 'PermissionRequest', { hooks: [() => allow()] });
    await host.fire('PreToolUse', CALL);
    const decision = await host.fire('PermissionRequest', QUESTION);
    expect([decision.verdict, decision.updatedPermissions]).toEqual(['allow', undefined]);
  });

  test.each(Object.keys(ASKING))('where they deny: %s', async (how) => {
    const host = make(how, 'a callback');
    host.register({ PermissionRequest: [{ hooks: [() => deny('never')] }] });
    await host.fire('PreToolUse', CALL);
    expect(await host.fire('PermissionRequest', QUESTION)).toMatchObject({ verdict: 'deny', reason: 'never' });
  });

  test('where a hook that is not managed has asked', async () => {
    const host = createHost({ logger: () => undefined });
    managed(host, 'PreToolUse', { hooks: [() => allow()] });
    host.register({ PreToolUse: [{ hooks: [() => ask('sure?')] }], PermissionRequest: [{ hooks: [() => allow()] }] });
    expect((await host.fire('PreToolUse', CALL)).verdict).toBe('ask');
    expect((await host.fire('PermissionRequest', QUESTION)).verdict).toBe('allow');
  });

  test.each<[string, object]>([
    ['another input', { tool_input: { command: 'ls' } }],
    ['another tool', { tool_name: 'Write' }],
    ['another agent', { agent_id: 'a' }],
    ['another session', { session_id: 'other' }],
  ])('where managed policy has asked about %s', async (_, other) => {
    const host = make('a callback', 'a callback');
    await host.fire('PreToolUse', CALL);
    expect((await host.fire('PermissionRequest', { ...QUESTION, ...other })).verdict).toBe('allow');
  });

  test('once managed policy asks no more', async () => {
    const host = createHost({ logger: () => undefined });
    let asks = true;
    managed(host, 'PreToolUse', { hooks: [() => (asks ? ask('sure?') : undefined)] });
    host.register({ PermissionRequest: [{ hooks: [() => allow()] }] });
    const answers: unknown[] = [];
    for (asks of [true, false, true]) {
      await host.fire('PreToolUse', CALL);
      answers.push((await host.fire('PermissionRequest', QUESTION)).verdict);
    }
    expect(answers).toEqual(['none', 'allow', 'none']);
  });
});

test('a question about the input that a hook has put in place is known too', async () => {
  const host = make('a callback', 'a callback');
  host.register({ PreToolUse: [{ hooks: [() => rewrite({ command: 'deploy --dry-run' })] }] });
  const { updatedInput } = await host.fire('PreToolUse', CALL);
  expect(updatedInput).toEqual({ command: 'deploy --dry-run' });
  const asked = { ...QUESTION, tool_input: updatedInput as { command: string } };
  expect((await host.fire('PermissionRequest', asked)).verdict).toBe('none');
});

test('the questions that are remembered do not grow without end', async () => {
  const host = make('a callback', 'a callback');
  for (let i = 0; i < 1_100; i++) await host.fire('PreToolUse', { ...CALL, tool_input: { command: `deploy ${i}` } });
  const said = (i: number) => host.fire('PermissionRequest', { ...QUESTION, tool_input: { command: `deploy ${i}` } });
  expect([(await said(0)).verdict, (await said(1_099)).verdict]).toEqual(['allow', 'none']);
  const seen = watch(host);
  await said(1_099);
  expect(only(fires(seen)).decision.overruled).toHaveLength(1);
});

/** Ways in which a hook asks about a call of an agent. */
const ASKS: Record<string, (host: Host) => void> = {
  'a callback of the host': (host) => void host.on('PreToolUse', () => ask('sure?')),
  'a rule of the host': (host) => void host.register({ PreToolUse: [{ hooks: [rule('ask', 'sure?')] }] }),
  'a failure under the host': (host) =>
    void host.on(
      'PreToolUse',
      () => {
        throw new Error('sure?');
      },
      { onFailure: 'ask' },
    ),
  'a callback of the host, beside one of the agent': (host) => {
    host.on('PreToolUse', () => ask('sure?'));
    host.spawnHooks('r', { PreToolUse: [{ hooks: [() => ask('me too')] }] });
  },
};
const ASKED = Object.keys(ASKS).flatMap((how) => DECISIONS.map((decisions) => [how, decisions] as const));
const PERMITS = { PermissionRequest: [{ hooks: [rule('allow', 'always')] }] };

describe("a rule's allow does not answer what an outer scope has asked", () => {
  test.each(ASKED)('in an agent of a session: %s asks (%s)', async (how, decisions) => {
    for (const behavior of ['deny', 'allow', undefined] as const) {
      const host = createHost({ logger: () => undefined, decisions });
      const seen = watch(host);
      ASKS[how]?.(host);
      let asked = 0;
      const answer = () => {
        asked++;
        return { behavior, message: 'said a person' } as never;
      };
      const session = await host.openSession(behavior === undefined ? {} : { ask: answer });
      const agent = await session.spawn({ agent_type: 'r', hooks: PERMITS });
      const { status } = await agent.tool({ name: 'Bash', input: { command: 'ls' }, execute: () => 'done' });
      expect([asked, status]).toEqual([behavior === undefined ? 0 : 1, behavior === 'allow' ? 'ran' : 'denied']);
      const question = fires(seen).find(({ event }) => event === 'PermissionRequest');
      expect(question?.decision).toMatchObject({ verdict: 'none', overruled: [expect.any(String)] });
      await host.close();
    }
  });

  test.each(ASKED)('where an agent fires both events: %s asks (%s)', async (how, decisions) => {
    const host = createHost({ logger: () => undefined, decisions });
    ASKS[how]?.(host);
    await host.fire('SubagentStart', { agent_id: 'a', agent_type: 'r' } as never);
    host.registerScoped('a', PERMITS);
    const of = { agent_id: 'a', agent_type: 'r' };
    expect((await host.fire('PreToolUse', { ...CALL, ...of })).verdict).toBe('ask');
    expect(await host.fire('PermissionRequest', { ...QUESTION, ...of })).toMatchObject({
      verdict: 'none',
      overruled: [expect.any(String)],
    });
    // Nobody has asked about this one, or only a rule that asks about every call.
    const other = await host.fire('PermissionRequest', { ...QUESTION, ...of, tool_input: { command: 'other' } });
    expect(other.verdict).toBe(how === 'a rule of the host' ? 'none' : 'allow');
  });

  test('in a process that knows only the question, what a rule has asked', async () => {
    const host = createHost({ logger: () => undefined });
    ASKS['a rule of the host']?.(host);
    host.registerScoped('a', PERMITS);
    expect((await host.fire('PermissionRequest', { ...QUESTION, agent_id: 'a' })).verdict).toBe('none');
  });

  test('but a callback does, and what a hook of the same scope or of one further inside has asked', async () => {
    for (const [outer, inner, permits] of [
      [() => ask('sure?'), undefined, () => allow()],
      [undefined, () => ask('sure?'), rule('allow')],
    ] as const) {
      const host = createHost({ logger: () => undefined });
      const session = await host.openSession({ ask: () => ({ behavior: 'deny', message: 'no' }) });
      if (outer) host.on('PreToolUse', outer);
      const hooks = anyHooks({
        PermissionRequest: [{ hooks: [permits] }],
        ...(inner && { PreToolUse: [{ hooks: [inner] }] }),
      });
      const agent = await session.spawn({ agent_type: 'r', hooks });
      const { status } = await agent.tool({ name: 'Bash', input: { command: 'ls' }, execute: () => 'done' });
      expect(status).toBe('ran');
      await host.close();
    }
    const host = createHost({ logger: () => undefined });
    host.register({ PermissionRequest: [{ hooks: [rule('allow')] }] });
    const session = await host.openSession({ ask: () => ({ behavior: 'deny', message: 'no' }) });
    const agent = await session.spawn({
      agent_type: 'r',
      hooks: { PreToolUse: [{ hooks: [() => ask('sure?')] }] },
    });
    const { status } = await agent.tool({ name: 'Bash', input: { command: 'ls' }, execute: () => 'done' });
    expect(status).toBe('ran');
  });

  test('and where another hook allows the call, it is overruled beside that', async () => {
    const host = createHost({ logger: () => undefined });
    host.on('PreToolUse', () => ask('sure?'));
    host.registerScoped('a', {
      PermissionRequest: [{ hooks: [rule('allow'), { name: 'mine', handler: () => allow() }] }],
    });
    await host.fire('PreToolUse', { ...CALL, agent_id: 'a' });
    expect(await host.fire('PermissionRequest', { ...QUESTION, agent_id: 'a' })).toMatchObject({
      verdict: 'allow',
      decidedBy: 'mine#5',
      overruled: [expect.any(String)],
    });
  });
});

test("why says whose allow did not count, and what would: a rule's", async () => {
  const host = createHost({ logger: () => undefined });
  const seen = watch(host);
  host.on('PreToolUse', () => ask('sure?'));
  host.registerScoped('a', PERMITS);
  await host.fire('PreToolUse', { ...CALL, agent_id: 'a' });
  await host.fire('PermissionRequest', { ...QUESTION, agent_id: 'a' });
  const question = fires(seen).find(({ event }) => event === 'PermissionRequest') as FireRecord;
  const why = answerFor(question, { agent: 'a', otherFires: { sentences: [], changes: [] }, outcome: [] });
  const text = JSON.stringify(why);
  expect(text).toContain("a rule's allow does not answer for the user what a scope further out has asked");
  expect(text).toContain('one of the scope that has asked must allow');
});
