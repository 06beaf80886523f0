import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hookRecord } from '../../src/emit/fire-schema.js';
import type { HookRecord, ToolCallRecord } from '../../src/emit/record.js';
import { servicesOf } from '../../src/host/internals.js';
import type { SessionOptions } from '../../src/session/options.js';
import type { ToolCall } from '../../src/session/tool/call.js';
import { type Opened, on, opened } from './kit.js';

interface Recorded extends Opened {
  readonly records: HookRecord[];
  calls(): ToolCallRecord[];
}

async function recorded(options: SessionOptions = {}): Promise<Recorded> {
  const all = await opened({ permission: undefined, permission_mode: 'default', ...options });
  const records: HookRecord[] = [];
  all.host.events$.subscribe((record) => records.push(record));
  const calls = (): ToolCallRecord[] => records.filter((record) => record.type === 'tool_call');
  return { ...all, records, calls };
}

const call = (more: Partial<ToolCall> = {}): ToolCall => ({
  id: 'toolu_1',
  name: 'Deploy',
  input: { b: 1, a: 'x' },
  execute: () => 'done',
  ...more,
});
const say = (specific: object) => () => ({ hookSpecificOutput: specific });

describe('the record of a tool call says who decided', () => {
  const named = (name: string, handler: unknown) => ({ name, handler });
  test.each<[string, SessionOptions, Record<string, unknown>, Partial<ToolCallRecord>]>([
    [
      'a hook that denied it',
      {},
      { PreToolUse: named('no', say({ permissionDecision: 'deny', permissionDecisionReason: 'not here' })) },
      { status: 'denied', ran: false, denied_by: 'hook', decided_by: 'no', reason: 'not here' },
    ],
    [
      'a hook that allowed it',
      {},
      { PreToolUse: named('yes', say({ permissionDecision: 'allow', permissionDecisionReason: 'fine' })) },
      { status: 'ran', ran: true, approver: 'hook', decided_by: 'yes', reason: 'fine' },
    ],
    [
      'a hook that allowed it without a word',
      { permission: () => ({ behavior: 'allow', message: 'rule 7' }) },
      { PreToolUse: named('yes', say({ permissionDecision: 'allow' })) },
      { status: 'ran', approver: 'hook', decided_by: 'yes' },
    ],
    [
      'a PermissionRequest hook that denied it',
      {},
      { PermissionRequest: named('no', say({ decision: { behavior: 'deny', message: 'later' } })) },
      { status: 'denied', denied_by: 'hook', decided_by: 'no', reason: 'later' },
    ],
    [
      'a PermissionRequest hook that allowed it',
      {},
      { PermissionRequest: named('yes', say({ decision: { behavior: 'allow' } })) },
      { status: 'ran', approver: 'hook', decided_by: 'yes' },
    ],
    [
      'a rule that denied it',
      { permission: () => ({ behavior: 'deny', message: 'rule 7' }) },
      {},
      { denied_by: 'rule', reason: 'rule 7' },
    ],
    ['a rule that allowed it', { permission: () => ({ behavior: 'allow' }) }, {}, { status: 'ran', approver: 'rule' }],
    [
      'the user who denied it',
      { ask: () => ({ behavior: 'deny', message: 'not now' }) },
      {},
      { denied_by: 'user', reason: 'not now' },
    ],
    ['the user who allowed it', { ask: () => ({ behavior: 'allow' }) }, {}, { status: 'ran', approver: 'user' }],
    [
      'the user, whom a hook had asked',
      { ask: () => ({ behavior: 'allow' }) },
      { PreToolUse: named('ask', say({ permissionDecision: 'ask' })) },
      { status: 'ran', approver: 'user' },
    ],
    ['nobody', {}, {}, { status: 'denied', denied_by: 'nobody' }],
    ['the mode that denied it', { permission_mode: 'dontAsk' }, {}, { denied_by: 'mode' }],
    ['the mode that allowed it', { permission_mode: 'bypassPermissions' }, {}, { status: 'ran', approver: 'mode' }],
    [
      'a classifier',
      { permission_mode: 'auto', classify: () => ({ behavior: 'deny', message: 'risky' }) },
      {},
      { denied_by: 'classifier', reason: 'risky' },
    ],
    ['a question that failed', { ask: () => Promise.reject(new Error('down')) }, {}, { denied_by: 'failure' }],
    [
      'a hook that put it off',
      {},
      { PreToolUse: named('wait', say({ permissionDecision: 'defer', permissionDecisionReason: 'at night' })) },
      { status: 'deferred', ran: false, decided_by: 'wait', reason: 'at night' },
    ],
  ])('%s', async (_, options, hooks, expected) => {
    const { host, session, calls } = await recorded(options);
    for (const [event, hook] of Object.entries(hooks)) on(host, event as 'PreToolUse', hook);
    await session.tool(call());
    const [record, ...more] = calls();
    expect(more).toEqual([]);
    const { decided_by, ...rest } = expected;
    expect(record).toMatchObject({ tool_name: 'Deploy', tool_use_id: 'toolu_1', scope: 'session', ...rest });
    const name = host
      .describe()
      .children.flatMap((child) => child.hooks)
      .concat(host.describe().hooks);
    const found = [...name].find((hook) => hook.id === record?.decided_by)?.name;
    if (decided_by !== undefined && found !== undefined) expect(found).toBe(decided_by);
    expect(record?.decided_by === undefined).toBe(decided_by === undefined);
    if (record?.approver !== undefined) expect(record.reason).toBe(expected.reason);
    for (const key of ['denied_by', 'approver'] as const) expect(record?.[key]).toBe(expected[key]);
    expect(hookRecord.safeParse(JSON.parse(JSON.stringify(record))).error).toBeUndefined();
    await host.close();
  });
});

test('it is the last record of the call, with the hash of the input that ran and the time of hooks and tool', async () => {
  const { host, session, records, calls } = await recorded({ permission: () => ({ behavior: 'allow' }) });
  on(host, 'PreToolUse', say({ updatedInput: { z: [1, { y: 2, x: null }], a: 'rewritten' } }));
  const agent = await session.spawn({ agent_type: 'reviewer' });
  await agent.tool(call());
  const at = records.findIndex((record) => record.type === 'tool_call');
  const later = records.slice(at + 1).filter((record) => JSON.stringify(record).includes('toolu_1'));
  expect(later).toEqual([]);
  const sorted = '{"a":"rewritten","z":[1,{"x":null,"y":2}]}';
  expect(calls()).toMatchObject([
    {
      agent_id: agent.id,
      agent_type: 'reviewer',
      input_sha256: createHash('sha256').update(sorted).digest('hex'),
      duration_ms: expect.any(Number),
      hooks_ms: { PreToolUse: expect.any(Number), PostToolUse: expect.any(Number) },
    },
  ]);
  await host.close();
});

test.each([
  ['an answer', 'allow'],
  ['no answer', 'none'],
] as const)('the time of hooks is without what somebody elsewhere takes: %s', async (_, answer) => {
  const { host, session, calls } = await recorded({ permission: () => ({ behavior: 'allow' }) });
  on(host, 'PreToolUse', say({ permissionDecision: 'ask', permissionDecisionReason: 'sure?' }));
  const { now } = performance;
  onTestFinished(() => {
    performance.now = now;
  });
  const day = 86_400_000;
  const about = { at: '2026-01-01T00:00:00.000Z', waited_ms: day, question: 'abcdef012345', input_hmac: 'x' };
  servicesOf(host).elsewhere = {
    async ask() {
      performance.now = () => now.call(performance) + day;
      return { answer, ...about };
    },
  };
  await session.tool(call());
  const [record] = calls();
  expect(record?.hooks_ms['PreToolUse']).toBeGreaterThanOrEqual(0);
  expect(record?.hooks_ms['PreToolUse']).toBeLessThan(day);
  await host.close();
});

test('a call that failed, was interrupted or cannot be made has one as well', async () => {
  const { host, session, calls } = await recorded({ permission: () => ({ behavior: 'allow' }) });
  await session.tool(call({ id: 'fails', execute: () => Promise.reject(new Error('no disk')) }));
  await session.toolBatch([call({ id: 'unknown', invalid: 'There is no such tool.' }), call({ id: 'second' })]);
  const left = session.tool(call({ id: 'left', execute: () => new Promise(() => undefined) }));
  await new Promise((resolve) => setTimeout(resolve, 20));
  void session.interrupt();
  await left;
  expect(calls().map(({ tool_use_id, status, ran, denied_by }) => [tool_use_id, status, ran, denied_by])).toEqual([
    ['fails', 'failed', true, undefined],
    ['unknown', 'failed', false, undefined],
    ['second', 'ran', true, undefined],
    ['left', 'interrupted', true, 'abort'],
  ]);
  await host.close();
});

test.each<[string, unknown]>([
  ['a bigint', { size: 1n }],
  ['a function', { a: () => 1 }],
  ['a getter that throws', Object.defineProperty({}, 'a', { enumerable: true, get: () => assert.fail('no') })],
])('a call that is refused for its input (%s) has one, and so has every call beside it', async (_, input) => {
  const { host, session, calls } = await recorded({ permission: () => ({ behavior: 'allow' }) });
  await expect(session.tool(call({ id: 'alone', input }))).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const batch = [call({ id: 'before' }), call({ id: 'bad', input }), call({ id: 'behind' })];
  await expect(session.toolBatch(batch)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  const refused = expect.stringContaining('"tool_input" must be JSON data');
  const beside = expect.stringMatching(/^It was not started: .*"tool_input"/);
  expect(calls().map(({ tool_use_id, status, ran, reason }) => [tool_use_id, status, ran, reason])).toEqual([
    ['alone', 'failed', false, refused],
    ['before', 'failed', false, beside],
    ['bad', 'failed', false, refused],
    ['behind', 'failed', false, beside],
  ]);
  for (const record of calls()) expect(hookRecord.safeParse(JSON.parse(JSON.stringify(record))).error).toBeUndefined();
  await host.close();
});

const never = () => new Promise<never>(() => undefined);

test.each<[string, SessionOptions, Partial<ToolCall>, boolean]>([
  ['while its rules are asked', { permission: never }, {}, false],
  ['while the user is asked', { ask: never }, {}, false],
  ['while it runs', { permission: () => ({ behavior: 'allow' }) }, { execute: never }, true],
])('a call that the closing host cuts short %s has one, before the stream ends', async (_, options, more, ran) => {
  const { host, session, calls } = await recorded(options);
  const agent = await session.spawn({ agent_type: 'reviewer' });
  const results = [session.tool(call({ id: 'main', ...more })), agent.tool(call({ id: 'agent', ...more }))];
  await new Promise((resolve) => setTimeout(resolve, 20));
  await host.close();
  expect((await Promise.all(results)).map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
  const told = calls().map(({ tool_use_id, status, denied_by, ran }) => [tool_use_id, status, denied_by, ran]);
  expect(told.sort()).toEqual([
    ['agent', 'interrupted', 'abort', ran],
    ['main', 'interrupted', 'abort', ran],
  ]);
});

test('a call that stands behind one that control flow left was not started, and has a record that says so', async () => {
  class Pause extends Error {}
  const { host, session, calls } = await recorded({
    permission: () => ({ behavior: 'allow' }),
    passThrough: (error) => error instanceof Pause,
  });
  let pauses = true;
  const pausing = call({ id: 'pauses', execute: () => (pauses ? Promise.reject(new Pause('which one?')) : 'that') });
  const batch = [call({ id: 'first' }), pausing, call({ id: 'behind' }), call({ id: 'last', effect: 'read' })];
  await expect(session.toolBatch(batch)).rejects.toThrow(Pause);
  const told = () =>
    calls()
      .splice(0)
      .map(({ tool_use_id, status, ran, reason, denied_by }) => {
        expect(denied_by).toBeUndefined();
        return [tool_use_id, status, ran, reason];
      });
  const why = 'It was not started: a call beside it threw (which one?)';
  expect(told()).toEqual([
    ['first', 'ran', true, undefined],
    ['pauses', 'interrupted', true, 'which one?'],
    ['behind', 'interrupted', false, why],
    ['last', 'interrupted', false, why],
  ]);
  pauses = false;
  const again = await session.toolBatch(batch);
  expect(again.results.map(({ status }) => status)).toEqual(['ran', 'ran', 'ran', 'ran']);
  expect(
    calls()
      .slice(4)
      .map(({ tool_use_id, ran }) => [tool_use_id, ran]),
  ).toEqual(batch.map(({ id }) => [id, true]));
  await host.close();
});

test('without a subscriber none is built', async () => {
  const { host, session } = await opened();
  await session.tool(call());
  expect(host.recordsBuilt).toBe(0);
  await host.close();
});
