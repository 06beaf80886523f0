import { Agent, tool } from '@openai/agents';
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type AnyAgent, agentTool, drive } from '../../src/adapters/openai-agents.js';
import type { HookRecord } from '../../src/emit/record.js';
import { names, on, opened } from '../session/kit.js';
import { toolsInto } from './openai-kit.js';

const _path = z.object({ path: z.string() });

/** A session whose hooks say `decision` of every call of `write`, and what has run. */
async function setup(decision: 'deny' | 'ask') {
  const { host, session, seen } = await opened();
  on(host, 'PreToolUse', (input: { tool_name: string }) =>
    input.tool_name === 'write'
      ? { hookSpecificOutput: { permissionDecision: decision, permissionDecisionReason: 'not that' } }
      : undefined,
  );
  const ran: string[] = [];
  return { session, seen, ran, toolOf: toolsInto(ran) };
}

const call = (name: string, args: object, callId: string) => functionCall(name, { ...args }, { callId });
const DONE = [assistantMessage('Done.')];
const replies = (model: ScriptedModel): string => JSON.stringify(model.calls.at(-1)?.request.input);

test('a tool that comes to an agent while it runs goes through the hooks, whoever brings it', async () => {
  const { session, ran, toolOf } = await setup('deny');
  const model = new ScriptedModel([[call('read', { path: 'a' }, '1')], [call('write', { path: 'b' }, '2')], DONE]);
  const agent: AnyAgent = new Agent({ name: 'main', model, tools: [toolOf('read')] });
  agent.once('agent_tool_start', () => agent.tools.push(toolOf('write')));
  await drive(session, agent, 'Go');
  expect(ran).toEqual(['read a']);
  expect(replies(model)).toContain('not that');

  const other = await setup('deny');
  const script = [[call('read', { path: 'a' }, '1')], [call('write', { path: 'b' }, '2')], DONE];
  const given: AnyAgent = new Agent({ name: 'main', model: new ScriptedModel(script), tools: [other.toolOf('read')] });
  given.once('agent_start', (_, who) => who.tools.push(other.toolOf('write') as never));
  await drive(other.session, given, 'Go', { toolNotFoundBehavior: 'return_error_to_model' });
  expect(other.ran).toEqual(['read a']);
});

test('the copy of an agent takes neither a tool nor a handoff that no hook would see', async () => {
  const { session, ran, toolOf } = await setup('deny');
  const script = [[call('read', { path: 'a' }, '1')], [call('write', { path: 'b' }, '2')], DONE];
  const clerk = new Agent({
    name: 'clerk',
    model: new ScriptedModel([[call('write', { path: 'c' }, '3')], DONE]),
    tools: [toolOf('write')],
  });
  const agent = new Agent({
    name: 'main',
    model: new ScriptedModel(script),
    // The SDK hands it the agent that it runs.
    instructions: (_, who) => {
      who.tools.push(toolOf('write') as never);
      who.handoffs.push(clerk as never);
      return 'Be brief.';
    },
    tools: [toolOf('read')],
  });
  await drive(session, agent, 'Go', { toolNotFoundBehavior: 'return_error_to_model' });
  expect(ran).toEqual(['read a']);
});

test.each([
  { of: 'one call', how: {}, id: 'call-1' },
  { of: 'all calls of a tool', how: { alwaysApprove: true }, id: 'call-9' },
])('what the user allowed the main agent ($of) is not allowed to its subagent', async ({ how, id }) => {
  const { session, ran, toolOf } = await setup('ask');
  const inner = new ScriptedModel([[call('write', { path: 'sub' }, id)], DONE]);
  const writer = new Agent({ name: 'writer', model: inner, tools: [toolOf('write')] });
  const model = new ScriptedModel([
    [call('write', { path: 'main' }, 'call-1')],
    [call('writer', { input: 'Write.' }, 'call-2')],
    DONE,
  ]);
  const tools = [toolOf('write'), agentTool(writer, { toolDescription: 'Writes.' })];
  const agent = new Agent({ name: 'main', model, tools });
  const first = await drive(session, agent, 'Go');
  for (const item of first.interruptions) first.state?.approve(item, how);
  expect(await drive(session, agent, first.state as never)).toMatchObject({ status: 'done' });
  expect(ran).toEqual(['write main']);
  expect(replies(inner)).toContain('not that');
});

describe('what the user says of all calls of a tool', () => {
  /** The tool wants approval of every call of it; hooks ask about those of `asked`, and deny that of `never`. */
  async function always(answer: 'approve' | 'reject', asked: readonly string[] = []) {
    const { host, session, seen } = await opened();
    on(host, 'PreToolUse', ({ tool_input: { path } }: { tool_input: { path: string } }) =>
      asked.includes(path) || path === 'never'
        ? { hookSpecificOutput: { permissionDecision: path === 'never' ? 'deny' : 'ask' } }
        : undefined,
    );
    const ran: string[] = [];
    const toolOf = (name: string) =>
      tool({
        name,
        description: 'x',
        parameters: _path,
        needsApproval: true,
        execute: ({ path }) => `${ran.push(`${name} ${path}`)}`,
      });
    const paths = ['a', 'b', 'never', 'c'];
    const calls = paths.map((path, i) => [call('read', { path }, `${i}`)]);
    const model = new ScriptedModel([
      ...calls,
      [call('write', { path: 'w' }, '8')],
      [call('read', { path: 'd' }, '9')],
      DONE,
    ]);
    const agent = new Agent({ name: 'main', model, tools: [toolOf('read'), toolOf('write')] });
    const say = (turn: { state?: unknown; interruptions: readonly unknown[] }, sticky = true) => {
      const state = turn.state as { approve: typeof approve; reject: typeof approve };
      for (const item of turn.interruptions)
        if (answer === 'approve') state.approve(item, sticky ? { alwaysApprove: true } : {});
        else state.reject(item, sticky ? { alwaysReject: true, message: 'none of these' } : {});
      return drive(session, agent, turn.state as never);
    };
    return { first: await drive(session, agent, 'Go'), say, ran, seen, model };
  }
  const approve = (_item: unknown, _how: object): void => undefined;
  const waiting = ({ interruptions }: { interruptions: readonly { rawItem: unknown }[] }): string[] =>
    interruptions.map(({ rawItem }) => String((rawItem as { arguments?: string }).arguments));

  test('a yes answers what the tool asks about each of them, also after another question, and hooks judge each', async () => {
    const { first, say, ran, seen } = await always('approve');
    const second = await say(first);
    expect(ran).toEqual(['read a', 'read b', 'read c']);
    expect(waiting(second)).toEqual(['{"path":"w"}']);
    expect(await say(second, false)).toMatchObject({ status: 'done', text: 'Done.' });
    expect(ran).toEqual(['read a', 'read b', 'read c', 'write w', 'read d']);
    const judged = seen
      .filter(({ event }) => event === 'PreToolUse')
      .map(({ input }) => (input['tool_input'] as { path: string }).path);
    expect(new Set(judged)).toEqual(new Set(['a', 'b', 'never', 'c', 'w', 'd']));
  });

  test('a yes answers no question of a hook but the one that was asked', async () => {
    const { first, say, ran } = await always('approve', ['a', 'c']);
    const second = await say(first);
    expect(ran).toEqual(['read a', 'read b']);
    expect(waiting(second)).toEqual(['{"path":"c"}']);
    expect(waiting(await say(second))).toEqual(['{"path":"w"}']);
    expect(ran).toEqual(['read a', 'read b', 'read c']);
  });

  test('a no refuses each of them, hooks are told, and the model reads why', async () => {
    const { first, say, ran, seen, model } = await always('reject', ['c']);
    const second = await say(first);
    expect(waiting(second)).toEqual(['{"path":"w"}']);
    expect(ran).toEqual([]);
    expect(replies(model).match(/none of these/g)).toHaveLength(3);
    expect(names(seen).filter((name) => name === 'PostToolUse')).toEqual([]);
    await say(second, false);
    expect(ran).toEqual([]);
  });
});

test.each(['{not json', '7', 'null', '[]'])(
  'the arguments %s are no question for the user: the model reads so',
  async (text) => {
    const { session, seen, ran, toolOf } = await setup('ask');
    const bad = { ...call('read', {}, '1'), arguments: text };
    const model = new ScriptedModel([[bad], [call('read', { path: 'a' }, '2')], DONE]);
    const agent = new Agent({ name: 'main', model, tools: [toolOf('read')] });
    expect(await drive(session, agent, 'Go')).toMatchObject({ status: 'done', interruptions: [] });
    expect(ran).toEqual(['read a']);
    expect(JSON.stringify(model.calls[1]?.request.input)).toContain('try again with valid JSON');
    expect(names(seen).filter((name) => name === 'PreToolUse')).toHaveLength(1);
  },
);

test('beside a call that waits for the user, one with arguments that cannot be read is not asked about', async () => {
  const { session, ran, toolOf } = await setup('ask');
  const bad = { ...call('read', {}, '1'), arguments: '{not json' };
  const model = new ScriptedModel([[bad, call('write', { path: 'a' }, '2')], DONE]);
  const agent = new Agent({ name: 'main', model, tools: [toolOf('read'), toolOf('write')] });
  const first = await drive(session, agent, 'Go');
  expect(first.interruptions.map(({ name }) => name)).toEqual(['write']);
  first.state?.approve(first.interruptions[0] as never);
  expect(await drive(session, agent, first.state as never)).toMatchObject({ status: 'done', text: 'Done.' });
  expect(ran).toEqual(['write a']);
  expect(replies(model)).toContain('try again with valid JSON');
});

test("a call that the user has refused is recorded as refused by the user, with the user's words, also where a hook would allow it", async () => {
  for (const later of [false, true]) {
    const { host, session } = await opened();
    const records: HookRecord[] = [];
    host.events$.subscribe((record) => records.push(record));
    on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'allow' } } }));
    const ran: string[] = [];
    const first = call('write', { path: 'a' }, '1');
    const script = later ? [[first], [call('write', { path: 'a' }, '2')], DONE] : [[first], DONE];
    const model = new ScriptedModel(script);
    const agent = new Agent({ name: 'main', model, tools: [toolsInto(ran)('write', { needsApproval: true })] });
    const { state, interruptions } = await drive(session, agent, 'Go');
    for (const item of interruptions) state?.reject(item, { message: 'It is my thesis.', alwaysReject: later });
    if (state) await drive(session, agent, state);
    expect(ran).toEqual([]);
    const calls = records.filter((record) => record.type === 'tool_call');
    const refused = { status: 'denied', ran: false, denied_by: 'user', reason: 'It is my thesis.' };
    expect(calls).toMatchObject(later ? [refused, refused] : [refused]);
    expect(replies(model)).toContain('It is my thesis.');
  }
});

test('an approval of all calls of a tool is for whatever a hook makes of the first one, too, and not where a hook asks', async () => {
  for (const permissionDecision of [undefined, 'ask']) {
    const { host, session } = await opened();
    on(host, 'PreToolUse', () => ({ hookSpecificOutput: { permissionDecision, updatedInput: { path: 'b' } } }));
    const ran: string[] = [];
    const script = [[call('write', { path: 'a' }, '1')], [call('write', { path: 'a' }, '2')], DONE];
    const tools = [toolsInto(ran)('write', { needsApproval: true })];
    const agent = new Agent({ name: 'main', model: new ScriptedModel(script), tools });
    const { state, interruptions } = await drive(session, agent, 'Go');
    for (const item of interruptions) state?.approve(item, { alwaysApprove: true });
    if (state) await drive(session, agent, state);
    expect(ran).toEqual(permissionDecision ? [] : ['write b', 'write b']);
  }
});

test('with an onAsk the user is still asked about a tool that needs approval, whoever else would allow it', async () => {
  for (const options of [{}, { ask: () => ({ behavior: 'allow' as const }) }, { permission_mode: 'dontAsk' as const }])
    for (const onAsk of [undefined, () => undefined]) {
      const { host, session } = await opened(options);
      on(host, 'PermissionRequest', () => ({ hookSpecificOutput: { decision: { behavior: 'allow' } } }));
      const ran: string[] = [];
      const model = new ScriptedModel([[call('write', { path: 'a' }, '1')], DONE]);
      const agent = new Agent({ name: 'main', model, tools: [toolsInto(ran)('write', { needsApproval: true })] });
      const { state, interruptions, status } = await drive(session, agent, 'Go', { onAsk });
      expect({ status, ran }).toEqual({ status: 'unfinished', ran: [] });
      for (const item of interruptions) state?.approve(item);
      if (state) await drive(session, agent, state, { onAsk });
      expect(ran).toEqual(['write a']);
    }
});
