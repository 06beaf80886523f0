import { expect, test } from 'vitest';
import type { HookAlarm } from '../../../src/host/alarms/alarms.js';
import { fire } from '../../../src/host/fire/fire.js';
import type { FireOptions } from '../../../src/host/fire-options.js';
import { servicesOf } from '../../../src/host/internals.js';
import { anyHooks, testHost } from '../kit.js';

type Fields = Readonly<Record<string, unknown>>;

const call = (id: string, more: Fields = {}): Fields => ({
  session_id: 's',
  tool_name: 'Bash',
  tool_input: { command: 'echo a' },
  tool_use_id: id,
  ...more,
});
/** A question about the call that does not say which one it is. */
const question = (more: Fields = {}): Fields => ({ ...call('', more), tool_use_id: undefined });
const NO = { behavior: 'deny', message: 'a person’s no' };

/** Calls that the hooks judge, questions that are answered for the user, and what then runs. */
function harness(judge: () => unknown = () => undefined) {
  const alarms: HookAlarm[] = [];
  const { host } = testHost({ onAlarm: (alarm) => void alarms.push(alarm) });
  let answer: Fields = NO;
  const respond = () => ({ hookSpecificOutput: { hookEventName: 'PermissionRequest', decision: answer } });
  host.register(anyHooks({ PreToolUse: [{ hooks: [judge] }], PermissionRequest: [{ hooks: [respond] }] }));
  return {
    alarms,
    told: () => alarms.map(({ alarm, tool_use_id }) => `${alarm} ${tool_use_id}`),
    asked: (one: Fields, options?: FireOptions) => host.fireAny('PreToolUse', one, options),
    bytes: () => servicesOf(host).alarms.bytes,
    answered: (one: Fields, decision: Fields) => {
      answer = decision;
      return host.fireAny('PermissionRequest', one);
    },
    ran: (one: Fields, everyTool = false) =>
      fire(servicesOf(host), 'PostToolUse', { ...one, tool_response: {} }, { everyTool }),
  };
}

test('a no to one of two equal calls is a no to neither: nobody knows which was meant', async () => {
  const { asked, answered, ran, told } = harness();
  for (const id of ['t1', 't2']) await asked(call(id));
  await answered(question(), NO);
  for (const id of ['t1', 't2']) await ran(call(id));
  expect(told()).toEqual([]);
});

test.each<[string, Fields]>([
  ['of another session', { session_id: 'other' }],
  ['of another agent', { agent_id: 'a' }],
  ['of another tool', { tool_name: 'PowerShell' }],
  ['with another input', { tool_input: { command: 'echo b' } }],
])('a call %s is not the one that a question without an id is about', async (_, more) => {
  const { asked, answered, ran, told } = harness();
  await asked(call('t1'));
  await asked(call('t2', more));
  await answered(question(), NO);
  await ran(call('t2', more));
  expect(told()).toEqual([]);
  await ran(call('t1'));
  expect(told()).toEqual(['not_honoured t1']);
});

test('nor is one that has run', async () => {
  const { asked, answered, ran, told } = harness();
  await asked(call('t1'));
  await ran(call('t1'));
  await asked(call('t2'));
  await answered(question(), NO);
  await ran(call('t2'));
  expect(told()).toEqual(['not_honoured t2']);
});

test('the last answer counts', async () => {
  const { asked, answered, ran, told } = harness();
  for (const id of ['t1', 't2']) await asked(call(id));
  await answered(call('t1'), NO);
  await answered(call('t1'), { behavior: 'allow' });
  await answered(call('t2'), { behavior: 'allow' });
  await answered(call('t2'), NO);
  for (const id of ['t1', 't2']) await ran(call(id));
  expect(told()).toEqual(['not_honoured t2']);
});

test('of two that said no the alarm names the hook that judged the call', async () => {
  const { asked, answered, ran, alarms } = harness(() => ({ decision: 'block', reason: 'the guard’s no' }));
  await asked(call('t1'));
  await answered(call('t1'), NO);
  await ran(call('t1'));
  expect(alarms).toMatchObject([{ alarm: 'not_honoured', denied_by: 'hook', reason: 'the guard’s no' }]);
});

test('an id that another tool comes with: another call, of a harness that asks about some; else another tool than was judged', async () => {
  const { asked, ran, told } = harness();
  for (const id of ['t1', 't2']) await asked(call(id));
  await ran(call('t1', { tool_name: 'PowerShell' }));
  expect(told()).toEqual([]);
  await ran(call('t2', { tool_name: 'PowerShell' }), true);
  expect(told()).toEqual(['other_input t2']);
});

test.each([
  ['Agent', 'Task'],
  ['Task', 'Agent'],
  ['Bash', 'bash'],
  ['Bash', 'PowerShell'],
])('a denied call of %s that is reported as one of %s has run', async (tool, reported) => {
  const { asked, ran, told } = harness(() => ({ decision: 'block', reason: 'no' }));
  await asked(call('t1', { tool_name: tool }));
  await ran(call('t1', { tool_name: reported }));
  expect(told()).toEqual(['not_honoured t1']);
  // Only once: a second call may have the id of the first.
  await ran(call('t1', { tool_name: reported }));
  expect(told()).toEqual(['not_honoured t1']);
});

test.each([
  ['Agent', 'Task'],
  ['Task', 'Agent'],
])('a call of %s that is reported as one of %s is the same call', async (tool, reported) => {
  for (const every of [false, true]) {
    const { asked, answered, ran, told } = harness();
    for (const id of ['t1', 't2', 't3']) await asked(call(id, { tool_name: tool, tool_input: { id } }));
    await ran(call('t1', { tool_name: reported, tool_input: { id: 't1' } }), every);
    expect(told()).toEqual([]);
    await ran(call('t2', { tool_name: reported, tool_input: { id: 'other' } }), every);
    expect(told()).toEqual(['other_input t2']);
    const { tool_use_id: _, ...question } = call('t3', { tool_name: reported, tool_input: { id: 't3' } });
    await answered(question as never, NO);
    await ran(call('t3', { tool_name: tool, tool_input: { id: 't3' } }), every);
    expect(told()).toEqual(['other_input t2', 'not_honoured t3']);
  }
});

test('an interrupt is a no', async () => {
  const { asked, answered, ran, told } = harness();
  await asked(call('t1'));
  await answered(call('t1'), { ...NO, interrupt: true });
  await ran(call('t1'));
  expect(told()).toEqual(['not_honoured t1']);
});

test('a question that its caller took back leaves what was said before', async () => {
  const { asked, ran, told } = harness(() => ({ decision: 'block', reason: 'no' }));
  await asked(call('t1'));
  const again = asked(call('t1'), { signal: AbortSignal.abort() });
  await expect(again).rejects.toMatchObject({ code: 'ABORTED' });
  await ran(call('t1'));
  expect(told()).toEqual(['not_honoured t1']);
});

test('of calls in ever other sessions and agents no more is remembered than of others', async () => {
  const { asked, bytes } = harness();
  for (let i = 0; i < 20_000; i++) await asked(call('t1', { session_id: `session-${i}`, agent_id: `agent-${i}` }));
  expect(bytes()).toBeGreaterThan(8 << 20);
  expect(bytes()).toBeLessThan(16 << 20);
});
